/*
 * test_kept.c
 *	  Columns that stay on the device, through the CUDA engine: whatever is kept and
 *	  whatever has changed since, the groups are those that the CPU engine makes of all pages.
 *
 * A table has few pages of its own; its blocks show them again and again.  Its map is made
 * by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/strategy/prefilter.h"
#include "engine/stripe.h"
#include "numeric_writer.h"
#include "oracle.h"
#include "page_writer.h"
#include "strategies.h"
#include "tap.h"

#define MAX_BLOCKS (FRAME_BLOCKS + 1500)
#define NPAGES 61
#define NPARAMS 4
#define MEMORY (UINT64_C(1) << 30)

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
#define FAR_PAGE NPAGES			/* has a key that is far from all others */

static char *pages[NPAGES + 1];
static uint16_t odd_lines[512];
static PageRef refs[MAX_BLOCKS];
static FrameMap frames[MAX_BLOCKS / FRAME_BLOCKS + 1];
static TableState state = {.file = {1663, 5, 7000},.relation = 77,.table = 3,.frames = frames};
static ParamValue params[NPARAMS];

/*
 * The attributes: int4, float8, numeric of scale 2, int8, text, int2 that old tuples
 * do not have.
 */
enum
{
	A_INT4 = 1, A_FLOAT8, A_NUMERIC, A_INT8, A_TEXT, A_INT2
};

/* Texts of 60 kinds: short and long ones, the empty one, NULL. */
static void
add_text(TupleWriter *tuple, int kind)
{
	char		text[200];
	int			length = snprintf(text, sizeof(text), "%0*d", kind % 4 == 3 ? 150 : 2, kind);

	if (kind % 20 == 7)
		tuple_null(tuple);
	else
		tuple_text(tuple, text, kind % 20 == 12 ? 0 : (uint32_t) length, kind % 8 < 4);
}

static void
make_page(char *page, int number)
{
	page_begin(page);
	for (int row = 0; row < 1 + number % 12; row++)
	{
		TupleWriter tuple;
		int32_t		int4 = number == FAR_PAGE ? 1000000000 : number * 7 % 50 + row;
		double		float8 = number * 1.25 + row;
		int64_t		int8 = number * INT64_C(1000000007) - row;
		int16_t		int2 = (int16_t) (number - row);
		uint8_t		numeric[NUMERIC_ROOM];

		tuple_begin(&tuple);
		if (row % 5 == 4)
			tuple_null(&tuple);
		else
			tuple_fixed(&tuple, &int4, 4, 4);
		tuple_fixed(&tuple, &float8, 8, 8);
		tuple_text(&tuple, (const char *) numeric,
				   numeric_of_scaled(numeric, false, number * 100 + row, 2), true);
		tuple_fixed(&tuple, &int8, 8, 8);
		add_text(&tuple, (number * 13 + row) % 60);
		if (row % 3 != 0)
			tuple_fixed(&tuple, &int2, 2, 2);
		page_add(page, &tuple, HEAP_LINE_NORMAL);
	}
}

/* Columns of the Program in the making. */
static int
column(ProgramBuilder *b, int attno)
{
	switch (attno)
	{
		case A_INT4:
			return program_add_column(b, attno, VT_INT4, true, -1);
		case A_FLOAT8:
			return program_add_column(b, attno, VT_FLOAT8, false, -1);
		case A_NUMERIC:
			return program_add_numeric_column(b, attno, NUMERIC_EXACT, 2, true, -1);
		case A_INT8:
			return program_add_column(b, attno, VT_INT8, false, -1);
		case A_TEXT:
			return program_add_column(b, attno, VT_TEXT, true, -1);
		default:
			return program_add_column(b, attno, VT_INT2, true, 0);
	}
}

/* A count by a key, 0: none, and the sums of two attributes. */
static void
begin_program(ProgramBuilder *b)
{
	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, 8, 8);
	program_add_attr(b, -1, 4);
	program_add_attr(b, 8, 8);
	program_add_attr(b, -1, 4);
	program_add_attr(b, 2, 2);
	program_add_param(b, VT_INT2);
	program_add_param(b, VT_INT4);
	program_add_param(b, VT_TEXT);
}

static Program *
end_program(ProgramBuilder *b)
{
	Program    *program = calloc(1, program_size(b));

	program_finish(b, program);
	free(b);
	return program;
}

/* A count of those whose int8 is in a set, which is bytes of a parameter. */
static Program *
make_set_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			int8;

	begin_program(b);
	int8 = column(b, A_INT8);
	program_add_key(b, column(b, A_INT4));
	program_set_filter(b, program_add_op(b, OP_int8_in, int8, program_add_param_ref(b, 2)));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT128, int8, -1);
	return end_program(b);
}

/* The greatest text by a key, of those that are like a parameter's pattern. */
static Program *
make_text_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			text;

	begin_program(b);
	text = column(b, A_TEXT);
	program_add_key(b, column(b, A_INT4));
	program_add_param(b, VT_TEXT);
	program_set_filter(b, program_add_op(b, OP_text_like, text, program_add_param_ref(b, 3)));
	program_add_acc(b, ACC_MAX_TEXT, text, -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	return end_program(b);
}

static Program *
make_program(int key, int first, int second, bool filter)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			attnos[] = {first, second};

	begin_program(b);
	if (key > 0)
		program_add_key(b, column(b, key));
	program_add_acc(b, ACC_COUNT, -1, -1);
	for (int i = 0; i < 2; i++)
		if (attnos[i] > 0)
			program_add_acc(b, attnos[i] == A_FLOAT8 ? ACC_SUM_FLOAT : ACC_SUM_INT128,
							attnos[i] == A_INT2 ? program_add_op(b, OP_int2_to_int8,
																 column(b, attnos[i]), -1) :
							column(b, attnos[i]), -1);
	if (filter)
		program_set_filter(b, program_add_op(b, OP_int4_gt, column(b, A_INT4),
											 program_add_param_ref(b, 1)));
	return end_program(b);
}

