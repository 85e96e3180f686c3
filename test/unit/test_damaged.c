/*
 * test_damaged.c
 *	  Tables with pages that contradict themselves, by every strategy and by the interpreter: no
 *	  kernel reads what nobody has written, and answers are the CPU engine's.
 *
 * What stands in device memory that a run gets is what other runs have left there.  So before a
 * damaged table another one is read whose columns have the same places and any numbers, where the
 * damaged one's have places of texts; then a sound one; and then the damaged one twice.
 *
 * On the simulated device kernels are compiled with the address sanitizer, as this program is.
 *
 * GPUAGG_TEST_DAMAGED: how many tables; then all queries go by all strategies.  Without it there
 * are few tables, and most queries go by the interpreter only, whose kernels are compiled once.
 *
 * GPUAGG_TEST_FRESH: runs get memory from the device and give it back, for compute-sanitizer's
 * initcheck; no columns are kept.  Groups by texts do not go by the interpreter then: a thread may
 * read what another one is storing (table.cuh), which the tool's marks tell it late.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/cuda/codegen/strategy.h"
#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "mutate.h"
#include "numeric_writer.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define NPAGES 4
#define MAX_ROWS 110
#define FEW_TABLES 17			/* each kind of damage once */
#define NO_PLACE UINT16_MAX

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static int	ntables = FEW_TABLES;
static bool thorough;			/* was ntables asked for? */
static bool fresh;				/* do runs get memory that no other run had? */

/* The attributes; A_LAST is missing in some tuples. */
enum
{
	A_INT4 = 1, A_TEXT, A_NUMERIC, A_INT8, A_LAST
};

/* A table, and where the values of its tuples' attributes begin on their pages. */
typedef struct Table
{
	char	   *pages;
	PageRef		refs[NPAGES];
	uint16_t	places[NPAGES][MAX_ROWS][A_LAST];
} Table;

static Table numbers;			/* no texts */
static Table sound;
static Table damaged;

/*----------
 * Tables
 *----------
 */
/* Add an attribute's value, or NULL, and note its place in the tuple's data. */
static void
add_value(TupleWriter *tuple, int attno, bool texts, bool wide, uint16_t *place)
{
	int64_t		int8 = (int64_t) random_u64() >> (texts ? 40 : 0);
	int32_t		int4 = (int32_t) (random_u64() % 9);
	uint8_t		numeric[NUMERIC_ROOM];
	char		text[400];
	uint32_t	length = (uint32_t) (random_u64() % 12);

	*place = NO_PLACE;
	if (attno != A_INT4 && random_u64() % 8 == 0)
	{
		tuple_null(tuple);
		return;
	}
	if (wide)
		length *= 30;
	memset(text, 'a' + (int) (random_u64() % 3), sizeof(text));
	if (attno == A_INT4)
		tuple_fixed(tuple, &int4, 4, 4);
	else if (attno == A_NUMERIC)
		tuple_text(tuple, (const char *) numeric,
				   length = numeric_of_scaled(numeric, length % 2 == 0, int8 >> 20, 3), true);
	else if (attno == A_INT8 || !texts)
		tuple_fixed(tuple, &int8, 8, 8);
	else
		tuple_text(tuple, text, length, length < 100 && length % 3 == 0);
	if (attno == A_INT4)
		length = 4;
	else if (attno == A_INT8 || !texts)
		length = 8;
	*place = (uint16_t) (tuple->len - length);
}

/* Rows on all pages; wide: few, with long texts. */
static void
fill_table(Table *table, bool texts, bool wide)
{
	for (int p = 0; p < NPAGES; p++)
	{
		char	   *page = table->pages + p * HEAP_PAGE_SIZE;
		TupleWriter tuple;
		uint16_t   *places;
		uint32_t	n;

		page_begin(page);
		do
		{
			int			natts = random_u64() % 5 == 0 ? A_INT8 : A_LAST;

			n = page_nlines(page);
			places = table->places[p][n];
			tuple_begin(&tuple);
			for (int attno = A_INT4; attno <= natts; attno++)
				add_value(&tuple, attno, texts, wide, &places[attno - 1]);
			for (int attno = natts + 1; attno <= A_LAST; attno++)
				places[attno - 1] = NO_PLACE;
		}
		while (page_add(page, &tuple, HEAP_LINE_NORMAL) && n + 1 < MAX_ROWS);
		table->refs[p] = (PageRef)
		{
			.page = page,.block = (uint32_t) p,.nlines = page_nlines(page)
		};
	}
}

