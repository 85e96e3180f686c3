/*
 * slots.h
 *	  The values of a Program's slots: constants and parameters.
 */
#ifndef GPUAGG_SLOTS_H
#define GPUAGG_SLOTS_H

#include "nodes/execnodes.h"

#include "program/program.h"

/* The PARAM_EXEC parameters of expressions. */
extern Bitmapset *slots_exec_params(List *exprs);

/*
 * Evaluate the slots' expressions (ExprStates) into values, which are palloc'd
 * in the current context together with their bytes.  InitPlans of the given
 * parameters are run first, if they have not run yet.  False, and the reason in
 * *reason, if one of them raised an error: PostgreSQL, which evaluates them
 * only for a row that needs them, might not.
 */
extern bool slots_evaluate(List *exprs, const Bitmapset *params,
						   ExprContext *econtext, SlotValue **values, char **reason);

#endif							/* GPUAGG_SLOTS_H */