static void
set_bit(uint32_t block, bool all_visible)
{
	uint8_t    *byte = &frames[block / FRAME_BLOCKS].bits[block % FRAME_BLOCKS / 4];
	uint8_t		bit = (uint8_t) (1 << block % FRAME_BLOCKS % 4 * 2);

	*byte = all_visible ? *byte | bit : *byte & (uint8_t) ~bit;
}

static void
set_lsn(uint64_t lsn)
{
	for (uint32_t i = 0; i < MAX_BLOCKS / FRAME_BLOCKS + 1; i++)
		frames[i].lsn = lsn;
}

/* A block shows a page; of one that is not all-visible, a part is seen. */
static void
set_block(uint32_t block, int page, bool all_visible)
{
	refs[block] = (PageRef) {.page = pages[page],.nlines = page_nlines(pages[page]),
							.block = block,.table = state.table};
	if (!all_visible)
	{
		refs[block].lines = odd_lines;
		refs[block].nlines = (refs[block].nlines + 1) / 2;
	}
	set_bit(block, all_visible);
}

/* A new table, all-visible. */
static void
make_table(uint32_t nblocks, uint64_t lsn)
{
	memset(frames, 0, sizeof(frames));
	state.file[2]++;
	state.nblocks = nblocks;
	for (uint32_t i = 0; i < nblocks; i++)
		set_block(i, (int) (i * 31 % NPAGES), true);
	set_lsn(lsn);
}

static EngineHints
make_hints(const char *strategy)
{
	return (EngineHints) {.strategy = strategy,.pages = state.nblocks,.tables = &state,
						  .ntables = 1};
}

/* Run it; the CPU engine's groups must be the same.  The run's statistics. */
static EngineStats
check(const char *what, const Program *program, const EngineHints *hints)
{
	Groups	   *expected;
	Groups	   *got;
	EngineStats stats;

	expected = engine_groups_of_pages(&cpu_engine, program, params, hints, refs,
									  (int) state.nblocks);
	got = engine_groups_of_pages(engine, program, params, hints, refs, (int) state.nblocks);
	stats = got->stats;
	ok(expected->status == ENGINE_OK && groups_same(program, expected, got) &&
	   expected->stats.rows == stats.rows && expected->stats.rows_passed == stats.rows_passed,
	   "%s: %zu groups, blocks: %llu resident, %llu masked, %llu kept%s%s", what, got->ngroups,
	   (unsigned long long) stats.blocks_resident, (unsigned long long) stats.blocks_masked,
	   (unsigned long long) stats.blocks_kept, got->message[0] ? ", " : "", got->message);
	groups_free(expected);
	groups_free(got);
	return stats;
}

/* And it has served, masked and kept so many blocks. */
static void
expect(const char *what, const Program *program, uint64_t resident, uint64_t masked,
	   uint64_t kept)
{
	EngineHints hints = make_hints("auto");
	EngineStats stats = check(what, program, &hints);

	ok(stats.blocks_resident == resident && stats.blocks_masked == masked &&
	   stats.blocks_kept == kept, "%s: %llu, %llu and %llu blocks", what,
	   (unsigned long long) resident, (unsigned long long) masked, (unsigned long long) kept);
}

/*
 * Device memory for columns that have been kept, 0: as much as when they were: of the others in host
 * memory.
 */
static uint64_t kept_on_device;

/* Give the columns that much, or again what they have while they are made. */
static void
limit_device(bool made)
{
	cuda_engine_keep_columns(made && kept_on_device > 0 ? kept_on_device : MEMORY / 4);
}

/* Each strategy, over plain batches and then over segments, with masks and without. */
static void
test_strategies(const char *name, Program *program)
{
	/* with the filter's conditions first, too, if there is one */
	for (int j = 0; j < (program->filter < 0 ? 1 : 2) * NSTRATEGIES; j++)
	{
		int			i = j % NSTRATEGIES;
		EngineHints hints;
		char		what[100];
		EngineStats stats;

		make_table(2 * STRIPE_BLOCKS + 300, 5);
		limit_device(false);
		hints = make_hints(all_strategies[i]);
		snprintf(what, sizeof(what), "%s, %s, from pages", name, all_strategies[i]);
		prefilter_takes_all = j >= NSTRATEGIES;
		stats = check(what, program, &hints);
		ok(stats.blocks_kept == state.nblocks, "all blocks are kept");
		limit_device(true);
		snprintf(what, sizeof(what), "%s, %s, from segments", name, all_strategies[i]);
		stats = check(what, program, &hints);
		ok(stats.blocks_resident == state.nblocks, "all are served");
		ok((stats.blocks_streamed > 0) == (kept_on_device > 0) &&
		   (stats.bytes_streamed > 0) == (kept_on_device > 0), "%llu of them from host memory",
		   (unsigned long long) stats.blocks_streamed);
		for (uint32_t block = 7; block < state.nblocks; block += 41)
			set_block(block, (int) (block % NPAGES), false);
		snprintf(what, sizeof(what), "%s, %s, with masks", name, all_strategies[i]);
		stats = check(what, program, &hints);
		ok(stats.blocks_masked == 57 && stats.blocks_resident == state.nblocks - 57,
		   "some are masked");
	}
	prefilter_takes_all = false;
	free(program);
}

