/*
 * variance.h
 *	  Variances of integers from their exact sums.
 */
#ifndef GPUAGG_VARIANCE_H
#define GPUAGG_VARIANCE_H

#include "utils/numeric.h"

/*
 * The variance of count values, or its square root, as PostgreSQL's aggregates
 * over integers give it: numeric, with the same digits.  sum and squares are
 * those of the values and of their squares.  A sample's variance needs two
 * values at least, the population's one.  The result and what is computed on
 * the way are in the current context.
 */
extern Numeric integer_variance(int64 count, Numeric sum, Numeric squares,
								bool sample, bool root);

#endif							/* GPUAGG_VARIANCE_H */
