/*
 * test_cuda_engine.c
 *	  The CUDA engine through engine.h: the same groups as the plain oracle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/strategy/prefilter.h"
#include "engine_data.h"
#include "oracle.h"
#include "strategies.h"
#include "tap.h"


static const EngineOps *engine;

/* The engine's groups and the oracle's are the same. */
static void
check(const char *name, const Program *program, uint32_t nrows, const char *strategy,
	  uint32_t step)
{
	ParamValue	params[1] = {{.type = VT_INT4, .word = 1000}};
	EngineHints hints = {.strategy = strategy};
	ColumnBatch batch = {.nrows = nrows, .columns = data_vectors};
	Groups	   *expected = oracle_groups(program, params, &batch);
	Groups	   *got = engine_groups_of_batch(engine, program, params, &hints, &batch, step);

	ok(groups_same(program, expected, got), "%s, %u rows, %s (ran %s), %zu groups", name,
	   nrows, strategy, got->stats.strategy, got->ngroups);
	groups_free(expected);
	groups_free(got);
}

/* What rows compute: selections, the calendar, texts. */
static void
check_expressions(const char *strategy)
{
	ParamValue	params[DATA_EXPRESSION_PARAMS];
	Program    *program = data_expressions(params);
	EngineHints hints = {.strategy = strategy};
	ColumnBatch batch = {.nrows = 3001,.columns = data_vectors};
	Groups	   *expected;
	Groups	   *got;

	data_make(3001, 200, false);
	expected = oracle_groups(program, params, &batch);
	got = engine_groups_of_batch(engine, program, params, &hints, &batch, 512);
	ok(expected->status == ENGINE_OK && groups_same(program, expected, got),
	   "expressions, %s (ran %s), %zu groups", strategy, got->stats.strategy, got->ngroups);
	groups_free(expected);
	groups_free(got);
	free(program);
}

/*
 * So many texts of groups that their arena grows, again and again: ever larger
 * ones, by a strategy that updates the table for each row.
 */
static void
check_values_grow(const char *strategy)
{
	static char texts[6000 * 1020];
	static uint32_t offsets[6001];
	static int32_t keys[6000];
	const ColumnVector columns[] = {{.values = keys}, {.values = texts,.offsets = offsets}};
	ColumnBatch batch = {.nrows = 6000,.columns = columns};
	EngineHints hints = {.strategy = strategy,.memory_limit = 100 << 20};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	Groups	   *expected;
	Groups	   *got;
	int			text;

	for (uint32_t i = 0; i < 6000; i++)
	{
		keys[i] = (int32_t) (i % 1500 * 1000);
		offsets[i + 1] = offsets[i] + (uint32_t) sprintf(texts + offsets[i], "%s%07u%*d",
														 i % 7 ? "zzzzzzz" : "y", i,
														 (int) (i % 1000), (int) i);
	}
	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	text = program_add_column(b, 2, VT_TEXT, false, -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_MAX_TEXT, text, -1);
	program_add_acc(b, ACC_MIN_TEXT, text, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	expected = oracle_groups(program, NULL, &batch);
	for (uint32_t step = 100; step <= 6000; step *= 60)
	{
		got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, step);
		ok(groups_same(program, expected, got),
		   "texts in an arena that grows, %s (ran %s), %zu groups", strategy,
		   got->stats.strategy, got->ngroups);
		groups_free(got);
	}
	groups_free(expected);
	free(program);
	free(b);
}

/* Count and sum of doubles by an int4, none of them nullable. */
static Program *
small_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 2, VT_FLOAT8, false, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/*
 * Rows so small that a thread holds several of them: all strategies, with keys
 * that can be addressed directly and with others, in long runs and not.
 */