/* Columns that have moved to host memory, all of them or some. */
static void
test_strategies_on_host(void)
{
	const HostMemory *host = &context_of(device, 0)->kept.host;

	cuda_engine_evict_relation(0, 0);
	cuda_engine_keep_columns_on_host(MEMORY / 4);
	kept_on_device = 1;
	test_strategies("texts, streamed", make_program(A_TEXT, A_FLOAT8, A_INT8, true));
	kept_on_device = 250 << 10;
	test_strategies("many groups, some streamed", make_program(A_INT8, A_NUMERIC, 0, false));
	kept_on_device = 0;
	limit_device(false);
	cuda_engine_evict_relation(0, 0);
	ok(host->used == 0 && host->held == 0, "host memory was given back");
}

/* A table of which the device has room for little. */
static void
test_larger_than_device(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, A_INT8, false);
	EngineHints hints;
	EngineStats stats;
	KeptCache  *cache = &context_of(device, 0)->kept;

	cuda_engine_keep_columns(300 << 10);
	cuda_engine_keep_columns_on_host(MEMORY / 4);
	make_table(5000, 5);
	hints = make_hints("auto");
	stats = check("more than the device has room for", program, &hints);
	ok(stats.blocks_kept == 5000 && stats.blocks_evicted == 0, "all is kept");
	ok(cache->bytes <= 300 << 10 && cache->host.used > 0,
	   "within the limit, the rest on the host");
	stats = check("served by both memories", program, &hints);
	ok(stats.blocks_resident == 5000 && stats.blocks_streamed > 0 && stats.blocks_streamed < 5000,
	   "some are streamed");
	cuda_engine_keep_columns(MEMORY / 4);
	stats = check("with room on the device", program, &hints);
	ok(stats.blocks_resident == 5000 && stats.blocks_streamed == 0 && cache->host.used == 0,
	   "all moves there");
	cuda_engine_keep_columns(1);
	hints.memory_limit = 1 << 20;
	stats = check("by small launches", program, &hints);
	ok(stats.blocks_streamed == 5000, "all is streamed");
	cuda_engine_keep_columns_on_host(0);
	ok(cache->host.used == 0 && cache->host.held == 0, "a limit of 0 evicts");
	cuda_engine_keep_columns(300 << 10);
	make_table(5000, 5);
	hints = make_hints("auto");
	stats = check("without host memory", program, &hints);
	ok(stats.blocks_kept < 5000 && cache->host.held == 0, "some is kept");
	cuda_engine_keep_columns_on_host(300 << 10);
	make_table(5000, 5);
	stats = check("with little host memory", program, &hints);
	ok(cache->host.held <= 300 << 10, "within its limit");
	stats = check("and served", program, &hints);
	cuda_engine_keep_columns_on_host(0);
	limit_device(false);
	cuda_engine_evict_relation(0, 0);
	free(program);
}

/* Rows whose groups find no room at first; several launches. */
static void
test_launches(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);
	EngineHints hints;
	EngineStats stats;

	make_table(5000, 5);
	set_block(2345, FAR_PAGE, true);
	hints = make_hints("auto");
	hints.rows = 1000;			/* a small sample does not see it */
	stats = check("a key that the table has no place for", program, &hints);
	stats = check("from segments", program, &hints);
	ok(stats.blocks_resident == 5000, "all are served");
	make_table(5000, 5);
	(void) check("no such key", program, &hints);
	hints = make_hints("auto");
	hints.memory_limit = 1 << 20;
	stats = check("by several launches", program, &hints);
	ok(stats.blocks_resident == 5000, "all are served");
	free(program);
}

/* Of frequent keys there are fewer: what a sample leaves as 0. */
#define MARK(entry) ((entry)->facts.frequent[SAMPLE_FREQUENT - 1].hash)

/* Masked blocks where words of 64, stripes and the table begin and end. */
static void
test_masks(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, A_INT8, false);
	const uint32_t last = FRAME_BLOCKS + STRIPE_BLOCKS;
	const uint32_t runs[][2] = {{0, 1}, {63, 2}, {127, 66}, {1019, 2}, {1021 + 63, 1},
	{3 * STRIPE_BLOCKS - 1, 2}, {3 * STRIPE_BLOCKS + 64, 64}, {FRAME_BLOCKS - 2, 3},
	{FRAME_BLOCKS + 191, 1}, {last - 1, 2}, {last + 66, 1}};
	uint32_t	n = last + 67;
	uint32_t	masked = 0;

	make_table(n, 5);
	expect("a table with masks to come", program, 0, 0, n);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		for (uint32_t block = runs[i][0]; block < runs[i][0] + runs[i][1]; block++, masked++)
			set_block(block, (int) (block % NPAGES), false);
	expect("masks at edges", program, n - masked, masked, 0);
	free(program);
}

/* Run it; has it taken a sample, or found the facts of an earlier one? */
static void
expect_sample(const char *what, const Program *program, bool taken)
{
	EngineHints hints = make_hints("auto");
	const KnownFacts *known = &context_of(device, 0)->known;
	int			n = known->n;
	int			marked = 0;

	for (int i = 0; i < n; i++)
		MARK(known->entries[i]) = 1;
	(void) check(what, program, &hints);
	for (int i = 0; i < known->n; i++)
		marked += known->entries[i]->used == known->clock && MARK(known->entries[i]) == 1;
	ok(marked == !taken && known->n == n + taken, "%s: %s", what,
	   taken ? "a sample is taken" : "the facts are known");
}

