/*
 * lower_bucket.c
 *	  width_bucket and date_bin with constant bounds, thresholds, strides and origins.
 *
 * These constants become one parameter, an array of numbers (PARAM_NUMBERS_TYPE).  What
 * PostgreSQL raises an error for whatever the row is, is left to it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "plan/value_type.h"
#include "program/numeric_page.h"

/*
 * Below these, PostgreSQL's quotient of numerics, which it rounds before it takes
 * its integer, is never rounded to the next one.
 */
#define MOST_NUMERIC_BUCKETS 10000
#define MOST_NUMERIC_WIDTH INT64CONST(1000000000)

/* The register of an array of numbers of 8 bytes. */
static int
lower_numbers(Lowering *l, const void *numbers, int n)
{
	Size		size = VARHDRSZ + n * sizeof(int64);
	bytea	   *bytes = palloc(size);
	Const	   *constant;

	SET_VARSIZE(bytes, size);
	memcpy(VARDATA(bytes), numbers, n * sizeof(int64));
	constant = makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(bytes), false, false);
	return lower_made_param_ref(l, (Expr *) makeRelabelType((Expr *) constant, PARAM_NUMBERS_TYPE,
															-1, InvalidOid,
															COERCE_IMPLICIT_CAST));
}

/* Are they all constants, from an argument on, and none of them NULL? */
static bool
are_constant(Lowering *l, const List *args, int from)
{
	for (int i = from; i < list_length(args); i++)
	{
		const Const *arg = list_nth(args, i);

		if (!IsA(arg, Const) || arg->constisnull)
			lower_reject(l, REJECTED_EXPRESSION, _("buckets that are not constant are not supported"));
	}
	return lower_succeeded(l);
}

static Datum
constant_argument(const List *args, int n)
{
	return ((const Const *) list_nth(args, n))->constvalue;
}

static int
reject_buckets(Lowering *l)
{
	return lower_reject(l, REJECTED_EXPRESSION, _("such buckets are not supported"));
}

/*
 * width_bucket(float8, low, high, count).  PostgreSQL 15 multiplies by the count before it
 * divides.
 */
static int
lower_float8_histogram(Lowering *l, Oid function, List *args)
{
	double		numbers[4];
	int			reg;

	if (!are_constant(l, args, 1))
		return -1;
	numbers[0] = DatumGetFloat8(constant_argument(args, 1));
	numbers[1] = DatumGetFloat8(constant_argument(args, 2));
	numbers[2] = DatumGetInt32(constant_argument(args, 3));
	numbers[3] = compat_buckets_divide_first;
	if (!isfinite(numbers[0]) || !isfinite(numbers[1]) || numbers[0] == numbers[1] || numbers[2] <= 0)
		return reject_buckets(l);
	reg = lower_operand(l, function, linitial(args), VT_FLOAT8);
	return lower_op(l, OP_float8_width_bucket, reg, lower_numbers(l, numbers, 4));
}

/*
 * A numeric at the scale of the finest of the constants it is compared with, *scale;
 * of 64 bits.
 */
static int
lower_numeric_sought(Lowering *l, Expr *expr, const Datum *numerics, int n, int *scale)
{
	NumericInfo info;
	int			reg = lower_numeric(l, expr, &info);

	if (reg < 0)
		return -1;
	*scale = info.scale;
	for (int i = 0; i < n; i++)
	{
		NumericOperand operand;
		Const	   *constant = makeConst(NUMERICOID, -1, InvalidOid, -1, numerics[i], false, false);

		if (!numeric_operand(l, (Expr *) constant, true, &operand))
			return -1;
		*scale = Max(*scale, operand.info.scale);
	}
	if (*scale > NUMERIC64_MAX_SCALE)
		return reject_buckets(l);
	reg = make_narrow(l, reg);
	return reg < 0 ? -1 : raise_scale(l, reg, info.scale, *scale);
}

/* Constants in units of 10^-scale; false: one does not fit, or is no number. */
static bool
scaled_numbers(const Datum *numerics, int n, int scale, int64 *numbers)
{
	for (int i = 0; i < n; i++)
	{
		const Const *scaled;

		if (numeric_is_nan(DatumGetNumeric(numerics[i])) ||
			numeric_is_inf(DatumGetNumeric(numerics[i])))
			return false;
		scaled = scaled_const(numerics[i], false, scale);
		if (scaled == NULL)
			return false;
		numbers[i] = DatumGetInt64(scaled->constvalue);
	}
	return true;
}

