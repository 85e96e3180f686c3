/*
 * test_encodings.c
 *	  Kept columns in every width, through the CUDA engine: what is kept has the size that
 *	  its values need, and the groups over it are those that the CPU engine makes of pages.
 *
 * Each stripe of a table shows one page again and again, so that a stripe's values are those
 * of a case: the widths differ from stripe to stripe.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/stripe.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define MEMORY (UINT64_C(1) << 30)
#define PAGE_ROWS 9
#define MAX_BLOCKS (4 * FRAME_BLOCKS)
#define NPARAMS 3

/* NULLs of the case's columns. */
enum
{
	NULLS_NONE, NULLS_SOME, NULLS_ALL
};

/* The least and the greatest values, and the bits that they need. */
typedef struct Case
{
	const char *name;
	int			nulls;
	int64_t		int8[2];
	int32_t		int4[2];
	int16_t		int2[2];
	int8_t		boolean[2];
	int			bits[4];
} Case;

static const Case cases[] = {
	{"constants", NULLS_NONE, {7, 7}, {-5, -5}, {0, 0}, {1, 1}, {0, 0, 0, 0}},
	{"the least", NULLS_NONE, {INT64_MIN, INT64_MIN}, {INT32_MIN, INT32_MIN},
	{INT16_MIN, INT16_MIN}, {0, 0}, {0, 0, 0, 0}},
	{"a bit", NULLS_NONE, {INT64_MAX - 1, INT64_MAX}, {-1, 0}, {INT16_MAX - 1, INT16_MAX}, {0, 1},
	{1, 1, 1, 1}},
	{"a byte", NULLS_SOME, {INT64_MIN, INT64_MIN + 255}, {-100, 155}, {-255, 0}, {0, 1},
	{8, 8, 8, 1}},
	{"two bytes", NULLS_NONE, {-1, 255}, {INT32_MAX - 65535, INT32_MAX}, {INT16_MIN, INT16_MAX},
	{0, 1}, {16, 16, 16, 1}},
	{"a third byte", NULLS_SOME, {0, 65536}, {0, 65536}, {1, 3}, {1, 1}, {32, 32, 8, 0}},
	{"four bytes", NULLS_NONE, {-INT64_C(4294967295), 0}, {INT32_MIN, INT32_MAX}, {5, 5}, {0, 1},
	{32, 32, 0, 1}},
	{"a fifth byte", NULLS_NONE, {1, INT64_C(4294967297)}, {3, 4}, {0, 256}, {0, 0},
	{64, 1, 16, 0}},
	{"all bytes", NULLS_SOME, {INT64_MIN, INT64_MAX}, {-1, 1}, {-1, 1}, {0, 1}, {64, 8, 8, 1}},
	{"NULLs", NULLS_ALL, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0, 0, 0}},
};

#define NCASES (int) (sizeof(cases) / sizeof(cases[0]))

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static char *pages[NCASES];
static PageRef refs[MAX_BLOCKS];
static uint16_t odd_lines[PAGE_ROWS];
static FrameMap frames[MAX_BLOCKS / FRAME_BLOCKS + 1];
static TableState state = {.file = {1663, 5, 9000},.relation = 78,.table = 2,.frames = frames};
static ParamValue params[NPARAMS];
static const char *const strategies[] = {
	"auto", "atomic", "block", "peers", "peers_ballot", "scan", "vote", "interpret"
};

#define NSTRATEGIES (int) (sizeof(strategies) / sizeof(strategies[0]))

/* The attributes, all of which can be NULL but the last one. */
enum
{
	A_INT8 = 1, A_INT4, A_INT2, A_BOOL, A_FLOAT8, NATTRS = A_FLOAT8
};

static void
add_value(TupleWriter *tuple, const Case *c, int row, const void *value, uint32_t len)
{
	if (c->nulls == NULLS_ALL || (c->nulls == NULLS_SOME && row % 4 == 3))
		tuple_null(tuple);
	else
		tuple_fixed(tuple, value, len, len);
}

/* A row's value between two others, which rows 0 and 1 have. */
static int64_t
between(int64_t least, int64_t most, int row)
{
	uint64_t	range = (uint64_t) most - (uint64_t) least;

	if (row < 2)
		return row == 0 ? least : most;
	return (int64_t) ((uint64_t) least + (range < PAGE_ROWS ? (uint64_t) row % (range + 1) :
										  range / PAGE_ROWS * (uint64_t) row));
}

