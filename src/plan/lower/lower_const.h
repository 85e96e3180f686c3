/*
 * lower_const.h
 *	  Constants as registers.
 */
#ifndef GPUAGG_LOWER_CONST_H
#define GPUAGG_LOWER_CONST_H

#include "plan/lower/lower.h"

/* A NULL of the type that an expression has. */
extern int	lower_null(Lowering *l, Oid type);
extern int	lower_int4(Lowering *l, int32 value);
extern int	lower_int8(Lowering *l, int64 value);

/* An operation over two registers, or -1 where one of them is that. */
extern int	lower_op(Lowering *l, OpCode op, int a, int b);

#endif							/* GPUAGG_LOWER_CONST_H */