static void
check_small_rows(const char *strategy, bool sorted, int32_t factor)
{
	static int32_t keys[5001];
	static double values[5001];
	const ColumnVector columns[] = {{.values = keys}, {.values = values}};
	ColumnBatch batch = {.nrows = 5001,.columns = columns};
	EngineHints hints = {.strategy = strategy};
	Program    *program = small_program();
	Groups	   *expected;
	Groups	   *got;

	for (uint32_t i = 0; i < 5001; i++)
	{
		keys[i] = (int32_t) (sorted ? i / 777 : i * 7919 % 5003 / 50) * factor;
		values[i] = (i % 1000) / 8.0 - 20;
	}
	expected = oracle_groups(program, NULL, &batch);
	got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, 5001);
	ok(groups_same(program, expected, got), "small rows, %s keys %d apart, %s (ran %s), %zu groups",
	   sorted ? "sorted" : "mixed", factor, strategy, got->stats.strategy, got->ngroups);
	groups_free(got);
	groups_free(expected);
	free(program);
}

/*
 * Keys just below a directly addressed table's range, met when it is there, while
 * blocks have private tables with keys, since the range is too large for others.
 */
static void
check_below_range(const char *strategy)
{
	enum
	{
		BUFFER = 128 * 1024,	/* rows that an input buffer takes */
		NROWS = BUFFER + 1000,
		RANGE = 100000
	};
	static int32_t keys[NROWS];
	static double values[NROWS];
	const ColumnVector columns[] = {{.values = keys}, {.values = values}};
	ColumnBatch batch = {.nrows = NROWS,.columns = columns};
	EngineHints hints = {.strategy = strategy};
	Program    *program = small_program();
	Groups	   *expected;
	Groups	   *got;

	for (uint32_t i = 0; i < NROWS; i++)
	{
		keys[i] = (int32_t) ((uint64_t) i * 7919 % RANGE);
		values[i] = i;
	}
	/* the sample tells the range; see choose_direct */
	keys[1] = RANGE - 1;
	for (int32_t i = 0; i < 40; i++)
		keys[BUFFER + i] = -(RANGE - 1) / 16 - 64 - 1 - i % 3;
	expected = oracle_groups(program, NULL, &batch);
	got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, NROWS);
	ok(groups_same(program, expected, got), "keys below a table's range (ran %s), %zu groups",
	   got->stats.strategy, got->ngroups);
	groups_free(got);
	groups_free(expected);
	free(program);
}

/*
 * A first batch of few keys, then one of more than private tables and the group table
 * have room for: some rows find a private slot, whose state then finds no group.
 */
static void
check_scatter_overflow(const char *strategy)
{
	enum
	{
		BUFFER = 128 * 1024,	/* rows that an input buffer takes */
		NROWS = BUFFER + 60000
	};
	static int32_t keys[NROWS];
	static double values[NROWS];
	const ColumnVector columns[] = {{.values = keys}, {.values = values}};
	ColumnBatch batch = {.nrows = NROWS,.columns = columns};
	EngineHints hints = {.strategy = strategy};
	Program    *program = small_program();
	Groups	   *expected;
	Groups	   *got;

	for (uint32_t i = 0; i < NROWS; i++)
	{
		uint32_t	key = i < BUFFER ? i % 10 : i * 7919 % 20011;

		keys[i] = (int32_t) (key * UINT32_C(2654435761));
		/* some values are no numbers of private tables */
		values[i] = i % 101 == 0 ? 1e-9 : i % 1000 / 8.0 - 20;
	}
	expected = oracle_groups(program, NULL, &batch);
	got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, NROWS);
	ok(groups_same(program, expected, got) && strcmp(got->stats.strategy, strategy) == 0,
	   "%s: states without room, %zu groups", strategy, got->ngroups);
	groups_free(got);
	groups_free(expected);
	free(program);
}

/*
 * Keys of 64 bits: NULLs, values that stand for them in private tables, what stands for
 * an empty slot there, and others.
 */