static void
make_page(char *page, const Case *c)
{
	page_begin(page);
	for (int row = 0; row < PAGE_ROWS; row++)
	{
		TupleWriter tuple;
		int64_t		int8 = between(c->int8[0], c->int8[1], row);
		int32_t		int4 = (int32_t) between(c->int4[0], c->int4[1], row);
		int16_t		int2 = (int16_t) between(c->int2[0], c->int2[1], row);
		uint8_t		boolean = (uint8_t) between(c->boolean[0], c->boolean[1], row);
		double		float8 = 1.5 * row;

		tuple_begin(&tuple);
		add_value(&tuple, c, row, &int8, 8);
		add_value(&tuple, c, row, &int4, 4);
		add_value(&tuple, c, row, &int2, 2);
		add_value(&tuple, c, row, &boolean, 1);
		tuple_fixed(&tuple, &float8, 8, 8);
		page_add(page, &tuple, HEAP_LINE_NORMAL);
	}
}

static int
column(ProgramBuilder *b, int attno)
{
	static const ValueType types[] = {[A_INT8] = VT_INT8,[A_INT4] = VT_INT4,[A_INT2] = VT_INT2,
		[A_BOOL] = VT_BOOL,[A_FLOAT8] = VT_FLOAT8};

	return program_add_column(b, attno, types[attno], attno != A_FLOAT8, -1);
}

static ProgramBuilder *
begin_program(void)
{
	static const int lengths[] = {8, 4, 2, 1, 8};
	ProgramBuilder *b = malloc(sizeof(*b));

	program_begin(b, SOURCE_PAGES);
	for (int i = 0; i < NATTRS; i++)
		program_add_attr(b, lengths[i], lengths[i]);
	program_add_param(b, VT_INT8);
	program_add_param(b, VT_INT4);
	program_add_param(b, VT_INT8);
	return b;
}

static Program *
end_program(ProgramBuilder *b)
{
	Program    *program = calloc(1, program_size(b));

	program_finish(b, program);
	free(b);
	return program;
}

/* What accumulators tell of all columns, by a key; `wide`: by reference, too. */
static Program *
make_program(int key, bool wide)
{
	ProgramBuilder *b = begin_program();
	int			int8 = column(b, A_INT8);
	int			int4 = column(b, A_INT4);
	int			int2 = program_add_op(b, OP_int2_to_int8, column(b, A_INT2), -1);
	int			boolean = program_add_op(b, OP_bool_to_int4, column(b, A_BOOL), -1);

	if (key > 0)
		program_add_key(b, column(b, key));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_COUNT, int8, -1);
	program_add_acc(b, ACC_SUM_INT128, int8, -1);
	program_add_acc(b, ACC_SUM_INT, int4, -1);
	program_add_acc(b, ACC_MIN_INT, int2, -1);
	program_add_acc(b, ACC_MAX_INT, int4, -1);
	program_add_acc(b, ACC_SUM_INT, boolean, -1);
	program_add_acc(b, ACC_SUM_FLOAT, column(b, A_FLOAT8), -1);
	if (wide)
		program_add_acc(b, ACC_MAX_WIDE, program_add_op(b, OP_wide_of_int8, int8, -1), -1);
	return end_program(b);
}

/*
 * A few words by a key: what strategy `block` loads four rows at once for.  `filtered`: of rows
 * whose int4 is not 0.
 */
static Program *
make_narrow_program(int key, int summed, bool filtered)
{
	ProgramBuilder *b = begin_program();
	int			value = column(b, summed);

	if (filtered)
		program_set_filter(b, program_add_op(b, OP_int4_ne, column(b, A_INT4),
											 program_add_param_ref(b, 1)));
	if (summed == A_INT2)
		value = program_add_op(b, OP_int2_to_int8, value, -1);
	program_add_key(b, column(b, key));
	program_add_acc(b, ACC_COUNT, value, -1);
	program_add_acc(b, ACC_SUM_INT, value, -1);
	return end_program(b);
}

static void
set_block(uint32_t block, int number, bool all_visible)
{
	uint8_t    *byte = &frames[block / FRAME_BLOCKS].bits[block % FRAME_BLOCKS / 4];
	uint8_t		bit = (uint8_t) (1 << block % FRAME_BLOCKS % 4 * 2);

	refs[block] = (PageRef) {.page = pages[number],.nlines = PAGE_ROWS,.block = block,
							.table = state.table};
	if (!all_visible)
	{
		refs[block].lines = odd_lines;
		refs[block].nlines = (PAGE_ROWS + 1) / 2;
	}
	*byte = all_visible ? *byte | bit : *byte & (uint8_t) ~bit;
}

