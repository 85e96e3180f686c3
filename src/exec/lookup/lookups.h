/*
 * lookups.h
 *	  A node's look-ups: made of the rows of child plans before its run begins.
 */
#ifndef GPUAGG_LOOKUPS_H
#define GPUAGG_LOOKUPS_H

#include "nodes/execnodes.h"

#include "engine/engine.h"
#include "exec/lookup/lookup_cache.h"
#include "plan/plan_info.h"

typedef struct Lookups Lookups;

/* For the plan's look-ups, and their children in the same order; in the current context. */
extern Lookups *lookups_create(const PlanInfo *plan, List *children);

/*
 * Read the children to their ends, and put what is made of their rows into the parameters, of
 * which there are as many as the plan's Program has.  What is there already, and whose
 * child's Params have not changed, stays.  The bytes belong to the look-ups, until the
 * next call.  OK; or why engines cannot have them, in *message.
 */
extern EngineStatus lookups_build(Lookups *lookups, ParamValue *params, const char **message);

/* Can no row pass, since a relation that it must be found in has none? */
extern bool lookups_let_none_pass(const Lookups *lookups);

/* The values that a code is the number of, in their order. */
extern Datum *lookups_code_values(const Lookups *lookups, const ColumnCode *code);

/* Of the last call of lookups_build. */
extern const LookupStats *lookups_stats(const Lookups *lookups, int number);

#endif							/* GPUAGG_LOOKUPS_H */
