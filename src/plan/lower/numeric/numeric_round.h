/*
 * numeric_round.h
 *	  Rounding and casts of numerics.
 */
#ifndef GPUAGG_NUMERIC_ROUND_H
#define GPUAGG_NUMERIC_ROUND_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/* round(x, digits) and trunc(x, digits); x as numeric(precision, scale), by a type modifier. */
extern int	lower_round(Lowering *l, List *args, bool truncates, NumericInfo *info);
extern int	lower_cast(Lowering *l, List *args, NumericInfo *info);

/* floor, ceil or sign, by its operation; div, whose result is an integer, too. */
extern int	lower_whole(Lowering *l, Oid function, OpCode op, List *args, NumericInfo *info);
extern int	lower_quotient(Lowering *l, Oid function, List *args, NumericInfo *info);

/* A numeric's integer, by the operation that has it of one of int8; its double. */
extern int	lower_to_int(Lowering *l, OpCode op, List *args);
extern int	lower_to_float8(Lowering *l, List *args);

#endif							/* GPUAGG_NUMERIC_ROUND_H */
