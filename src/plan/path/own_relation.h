/*
 * own_relation.h
 *	  Copies of a base relation that have some of its conditions and columns.
 */
#ifndef GPUAGG_OWN_RELATION_H
#define GPUAGG_OWN_RELATION_H

#include "nodes/pathnodes.h"

/*
 * A relation whose rows are those of rel that pass the clauses (RestrictInfo), with these columns
 * (Expr).  It has no paths.
 */
extern RelOptInfo *own_relation(PlannerInfo *root, const RelOptInfo *rel, List *clauses,
								List *columns);

/* A plain scan of a table's own copy, or of those of all of its partitions and children. */
extern Path *own_relation_scan(PlannerInfo *root, RelOptInfo *own, const RelOptInfo *rel);

#endif							/* GPUAGG_OWN_RELATION_H */
