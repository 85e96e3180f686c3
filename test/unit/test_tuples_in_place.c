/*
 * test_tuples_in_place.c
 *	  Wide tuples of pages that kernels read where they are, of which a filter's conditions
 *	  are tested before the tuples are read: the same groups, rows and failures as the CPU
 *	  engine's, and as many tuples left where they were as can be.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/simt/simt.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define NPAGES 600
#define MAX_PAGE_ROWS 400
#define NPARAMS 3

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static char *original;			/* the pages */
static char *buffers;			/* where engines read them */
static uint16_t lists[NPAGES][MAX_PAGE_ROWS];
static PageRef refs[NPAGES];
static uint32_t nrows;			/* on all pages */
static ParamValue params[NPARAMS];
static uint64_t random_state = 88172645463325252u;

static uint32_t
random_u32(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t) (random_state >> 16);
}

/* The attributes, then FILLERS of int8; A_BEHIND is behind a text. */
enum
{
	A_INT4 = 1, A_INT2, A_BOOL, A_INT8, A_FILLER, A_LAST = A_FILLER + 5, A_TEXT, A_BEHIND,
	A_REST
};

/* What differs from table to table. */
typedef struct Shape
{
	int			fillers;		/* behind all others */
	bool		nulls;			/* of any attribute but A_INT2 */
	bool		lists;			/* of every third page every second row counts */
	bool		short_tuples;	/* some end at any attribute */
	int			keys;			/* A_INT8 is the page's number modulo that */
} Shape;

static const Shape wide = {.fillers = 60,.keys = 10};
static const Shape mixed = {.fillers = 60,.nulls = true,.lists = true,.short_tuples = true,.keys = 10};

static void
make_tuple(const Shape *shape, int number, uint32_t row, TupleWriter *tuple)
{
	int32_t		int4 = (int32_t) row % 7;
	int16_t		int2 = (int16_t) (number % 5 - 2);
	uint8_t		boolean = number % 3 == 0;
	int64_t		int8 = (number % shape->keys) * INT64_C(10000000000);
	int			natts = A_REST - 1 + shape->fillers;

	if (shape->short_tuples && random_u32() % 4 == 0)
		natts = A_INT2 + (int) (random_u32() % (uint32_t) (natts - A_INT2));
	tuple_begin(tuple);
	for (int attno = 1; attno <= natts; attno++)
	{
		int64_t		filler = number * 1000 + attno;

		if (shape->nulls && attno != A_INT2 && random_u32() % 12 == 0)
			tuple_null(tuple);
		else if (attno == A_INT4 || attno == A_BEHIND)
			tuple_fixed(tuple, &int4, 4, 4);
		else if (attno == A_INT2)
			tuple_fixed(tuple, &int2, 2, 2);
		else if (attno == A_BOOL)
			tuple_fixed(tuple, &boolean, 1, 1);
		else if (attno == A_INT8)
			tuple_fixed(tuple, &int8, 8, 8);
		else if (attno == A_TEXT)
			tuple_text(tuple, "some text of some length", row % 24, row % 2 == 0);
		else
			tuple_fixed(tuple, &filler, 8, 8);
	}
}

static void
make_page(const Shape *shape, int number)
{
	char	   *page = original + (size_t) number * HEAP_PAGE_SIZE;
	TupleWriter tuple;
	uint32_t	n = 0;

	page_begin(page);
	do
		make_tuple(shape, number, page_nlines(page), &tuple);
	while (page_nlines(page) < MAX_PAGE_ROWS && page_add(page, &tuple, HEAP_LINE_NORMAL));
	refs[number] = (PageRef) {
		.nlines = page_nlines(page),.block = (uint32_t) number,
			.page = buffers + (size_t) number * HEAP_PAGE_SIZE
	};
	if (shape->lists && number % 3 == 0)
	{
		for (uint32_t line = 1; line <= refs[number].nlines; line += 2)
			lists[number][n++] = (uint16_t) line;
		refs[number].lines = lists[number];
		refs[number].nlines = n;
	}
	nrows += refs[number].nlines;
}

static void
make_pages(const Shape *shape)
{
	nrows = 0;
	for (int i = 0; i < NPAGES; i++)
		make_page(shape, i);
}

/* The registers of a Program's columns that filters are made of. */
typedef struct Regs
{
	int			int4;
	int			int2;
	int			boolean;
	int			int8;
	int			last;
	int			behind;
	int			param;			/* of INT8 */
	int			param4;			/* of INT4 */
} Regs;

static int
condition(ProgramBuilder *b, OpCode op, int left, int right)
{
	return program_add_op(b, op, left, right);
}