/* A new table, all-visible, of so many blocks: stripe i shows case first + i. */
static void
make_table(uint32_t nblocks, int first)
{
	memset(frames, 0, sizeof(frames));
	state.file[2]++;
	state.nblocks = nblocks;
	for (uint32_t i = 0; i < nblocks; i++)
		set_block(i, (int) ((uint32_t) first + stripe_of_block(i)) % NCASES, true);
	for (uint32_t i = 0; i <= MAX_BLOCKS / FRAME_BLOCKS; i++)
		frames[i].lsn = 1;
}

static EngineStats
check(const char *what, const Program *program, const char *strategy)
{
	EngineHints hints = {.strategy = strategy,.pages = state.nblocks,.tables = &state,.ntables = 1};
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs,
												  (int) state.nblocks);
	Groups	   *got = engine_groups_of_pages(engine, program, params, &hints, refs,
											 (int) state.nblocks);
	EngineStats stats = got->stats;

	ok(expected->status == ENGINE_OK && groups_same(program, expected, got) &&
	   expected->stats.rows == stats.rows && expected->stats.rows_passed == stats.rows_passed,
	   "%s, %s: %zu groups, blocks: %d resident, %d masked, %d skipped, %d kept %s", what,
	   strategy, got->ngroups, (int) stats.blocks_resident, (int) stats.blocks_masked,
	   (int) stats.blocks_skipped, (int) stats.blocks_kept, got->message);
	groups_free(expected);
	groups_free(got);
	return stats;
}

/* What a case's columns take: numbers, and a bit for each NULL. */
static uint64_t
expected_bytes(const Case *c, int attno, uint64_t rows)
{
	uint64_t	capacity = (rows + 255) / 256 * 256;

	if (attno == A_FLOAT8)
		return capacity * 8;
	return capacity * (uint64_t) (c->bits[attno - 1] + (c->nulls != NULLS_NONE)) / 8;
}

/* Each case by itself: what it takes, and what comes of it. */
static void
test_sizes(void)
{
	Program    *program = make_program(A_INT4, true);

	for (int i = 0; i < NCASES; i++)
	{
		KeptInfo	infos[NATTRS];
		bool		good = true;

		make_table(300, i);
		ok(check(cases[i].name, program, "auto").blocks_kept == 300, "all blocks are kept");
		ok(cuda_engine_columns(infos, NATTRS) == NATTRS, "all columns");
		for (int j = 0; j < NATTRS; j++)
		{
			uint64_t	bytes = expected_bytes(&cases[i], infos[j].attno, 300 * PAGE_ROWS);

			good = good && infos[j].bytes == bytes;
			if (infos[j].bytes != bytes)
				printf("# attribute %d: %" PRIu64 " bytes, not %" PRIu64 "\n", infos[j].attno,
					   infos[j].bytes, bytes);
		}
		ok(good, "with as many bytes as they need");
		ok(check(cases[i].name, program, "auto").blocks_resident == 300, "all are served");
		cuda_engine_evict_relation(0, 0);
	}
	free(program);
}

/*
 * A count by int2 of rows with that int8, or without one (OP_isnull); OP_int4_div: after
 * what can be an error.
 */
static Program *
make_filter_program(OpCode first)
{
	ProgramBuilder *b = begin_program();
	int			int8 = column(b, A_INT8);
	int			int4 = column(b, A_INT4);
	int			filter = program_add_op(b, OP_int8_eq, int8, program_add_param_ref(b, 0));

	program_add_key(b, column(b, A_INT2));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT, int4, -1);
	if (first == OP_isnull)
		filter = program_add_op(b, OP_isnull, int8, -1);
	if (first == OP_int4_div)
	{
		int			quotient = program_add_op(b, OP_int4_div, int4, program_add_param_ref(b, 1));

		filter = program_add_op(b, OP_and,
								program_add_op(b, OP_int4_gt, quotient,
											   program_add_param_ref(b, 1)), filter);
	}
	program_set_filter(b, filter);
	return end_program(b);
}

/* Blocks of stripes whose int8 can be a number; of block numbers that are `rest` of 101. */
static uint64_t
blocks_with(int64_t number, uint32_t rest, uint64_t *skipped)
{
	uint64_t	with = 0;

	*skipped = 0;
	for (uint32_t block = 0; block < state.nblocks; block++)
	{
		const Case *c = &cases[stripe_of_block(block) % NCASES];
		bool		can_be = c->nulls != NULLS_ALL && c->int8[0] <= number && number <= c->int8[1];

		if (block % 101 == rest)
			continue;
		with += can_be;
		*skipped += !can_be;
	}
	return with;
}