/*----------
 * Damage
 *----------
 */
static uint32_t
get_line(const char *page, uint32_t n)
{
	uint32_t	line;

	memcpy(&line, page + HEAP_PAGE_LINES + n * HEAP_LINE_SIZE, sizeof(line));
	return line;
}

static void
put_line(char *page, uint32_t n, uint32_t offset, uint32_t flags, uint32_t length)
{
	uint32_t	line = (offset & 0x7fff) | (flags & 3) << 15 | (length & 0x7fff) << 17;

	memcpy(page + HEAP_PAGE_LINES + n * HEAP_LINE_SIZE, &line, sizeof(line));
}

/* A line pointer's offset, length, flags, or all of it. */
static void
damage_line(char *page, uint32_t n, int kind)
{
	static const uint16_t lengths[] = {0, 8, 22, 23, 24, 30, 8192, 32767};
	uint32_t	line = get_line(page, n);
	uint32_t	offset = HEAP_LINE_OFFSET(line);
	uint32_t	length = HEAP_LINE_LENGTH(line);
	uint32_t	random = (uint32_t) random_u64();

	if (kind == 0)
		put_line(page, n, random % 2 ? random % HEAP_PAGE_SIZE / 8 * 8 : random, 1, length);
	else if (kind == 1)
		put_line(page, n, offset, 1, random % 2 ? length + random % 40 - 20 : lengths[random % 8]);
	else if (kind == 2)
		put_line(page, n, offset, random % 4, length);
	else
		put_line(page, n, random, random >> 15, random >> 17);
}

/* A tuple's header: where its data begins, how many attributes, are there NULLs and which. */
static void
damage_header(char *tuple, int kind)
{
	static const uint8_t hoffs[] = {0, 8, 16, 23, 24, 32, 40, 255};
	static const uint16_t counts[] = {0, 1, 2, 4, 6, 1664, 1665, 2047};
	uint32_t	random = (uint32_t) random_u64();

	if (kind == 4)
		tuple[HEAP_TUPLE_HOFF] = (char) hoffs[random % 8];
	else if (kind == 5)
		page_put16(tuple, HEAP_TUPLE_INFOMASK2, counts[random % 8]);
	else if (kind == 6)
		tuple[HEAP_TUPLE_INFOMASK] ^= HEAP_TUPLE_HAS_NULL;
	else
		tuple[HEAP_TUPLE_BITS] = (char) random;
}

/* A header of a value of variable length. */
static void
damage_varlena(char *value, int kind)
{
	static const uint32_t sizes[] = {0, 3, 4, 7, 8, 9, 4096, 0x3fffffff};
	uint32_t	random = (uint32_t) random_u64();
	uint32_t	header = sizes[random % 8] << 2 | (random >> 8 & 2);

	if (kind == 8)
		value[-1] = (char) (random | 1);
	else if (kind == 9)
	{
		value[-1] = 1;
		value[0] = (char) (random % 2 ? VARLENA_TAG_ONDISK : random >> 8);
	}
	else
	{
		value = (char *) (((uintptr_t) value - 1) & ~(uintptr_t) 3);
		memcpy(value, &header, sizeof(header));
	}
}

/* A stored numeric's header and digits. */
static void
damage_numeric(char *value)
{
	for (uint32_t n = 1 + random_u64() % 3; n > 0; n--)
		page_put16(value, (uint32_t) (random_u64() % 5) * 2, (uint32_t) random_number());
}

/* Page headers, or any bytes: without the header all, so that tuples are looked at. */
static void
damage_page(char *page, int kind)
{
	static const uint16_t offsets[] = {0, 20, 24, 25, 4096, 8191, 8192, 9000};

	if (kind == 13)
		page_put16(page, HEAP_PAGE_LOWER + (uint32_t) (random_u64() % 3) * 2,
				   offsets[random_u64() % 8]);
	else if (kind == 14)
		mutate(page, HEAP_PAGE_SIZE);
	else
		for (uint32_t i = HEAP_PAGE_LINES; i < HEAP_PAGE_SIZE; i++)
			page[i] = (char) random_u64();
}

#define KINDS 16

