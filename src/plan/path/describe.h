/*
 * describe.h
 *	  A grouping in the words of SQL, and where in the query it stands.
 */
#ifndef GPUAGG_DESCRIBE_H
#define GPUAGG_DESCRIBE_H

#include "nodes/pathnodes.h"

/* GROUP BY with its keys, or DISTINCT, or ORDER BY with the rows that are taken. */
extern const char *describe_step(PlannerInfo *root, UpperRelationKind stage);

/* OVER with its keys and their order. */
extern const char *describe_window(PlannerInfo *root, const WindowClause *window);

/* The step's aggregates, or NULL: there are none. */
extern const char *describe_aggregates(PlannerInfo *root, RelOptInfo *grouped_rel,
									   List *having);

/* Which query of the statement this is the planning of.  All must have been planned. */
extern const char *describe_place(const PlannerInfo *root);

#endif							/* GPUAGG_DESCRIBE_H */
