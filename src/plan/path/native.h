/*
 * native.h
 *	  PostgreSQL's own aggregation for a grouping step, as a path.
 */
#ifndef GPUAGG_NATIVE_H
#define GPUAGG_NATIVE_H

#include "plan/path/grouping.h"

/*
 * PostgreSQL's own way to do the step, if native_is_possible.  Its input is
 * input_scan, a path with the target of the input relation's cheapest one; with
 * NULL it is that path, or the one that PostgreSQL has taken for grouping sets.
 */
extern Path *native_path(const Grouping *grouping, RelOptInfo *grouped_rel,
						 Path *input_scan, double groups);

/*
 * A copy of PostgreSQL's cheapest path for the step.  NULL: it cannot be used, and
 * native_path must be.
 */
extern Path *native_cheapest_path(const Grouping *grouping, const RelOptInfo *grouped_rel);

/* Has PostgreSQL a path of its own for the step's grouping sets, if there are any? */
extern bool native_is_possible(const Grouping *grouping, const RelOptInfo *grouped_rel);

/*
 * PostgreSQL's own aggregation with aggregates that have DISTINCT, which need
 * groups in sorted order.
 */
extern Path *native_sorted_aggregation(PlannerInfo *root, Path *input,
									   RelOptInfo *grouped_rel, List *having);

/* Let the plan of such a path take little memory until it runs. */
extern void native_begin_small(Plan *plan);

/* Do workers compute what this path joins, aggregates, sorts or projects? */
extern bool native_has_workers(const Path *path);

/*
 * A path whose rows are those of `input`, the path of a GpuAgg node's input plan,
 * with the target of the input relation's cheapest path, which input's target
 * begins with.
 */
extern Path *input_scan_path(RelOptInfo *input_rel, const Path *input);

#endif							/* GPUAGG_NATIVE_H */