/* Facts are known of the same rows only, and of the same Program and constants. */
static void
test_known_facts(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, true);
	Program    *other = make_program(A_INT4, A_FLOAT8, A_INT8, true);
	EngineHints hints;

	known_facts_free(&context_of(device, 0)->known);
	make_table(3 * STRIPE_BLOCKS, 5);
	hints = make_hints("auto");
	(void) check("kept", other, &hints);
	ok(context_of(device, 0)->known.n == 0, "nothing is known of pages' rows");
	expect_sample("served", program, true);
	expect_sample("again", program, false);
	expect_sample("another program", other, true);
	params[1].word++;
	expect_sample("another constant", program, true);
	params[1].word--;
	expect_sample("the first constant", program, false);
	set_block(STRIPE_BLOCKS + 5, 1, false);
	expect_sample("a block is masked", program, true);
	expect_sample("the same block is masked", program, false);
	set_block(STRIPE_BLOCKS + 6, 1, false);
	expect_sample("another one is", program, true);
	set_lsn(6);
	(void) check("a new LSN", program, &hints);
	expect_sample("served under a new LSN", program, true);
	for (int i = 0; i < KNOWN_FACTS + 3; i++)
	{
		params[1].word = -i;
		(void) check("many constants", program, &hints);
	}
	ok(context_of(device, 0)->known.n == KNOWN_FACTS, "what is known is bounded");
	params[1].word = -(KNOWN_FACTS + 2);
	expect_sample("the last one is known", program, false);
	params[1].word = 20;
	free(program);
	free(other);
}

static void
test_changes(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, A_INT8, false);
	uint32_t	nblocks = FRAME_BLOCKS + 1100;	/* six stripes */

	make_table(nblocks, 10);
	for (uint32_t i = 0; i < nblocks; i += 50)
		set_block(i, (int) (i % NPAGES), false);
	expect("some blocks are not all-visible", program, 0, 0, nblocks - 104);
	expect("the others are served", program, nblocks - 104, 0, 0);
	set_block(2001, 3, false);
	set_block(2002, 4, false);
	expect("two blocks change", program, nblocks - 106, 2, 0);
	set_lsn(11);
	set_block(2001, 5, true);
	expect("one is all-visible again: the map has a new LSN", program, 0, 0, nblocks - 105);
	frames[1].lsn = 12;
	set_block(FRAME_BLOCKS + 7, 8, true);
	expect("the second page's LSN changes", program, FRAME_BLOCKS - 83, 0, 1100 - 22);
	for (uint32_t i = 0; i < 126; i++)
		set_block(STRIPE_BLOCKS + i, 9, false);
	expect("an eighth of a stripe changes", program, nblocks - 105 - 124, 124, 0);
	set_block(STRIPE_BLOCKS + 126, 9, false);
	expect("more than an eighth", program, nblocks - 105 - 999, 0, 0);
	set_lsn(0);
	expect("without an LSN", program, 0, 0, 0);
	free(program);
}

static uint64_t asked;			/* LSNs, by the last run */

/* The LSNs of the blocks' pages, as the blocks' refs say. */
static bool
tell_lsns(const EngineRequest *request, uint64_t *lsns)
{
	const uint8_t *const *blocks = request->blocks;
	uint64_t	found = 0;

	for (uint32_t block = 0; blocks[0] != NULL && block < state.nblocks; block++)
		if (blocks[0][block / 8] >> block % 8 & 1)
			lsns[found++] = refs[block].lsn;
	asked = request->n;
	return request->kind == REQUEST_PAGE_LSNS && found == request->n;
}

static bool
tell_nothing(const EngineRequest *request, uint64_t *lsns)
{
	(void) request;
	(void) lsns;
	return false;
}

/* As `expect`, with so many LSNs that the run asks for. */
static void
expect_asking(const char *what, const Program *program, uint64_t resident, uint64_t masked,
			  uint64_t kept, uint64_t lsns)
{
	EngineHints hints = make_hints("auto");
	EngineStats stats;

	hints.answers = true;
	oracle_lsns = tell_lsns;
	asked = 0;
	stats = check(what, program, &hints);
	ok(stats.blocks_resident == resident && stats.blocks_masked == masked &&
	   stats.blocks_kept == kept && asked == lsns, "%s: %llu, %llu and %llu blocks, asks for %llu",
	   what, (unsigned long long) resident, (unsigned long long) masked,
	   (unsigned long long) kept, (unsigned long long) lsns);
}

/* A block whose page has been changed, by a record of that LSN. */
static void
change_block(uint32_t block, int page, bool all_visible, uint64_t lsn)
{
	set_block(block, page, all_visible);
	refs[block].lsn = lsn;
}

/* A table whose pages have the LSN 5; the WAL ends at 10. */
static void
make_table_with_lsns(uint32_t nblocks)
{
	make_table(nblocks, 8);
	for (uint32_t i = 0; i < nblocks; i++)
		refs[i].lsn = 5;
	state.wal_end = 10;
}