static void
check_key_words(const char *strategy, bool two, bool nulls)
{
	enum
	{
		NROWS = 5001
	};
	static const int64_t special[] = {INT64_C(-0x61c8864680b583eb), -1, 0, 0x7f4a7c15,
	INT64_C(0x7f4a7c15) << 32, INT64_C(0x7f4a7c157f4a7c15), UINT32_MAX};
	static int64_t keys[NROWS];
	static int32_t halves[2][NROWS];
	static double values[NROWS];
	static uint8_t validity[2][NROWS / 8 + 1];
	const ColumnVector columns[] = {
		{.values = two ? (void *) halves[0] : keys,.validity = nulls ? validity[0] : NULL},
		{.values = halves[1],.validity = nulls ? validity[1] : NULL}, {.values = values}
	};
	ColumnBatch batch = {.nrows = NROWS,.columns = columns};
	EngineHints hints = {.strategy = strategy};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	Groups	   *expected;
	Groups	   *got;

	memset(validity, 0xff, sizeof(validity));
	for (uint32_t i = 0; i < NROWS; i++)
	{
		uint32_t	which = i * 7919 % 1013;

		keys[i] = which < 200 ? special[which % 7] :
			(int64_t) (which * UINT64_C(0x1234567890abcd1));
		halves[0][i] = (int32_t) (keys[i] >> 32);
		halves[1][i] = (int32_t) keys[i];
		values[i] = i % 1000 / 8.0 - 20;
		if (i % 5 == 0)
			validity[0][i / 8] &= (uint8_t) ~(1 << i % 8);
		if (i % 7 == 0)
			validity[1][i / 8] &= (uint8_t) ~(1 << i % 8);
	}
	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, two ? VT_INT4 : VT_INT8, nulls, -1));
	if (two)
		program_add_key(b, program_add_column(b, 2, VT_INT4, nulls, -1));
	else
		program_add_acc(b, ACC_COUNT, program_add_column(b, 2, VT_INT4, nulls, -1), -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 3, VT_FLOAT8, false, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	expected = oracle_groups(program, NULL, &batch);
	got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, NROWS);
	ok(groups_same(program, expected, got) && strcmp(got->stats.strategy, strategy) == 0,
	   "keys of 64 bits, %s, %s, %s (ran %s), %zu groups", two ? "two" : "one",
	   nulls ? "NULLs" : "no NULLs", strategy, got->stats.strategy, got->ngroups);
	groups_free(got);
	groups_free(expected);
	free(program);
	free(b);
}

/*
 * A range of keys, few of which there are, of more partitions than one pass has bins for:
 * states of many sums leave private tables few slots.
 */
static void
check_many_partitions(void)
{
	enum
	{
		NROWS = 5000,
		NSUMS = 8
	};
	static int32_t keys[NROWS];
	static double values[NROWS];
	ColumnVector columns[1 + NSUMS] = {{.values = keys}};
	ColumnBatch batch = {.nrows = NROWS,.columns = columns};
	EngineHints hints = {.strategy = "scatter",.memory_limit = UINT64_C(1) << 30};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	Groups	   *expected;
	Groups	   *got;

	/* for a table that is addressed directly */
	setenv("GPUAGG_SIMT_MEMORY", "1200000000", 1);
	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	for (int i = 1; i <= NSUMS; i++)
	{
		columns[i].values = values;
		program_add_acc(b, ACC_SUM_FLOAT,
						program_add_column(b, i + 1, VT_FLOAT8, false, -1), -1);
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	for (uint32_t i = 0; i < NROWS; i++)
	{
		keys[i] = (int32_t) ((uint64_t) i * 7919 % 4999 * 110);
		values[i] = i % 1000 / 8.0 - 20;
	}
	expected = oracle_groups(program, NULL, &batch);
	got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, NROWS);
	ok(groups_same(program, expected, got) && strcmp(got->stats.strategy, "scatter") == 0,
	   "many partitions, %zu groups", got->ngroups);
	unsetenv("GPUAGG_SIMT_MEMORY");
	groups_free(got);
	groups_free(expected);
	free(program);
	free(b);
}

/*
 * Neither keys nor accumulators, as where all that a query asks for is constant,
 * or a count of rows without columns: one group, with nothing to hold or to copy.
 */
