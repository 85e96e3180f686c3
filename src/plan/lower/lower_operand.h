/*
 * lower_operand.h
 *	  Operands of the type that an operation takes.
 */
#ifndef GPUAGG_LOWER_OPERAND_H
#define GPUAGG_LOWER_OPERAND_H

#include "plan/lower/lowering.h"

/* An operand of a function, promoted to a type if need be. */
extern int	lower_operand(Lowering *l, Oid function, Expr *expr, ValueType type);

#endif							/* GPUAGG_LOWER_OPERAND_H */