/* One place of a table. */
static void
damage(Table *table, int kind)
{
	int			p = (int) (random_u64() % NPAGES);
	char	   *page = table->pages + p * HEAP_PAGE_SIZE;
	uint32_t	n = (uint32_t) (random_u64() % table->refs[p].nlines);
	char	   *tuple = page + HEAP_LINE_OFFSET(get_line(page, n)) % (HEAP_PAGE_SIZE - 64);
	int			attno = kind >= 11 ? A_NUMERIC : random_u64() % 2 ? A_TEXT : A_LAST;
	uint16_t	place = table->places[p][n][attno - 1];
	char	   *value = tuple + (uint8_t) tuple[HEAP_TUPLE_HOFF] + place;

	if (kind < 4)
		damage_line(page, n, kind);
	else if (kind < 8)
		damage_header(tuple, kind);
	else if (kind >= 13)
		damage_page(page, kind);
	else if (place == NO_PLACE || value < page + 1 || value + 16 > page + HEAP_PAGE_SIZE)
		damage_line(page, n, kind % 4);
	else if (kind < 12)
		damage_varlena(value, kind);
	else
		damage_numeric(value);
}

/* Table number t, always the same one, after its sound one. */
static void
make_tables(int t)
{
	bool		wide = t % 4 == 3;

	random_state = UINT64_C(88172645463325252) + (uint64_t) t * 7919;
	fill_table(&numbers, false, false);
	fill_table(&sound, true, wide);
	memcpy(damaged.places, sound.places, sizeof(sound.places));
	memcpy(damaged.pages, sound.pages, NPAGES * HEAP_PAGE_SIZE);
	memcpy(damaged.refs, sound.refs, sizeof(sound.refs));
	for (int p = 0; p < NPAGES; p++)
		damaged.refs[p].page = damaged.pages + p * HEAP_PAGE_SIZE;
	/* a tuple that does not begin at a multiple of 8 */
	if (t == 0)
		put_line(damaged.pages + HEAP_PAGE_SIZE, 60, 3180, HEAP_LINE_NORMAL, 60);
	else
		for (int i = 0; i <= t % 3; i++)
			damage(&damaged, (t - 1 + i * 5) % KINDS);
}

/*----------
 * Queries
 *----------
 */
#define NPARAMS 3

static ParamValue params[2][NPARAMS]; /* of tables without texts and with them */

/* Registers of a Program's columns; of a table without texts all are numbers. */
typedef struct Regs
{
	ProgramBuilder *b;
	bool		texts;
	int			int4;
	int			text;
	int			numeric;
	int			int8;
	int			last;
} Regs;

static int
column(const Regs *regs, int attno)
{
	int			missing = attno == A_LAST ? 0 : -1;

	return program_add_column(regs->b, attno, regs->texts ? VT_TEXT : VT_INT8, true, missing);
}

static void
add_extreme(const Regs *regs, int reg)
{
	program_add_acc(regs->b, regs->texts ? ACC_MAX_TEXT : ACC_MAX_INT, reg, -1);
}

/* A text for a key; rows may be left out. */
static void
by_text(Regs *regs)
{
	program_add_key(regs->b, column(regs, A_TEXT));
	program_add_acc(regs->b, ACC_COUNT, -1, -1);
	program_add_acc(regs->b, ACC_SUM_INT128, regs->int8, -1);
	program_add_acc(regs->b, ACC_SUM_INT128, regs->numeric, -1);
	add_extreme(regs, column(regs, A_LAST));
}

/* Float keys: no rows are left out. */
static void
by_float(Regs *regs)
{
	program_add_key(regs->b, program_add_op(regs->b, OP_int8_to_float8, regs->int8, -1));
	program_add_key(regs->b, column(regs, A_LAST));
	program_add_acc(regs->b, ACC_COUNT, -1, -1);
	add_extreme(regs, column(regs, A_TEXT));
}

/* A condition that tuples can be tested by where they are. */
static void
by_filtered(Regs *regs)
{
	program_set_filter(regs->b, program_add_op(regs->b, OP_int4_lt, regs->int4,
											   program_add_param_ref(regs->b, 1)));
	by_text(regs);
}

/* No keys, and a condition on a text. */
static void
by_nothing(Regs *regs)
{
	int			text = column(regs, A_TEXT);

	program_set_filter(regs->b, program_add_op(regs->b, regs->texts ? OP_text_ge : OP_int8_ne,
											   text, program_add_param_ref(regs->b, 2)));
	program_add_acc(regs->b, ACC_COUNT, -1, -1);
	program_add_acc(regs->b, ACC_SUM_INT128, regs->numeric, -1);
	add_extreme(regs, text);
}

