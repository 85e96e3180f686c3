/*
 * lower_call.h
 *	  Calls of functions and operators.
 */
#ifndef GPUAGG_LOWER_CALL_H
#define GPUAGG_LOWER_CALL_H

#include "plan/lower/lowering.h"

/* A call of a function, or of an operator by its function. */
extern int	lower_function(Lowering *l, Oid function, List *args, Oid collation);

#endif							/* GPUAGG_LOWER_CALL_H */