/* The map's page has another LSN: the LSNs of the pages decide, and then the map is the stamp. */
static void
test_page_lsns(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, A_INT8, false);
	uint32_t	n = FRAME_BLOCKS + 1100;

	make_table_with_lsns(n);
	expect_asking("pages with LSNs", program, 0, 0, n, 0);
	set_lsn(20);
	expect_asking("only the map's LSN changes", program, n, 0, 0, n);
	expect_asking("and is the stamp's then", program, n, 0, 0, 0);
	set_lsn(21);
	change_block(100, 7, true, 15);
	change_block(n - 1, 8, false, 16);
	expect_asking("a block has changed, and another one is not all-visible", program, n - 2, 2, 0,
				  n - 1);
	expect_asking("they are lost", program, n - 2, 2, 0, 0);
	set_block(200, 9, false);
	expect_asking("one more is not all-visible, under the same LSN", program, n - 3, 3, 0, 0);
	set_lsn(22);
	change_block(200, 10, true, 17);
	change_block(n - 1, 8, true, 18);
	expect_asking("all are again", program, n - 3, 3, 0, n - 2);
	frames[1].lsn = 23;
	expect_asking("one page of the map", program, n - 3, 3, 0, 1100 - 1);
	set_lsn(19);
	expect_asking("an older map", program, n - 3, 3, 0, n - 3);
	set_lsn(22);
	frames[1].lsn = 23;
	expect_asking("the newer one was not forgotten", program, n - 3, 3, 0, 0);
	set_lsn(24);
	for (uint32_t i = 0; i < n; i++)
		refs[i].lsn = i < STRIPE_BLOCKS ? refs[i].lsn : 0;
	expect_asking("pages without LSNs", program, STRIPE_BLOCKS - 2, 2, n - STRIPE_BLOCKS, n - 3);
	free(program);
}

/* Blocks from `first` on have no rows, and are all-visible: what DELETE and then VACUUM leave. */
static void
empty_blocks(uint32_t first, uint32_t end, uint32_t every)
{
	for (uint32_t block = first; block < end; block += every)
		refs[block].nlines = 0;
}

/* A buffer without any rows tells nothing of the strategy; and then there is no segment. */
static void
test_empty_buffer(void)
{
	Program    *program = make_program(A_INT4, A_INT8, 0, false);
	EngineHints hints;
	EngineStats keeping;
	EngineStats stats;

	make_table(5000, 8);
	empty_blocks(0, FRAME_BLOCKS, 1);
	hints = make_hints("auto");
	keeping = check("the first buffers have no rows", program, &hints);
	stats = check("they are served", program, &hints);
	ok(stats.blocks_resident == 5000 && stats.blocks_skipped == FRAME_BLOCKS, "and skipped");
	hints.ntables = 0;
	stats = check("nothing is kept", program, &hints);
	ok(strcmp(stats.strategy, keeping.strategy) == 0 && strcmp(stats.strategy, "interpret") != 0,
	   "strategy %s, and %s when columns are kept", stats.strategy, keeping.strategy);
	free(program);
}

/* Blocks without rows are kept as others are, also where whole stripes and buffers have none. */
static void
test_empty_blocks(void)
{
	static const uint32_t every[] = {6, 9, 1};
	Program    *program = make_program(A_INT4, A_INT8, 0, false);
	Program    *wider = make_program(A_INT4, A_INT8, A_FLOAT8, true);
	Program    *texts = make_program(A_TEXT, A_NUMERIC, 0, false);
	KeptInfo	infos[8];
	uint32_t	n = 5000;

	for (int i = 0; i < 3; i++)
	{
		cuda_engine_evict_relation(0, 0);
		make_table_with_lsns(n);
		empty_blocks(2, 3 * STRIPE_BLOCKS, every[i]);
		empty_blocks(3 * STRIPE_BLOCKS, n, 1);
		expect_asking("blocks without rows", program, 0, 0, n, 0);
		for (int j = 0; j < 12; j++)
			expect_asking("are kept", program, n, 0, 0, 0);
		expect_asking("one more column", wider, 0, 0, n, 0);
		expect_asking("and they are served", wider, n, 0, 0, 0);
		ok(cuda_engine_columns(infos, 8) == 3 && infos[0].blocks == n && infos[1].blocks == n &&
		   infos[2].blocks == n, "of each column each block is kept once");
		expect_asking("texts", texts, 0, 0, n, 0);
		expect_asking("are served", texts, n, 0, 0, 0);
		set_lsn(20);
		expect_asking("the map's LSN changes", program, n, 0, 0, n);
		change_block(2, 7, false, 15);
		expect_asking("a block gets rows", program, n - 1, 1, 0, 0);
		set_lsn(21);
		change_block(2, 7, true, 15);
		expect_asking("and is all-visible again", program, n - 1, 1, 0, n);
	}
	make_table_with_lsns(2000);
	set_block(7, 1, false);
	empty_blocks(7, 8, 1);
	expect_asking("none is visible of a block's rows", program, 0, 0, 1999, 0);
	expect_asking("the block is read", program, 1999, 0, 0, 0);
	change_block(7, 1, true, 15);
	set_lsn(20);
	expect_asking("and all of them", program, 1999, 0, 0, 1999);
	free(program);
	free(wider);
	free(texts);
}

/* A page that was changed after the map had been read is not that of the stamp's moment. */
static void
test_late_pages(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, A_INT8, false);

	make_table_with_lsns(2000);
	refs[7].lsn = 10;
	refs[8].lsn = 11;
	expect_asking("pages that may be late", program, 0, 0, 2000, 0);
	set_lsn(20);
	set_block(8, 44, true);
	refs[7].lsn = 10;
	refs[8].lsn = 11;
	for (uint32_t i = 0; i < 2000; i++)
		refs[i].lsn = refs[i].lsn == 0 ? 5 : refs[i].lsn;
	expect_asking("a late page's LSN tells nothing", program, 1999, 1, 0, 1999);
	free(program);
}

