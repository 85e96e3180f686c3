/*
 * parallel.h
 *	  The part of a GpuAgg path that all processes run.
 */
#ifndef GPUAGG_PARALLEL_H
#define GPUAGG_PARALLEL_H

#include "engine/engine.h"
#include "plan/path/cost.h"
#include "plan/path/grouping.h"

/* How many workers PostgreSQL plans to read the input; 0: the leader is alone. */
extern int	parallel_workers(const Grouping *grouping, const LoweredGrouping *lowered,
							 const RelOptInfo *grouped_rel, const EngineOps *engine);

/*
 * PostgreSQL's cheapest partial path for the rows of a child plan, with the target of
 * that plan's path; NULL: there is none.
 */
extern Path *parallel_input(const Grouping *grouping, const Path *input);

/*
 * A Gather over what each of several processes does, up to the merged groups, or the last row.
 * cost: what that is made of.
 */
extern Path *parallel_path(const Grouping *grouping, const LoweredGrouping *lowered,
						   RelOptInfo *grouped_rel, const CostInput *cost);

/* By how much the work of one process gets less, by PostgreSQL's rule. */
extern double parallel_divisor(int workers);

#endif							/* GPUAGG_PARALLEL_H */