/* width_bucket(numeric, low, high, count) */
static int
lower_numeric_histogram(Lowering *l, List *args)
{
	Datum		bounds[2];
	int64		numbers[3];
	int			scale;
	int			reg;

	if (!are_constant(l, args, 1))
		return -1;
	bounds[0] = constant_argument(args, 1);
	bounds[1] = constant_argument(args, 2);
	reg = lower_numeric_sought(l, linitial(args), bounds, 2, &scale);
	if (reg < 0)
		return -1;
	numbers[2] = DatumGetInt32(constant_argument(args, 3));
	if (!scaled_numbers(bounds, 2, scale, numbers) || numbers[0] == numbers[1] ||
		numbers[2] <= 0 || numbers[2] > MOST_NUMERIC_BUCKETS ||
		fabs((double) numbers[0] - (double) numbers[1]) > MOST_NUMERIC_WIDTH)
		return reject_buckets(l);
	return lower_op(l, OP_int8_width_bucket, reg, lower_numbers(l, numbers, 3));
}

/* The number of an element, as INT8; false: its order is not that of a number. */
static bool
integer_element(Oid type, Datum value, int64 *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(value);
			return true;
		case INT4OID:
		case DATEOID:
			*number = DatumGetInt32(value);
			return true;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
			*number = DatumGetInt64(value);
			return true;
		default:
			return false;
	}
}

static int
lower_integer_thresholds(Lowering *l, Oid function, Expr *arg, Oid type, const Datum *values, int n)
{
	int64	   *numbers = palloc((n + 1) * sizeof(int64));
	int			reg;

	for (int i = 0; i < n; i++)
		if (!integer_element(type, values[i], &numbers[i]))
			return reject_buckets(l);
	reg = lower_operand(l, function, arg, VT_INT8);
	return lower_op(l, OP_int8_bucket, reg, lower_numbers(l, numbers, n));
}

static int
lower_float_thresholds(Lowering *l, Oid function, Expr *arg, Oid type, const Datum *values, int n)
{
	double	   *numbers = palloc((n + 1) * sizeof(double));
	int			reg;

	for (int i = 0; i < n; i++)
		numbers[i] = type == FLOAT8OID ? DatumGetFloat8(values[i]) : DatumGetFloat4(values[i]);
	reg = lower_operand(l, function, arg, VT_FLOAT8);
	return lower_op(l, OP_float8_bucket, reg, lower_numbers(l, numbers, n));
}

static int
lower_numeric_thresholds(Lowering *l, Expr *arg, const Datum *values, int n)
{
	int64	   *numbers = palloc((n + 1) * sizeof(int64));
	int			scale;
	int			reg = lower_numeric_sought(l, arg, values, n, &scale);

	if (reg >= 0 && !scaled_numbers(values, n, scale, numbers))
		return reject_buckets(l);
	return reg < 0 ? -1 : lower_op(l, OP_int8_bucket, reg, lower_numbers(l, numbers, n));
}

/* width_bucket(value, array of thresholds): of one dimension, without NULLs. */
static int
lower_thresholds(Lowering *l, Oid function, List *args)
{
	ArrayType  *array;
	Oid			type;
	int16		len;
	bool		byval;
	char		align;
	Datum	   *values;
	int			n;

	if (!are_constant(l, args, 1))
		return -1;
	array = DatumGetArrayTypeP(constant_argument(args, 1));
	type = ARR_ELEMTYPE(array);
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		return reject_buckets(l);
	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(array, type, len, byval, align, &values, NULL, &n);
	if (type == NUMERICOID)
		return lower_numeric_thresholds(l, linitial(args), values, n);
	if (type == FLOAT4OID || type == FLOAT8OID)
		return lower_float_thresholds(l, function, linitial(args), type, values, n);
	return lower_integer_thresholds(l, function, linitial(args), type, values, n);
}

/* date_bin(stride, timestamp, origin), with or without time zone */
static int
lower_bins(Lowering *l, List *args)
{
	Expr	   *timestamp = lsecond(args);
	const Interval *stride;
	int64		numbers[2];
	int			reg;

	if (!are_constant(l, list_make2(linitial(args), lthird(args)), 0))
		return -1;
	stride = DatumGetIntervalP(constant_argument(args, 0));
	numbers[1] = DatumGetTimestamp(constant_argument(args, 2));
	if (stride->month != 0 || INTERVAL_NOT_FINITE(stride) || TIMESTAMP_NOT_FINITE(numbers[1]) ||
		pg_mul_s64_overflow(stride->day, USECS_PER_DAY, &numbers[0]) ||
		pg_add_s64_overflow(numbers[0], stride->time, &numbers[0]) || numbers[0] <= 0)
		return reject_buckets(l);
	reg = lower_expr(l, timestamp);
	return lower_op(l, OP_timestamp_bin, reg, lower_numbers(l, numbers, 2));
}

bool
lower_bucket_function(Lowering *l, Oid function, List *args, int *reg)
{
	switch (function)
	{
		case F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4:
			*reg = lower_float8_histogram(l, function, args);
			return true;
		case F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4:
			*reg = lower_numeric_histogram(l, args);
			return true;
		case F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY:
			*reg = lower_thresholds(l, function, args);
			return true;
		case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
		case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
			*reg = lower_bins(l, args);
			return true;
		default:
			return false;
	}
}
