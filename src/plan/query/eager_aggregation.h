/*
 * eager_aggregation.h
 *	  Aggregates of an outer join's right side, made before the join.
 */
#ifndef GPUAGG_EAGER_AGGREGATION_H
#define GPUAGG_EAGER_AGGREGATION_H

#include "nodes/parsenodes.h"

#include "plan/query/rewrite.h"

/*
 * Rewrite a query that has not been planned, in place: groups by a unique key of the left side of
 * its outer join become rows of that side, joined to the groups of the right side.  It has the same
 * rows, and raises no error that it did not.  False: it is no such query, and stays as it is.
 */
extern bool aggregate_before_join(Query *query, const Surroundings *around);

/* Does the query look like one?  Without a look at catalogs. */
extern bool may_aggregate_before_join(const Query *query);

#endif							/* GPUAGG_EAGER_AGGREGATION_H */
