/*
 * split_float.c
 *	  Sums of any float8 values, by sums of values that engines can take in.
 *
 * Plain C without postgres.h.
 */
#include <math.h>

#include "exec/split_float.h"
#include "program/state.h"

/*
 * 2^600 is 4e180: what is above SUMMABLE_MAX (1e140) comes down to between
 * 2e-41 and 5e127, where doubles have all their digits, and below the marks.
 */
#define SCALE_BITS 600
#define MARK_INFINITY 1e138
#define MARK_NAN 1e139

bool
split_float(double value, double *large)
{
	if (float_summable(value))
		return true;
	if (isnan(value))
		*large = MARK_NAN;
	else if (isinf(value))
		*large = copysign(MARK_INFINITY, value);
	else
		*large = ldexp(value, -SCALE_BITS);
	return false;
}

double
split_float_sum(double small, double large, double min, double max,
				bool *overflow)
{
	double		sum;

	*overflow = false;
	if (max == MARK_NAN || (max == MARK_INFINITY && min == -MARK_INFINITY))
		return NAN;
	if (max == MARK_INFINITY)
		return INFINITY;
	if (min == -MARK_INFINITY)
		return -INFINITY;

	sum = ldexp(large, SCALE_BITS) + small;
	*overflow = isinf(sum);
	return sum;
}