/* Stripes that no row can pass the filter of are not looked at, and their rows counted. */
static void
test_skips(void)
{
	Program    *program = make_filter_program(OP_int8_eq);
	Program    *fails = make_filter_program(OP_int4_div);
	Program    *nulls = make_filter_program(OP_isnull);
	EngineHints hints = {.strategy = "auto",.tables = &state,.ntables = 1};
	uint64_t	skipped;
	Groups	   *groups;

	make_table(NCASES / 4 * FRAME_BLOCKS + 1500, 0);
	params[0].word = 7;
	(void) check("from pages", program, "auto");
	(void) blocks_with(7, 101, &skipped);
	ok(skipped > 0 && check("a number", program, "auto").blocks_skipped == skipped,
	   "blocks without it are skipped");
	ok(check("NULLs", nulls, "auto").blocks_skipped > 0, "blocks without NULLs are skipped");
	for (uint32_t block = 7; block < state.nblocks; block += 101)
		set_block(block, (int) stripe_of_block(block) % NCASES, false);
	(void) blocks_with(7, 7, &skipped);
	ok(check("with masks", program, "auto").blocks_skipped == skipped, "and not those masked");
	hints.pages = state.nblocks;
	groups = engine_groups_of_pages(engine, fails, params, &hints, refs, (int) state.nblocks);
	ok(groups->status == ENGINE_INEXACT && groups->stats.blocks_skipped == 0,
	   "none where the filter can be an error before");
	groups_free(groups);
	make_table(STRIPE_BLOCKS, 5);
	params[0].word = -1;
	(void) check("from pages", program, "auto");
	ok(check("no row at all", program, "auto").blocks_skipped == STRIPE_BLOCKS,
	   "all blocks are skipped");
	cuda_engine_evict_relation(0, 0);
	free(program);
	free(fails);
	free(nulls);
}

/* A row alone. */
static void
test_one_row(void)
{
	Program    *program = make_program(A_INT2, false);

	make_table(1, 8);
	refs[0].nlines = 1;
	(void) check("one row", program, "auto");
	ok(check("one row", program, "auto").blocks_resident == 1, "is served");
	free(program);
}

/* Stripes of all cases, with each strategy, and with masks. */
static void
test_strategies(const char *name, Program *program)
{
	uint32_t	nblocks = NCASES / STRIPES_OF_FRAME * FRAME_BLOCKS +
		NCASES % STRIPES_OF_FRAME * STRIPE_BLOCKS - 777;

	for (int i = 0; i < NSTRATEGIES; i++)
	{
		EngineStats stats;

		if (!in_part())
			continue;
		make_table(nblocks, 0);
		(void) check(name, program, i == 0 ? "auto" : "atomic");
		stats = check(name, program, strategies[i]);
		ok(stats.blocks_resident == nblocks, "all are served");
		if (i > 2)
			continue;
		for (uint32_t block = 7; block < nblocks; block += 101)
			set_block(block, (int) (block % NCASES), false);
		stats = check("with masks", program, strategies[i]);
		ok(stats.blocks_masked == (nblocks - 7 + 100) / 101, "some are masked");
	}
	cuda_engine_evict_relation(0, 0);
	free(program);
}

int
main(void)
{
	context_share(device, MEMORY);
	cuda_engine_keep_columns(MEMORY / 4);
	for (int i = 0; i < PAGE_ROWS; i++)
		odd_lines[i] = (uint16_t) (2 * i + 1);
	for (int i = 0; i < NCASES; i++)
		make_page(pages[i] = malloc(HEAP_PAGE_SIZE), &cases[i]);
	params[0] = (ParamValue) {.type = VT_INT8};
	params[1] = (ParamValue) {.type = VT_INT4};
	params[2] = (ParamValue) {.type = VT_INT8};
	test_sizes();
	test_skips();
	test_one_row();
	test_strategies("many words", make_program(A_INT4, true));
	test_strategies("one group", make_program(0, false));
	test_strategies("int8 by int2", make_narrow_program(A_INT2, A_INT8, false));
	test_strategies("int8 by int2, filtered", make_narrow_program(A_INT2, A_INT8, true));
	test_strategies("int2 by int8", make_narrow_program(A_INT8, A_INT2, false));
	test_strategies("int4 by bool", make_narrow_program(A_BOOL, A_INT4, false));
	ok(context_memory_used(device, 0) == 0 && context_of(device, 0)->memory.lent == 0,
	   "all memory was given back");
	for (int i = 0; i < NCASES; i++)
		free(pages[i]);
	return done_testing();
}
