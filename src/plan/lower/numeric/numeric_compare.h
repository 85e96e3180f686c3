/*
 * numeric_compare.h
 *	  Comparisons of numerics.
 */
#ifndef GPUAGG_NUMERIC_COMPARE_H
#define GPUAGG_NUMERIC_COMPARE_H

#include "plan/lower/lowering.h"

/* x op y, where op is one of the six comparisons of int8. */
extern int	lower_numeric_comparison(Lowering *l, Oid function, OpCode op, List *args);

#endif							/* GPUAGG_NUMERIC_COMPARE_H */
