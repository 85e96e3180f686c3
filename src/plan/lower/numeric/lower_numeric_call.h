/*
 * lower_numeric_call.h
 *	  Calls of functions that take or return numerics.
 */
#ifndef GPUAGG_LOWER_NUMERIC_CALL_H
#define GPUAGG_LOWER_NUMERIC_CALL_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

extern bool is_numeric_function(Oid function);

/* A call of such a function; *info is set if it returns numeric. */
extern int	lower_numeric_function(Lowering *l, Oid function, List *args,
								   NumericInfo *info);

/* A call of any function that returns numeric. */
extern int	lower_numeric_call(Lowering *l, Oid function, List *args, NumericInfo *info);

#endif							/* GPUAGG_LOWER_NUMERIC_CALL_H */