/* Stripes with many lost blocks are kept anew, at once or in time. */
static void
test_worn(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, A_INT8, false);

	make_table_with_lsns(2000);
	expect_asking("a new table", program, 0, 0, 2000, 0);
	set_lsn(20);
	for (uint32_t i = 0; i < 2 * STRIPE_MAX_BLOCKS / STRIPE_MASKED_SHARE; i++)
		change_block(i, 3, true, 15);
	state.wal_end = 18;
	expect_asking("more than an eighth has changed", program, 980, 0, 1020, 2000);
	set_lsn(21);
	for (uint32_t i = 0; i < 100; i++)
		change_block(i, 4, true, 16);
	for (uint32_t i = 0; i < 11; i++)
		expect_asking("100 blocks have changed", program, 1900, 100, 0, i == 0 ? 2000 : 0);
	expect_asking("and have been read as often as all others", program, 980, 0, 1020, 0);
	expect_asking("then they are kept", program, 2000, 0, 0, 0);
	free(program);
}

/* Columns cannot join a stripe that has lost blocks. */
static void
test_lost_columns(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);
	Program    *other = make_program(A_INT4, A_INT8, 0, false);

	make_table_with_lsns(1500);
	expect_asking("two columns", program, 0, 0, 1500, 0);
	set_lsn(20);
	change_block(1, 4, true, 16);
	expect_asking("a block is lost", program, 1499, 1, 0, 1500);
	expect_asking("other columns", other, 0, 0, 1500, 0);
	expect_asking("are served", other, 1500, 0, 0, 0);
	expect_asking("the first ones", program, 480, 0, 1020, 0);
	expect_asking("are served, too", program, 1500, 0, 0, 0);
	free(program);
	free(other);
}

/* Blocks that are all-visible only after their stripe has been kept are kept with it in time. */
static void
test_more_blocks(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);
	Program    *other = make_program(A_INT4, A_INT8, 0, false);

	make_table_with_lsns(2000);
	state.nblocks = 1600;
	for (uint32_t i = 1600; i < 2000; i++)
		set_bit(i, false);
	expect_asking("a table", program, 0, 0, 1600, 0);
	set_lsn(20);
	for (uint32_t i = 1600; i < 2000; i++)
		set_bit(i, true);
	state.nblocks = 2000;
	expect_asking("has become longer", program, 1600, 0, 0, 1600);
	expect_asking("and its new blocks are read", program, 1600, 0, 0, 0);
	expect_asking("as often as the others", program, 1020, 0, 980, 0);
	expect_asking("then they are kept", program, 2000, 0, 0, 0);

	make_table_with_lsns(2000);
	for (uint32_t i = 1100; i < 1150; i++)
		set_bit(i, false);
	expect_asking("blocks that are not all-visible", program, 0, 0, 1950, 0);
	set_lsn(20);
	for (uint32_t i = 1100; i < 1150; i++)
		set_bit(i, true);
	expect_asking("and then are", program, 1950, 0, 0, 1950);
	expect_asking("other columns", other, 0, 0, 2000, 0);
	expect_asking("are kept with them", other, 2000, 0, 0, 0);
	free(program);
	free(other);
}

/* Nobody answers. */
static void
test_no_answer(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);
	EngineHints hints;
	Groups	   *got;

	make_table_with_lsns(1500);
	expect_asking("a table", program, 0, 0, 1500, 0);
	set_lsn(20);
	hints = make_hints("auto");
	hints.answers = true;
	oracle_lsns = tell_nothing;
	got = engine_groups_of_pages(engine, program, params, &hints, refs, (int) state.nblocks);
	ok(got->status == ENGINE_FAILED, "no LSNs come: %s", got->message);
	groups_free(got);
	expect_asking("another run goes on", program, 1500, 0, 0, 1500);
	free(program);
}

static bool
gave_up(void)
{
	return true;
}

/* Of pages that the caller may have unpinned before they were read, nothing is kept. */
static void
test_given_up(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);
	EngineHints hints;
	EngineStats stats;

	make_table(3000, 10);
	hints = make_hints("auto");
	hints.gave_up = gave_up;
	stats = check("pages that are given up", program, &hints);
	ok(stats.blocks_kept == 0, "are not kept");
	expect("others are", program, 0, 0, 3000);
	free(program);
}

/* As VACUUM does. */
static void
cut_table(uint32_t nblocks)
{
	for (uint32_t i = nblocks; i < state.nblocks; i++)
		set_bit(i, false);
	state.nblocks = nblocks;
}

static void
test_sizes(void)
{
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);

	make_table(3000, 10);
	expect("a table", program, 0, 0, 3000);
	cut_table(2900);
	expect("is cut", program, 2900, 100, 0);
	cut_table(2500);
	expect("by more", program, 2040, 0, 460);
	state.nblocks = 3500;
	for (uint32_t i = 2500; i < 3500; i++)
		set_block(i, (int) (i % NPAGES), false);
	expect("and grows, as if without a new LSN", program, 2500, 0, 0);
	set_lsn(11);
	for (uint32_t i = 2500; i < 3400; i++)
		set_block(i, (int) (i % NPAGES), true);
	expect("and with one", program, 0, 0, 3060);
	for (uint32_t n = 1; n < 70; n += 23)
	{
		make_table(n, 5);
		expect("a small table", program, 0, 0, n);
		expect("is served", program, n, 0, 0);
	}
	free(program);
}