static void
check_nothing(bool has_column, bool counts, uint32_t nrows)
{
	static const int32_t values[100];
	const ColumnVector columns[] = {{.values = values}};
	ColumnBatch batch = {.nrows = nrows,.columns = columns};
	EngineHints hints = {.strategy = "auto"};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	Groups	   *expected;
	Groups	   *got;

	program_begin(b, SOURCE_COLUMNS);
	if (has_column)
		program_add_column(b, 1, VT_INT4, false, -1);
	if (counts)
		program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	expected = oracle_groups(program, NULL, &batch);
	got = engine_groups_of_batch(engine, program, NULL, &hints, &batch, 64);
	ok(got->ngroups == 1 && groups_same(program, expected, got),
	   "%s and %s, %u rows: one group: %s", has_column ? "a column" : "no column",
	   counts ? "a count" : "no accumulator", nrows, got->message);
	groups_free(got);
	groups_free(expected);
	free(program);
	free(b);
}

/* What a block's private tables meet. */
typedef struct BlockCase
{
	const char *name;
	uint32_t	groups;
	uint32_t	factor;			/* between keys; 1: the table is addressed directly */
	bool		heavy;			/* key 0 has half of the rows */
	bool		sorted;
	bool		nulls;
	bool		filter;
	int			columns;		/* of each type */
	int			floats;			/* else all of these are float8, of narrow sums */
} BlockCase;

enum
{
	BLOCK_TYPES = 4,
	BLOCK_COLUMNS = 3 * BLOCK_TYPES,
	BLOCK_NROWS = 20001
};

static int
block_columns(const BlockCase *which)
{
	return which->floats > 0 ? which->floats : which->columns * BLOCK_TYPES;
}