/* Values of fixed length only. */
static void
by_int4(Regs *regs)
{
	program_add_key(regs->b, regs->int4);
	program_add_acc(regs->b, ACC_COUNT, -1, -1);
	program_add_acc(regs->b, ACC_SUM_INT128, regs->int8, -1);
}

typedef struct Query
{
	const char *name;
	void		(*build) (Regs *regs);
	bool		numeric;
	bool		filters;		/* rows that do not pass need not be looked at whole */
	const char *strategies;		/* without `thorough` */
	Program    *programs[2];	/* as parameters */
} Query;

static Query queries[] = {
	{"by text", by_text, true, false, "atomic block peers scan vote interpret", {0}},
	{"by float and text", by_float, false, false, "atomic interpret", {0}},
	{"by text, filtered", by_filtered, true, true, "interpret", {0}},
	{"without keys", by_nothing, true, true, "reduce interpret", {0}},
	{"by int4", by_int4, false, false, "scatter interpret", {0}}
};

#define NQUERIES (int) (sizeof(queries) / sizeof(queries[0]))

static Program *
make_program(const Query *query, bool texts)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Regs		regs = {.b = b,.texts = texts};
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, texts ? -1 : 8, texts ? 4 : 8);
	program_add_attr(b, -1, 4);
	program_add_attr(b, 8, 8);
	program_add_attr(b, texts ? -1 : 8, texts ? 4 : 8);
	program_add_param(b, texts ? VT_TEXT : VT_INT8);
	program_add_param(b, VT_INT4);
	program_add_param(b, texts ? VT_TEXT : VT_INT8);
	regs.int4 = program_add_column(b, A_INT4, VT_INT4, false, -1);
	regs.int8 = program_add_column(b, A_INT8, VT_INT8, true, -1);
	if (query->numeric)
		regs.numeric = program_add_numeric_column(b, A_NUMERIC, NUMERIC_UNITS, 3, true, -1);
	query->build(&regs);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
make_queries(void)
{
	params[0][0] = (ParamValue) {.type = VT_INT8,.word = 11};
	params[1][0] = (ParamValue) {.type = VT_TEXT,.bytes = {.data = "missing",.len = 7}};
	params[0][1] = params[1][1] = (ParamValue) {.type = VT_INT4,.word = 2};
	params[0][2] = (ParamValue) {.type = VT_INT8,.word = 11};
	params[1][2] = (ParamValue) {.type = VT_TEXT,.bytes = {.data = "b",.len = 1}};
	for (int i = 0; i < NQUERIES; i++)
		for (int texts = 0; texts < 2; texts++)
			queries[i].programs[texts] = make_program(&queries[i], texts);
}

/*----------
 * Tests
 *----------
 */
static Groups *
run(const EngineOps *ops, const Query *query, const Table *table, const EngineHints *hints)
{
	bool		texts = table != &numbers;

	return engine_groups_of_pages(ops, query->programs[texts], params[texts], hints, table->refs,
								  NPAGES);
}

/* Run it for what it leaves in the device's memory. */
static void
run_before(const Query *query, const Table *table, const char *strategy)
{
	groups_free(run(engine, query, table, &(EngineHints) {.strategy = strategy,.pages = NPAGES}));
}

/* Is what the engine made of the damaged table what can be made of it? */
static bool
is_right(const Query *query, const char *strategy, int t, const Groups *expected,
		 const Groups *got)
{
	bool		right = got->status != ENGINE_FAILED;

	if (expected->status == ENGINE_OK && got->status == ENGINE_OK)
		right = groups_same(query->programs[1], expected, got);
	else if (!query->filters)
		right &= (expected->status == ENGINE_OK) == (got->status == ENGINE_OK);
	if (!right)
		printf("# %s, %s, table %d: %d (%s) and %d (%s)\n", query->name, strategy, t,
			   expected->status, expected->message, got->status, got->message);
	return right;
}

/* A query by a strategy over all tables. */
static void
check_query(const Query *query, const char *strategy)
{
	EngineHints hints = {.strategy = strategy,.pages = NPAGES};
	int			wrong = 0;
	int			answers = 0;

	for (int t = 0; t < ntables; t++)
	{
		Groups	   *expected;

		make_tables(t);
		expected = run(&cpu_engine, query, &damaged, &hints);
		run_before(query, &numbers, "interpret");
		run_before(query, &sound, strategy);
		for (int i = 0; i < 2; i++)
		{
			Groups	   *got = run(engine, query, &damaged, &hints);

			wrong += !is_right(query, strategy, t, expected, got);
			answers += got->status == ENGINE_OK;
			groups_free(got);
		}
		groups_free(expected);
	}
	ok(wrong == 0 && answers > 0 && answers < 2 * ntables, "%s, %s: %d tables twice, %d answers",
	   query->name, strategy, ntables, answers);
}