/* count(*), max(text), sum(int8) and the like by int4, of rows that pass. */
static Program *
make_program(const Shape *shape, int (*filter) (ProgramBuilder *b, const Regs *regs))
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	Regs		regs;

	program_begin(b, SOURCE_PAGES);
	for (int attno = 1; attno < A_REST + shape->fillers; attno++)
	{
		int			len = attno == A_INT4 || attno == A_BEHIND ? 4 : attno == A_INT2 ? 2 :
			attno == A_BOOL ? 1 : 8;

		program_add_attr(b, attno == A_TEXT ? -1 : len, attno == A_TEXT ? 4 : len);
	}
	program_add_param(b, VT_INT8);
	program_add_param(b, VT_INT4);
	program_add_param(b, VT_INT8);
	regs = (Regs)
	{
		.int4 = program_add_column(b, A_INT4, VT_INT4, true, -1),
			.int2 = program_add_column(b, A_INT2, VT_INT2, false, -1),
			.boolean = program_add_column(b, A_BOOL, VT_BOOL, true, -1),
			.int8 = program_add_column(b, A_INT8, VT_INT8, true, -1),
			.last = program_add_column(b, A_LAST, VT_INT8, true, 2),
			.behind = program_add_column(b, A_BEHIND, VT_INT4, true, -1),
			.param = program_add_param_ref(b, 0),
			.param4 = program_add_param_ref(b, 1)
	};
	program_set_filter(b, filter(b, &regs));
	program_add_key(b, regs.int4);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT128, regs.int8, -1);
	program_add_acc(b, ACC_SUM_INT128, regs.last, -1);
	program_add_acc(b, ACC_SUM_INT,
					program_add_column(b, (int16_t) (A_REST + shape->fillers - 1), VT_INT8, true, -1), -1);
	program_add_acc(b, ACC_MAX_TEXT, program_add_column(b, A_TEXT, VT_TEXT, true, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static int
int8_is_param(ProgramBuilder *b, const Regs *regs)
{
	return condition(b, OP_int8_eq, regs->int8, regs->param);
}

static int
int2_is_not(ProgramBuilder *b, const Regs *regs)
{
	return condition(b, OP_int4_ne, program_add_op(b, OP_int2_to_int4, regs->int2, -1),
					 regs->param4);
}

/* A flag, and a column further on. */
static int
not_flag_and_last(ProgramBuilder *b, const Regs *regs)
{
	int			flag = program_add_op(b, OP_bool_not, regs->boolean, -1);

	return condition(b, OP_and, condition(b, OP_int8_lt, regs->last, regs->param), flag);
}

/* The place differs from tuple to tuple. */
static int
behind_is_param(ProgramBuilder *b, const Regs *regs)
{
	return condition(b, OP_int4_eq, regs->behind, regs->param4);
}

static int
int8_is_param_or_null(ProgramBuilder *b, const Regs *regs)
{
	int			isnull = program_add_op(b, OP_isnull, regs->int8, -1);

	return condition(b, OP_or, isnull, condition(b, OP_int8_gt, regs->int8, regs->param));
}

static int
division(ProgramBuilder *b, const Regs *regs)
{
	int			quotient = program_add_op(b, OP_int8_div, regs->param, regs->int8);

	return condition(b, OP_int8_ge, quotient, regs->param);
}

/* An error in a row that a condition behind it refuses. */
static int
division_first(ProgramBuilder *b, const Regs *regs)
{
	int			first = division(b, regs);

	return condition(b, OP_and, first, condition(b, OP_int8_lt, regs->last, regs->param));
}

/* And in none but those that the condition before it refuses. */
static int
division_behind(ProgramBuilder *b, const Regs *regs)
{
	int			first = condition(b, OP_int8_gt, regs->int8, regs->param);

	return condition(b, OP_and, first, division(b, regs));
}

static EngineHints
make_hints(void)
{
	/* so few are expected that buffers have 64 */
	return (EngineHints) {.strategy = "auto",.pages = NPAGES / 10};
}

/* What other processes may do to a page that is not pinned any more. */
static void
lose_page(const PageRef *ref)
{
	memset((char *) ref->page, 0x77, HEAP_PAGE_SIZE);
}

/* Run it; what the CPU engine says must be the same.  The run's statistics. */
static EngineStats
check(const char *name, const Program *program, const EngineHints *hints, int at_once)
{
	PageFeed	feed = {refs, NPAGES, at_once, lose_page};
	PageFeed	all = {refs, NPAGES, ENGINE_MAX_PAGES, NULL};
	Groups	   *wanted;
	Groups	   *got;
	EngineStats stats;

	memcpy(buffers, original, (size_t) NPAGES * HEAP_PAGE_SIZE);
	wanted = engine_groups_of_feed(&cpu_engine, program, params, hints, &all);
	got = engine_groups_of_feed(engine, program, params, hints, &feed);
	stats = got->stats;
	if (wanted->status == ENGINE_OK)
		ok(groups_same(program, wanted, got) && stats.rows == nrows &&
		   stats.rows_passed == wanted->stats.rows_passed &&
		   stats.pages_in_place == NPAGES,
		   "%s: %zu groups of %llu of %u rows, %llu refused in place%s%s", name, got->ngroups,
		   (unsigned long long) stats.rows_passed, nrows, (unsigned long long) stats.rows_refused,
		   got->message[0] ? ", " : "", got->message);
	else
		ok(got->status == wanted->status, "%s: both say: %s", name, got->message);
	groups_free(wanted);
	groups_free(got);
	return stats;
}

/* The same, and of all rows that do not pass, so many were refused in place at least. */
static void
expect(const char *name, const Program *program, int64_t param, double share)
{
	EngineHints hints = make_hints();
	EngineStats stats;

	params[0] = (ParamValue) {.type = VT_INT8,.word = param};
	params[1] = (ParamValue) {.type = VT_INT4,.word = param};
	stats = check(name, program, &hints, 64);
	ok((double) stats.rows_refused >= share * (double) (stats.rows - stats.rows_passed) &&
	   stats.rows_refused <= stats.rows - stats.rows_passed &&
	   (share > 0 || stats.rows_refused == 0), "%s: %.0f %% and more of the others are refused",
	   name, share * 100);
}

/* Conditions over tuples of that shape, of which this share can be tested. */
static void
test_conditions(const Shape *shape, double share)
{
	Program    *program = make_program(shape, int8_is_param);

	make_pages(shape);
	expect("one of ten", program, INT64_C(10000000000), share);
	expect("none", program, 7, share);
	params[0].isnull = true;
	free(program);
	program = make_program(shape, int2_is_not);
	expect("all but one value of five", program, 1, 0.1);
	expect("all", program, 100, 0);
	expect("all, by a constant that no int2 is", program, 65537, 0);
	free(program);
	program = make_program(shape, not_flag_and_last);
	expect("a flag and another column", program, 100000, 0.05);
	expect("a flag and the least", program, INT64_MIN, share);
	free(program);
	program = make_program(shape, int8_is_param_or_null);
	expect("greater ones and NULL", program, INT64_C(70000000000), share);
	free(program);
	program = make_program(shape, behind_is_param);
	expect("a column behind a text", program, 3, 0);
	free(program);
}

/* Errors that PostgreSQL would raise, and such that it would not. */
static void
test_errors(void)
{
	Program    *program = make_program(&wide, division_first);

	make_pages(&wide);
	expect("an error in rows that are refused behind it", program, 0, 0);
	expect("one in rows of which none are", program, INT64_MAX, 0);
	free(program);
	program = make_program(&wide, division_behind);
	expect("no error in rows that are refused before it", program, INT64_C(70000000000), 0.7);
	expect("an error in rows that are not", program, -1, 0);
	free(program);
}

/* How pages are given, and what makes testing not worth while. */
static void
test_choice(void)
{
	const Shape narrow = {.fillers = 1,.keys = 10};
	const Shape halves = {.fillers = 60,.keys = NPAGES};
	Program    *program = make_program(&wide, int8_is_param);
	EngineHints hints = make_hints();
	EngineStats stats;

	make_pages(&wide);
	params[0] = (ParamValue) {.type = VT_INT8,.word = 0};
	stats = check("page by page", program, &hints, 1);
	ok(stats.rows_refused == stats.rows - stats.rows_passed, "all others are refused");
	stats = check("seven at once", program, &hints, 7);
	ok(stats.rows_refused == stats.rows - stats.rows_passed, "all others are refused");
	stats = check("more than a buffer has", program, &hints, ENGINE_MAX_PAGES);
	ok(stats.rows_refused == stats.rows - stats.rows_passed, "all others are refused");
	free(program);

	program = make_program(&narrow, not_flag_and_last);
	make_pages(&narrow);
	expect("two conditions on narrow tuples", program, INT64_MIN, 0);
	free(program);

	/* the first 400 pages pass or have the flag, and the others do not */
	program = make_program(&halves, not_flag_and_last);
	make_pages(&halves);
	params[0] = (ParamValue) {.type = VT_INT8,.word = 400000};
	stats = check("rows that pass come first", program, &hints, 64);
	ok(stats.rows_refused > 0, "others are found later");
	free(program);
}

/* Pages that contradict themselves: no crash, and nothing is read beside them. */
static void
test_damage(void)
{
	Program    *program = make_program(&mixed, not_flag_and_last);
	EngineHints hints = make_hints();
	int			statuses[ENGINE_FAILED + 1] = {0};

	make_pages(&mixed);
	params[0] = (ParamValue) {.type = VT_INT8,.word = 100000};
	for (int i = 0; i < 40; i++)
	{
		Groups	   *got;

		memcpy(buffers, original, (size_t) NPAGES * HEAP_PAGE_SIZE);
		for (int j = 0; j < 3; j++)
		{
			char	   *page = buffers + (size_t) (random_u32() % NPAGES) * HEAP_PAGE_SIZE;
			uint32_t	at = random_u32() % (j == 0 ? 100 : HEAP_PAGE_SIZE);

			page[at] = (char) (random_u32() % 3 == 0 ? 0xff : random_u32());
		}
		got = engine_groups_of_feed(engine, program, params, &hints,
									&(PageFeed) {refs, NPAGES, 64, NULL});
		statuses[got->status]++;
		groups_free(got);
	}
	ok(statuses[ENGINE_OK] > 0 && statuses[ENGINE_CORRUPT] > 0 &&
	   statuses[ENGINE_OK] + statuses[ENGINE_CORRUPT] + statuses[ENGINE_INEXACT] == 40,
	   "damaged pages: %d answers, %d failures", statuses[ENGINE_OK], statuses[ENGINE_CORRUPT]);
	memcpy(buffers, original, (size_t) NPAGES * HEAP_PAGE_SIZE);
	memset(buffers + HEAP_PAGE_LINES, 0xff, HEAP_LINE_SIZE);
	{
		Groups	   *got = engine_groups_of_feed(engine, program, params, &hints,
												&(PageFeed) {refs, NPAGES, 64, NULL});

		ok(got->status == ENGINE_CORRUPT, "a line pointer as those of refused tuples: %s",
		   got->message);
		groups_free(got);
	}
	free(program);
}

/* A run that keeps columns reads all rows; a later one is served. */
static void
test_keeping(void)
{
	static FrameMap frames[1];
	TableState	state = {.file = {1663, 5, 7000},.relation = 77,.nblocks = NPAGES,.frames = frames};
	Program    *program = make_program(&wide, int8_is_param);
	EngineHints hints = {.strategy = "auto",.pages = NPAGES,.tables = &state,.ntables = 1};
	EngineStats stats;

	make_pages(&wide);
	cuda_engine_keep_columns(UINT64_C(1) << 28);
	memset(frames[0].bits, 0x55, sizeof(frames[0].bits));
	frames[0].lsn = 5;
	params[0] = (ParamValue) {.type = VT_INT8,.word = 0};
	stats = check("columns are kept", program, &hints, 64);
	ok(stats.blocks_kept == NPAGES && stats.rows_refused == 0, "%llu blocks, of whole pages",
	   (unsigned long long) stats.blocks_kept);
	free(program);
}

int
main(void)
{
	if (getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0)
	{
		engine = &cuda_engine;
		device = &cuda_device;
	}
	context_share(device, UINT64_C(1) << 30);
	/* what short tuples have instead of an attribute passes filters that a NULL does not */
	params[2] = (ParamValue) {.type = VT_INT8,.word = 7};
	original = malloc((size_t) NPAGES * HEAP_PAGE_SIZE);
	buffers = mmap(NULL, (size_t) NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(context_map(device, buffers, (size_t) NPAGES * HEAP_PAGE_SIZE), "memory is announced");

	/* while the first pages are read, their slice is not registered yet */
	{
		Program    *program = make_program(&wide, int8_is_param);

		make_pages(&wide);
		memcpy(buffers, original, (size_t) NPAGES * HEAP_PAGE_SIZE);
		groups_free(engine_groups_of_feed(engine, program, params,
										  &(EngineHints) {.strategy = "auto"},
										  &(PageFeed) {refs, NPAGES, 64, NULL}));
		context_map_wait(device);
		free(program);
	}
	test_conditions(&wide, 1);
	test_conditions(&mixed, 0.5);
	test_errors();
	test_choice();
	test_damage();
	test_keeping();

	context_close(device);
	munmap(buffers, (size_t) NPAGES * HEAP_PAGE_SIZE);
	free(original);
	return done_testing();
}
