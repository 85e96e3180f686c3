/*
 * build_query.h
 *	  Subqueries, CTEs, functions and VALUES whose rows are looked up.
 */
#ifndef GPUAGG_BUILD_QUERY_H
#define GPUAGG_BUILD_QUERY_H

#include "nodes/pathnodes.h"

/*
 * Can the rows of a base relation be computed, in two places of a plan, whether they are needed
 * or not?  Returns NULL, or why not (a phrase).
 */
extern const char *build_query_examine(PlannerInfo *root, Index rti);

/* Let the relation's plan be in two places of the plan.  Both have been made. */
extern void build_query_set_apart(PlannerInfo *root, Index rti);

#endif							/* GPUAGG_BUILD_QUERY_H */
