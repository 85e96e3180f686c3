/*
 * moments.h
 *	  Variances, covariances and regressions of floats from their exact sums.
 */
#ifndef GPUAGG_MOMENTS_H
#define GPUAGG_MOMENTS_H

#include "program/exact_result.h"
#include "program/program.h"

/*
 * The result over count rows, at least one, as a double; sums: by FloatMoment,
 * those that the result needs.  guarded: as PostgreSQL from 19 on computes it.
 * *isnull: it is NULL.
 */
extern double float_moments(FinalKind final, uint64_t count, const ExactSum *sums,
							bool guarded, bool *isnull);

#endif							/* GPUAGG_MOMENTS_H */
