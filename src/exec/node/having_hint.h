/*
 * having_hint.h
 *	  HAVING's comparisons as conditions that an engine knows.
 */
#ifndef GPUAGG_HAVING_HINT_H
#define GPUAGG_HAVING_HINT_H

#include "nodes/execnodes.h"

#include "plan/plan_info.h"
#include "program/top_order.h"

/*
 * Add conditions to the hint, of groups of the Program: a group for which one does not hold
 * is none that HAVING lets pass.  having: its clauses; values: ExprStates, one for each of
 * info's columns.  Returns for how many of these a group for which the condition holds passes.
 */
extern int	having_hint(const HavingInfo *info, List *having, List *values,
						const Program *program, ExprContext *econtext, TopHint *hint);

#endif							/* GPUAGG_HAVING_HINT_H */
