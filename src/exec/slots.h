/*
 * slots.h
 *	  The values of a Program's slots: constants and parameters.
 */
#ifndef GPUAGG_SLOTS_H
#define GPUAGG_SLOTS_H

#include "nodes/execnodes.h"

#include "program/program.h"

/*
 * Evaluate the slots' expressions (ExprStates) into values, which are palloc'd
 * in the current context together with their bytes.  False, and the reason in
 * *reason, if one of them raised an error: PostgreSQL, which evaluates them
 * only for a row that needs them, might not.
 */
extern bool slots_evaluate(List *exprs, ExprContext *econtext,
						   SlotValue **values, char **reason);

#endif							/* GPUAGG_SLOTS_H */
