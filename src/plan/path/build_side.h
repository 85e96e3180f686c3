/*
 * build_side.h
 *	  The plans whose rows are looked up.
 */
#ifndef GPUAGG_BUILD_SIDE_H
#define GPUAGG_BUILD_SIDE_H

#include "nodes/pathnodes.h"

#include "plan/plan_info.h"

/*
 * Can the relation be read to its end before the first row of others, and once more if a
 * run falls back?  Returns NULL, or why not (a phrase).
 */
extern const char *build_side_examine(PlannerInfo *root, const RelOptInfo *rel);

/*
 * The cheapest path of the relation, that puts out these expressions; if something can raise
 * errors, it sets *info's members about these.  NULL: there is none then.
 */
extern Path *build_side_path(PlannerInfo *root, RelOptInfo *rel, List *target, LookupInfo *info);

/* Let the plan of such a path be beside the native plan's of the same relation. */
extern void build_side_set_apart(PlannerInfo *root, const Path *build);

/* Does the session keep what is made of such a path's rows?  If so, sets the key, too. */
extern bool build_side_is_kept(PlannerInfo *root, const Path *build, LookupInfo *info);

/*
 * What making the look-up of such a path's rows costs: nothing if it is kept, and less by what the
 * session's queries before would have saved, had it been (exec/lookup/lookup_demand.h).
 */
extern Cost build_side_cost(PlannerInfo *root, const Path *build, LookupInfo *info);

/*
 * Let the numbers of values be their rows', where most values are different: that spares comparing
 * them.  Rows that are found in one of the groups must be the same row.
 */
extern void build_side_number_by_row(PlannerInfo *root, const Path *build, LookupInfo *info);

/* The bytes of memory that making the look-up of such a path's rows is expected to take. */
extern double build_side_memory(PlannerInfo *root, const Path *build, const LookupInfo *info);

/* What it is called in EXPLAIN: the names of its relations. */
extern const char *build_side_name(PlannerInfo *root, const RelOptInfo *rel);

/*
 * build_key.c: what a look-up is made of.
 */

/*
 * Set LookupInfo.key and tables, if what is made of such a path's rows may be kept: they are those of
 * plain tables, and nothing but these tables changes them.
 */
extern void build_side_set_key(PlannerInfo *root, const Path *build, LookupInfo *info);

/*
 * build_query.c: subqueries, CTEs, functions and VALUES whose rows are looked up.
 */

/*
 * Can the rows of a base relation be computed, in two places of a plan, whether they are needed
 * or not?  Returns NULL, or why not (a phrase).
 */
extern const char *build_query_examine(PlannerInfo *root, Index rti);

/* Can a query raise an error, whichever of its rows are computed? */
extern bool build_query_can_fail(PlannerInfo *root);

/* Let the relation's plan be in two places of the plan.  Both have been made. */
extern void build_query_set_apart(PlannerInfo *root, Index rti);

#endif							/* GPUAGG_BUILD_SIDE_H */
