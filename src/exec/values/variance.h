/*
 * variance.h
 *	  Variances of integers and numerics from their exact sums.
 */
#ifndef GPUAGG_VARIANCE_H
#define GPUAGG_VARIANCE_H

#include "utils/numeric.h"

/*
 * The variance of count values, or its square root, as PostgreSQL's aggregates
 * over integers and numerics give it: numeric, with the same digits.  sum and
 * squares are those of the values, whose display scale it has, and of their
 * squares, which have twice that.  A sample's variance needs two
 * values at least, the population's one.  The result and what is computed on
 * the way are in the current context.
 */
extern Numeric exact_variance(int64 count, Numeric sum, Numeric squares,
							  bool sample, bool root);

#endif							/* GPUAGG_VARIANCE_H */
