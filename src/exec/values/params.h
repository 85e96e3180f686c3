/*
 * params.h
 *	  The values of a Program's parameters.
 */
#ifndef GPUAGG_PARAMS_H
#define GPUAGG_PARAMS_H

#include "nodes/execnodes.h"

#include "program/program.h"

/* The numbers of the PARAM_EXEC Params of expressions. */
extern Bitmapset *params_exec_ids(List *exprs);

/*
 * Can an error of each expression be set aside beside a parallel plan?  Not if it changes
 * while the query runs, and is more than arithmetic.
 */
extern bool params_suit_parallel(List *exprs);

/* What an expression came to, if it has been evaluated. */
typedef struct ParamResult
{
	bool		known;
	bool		isnull;
	Datum		value;
} ParamResult;

/*
 * What has to be evaluated before execution begins: where a part of the plan is
 * parallel, errors cannot be set aside later.  NULL if nothing has, or if one of
 * the expressions raised an error: then *failed is set.  In the current context.
 */
extern ParamResult *params_evaluate_early(List *exprs, ExprContext *econtext, bool *failed);

/*
 * Evaluate the parameters' expressions (ExprStates) into values, which are palloc'd
 * in the current context together with their bytes.  early: what has been
 * evaluated before, or NULL.  InitPlans of the Params exec_ids are run first, if
 * they have not run yet.  False, and the reason in *reason, if one of them raised
 * an error: PostgreSQL, which evaluates them only for a row that needs them,
 * might not.
 */
extern bool params_evaluate(List *exprs, const ParamResult *early, const Bitmapset *exec_ids,
							ExprContext *econtext, ParamValue **values, char **reason);

#endif							/* GPUAGG_PARAMS_H */