static bool
has_text_key(const Program *program)
{
	for (int i = 0; i < program->nkeys; i++)
		if (program_key_type(program, i) == VT_TEXT)
			return true;
	return false;
}

static void
check_queries(void)
{
	for (int i = 0; i < NQUERIES; i++)
		for (int j = 0; j < STRATEGY_COUNT; j++)
		{
			const char *name = strategy_name((Strategy) j);
			const char *found = strstr(queries[i].strategies, name);

			if (fresh && has_text_key(queries[i].programs[1]) && strcmp(name, "interpret") == 0)
				continue;
			if (thorough || (found != NULL && strchr(" ", found[strlen(name)]) != NULL))
				check_query(&queries[i], name);
		}
}

/* Columns that a run keeps which does not need them: of a damaged table they are not served. */
static void
check_kept(void)
{
	static FrameMap frames[1];
	TableState	state = {.file = {1663, 5, 7000},.relation = 77,.nblocks = NPAGES,.frames = frames};
	const Program *texts = queries[0].programs[1];
	EngineHints hints = {.strategy = "interpret",.pages = NPAGES,.tables = &state,.ntables = 1,
						 .keep = program_columns(texts),.nkeep = texts->ncolumns};
	int			wrong = 0;
	uint64_t	kept = 0;
	uint64_t	served = 0;

	cuda_engine_keep_columns(UINT64_C(1) << 26);
	memset(frames[0].bits, 0x55, sizeof(frames[0].bits));
	frames[0].lsn = 5;
	for (int t = 0; t < ntables; t++)
	{
		Groups	   *expected;
		Groups	   *got;

		make_tables(t);
		state.file[2]++;
		run_before(&queries[0], &numbers, "interpret");
		got = run(engine, &queries[4], &damaged, &hints);
		kept += got->stats.blocks_kept;
		groups_free(got);
		expected = run(&cpu_engine, &queries[0], &damaged, &hints);
		got = run(engine, &queries[0], &damaged, &hints);
		served += got->stats.blocks_resident;
		wrong += !is_right(&queries[0], "kept columns", t, expected, got);
		groups_free(expected);
		groups_free(got);
		cuda_engine_evict_relation(state.file[1], state.relation);
	}
	ok(wrong == 0 && kept > 0 && kept < (uint64_t) ntables * NPAGES && served > 0,
	   "columns that are kept of %d tables: %llu blocks, %llu of them served", ntables,
	   (unsigned long long) kept, (unsigned long long) served);
}

static void
open_memory(void)
{
	char	   *mapped = mmap(NULL, 2 * NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
							  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!fresh)
		context_share(device, UINT64_C(200) << 20);
	ok(context_map(device, mapped, 2 * NPAGES * HEAP_PAGE_SIZE), "memory is announced");
	/* the damaged table's pages are read in place, the sound one's are copied */
	numbers.pages = mapped;
	damaged.pages = mapped + NPAGES * HEAP_PAGE_SIZE;
	sound.pages = malloc(NPAGES * HEAP_PAGE_SIZE);
}

int
main(void)
{
	const char *setting = getenv("GPUAGG_TEST_DAMAGED");

	if (getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0)
	{
		engine = &cuda_engine;
		device = &cuda_device;
	}
#ifdef __SANITIZE_ADDRESS__
	/* not the kernels' stacks: the sanitizer does not know fibers */
	setenv("GPUAGG_SIMT_CFLAGS", "-g -fsanitize=address --param=asan-stack=0", 1);
#endif
	thorough = setting != NULL && atoi(setting) > 0;
	if (thorough)
		ntables = atoi(setting);
	fresh = getenv("GPUAGG_TEST_FRESH") != NULL;
	open_memory();
	make_queries();
	check_queries();
	if (!fresh)
		check_kept();

	context_close(device);
	for (int i = 0; i < NQUERIES; i++)
		for (int texts = 0; texts < 2; texts++)
			free(queries[i].programs[texts]);
	free(sound.pages);
	munmap(numbers.pages, 2 * NPAGES * HEAP_PAGE_SIZE);
	return done_testing();
}
