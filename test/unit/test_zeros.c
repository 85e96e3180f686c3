/*
 * test_zeros.c
 *	  Extremes of floats where 0 and -0 meet, which are equal: a group's extreme is
 *	  0 only if it met no -0, and if it is -0 the engine's run is inexact.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "query.h"
#include "tap.h"

#define MOST_VALUES 4

/* Values of one group, in the order of rows, and its extremes unless it is inexact. */
typedef struct Values
{
	const char *name;
	int			n;
	double		value[MOST_VALUES];
	bool		inexact;
	double		min;
	double		max;
} Values;

static const Values cases[] = {
	{"0 only", 2, {0.0, 0.0}, false, 0.0, 0.0},
	{"-0 only", 1, {-0.0}, true, 0, 0},
	{"0, then -0", 2, {0.0, -0.0}, true, 0, 0},
	{"-0, then 0", 2, {-0.0, 0.0}, true, 0, 0},
	{"both among others", 4, {-1.0, -0.0, 0.0, 1.0}, false, -1.0, 1.0},
	{"both are the least", 3, {-0.0, 0.0, 1.0}, true, 0, 0},
	{"both are the greatest", 3, {-1.0, 0.0, -0.0}, true, 0, 0},
	{"0 is the least", 2, {1.0, 0.0}, false, 0.0, 1.0},
	{"0 is the greatest", 2, {0.0, -1.0}, false, -1.0, 0.0},
	{"-0 below NaN", 3, {NAN, -0.0, 0.0}, true, 0, 0},
	{"-0 between NaN and another", 3, {NAN, -0.0, -1.0}, false, -1.0, NAN},
	{"-0 between the infinities", 3, {INFINITY, -0.0, -INFINITY}, false, -INFINITY, INFINITY}
};

/* Columns. */
enum
{
	C_KEY,
	C_FLOAT8,
	C_FLOAT4,
	C_TAKEN
};

static bool
is_same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* A row; -0 comes in rows that the filter leaves out, and below NULLs, as well. */
static void
put_row(Query *q, int32_t key, double value, double single)
{
	put_int4(q, C_KEY, key);
	put_float8(q, C_FLOAT8, value);
	put_float4(q, C_FLOAT4, (float) single);
	put_bool(q, C_TAKEN, true);
	put_int4(q, C_KEY, key);
	put_float8(q, C_FLOAT8, -0.0);
	put_float4(q, C_FLOAT4, -0.0f);
	put_bool(q, C_TAKEN, false);
	put_int4(q, C_KEY, key);
	put_null(q, C_FLOAT8);
	put_null(q, C_FLOAT4);
	put_bool(q, C_TAKEN, true);
}

static Query *
begin(void)
{
	Query	   *q = query_begin();
	int			key = query_column(q, VT_INT4);
	int			value = query_column(q, VT_FLOAT8);
	int			single = query_column(q, VT_FLOAT4);
	int			taken = query_column(q, VT_BOOL);

	program_add_key(&q->b, key);
	program_add_acc(&q->b, ACC_MIN_FLOAT, value, taken);
	program_add_acc(&q->b, ACC_MAX_FLOAT, value, taken);
	program_add_acc(&q->b, ACC_MIN_FLOAT, single, taken);
	program_add_acc(&q->b, ACC_MAX_FLOAT, single, taken);
	return q;
}

/* Are the extremes of group 1, of float8 or float4, those of the values? */
static bool
has_extremes(const Query *q, const Values *values, bool single)
{
	const uint64_t *words = query_state(q, "1");

	if (words == NULL)
		return false;
	words += single ? 2 : 0;
	return is_same(float_from_ordered(words[0], false), values->min) &&
		is_same(float_from_ordered(words[1], true), values->max);
}

/* One group has these values in one column, in the other and elsewhere are plain ones. */
static void
test_case(const EngineOps *engine, const Values *values, bool single)
{
	Query	   *q = begin();

	for (int i = 0; i < 30; i++)
		put_row(q, i % 3 * 2, i + 1, i + 1);
	for (int i = 0; i < values->n; i++)
		put_row(q, 1, single ? 7 : values->value[i], single ? values->value[i] : 7);
	query_run(q, engine, (uint32_t) (30 + values->n) * 3, 1000);
	if (values->inexact)
		ok(q->status == ENGINE_INEXACT, "%s, float%d: %s: inexact", engine_id_name(engine->traits->id),
		   single ? 4 : 8, values->name);
	else
		ok(q->status == ENGINE_OK && q->ngroups == 4 && has_extremes(q, values, single),
		   "%s, float%d: %s: %g and %g", engine_id_name(engine->traits->id), single ? 4 : 8, values->name,
		   values->min, values->max);
	query_end(q);
}

/* The order of codes is that of values, -0 more extreme than 0; codes tell all values. */
static void
test_codes(bool max)
{
	static const double values[] = {
		-INFINITY, -1.0, -0x1p-1074, 0.0, 0x1p-1074, 1.0, INFINITY, NAN
	};
	uint64_t	zero = float_to_ordered(0.0, max);
	uint64_t	minus = float_to_ordered(-0.0, max);
	bool		good = max ? minus > zero : minus < zero;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		uint64_t	code = float_to_ordered(values[i], max);

		good = good && is_same(float_from_ordered(code, max), values[i]);
		good = good && (i == 0 || code > float_to_ordered(values[i - 1], max));
		if (values[i] != 0)
			good = good && (values[i] < 0 ? code < minus && code < zero : code > minus && code > zero);
	}
	good = good && is_same(float_from_ordered(minus, max), -0.0);
	ok(good, "codes for a %s", max ? "maximum" : "minimum");
}

int
main(void)
{
	const char *device = getenv("GPUAGG_TEST_ENGINE");
	const EngineOps *engines[] = {
		&cpu_engine, device && strcmp(device, "cuda") == 0 ? &cuda_engine : &simt_engine
	};

	test_codes(false);
	test_codes(true);
	for (int e = 0; e < 2; e++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		{
			test_case(engines[e], &cases[i], false);
			test_case(engines[e], &cases[i], true);
		}
	return done_testing();
}
