/*
 * test_float_sums.c
 *	  Float sums of engines: the same bits in every engine, by every strategy, in
 *	  any order and by batches of any size; runs that need wider sums.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "oracle.h"
#include "tap.h"

#define NROWS 4000

enum
{
	C_KEY,
	C_FLOAT8,
	C_FLOAT4,
	C_OTHER,
	C_COUNT
};

static const EngineOps *device_engine;
static int32_t keys[NROWS];
static double doubles[NROWS];
static float floats[NROWS];
static double others[NROWS];
static uint8_t validity[NROWS / 8 + 1];
static ColumnVector vectors[C_COUNT] = {
	{.values = keys},
	{.values = doubles,.validity = validity},
	{.values = floats},
	{.values = others}
};
static uint32_t order[NROWS];

static uint64_t
random64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(2685821657736338717);
}

/* What values are like, from row `from` on. */
typedef enum Values
{
	PLAIN,						/* a narrow window */
	SPREAD,						/* 190 binades */
	ALL,						/* all exponents that sums take */
	SPECIAL,					/* NaN and the infinities among plain ones */
	ZEROS,						/* 0 and -0 only */
	VALUES_COUNT
} Values;

static const char *const values_names[] = {"plain", "spread", "all exponents", "special", "zeros"};

static double
make_value(Values values, int most)
{
	double		value = (double) (random64() >> 11) / 9007199254740992.0 - 0.5;
	uint64_t	special = random64() % 500;

	switch (values)
	{
		case SPREAD:
			return ldexp(value, (int) (random64() % 190) - 100);
		case ALL:
			return ldexp(value, (int) (random64() % (uint64_t) (1074 + most)) - 1074);
		case SPECIAL:
			return special == 0 ? NAN : special == 1 ? INFINITY : special == 2 ? -INFINITY : value;
		case ZEROS:
			return special < 490 ? -0.0 : 0.0;
		default:
			return value * 1000;
	}
}

static void
make_rows(Values values, uint32_t from, uint32_t groups, bool sorted)
{
	memset(validity, 0xff, sizeof(validity));
	for (uint32_t i = 0; i < NROWS; i++)
	{
		Values		now = i < from ? PLAIN : values;

		keys[i] = (int32_t) (sorted ? i * groups / NROWS : random64() % groups);
		doubles[i] = make_value(now, 960);
		floats[i] = (float) make_value(now, 90);
		others[i] = make_value(now == ALL ? SPREAD : now, 0);
		/* NULLs with values that must not count */
		if (i % 11 == 0)
		{
			validity[i / 8] &= (uint8_t) ~(1 << i % 8);
			doubles[i] = i % 2 ? NAN : 1e300;
		}
		order[i] = i;
	}
}

/* Put the rows into another order. */
static void
permute_rows(void)
{
	for (uint32_t i = NROWS - 1; i > 0; i--)
	{
		uint32_t	j = (uint32_t) (random64() % (i + 1));
		int32_t		key = keys[i];
		double		value = doubles[i];
		float		single = floats[i];
		double		other = others[i];
		bool		valid_i = (validity[i / 8] >> i % 8) & 1;
		bool		valid_j = (validity[j / 8] >> j % 8) & 1;

		keys[i] = keys[j];
		keys[j] = key;
		doubles[i] = doubles[j];
		doubles[j] = value;
		floats[i] = floats[j];
		floats[j] = single;
		others[i] = others[j];
		others[j] = other;
		validity[i / 8] = (uint8_t) ((validity[i / 8] & ~(1 << i % 8)) | valid_j << i % 8);
		validity[j / 8] = (uint8_t) ((validity[j / 8] & ~(1 << j % 8)) | valid_i << j % 8);
	}
}