/* Sums and extremes of all that they are made of, of columns of four types. */
static Program *
block_program(const BlockCase *which)
{
	static const ValueType types[BLOCK_TYPES] = {VT_FLOAT8, VT_INT8, VT_INT4, VT_FLOAT4};
	static const AccKind kinds[BLOCK_TYPES][3] = {
		{ACC_SUM_FLOAT, ACC_MIN_FLOAT, ACC_MAX_FLOAT},
		{ACC_SUM_INT128, ACC_BIT_XOR, ACC_MAX_INT},
		{ACC_SUM_INT, ACC_BIT_AND, ACC_MIN_INT},
		{ACC_SUM_FLOAT, ACC_COUNT, ACC_MIN_FLOAT}
	};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, which->nulls, -1));
	if (which->filter)
		program_set_filter(b, program_add_op(b, OP_int4_lt,
											 program_add_column(b, 2, VT_INT4, false, -1),
											 program_add_param_ref(b, program_add_param(b, VT_INT4))));
	program_add_acc(b, ACC_COUNT, -1, -1);
	for (int i = 0; i < block_columns(which); i++)
	{
		int			type = which->floats > 0 ? 0 : i % BLOCK_TYPES;
		int			value = program_add_column(b, 3 + i, types[type], which->nulls, -1);

		for (int acc = 0; acc < (which->columns == 1 ? 3 : 1); acc++)
			program_add_acc(b, kinds[type][acc], value, -1);
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/*
 * Values whose sums need all words: most are below 1000, some smaller by 20 or 50
 * binades, and towards the end larger ones, by 40.  narrow: by half as many binades, which
 * narrow sums still hold; with and without rests (fixed.cuh), and as no such numbers.
 */
static double
block_double(uint32_t row, bool narrow)
{
	double		value = ((double) (row * UINT32_C(2654435761) % 1000003) - 400000) / 499;
	int			binades = row % 97 == 0 ? -20 : row % 89 == 0 ? -50 :
		row % 83 == 0 ? -58 : row % 7 == 0 && row > BLOCK_NROWS / 2 ? 40 : 0;

	binades = narrow ? binades / 2 : binades;
	for (; binades < 0; binades++)
		value /= 2;
	for (; binades > 0; binades--)
		value *= 2;
	return value;
}

static uint32_t
block_key(const BlockCase *which, uint32_t row)
{
	uint32_t	random = row * UINT32_C(2654435761) >> 7;

	if (which->heavy && random % 2 == 0)
		return 0;
	return which->sorted ? (uint32_t) ((uint64_t) row * which->groups / BLOCK_NROWS) :
		random / 2 % which->groups;
}

static void
check_block(const BlockCase *which, const char *strategy, uint32_t step)
{
	static int32_t keys[BLOCK_NROWS];
	static int32_t filter[BLOCK_NROWS];
	static double doubles[BLOCK_NROWS + BLOCK_COLUMNS];
	static int64_t longs[BLOCK_NROWS];
	static int32_t ints[BLOCK_NROWS];
	static float floats[BLOCK_NROWS];
	static uint8_t validity[BLOCK_NROWS / 8 + 1];
	const void *const values[BLOCK_TYPES] = {doubles, longs, ints, floats};
	ColumnVector columns[2 + BLOCK_COLUMNS] = {{.values = keys}};
	ColumnBatch batch = {.nrows = BLOCK_NROWS,.columns = columns};
	ParamValue	params[1] = {{.type = VT_INT4,.word = 70}};
	EngineHints hints = {.strategy = strategy};
	Program    *program = block_program(which);
	Groups	   *expected;
	Groups	   *got;

	memset(validity, 0xff, sizeof(validity));
	for (uint32_t i = 0; i < BLOCK_NROWS; i++)
	{
		keys[i] = (int32_t) (block_key(which, i) * which->factor);
		filter[i] = (int32_t) (i * 7919 % 100);
		longs[i] = (int64_t) (i * UINT64_C(0x9e3779b97f4a7c15)) >> (i % 3 * 20);
		ints[i] = (int32_t) (i * UINT32_C(2246822519));
		floats[i] = (float) block_double(i + 7, false);
		if (which->nulls && i * 7919 % 11 == 0)
			validity[i / 8] &= (uint8_t) ~(1 << i % 8);
	}
	columns[1].values = filter;
	for (uint32_t i = 0; i < BLOCK_NROWS + BLOCK_COLUMNS; i++)
		doubles[i] = block_double(i, which->floats > 0);
	/* a row's floats differ, and some of them have rests */
	for (int i = 0; i < block_columns(which); i++)
		columns[i + 1 + which->filter] = (ColumnVector) {
			.values = which->floats > 0 ? doubles + i : values[i % BLOCK_TYPES]
		};
	for (int i = 0; i < 2 + BLOCK_COLUMNS && which->nulls; i++)
		columns[i].validity = i == 1 && which->filter ? NULL : validity;
	expected = oracle_groups(program, params, &batch);
	got = engine_groups_of_batch(engine, program, params, &hints, &batch, step);
	ok(groups_same(program, expected, got) &&
	   (which->floats == 0 || got->level == EXACT_NARROW),
	   "private tables: %s, steps of %u (ran %s), %zu groups",
	   which->name, step, got->stats.strategy, got->ngroups);
	groups_free(got);
	groups_free(expected);
	free(program);
}

static void
check_blocks(void)
{
	static const BlockCase cases[] = {
		{"3 dense keys", 3, 1, false, false, false, false, 1, 0},
		{"1000 dense keys", 1000, 1, false, false, false, false, 1, 0},
		{"1000 sorted keys", 1000, 1, false, true, false, false, 1, 0},
		{"1000 dense keys, NULLs", 1000, 1, false, false, true, false, 1, 0},
		{"1000 dense keys, one heavy, NULLs", 1000, 1, true, false, true, false, 1, 0},
		{"1000 dense keys, one heavy, filter", 1000, 1, true, false, false, true, 1, 0},
		{"300 dense keys, many sums", 300, 1, false, false, false, true, 3, 0},
		{"3 sparse keys", 3, 70000001, false, false, false, false, 1, 0},
		{"1000 sparse keys, one heavy", 1000, 70000001, true, false, false, false, 1, 0},
		{"1000 sparse keys, one heavy, NULLs", 1000, 70000001, true, false, true, false, 1, 0},
		{"5000 sparse keys, one heavy, NULLs", 5000, 70000001, true, false, true, true, 1, 0},
		{"300 sparse keys, many sums, NULLs", 300, 70000001, true, false, true, false, 3, 0},
		{"300 dense keys, 2 float sums", 300, 1, false, false, false, false, 0, 2},
		{"300 dense keys, 8 float sums", 300, 1, false, false, false, false, 0, 8},
		{"300 sparse keys, 8 float sums, filter", 300, 70000001, true, false, false, true, 0, 8}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		if (!in_part())
			continue;
		check_block(&cases[i], "block", BLOCK_NROWS);
		check_block(&cases[i], "block", 504);
		check_block(&cases[i], "scatter", BLOCK_NROWS);
		check_block(&cases[i], "scatter_twice", 504);
	}
	check_block(&cases[0], "auto", BLOCK_NROWS);
}

/* One test or a few of each kind. */
static void
check_single(void)
{
	if (in_part())
	{
		check_values_grow("atomic");
		check_values_grow("interpret");
		check_expressions("auto");
		check_expressions("interpret");
	}
	if (in_part())
	{
		check_scatter_overflow("scatter");
		check_scatter_overflow("scatter_twice");
		check_many_partitions();
		check_below_range("block");
		check_below_range("scatter");
		check_below_range("scatter_twice");
	}
	for (int i = 0; i < 4; i++)
	{
		if (!in_part())
			continue;
		check_key_words("block", i & 1, i & 2);
		check_key_words("scatter", i & 1, i & 2);
		check_key_words("scatter_twice", i & 1, i & 2);
	}
	for (int i = 0; i < 8; i++)
		if (in_part())
			check_nothing(i & 1, i & 2, i & 4 ? 100 : 0);
}

int
main(void)
{
	static const struct
	{
		const char *name;
		int			nkeys;
		int			keys[8];
	}			cases[] = {
		{"no keys", 0, {0}},
		{"int4", 1, {C_INT4}},
		{"nullable int4", 1, {C_INT4_NULL}},
		{"nullable int8", 1, {C_INT8_NULL}},
		{"nullable float4", 1, {C_FLOAT4_NULL}},
		{"nullable text", 1, {C_TEXT_NULL}},
		{"uuid", 1, {C_UUID}},
		{"int2, bool", 2, {C_INT2, C_BOOL}},
		{"text, int8, bool", 3, {C_TEXT_NULL, C_INT8_NULL, C_BOOL}}
	};

	engine = getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ?
		&cuda_engine : &simt_engine;
	check_single();
	check_blocks();
	for (size_t s = 0; s < NSTRATEGIES; s++)
	{
		if (!in_part())
			continue;
		check_small_rows(all_strategies[s], false, 1);
		check_small_rows(all_strategies[s], false, 20000003);
		check_small_rows(all_strategies[s], true, 1);
		check_small_rows(all_strategies[s], true, 20000003);
	}
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (size_t s = 0; s < NSTRATEGIES; s++)
		{
			Program    *program;

			if (!in_part() || (getenv("ONLY") && !strstr(getenv("ONLY"), all_strategies[s])))
				continue;
			program = data_program(cases[c].keys, cases[c].nkeys, true, s % 2);
			data_make(3001, 200, s == 4);
			check(cases[c].name, program, 3001, all_strategies[s], 512);
			free(program);
		}
	/* the filter's conditions are evaluated first */
	prefilter_takes_all = true;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (size_t s = 0; s < NSTRATEGIES; s++)
		{
			Program    *program;

			if (!in_part() || (getenv("ONLY") && !strstr(getenv("ONLY"), all_strategies[s])))
				continue;
			program = data_program(cases[c].keys, cases[c].nkeys, c % 2, true);
			data_make(3001, 200, s == 4);
			check(cases[c].name, program, 3001, all_strategies[s], 512);
			free(program);
		}
	return done_testing();
}
