/*
 * lower_array.h
 *	  x op ANY (array), x op ALL (array), and with them IN lists.
 */
#ifndef GPUAGG_LOWER_ARRAY_H
#define GPUAGG_LOWER_ARRAY_H

#include "plan/lower/lowering.h"

extern int	lower_array_op(Lowering *l, const ScalarArrayOpExpr *expr);

#endif							/* GPUAGG_LOWER_ARRAY_H */
