/*
 * ops_numeric.h
 *	  What numerics need beside the operations of int8, which they are made of.
 *
 * A numeric is a count of units of 10^-scale, see program.h.  Sums, products
 * and comparisons at one scale are those of int8, whose overflow is an error;
 * PostgreSQL, which has no such limit, then answers.  `power` and `limit` are
 * powers of 10.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_NUMERIC_H
#define GPUAGG_OPS_NUMERIC_H

#include "fn.h"
#include "numeric_page.h"

/* Every number up to here is a double. */
#define FLOAT8_EXACT_INT ((int64_t) 1 << 53)

/* A quotient, rounded as numeric is: halves away from zero. */
GA_FN int64_t
numeric_round(int64_t value, int64_t power)
{
	int64_t		divisor = power > 0 ? power : 1;
	int64_t		quotient = value / divisor;
	int64_t		rest = value % divisor;

	if (divisor > 1 && rest >= divisor / 2)
		return quotient + 1;
	if (divisor > 1 && rest <= -(divisor / 2))
		return quotient - 1;
	return quotient;
}

/* A quotient without its rest; of the largest integer not above it; the least not below. */
GA_FN int64_t
numeric_trunc(int64_t value, int64_t power)
{
	return value / (power > 0 ? power : 1);
}

GA_FN int64_t
numeric_floor(int64_t value, int64_t power)
{
	int64_t		divisor = power > 0 ? power : 1;

	return value / divisor - (value % divisor < 0);
}

GA_FN int64_t
numeric_ceil(int64_t value, int64_t power)
{
	int64_t		divisor = power > 0 ? power : 1;

	return value / divisor + (value % divisor > 0);
}

GA_FN int64_t
numeric_sign(int64_t value)
{
	return (value > 0) - (value < 0);
}

/* A value of limited precision. */
GA_FN int64_t
numeric_fit(int64_t value, int64_t limit, bool *error)
{
	*error |= value >= limit || value <= -limit;
	return value;
}

/*
 * The double next to value / power.  PostgreSQL reads it from decimal digits; a
 * quotient of two doubles is rounded once too, if both of them are exact.
 */
GA_FN double
numeric_to_float8(int64_t value, int64_t power, bool *error)
{
	*error |= value > FLOAT8_EXACT_INT || value < -FLOAT8_EXACT_INT;
	return (double) value / (double) power;
}

/*
 * Of scale 0.  An operation because a numeric may be what no int8 is.  That is an error where the
 * value is read, which a condition that comes later must not prevent.
 */
GA_FN int64_t
numeric_to_int8(int64_t value, bool *error)
{
	(void) error;
	return value;
}

/*
 * Display scales of results: a sum has the larger one of its operands', a product
 * the sum of both.
 */
GA_FN int32_t
display_scale_max(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

GA_FN int32_t
display_scale_sum(int32_t a, int32_t b, bool *error)
{
	int32_t		sum = (int32_t) ((uint32_t) a + (uint32_t) b);

	*error |= sum > NUMERIC_MAX_SHOWN;
	return sum;
}

/* Is it the one that planning relied on?  If not, PostgreSQL's plan answers. */
GA_FN uint8_t
display_scale_is(int32_t scale, int32_t expected, bool *error)
{
	*error |= scale != expected;
	return 1;
}

#endif							/* GPUAGG_OPS_NUMERIC_H */