static void
test_columns(void)
{
	Program    *floats = make_program(A_INT4, A_FLOAT8, 0, false);
	Program    *numerics = make_program(A_INT4, A_NUMERIC, A_INT8, true);
	Program    *both = make_program(A_INT8, A_NUMERIC, A_FLOAT8, false);
	Program    *missing = make_program(0, A_INT2, 0, false);
	Program    *rows = make_program(0, 0, 0, false);
	Program    *texts = make_program(A_TEXT, A_FLOAT8, 0, false);
	Program    *float_keys = make_program(A_FLOAT8, A_INT8, 0, false);
	uint64_t	size;

	make_table(2000, 10);
	expect("two columns", floats, 0, 0, 2000);
	size = cuda_engine_columns_size();
	expect("one of them, and two others", numerics, 0, 0, 2000);
	ok(cuda_engine_columns_size() < 3 * size, "what was there is not kept again");
	expect("columns of two chunks", both, 2000, 0, 0);
	expect("no columns", rows, 2000, 0, 0);
	expect("a text", texts, 0, 0, 2000);
	expect("is served", texts, 2000, 0, 0);
	expect("a float key", float_keys, 0, 0, 0);
	expect("a column that old tuples do not have", missing, 0, 0, 2000);
	expect("is served", missing, 2000, 0, 0);
	params[0].word = 1234;
	expect("but not with another value for those", missing, 0, 0, 2000);
	params[0].isnull = true;
	expect("nor with NULL", missing, 0, 0, 2000);
	params[0].isnull = false;
	set_block(1, 3, false);
	params[0].word = 5;
	expect("a stripe with masked blocks gets no other column", missing, 0, 0, 980);
	free(floats);
	free(numerics);
	free(both);
	free(missing);
	free(rows);
	free(texts);
	free(float_keys);
}

/* Columns that a query does not need, but is told to keep. */
static void
test_keep(void)
{
	Program    *rows = make_program(0, 0, 0, false);
	Program    *program = make_program(A_INT4, A_FLOAT8, 0, false);
	Program    *texts = make_program(A_TEXT, A_FLOAT8, 0, false);
	Column		columns[] = {
		{.attno = A_FLOAT8,.missing = -1,.type = VT_FLOAT8},
		{.attno = A_INT4,.missing = -1,.type = VT_INT4,.nullable = true},
		{.attno = A_TEXT,.missing = -1,.type = VT_TEXT,.nullable = true},
		{.attno = 900,.missing = -1,.type = VT_INT4,.nullable = true}
	};
	EngineHints hints;
	EngineStats stats;

	make_table(2000, 10);
	hints = make_hints("auto");
	hints.keep = columns;
	hints.nkeep = 4;
	stats = check("columns to keep", rows, &hints);
	ok(stats.blocks_kept == 2000, "they are kept");
	expect("they are served", program, 2000, 0, 0);
	expect("a text among them", texts, 2000, 0, 0);
	free(rows);
	free(program);
	free(texts);
}

/* A value that cannot be kept is no error of a run that does not need it. */
static void
test_errors(void)
{
	Program    *rows = make_program(0, A_INT8, 0, false);
	Program    *program = make_program(A_INT4, A_INT8, 0, false);
	Column		numeric = {.attno = A_NUMERIC,.missing = -1,.type = VT_INT8,.nullable = true,
						   .numeric = NUMERIC_EXACT,.scale = 1};
	EngineHints hints;
	EngineStats stats;
	Groups	   *got;
	char	   *page = pages[7];

	make_table(2000, 10);
	hints = make_hints("auto");
	hints.keep = &numeric;
	hints.nkeep = 1;
	stats = check("numbers of another scale", rows, &hints);
	ok(stats.blocks_kept == 0 && cuda_engine_columns_size() == 0, "are not kept");
	expect("and what is asked for alone is", program, 0, 0, 2000);
	cuda_engine_evict_relation(state.file[1], state.relation);
	refs[1999].page = memset(malloc(HEAP_PAGE_SIZE), 0xff, HEAP_PAGE_SIZE);
	got = engine_groups_of_pages(engine, program, params, &hints, refs, 2000);
	ok(got->status == ENGINE_CORRUPT, "a run fails while it keeps: %s", got->message);
	groups_free(got);
	free((void *) refs[1999].page);
	refs[1999].page = page;
	refs[1999].nlines = page_nlines(page);
	(void) check("and the next one is right", program, &hints);
	free(rows);
	free(program);
}

/* Open a run, which is told what is served; NULL: that failed. */
static EngineRun *
open_run(const Program *program, EngineHints *hints)
{
	EngineRun  *run;
	char		message[256];

	*hints = make_hints("auto");
	return engine->open(program, params, hints, &run, message) == ENGINE_OK ? run : NULL;
}

/* Give all pages, none of which is served. */
static void
give_all(EngineRun *run)
{
	for (uint32_t i = 0; i < state.nblocks; i += 100)
		while (engine->pages(run, refs + i, 100) == ENGINE_BUSY)
			;
}

/* Its only group's count; the run is closed. */
static int64_t
end_run(EngineRun *run)
{
	EngineStatus status;
	GroupBatch	batch;
	int64_t		count = -1;

	while ((status = engine->groups(run, &batch)) == ENGINE_BUSY)
		;
	if (status == ENGINE_OK && batch.ngroups == 1)
		count = (int64_t) batch.states[0];
	engine->close(run);
	return count;
}

