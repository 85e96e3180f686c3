/*
 * sum_float.h
 *	  Floats, and products of two, into exact sums.
 */
#ifndef GPUAGG_SUM_FLOAT_H
#define GPUAGG_SUM_FLOAT_H

#include "engine/cpu/accumulate.h"

/* The arguments of one accumulator in a batch; b: SUM_PRODUCT only. */
typedef struct FloatArgs
{
	const Vector *a;
	const Vector *b;
	bool		a_single;		/* FLOAT4 */
	bool		b_single;
} FloatArgs;

/*
 * Take rows into a float sum.  The first values choose its unit.  Returns 0, or
 * EXACT_WIDEN and EXACT_BEYOND as they came up.
 */
extern uint32_t sum_floats(const Accumulator *acc, int level, const FloatArgs *args,
						   const RowGroups *rows, const States *states, SumUnit *unit);

#endif							/* GPUAGG_SUM_FLOAT_H */
