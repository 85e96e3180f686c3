/*
 * split_float.h
 *	  Sums of any float8 values, by sums of values that engines can take in.
 *
 * Engines sum what is float_summable only: no NaN, no infinity, nothing very
 * large.  So a value is split over two columns, in one of which it is NULL:
 * `small` has what is summable as it is, `large` the rest scaled down by a power
 * of two, which is exact, and with infinities and NaN as values that are larger
 * than any scaled one.  The sum follows from the sums of both columns and from
 * the extremes of `large`.
 */
#ifndef GPUAGG_SPLIT_FLOAT_H
#define GPUAGG_SPLIT_FLOAT_H

#include <stdbool.h>

/* Is the value small?  If not, *large is what to put into column `large`. */
extern bool split_float(double value, double *large);

/*
 * The sum of all values, from the sum of `small` (0 if there are none) and the
 * sum, minimum and maximum of `large`, of which there is at least one.  NaN and
 * infinite values make it what PostgreSQL's sum makes of them; if all values are
 * finite, an infinite result is an overflow.
 */
extern double split_float_sum(double small, double large, double min, double max,
							  bool *overflow);

#endif							/* GPUAGG_SPLIT_FLOAT_H */
