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
 * Can an error of each expression be set aside beside a parallel plan?  Not if it changes
 * while the query runs, and is more than arithmetic.
 */
extern bool slots_suit_parallel(List *exprs);

/* What an expression came to, if it has been evaluated. */
typedef struct SlotResult
{
	bool		known;
	bool		isnull;
	Datum		value;
} SlotResult;

/*
 * What has to be evaluated before execution begins: where a part of the plan is
 * parallel, errors cannot be set aside later.  NULL if nothing has, or if one of
 * the expressions raised an error: then *failed is set.  In the current context.
 */
extern SlotResult *slots_evaluate_early(List *exprs, ExprContext *econtext, bool *failed);

/*
 * Evaluate the slots' expressions (ExprStates) into values, which are palloc'd
 * in the current context together with their bytes.  early: what has been
 * evaluated before, or NULL.  InitPlans of the given parameters are run first, if
 * they have not run yet.  False, and the reason in *reason, if one of them raised
 * an error: PostgreSQL, which evaluates them only for a row that needs them,
 * might not.
 */
extern bool slots_evaluate(List *exprs, const SlotResult *early, const Bitmapset *params,
						   ExprContext *econtext, SlotValue **values, char **reason);

#endif							/* GPUAGG_SLOTS_H */
