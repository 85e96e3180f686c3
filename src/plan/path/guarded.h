/*
 * guarded.h
 *	  Subqueries whose values are needed in some rows only.
 */
#ifndef GPUAGG_PLAN_GUARDED_H
#define GPUAGG_PLAN_GUARDED_H

#include "nodes/pathnodes.h"

extern bool has_guarded_subquery(PlannerInfo *root, List *exprs);

#endif							/* GPUAGG_PLAN_GUARDED_H */