static void
test_runs_at_once(void)
{
	Program    *program = make_program(0, A_INT8, 0, false);
	EngineHints hints[2];
	EngineRun  *runs[2];
	KeptInfo	info;
	uint64_t	size;
	int64_t		rows = 0;

	make_table(2000, 10);
	for (uint32_t i = 0; i < 2000; i++)
		rows += refs[i].nlines;
	for (int i = 0; i < 2; i++)
		runs[i] = open_run(program, &hints[i]);
	for (int i = 0; i < 2; i++)
		give_all(runs[i]);
	ok(end_run(runs[0]) == rows, "two runs keep the same columns at once");
	ok(end_run(runs[1]) == rows && cuda_engine_columns(&info, 1) == 1 && info.blocks == 2000 &&
	   info.rows == (uint64_t) rows, "what the second one has made is dropped");
	size = cuda_engine_columns_size();
	ok(size < info.bytes * 5 / 4, "with its memory");
	runs[0] = open_run(program, &hints[0]);
	ok(engine->kept->served(runs[0], 0) != NULL, "a run is served");
	cuda_engine_evict_relation(5, 77);
	ok(cuda_engine_columns_size() == size, "what is evicted meanwhile stays for it");
	make_table(2000, 11);
	ok(end_run(runs[0]) == rows, "so it ends as it began");
	ok(cuda_engine_columns_size() == 0, "and then it goes");
	runs[0] = open_run(program, &hints[0]);
	give_all(runs[0]);
	cuda_engine_keep_columns(0);
	ok(end_run(runs[0]) == rows && context_memory_used(device, 0) == 0,
	   "a limit that becomes 0 while a run keeps");
	cuda_engine_evict_relation(0, 0);
	cuda_engine_keep_columns(MEMORY / 4);
	free(program);
}

/* What is shown of what is kept. */
static void
test_list(void)
{
	Program    *program = make_program(A_INT4, A_INT8, 0, false);
	KeptInfo	infos[4];
	uint64_t	rows = 0;

	make_table(2000, 10);
	for (uint32_t i = 0; i < 2000; i++)
		rows += refs[i].nlines;
	expect("keep", program, 0, 0, 2000);
	expect("serve", program, 2000, 0, 0);
	ok(cuda_engine_columns(infos, 4) == 2, "two columns are listed");
	ok(infos[0].attno + infos[1].attno == A_INT4 + A_INT8 && infos[0].relation == 77 &&
	   infos[0].rows == rows && infos[0].blocks == 2000 && infos[0].hits == 2 &&
	   infos[0].last_used > 0 && infos[0].bytes >= rows * 4 &&
	   memcmp(infos[0].file, state.file, sizeof(state.file)) == 0, "with what is known of them");
	cuda_engine_evict_relation(6, 77);
	ok(cuda_engine_columns(NULL, 0) == 2, "another database's relation is evicted");
	cuda_engine_evict_relation(5, 77);
	ok(cuda_engine_columns(NULL, 0) == 0, "and this one");
	free(program);
}

/* What is kept gives way to runs. */
static void
test_memory(void)
{
	Program    *program = make_program(A_INT4, A_INT8, 0, false);
	EngineHints hints;
	DeviceMemory *memory = &context_of(device, 0)->memory;
	uint64_t	size;

	make_table(5000, 10);
	expect("keep", program, 0, 0, 5000);
	size = cuda_engine_columns_size();
	hints = make_hints("auto");
	hints.ntables = 0;
	hints.memory_limit = MEMORY;
	while (cuda_engine_columns_size() == size && memory->budget > 10 << 20)
	{
		Groups	   *got;

		memory->budget -= memory->budget > 200 << 20 ? 50 << 20 : 100 << 10;
		got = engine_groups_of_pages(engine, program, params, &hints, refs, 10);
		if (got->status != ENGINE_OK)
			memory->budget = 0;
		groups_free(got);
	}
	ok(memory->budget > 0 && cuda_engine_columns_size() < size,
	   "kept columns give way to a run that finds no memory");
	memory->budget = MEMORY;
	free(program);
}

int
main(void)
{
	/* three values: see ops_set.h */
	static const int64_t set[] = {3, INT64_C(5000000035), INT64_C(7000000048),
	INT64_C(31000000217)};

	context_share(device, MEMORY);
	cuda_engine_keep_columns(MEMORY / 4);
	params[0] = (ParamValue) {.type = VT_INT2,.word = 777};
	params[1] = (ParamValue) {.type = VT_INT4,.word = 20};
	params[2] = (ParamValue) {.type = VT_TEXT,.bytes = {(const char *) set, sizeof(set)}};
	params[3] = (ParamValue) {.type = VT_TEXT,.bytes = {"%2%", 3}};
	for (int i = 0; i < 512; i++)
		odd_lines[i] = (uint16_t) (2 * i + 1);
	for (int i = 0; i <= NPAGES; i++)
		make_page(pages[i] = malloc(HEAP_PAGE_SIZE), i);
	test_strategies("float sums", make_program(A_INT4, A_FLOAT8, A_INT8, true));
	test_strategies("many groups", make_program(A_INT8, A_NUMERIC, 0, false));
	test_strategies("one group", make_program(0, A_FLOAT8, A_INT2, true));
	test_strategies("a set", make_set_program());
	test_strategies("texts", make_program(A_TEXT, A_FLOAT8, A_INT8, true));
	test_strategies("extremes of texts", make_text_program());
	test_strategies_on_host();
	test_larger_than_device();
	test_launches();
	test_masks();
	test_known_facts();
	test_changes();
	test_page_lsns();
	test_empty_buffer();
	test_empty_blocks();
	test_late_pages();
	test_worn();
	test_lost_columns();
	test_more_blocks();
	test_no_answer();
	test_given_up();
	test_sizes();
	test_columns();
	test_keep();
	cuda_engine_evict_relation(0, 0);
	test_errors();
	cuda_engine_evict_relation(0, 0);
	test_runs_at_once();
	test_list();
	test_memory();
	cuda_engine_evict_relation(0, 0);
	ok(context_memory_used(device, 0) == 0 && context_of(device, 0)->memory.lent == 0,
	   "all memory was given back");
	for (int i = 0; i <= NPAGES; i++)
		free(pages[i]);
	return done_testing();
}