/* sum(float8), sum(float4), products; sums filtered by others > 0. */
static Program *
make_program(bool has_key, bool products)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			key;
	int			value;
	int			single;
	int			other;
	int			zero;
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	key = program_add_column(b, 1, VT_INT4, false, -1);
	value = program_add_column(b, 2, VT_FLOAT8, true, -1);
	single = program_add_column(b, 3, VT_FLOAT4, false, -1);
	other = program_add_column(b, 4, VT_FLOAT8, false, -1);
	zero = program_add_param_ref(b, program_add_param(b, VT_FLOAT8));
	if (has_key)
		program_add_key(b, key);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_float_acc(b, value, -1, -1, EXACT_LIMIT_SUM8);
	program_add_float_acc(b, single, -1, -1, EXACT_LIMIT_SUM4);
	program_add_acc(b, ACC_SUM_INT128, program_add_op(b, OP_int4_to_int8, key, -1), -1);
	program_add_float_acc(b, value, -1, program_add_op(b, OP_float8_gt, other, zero),
						  EXACT_LIMIT_SUM8);
	if (products)
	{
		program_add_float_acc(b, other, other, -1, EXACT_LIMIT_SQUARES);
		program_add_float_acc(b, other, single, -1, EXACT_LIMIT_SQUARES);
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* One engine's groups are those of the oracle. */
static bool
check_groups(const Program *program, const EngineOps *engine, const char *strategy,
			 uint32_t step, const Groups *expected)
{
	ParamValue	params[1] = {{.type = VT_FLOAT8}};
	EngineHints hints = {.strategy = strategy};
	ColumnBatch batch = {.nrows = NROWS,.columns = vectors};
	Groups	   *got = engine_groups_of_batch(engine, program, params, &hints, &batch, step);
	bool		same = groups_same(program, expected, got);

	if (!same)
		printf("# engine %s, strategy %s, batches of %u rows\n", engine_id_name(engine->traits->id),
			   strategy, step);
	groups_free(got);
	return same;
}

static Groups *
expected_groups(const Program *program)
{
	ParamValue	params[1] = {{.type = VT_FLOAT8}};
	ColumnBatch batch = {.nrows = NROWS,.columns = vectors};

	return oracle_groups(program, params, &batch);
}

static void
test_cpu(Values values, uint32_t from)
{
	Program    *programs[] = {make_program(false, true), make_program(true, true)};
	bool		good = true;

	make_rows(values, from, 50, false);
	for (int p = 0; p < 2; p++)
	{
		Groups	   *expected = expected_groups(programs[p]);

		good = good && expected->status == ENGINE_OK;
		for (int turn = 0; turn < 3; turn++)
		{
			good = good && check_groups(programs[p], &cpu_engine, "auto", NROWS, expected) &&
				check_groups(programs[p], &cpu_engine, "auto", 104, expected);
			permute_rows();
		}
		groups_free(expected);
		free(programs[p]);
	}
	ok(good, "cpu: %s from row %u on", values_names[values], from);
}

static void
test_device(Values values, uint32_t from, uint32_t groups, bool has_key, const char *strategy)
{
	Program    *program;
	Groups	   *expected;
	bool		good;

	if (!in_part())
		return;
	program = make_program(has_key, values != ALL);
	make_rows(values, from, groups, strcmp(strategy, "scan") == 0);
	expected = expected_groups(program);
	good = expected->status == ENGINE_OK &&
		check_groups(program, device_engine, strategy, NROWS, expected);
	if (strcmp(strategy, "auto") == 0)
	{
		permute_rows();
		good = good && check_groups(program, device_engine, strategy, 504, expected);
	}
	ok(good, "%s: %s from row %u on, %u groups, %s", engine_id_name(device_engine->traits->id),
	   values_names[values], from, groups, strategy);
	groups_free(expected);
	free(program);
}

/* Groups that the first table has no room for. */
static void
test_growing(void)
{
	Program    *program = make_program(true, false);
	Groups	   *expected;

	make_rows(SPREAD, 0, NROWS, false);
	for (int i = 0; i < NROWS; i++)
		keys[i] = i < 100 ? i % 7 : keys[i] * 104729 - 7;
	expected = expected_groups(program);
	ok(check_groups(program, device_engine, "auto", 1024, expected) &&
	   check_groups(program, &cpu_engine, "auto", 1024, expected), "%zu groups, growing tables",
	   expected->ngroups);
	groups_free(expected);
	free(program);
}

/* What may overflow is left to PostgreSQL, at whatever level it is met. */
static void
test_beyond(void)
{
	static const Values levels[] = {PLAIN, SPREAD, ALL};

	for (int i = 0; i < 3; i++)
	{
		Program    *program = make_program(true, false);
		Groups	   *expected;

		make_rows(levels[i], 0, 5, false);
		doubles[NROWS - 2] = -0x1p989;
		expected = expected_groups(program);
		ok(expected->status == ENGINE_INEXACT &&
		   check_groups(program, &cpu_engine, "auto", 1000, expected) &&
		   check_groups(program, device_engine, "auto", 1000, expected),
		   "2^989 among %s values", values_names[levels[i]]);
		groups_free(expected);
		free(program);
	}
}

int
main(void)
{
	static const char *const strategies[] = {
		"atomic", "block", "peers", "peers_ballot", "scan", "scatter", "vote", "auto"
	};

	device_engine = getenv("GPUAGG_TEST_ENGINE") &&
		strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ? &cuda_engine : &simt_engine;
	for (int values = 0; values < VALUES_COUNT; values++)
	{
		test_cpu((Values) values, 0);
		test_cpu((Values) values, NROWS - 10);
	}
	for (size_t s = 0; s < sizeof(strategies) / sizeof(strategies[0]); s++)
	{
		test_device(PLAIN, 0, 50, true, strategies[s]);
		test_device(SPREAD, 0, 50, true, strategies[s]);
	}
	for (int values = ALL; values < VALUES_COUNT; values++)
		test_device((Values) values, 0, 50, true, "block");
	test_device(ALL, 0, 3, true, "peers");
	test_device(SPREAD, NROWS - 10, 50, true, "auto");
	test_device(ALL, 2000, 50, true, "auto");
	test_device(PLAIN, 0, 1, false, "auto");
	test_device(SPREAD, 0, 1, false, "auto");
	test_device(ALL, 0, 1, false, "auto");
	test_device(ZEROS, 0, 2000, true, "auto");
	test_growing();
	test_beyond();
	return done_testing();
}
