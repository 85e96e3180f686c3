/*
 * numeric_arith.h
 *	  Sums, differences, remainders and products of numerics.
 */
#ifndef GPUAGG_NUMERIC_ARITH_H
#define GPUAGG_NUMERIC_ARITH_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/*
 * An operation of int8 over two operands at the smaller one of their units;
 * compare: it yields no numeric.  function: what to call it in a reason.
 */
extern int	lower_aligned(Lowering *l, Oid function, OpCode op, bool compare, List *args,
						  NumericInfo *info);
extern int	lower_product(Lowering *l, List *args, NumericInfo *info);

#endif							/* GPUAGG_NUMERIC_ARITH_H */
