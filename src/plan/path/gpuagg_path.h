/*
 * gpuagg_path.h
 *	  One GpuAgg path: what it costs, and its plan.
 */
#ifndef GPUAGG_GPUAGG_PATH_H
#define GPUAGG_GPUAGG_PATH_H

#include "plan/path/cost.h"
#include "plan/path/fetches.h"
#include "plan/path/grouping.h"
#include "plan/path/report.h"

typedef struct GpuAggPath
{
	CustomPath	custom;
	Grouping	grouping;
	LoweredGrouping lowered;
	const EngineOps *engine;
	TopInfo    *top;			/* NULL: all groups leave */
	int			workers;		/* beside the leader */
	CostInput	cost;			/* what the path's costs are made of */
	Fetches		fetches;		/* of its tables or input, and its look-ups */
	const char *join_reason;	/* why its rows are those of a join of PostgreSQL's, or NULL */
	bool		reports;		/* that it is in the plan; of several paths for a step, one does */
	GroupingReport *report;		/* or NULL */
} GpuAggPath;

/*
 * The path of the engine that gpuagg.engine names, or of the cheapest, without the native plan;
 * NULL and why.  Sets lowered->build_costs.
 */
extern GpuAggPath *gpuagg_path(Grouping *grouping, LoweredGrouping *lowered,
							   RelOptInfo *grouped_rel, Rejection *rejection);

/* The native plan becomes the first child, of the path that has been chosen. */
extern void gpuagg_path_add_native(GpuAggPath *path, RelOptInfo *grouped_rel);

/* The cost by which paths of the engine are compared that read the same. */
extern Cost gpuagg_path_cost(const GpuAggPath *path);

/*
 * A path of the session's next query over the same look-ups may do with kept ones.  Where this path
 * costs more than a rival, and would not if its look-ups were kept, remember what they would save.
 * child: the one over the join's own plan, whose pages are compared as rivals' are; or NULL.
 */
extern void gpuagg_path_want_lookups(const GpuAggPath *path, const GpuAggPath *child, Cost rival);

/* Either may be NULL: it is the other one. */
extern GpuAggPath *gpuagg_path_cheaper(GpuAggPath *a, GpuAggPath *b);

/*
 * What a plan of PostgreSQL's with workers takes longer than its cost says, beside that of
 * this path.
 */
extern Cost gpuagg_path_rivals_start(const GpuAggPath *path);

#endif							/* GPUAGG_GPUAGG_PATH_H */
