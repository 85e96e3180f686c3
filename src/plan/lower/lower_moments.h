/*
 * lower_moments.h
 *	  Variances, covariances and regressions of floats.
 */
#ifndef GPUAGG_LOWER_MOMENTS_H
#define GPUAGG_LOWER_MOMENTS_H

#include "plan/lower/lowering.h"

/* Of an aggregate's arguments; of the distinct values in a register. */
extern bool lower_moments(Lowering *l, FinalKind final, List *args, int filter);
extern bool lower_distinct_moments(Lowering *l, FinalKind final, int x);

#endif							/* GPUAGG_LOWER_MOMENTS_H */
