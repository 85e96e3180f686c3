/*
 * guarded.h
 *	  Build sides of which conditions or columns can raise errors.
 */
#ifndef GPUAGG_GUARDED_H
#define GPUAGG_GUARDED_H

#include "nodes/pathnodes.h"

#include "plan/path/grouping.h"
#include "plan/plan_info.h"

/*
 * Can errors be set aside that conditions of a base relation raise, or what subqueries compute of
 * its rows?  Returns NULL, also if there can be none, or why not (a phrase).
 */
extern const char *guarded_examine(PlannerInfo *root, RelOptInfo *rel);

/*
 * Can a condition of a relation that has been examined raise an error, or what its path is to put
 * out (Expr)?
 */
extern bool guarded_is_needed(PlannerInfo *root, const RelOptInfo *rel, List *target);

/*
 * The path of such a relation that puts these expressions out, and sets *info's members about
 * errors: what can raise them is computed of the rows of a Material.  NULL: there is none, since a
 * subquery's value is needed.
 */
extern Path *guarded_path(PlannerInfo *root, RelOptInfo *rel, List *target, LookupInfo *info);

/* Does the path of a look-up's rows start workers, as far as it is simple to see? */
extern bool guarded_starts_workers(const Path *path);

/*
 * Beside workers no error can be set aside.  Do paths of look-ups start some, or must PostgreSQL's
 * own plan of the step?
 */
extern bool guarded_has_workers(const Grouping *grouping, const List *builds);

/* The cheapest path of a relation that starts no workers; NULL: there is none. */
extern Path *guarded_input(const RelOptInfo *rel);

#endif							/* GPUAGG_GUARDED_H */
