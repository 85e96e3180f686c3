/*
 * decorrelate.h
 *	  Correlated subqueries of aggregates as joins.
 */
#ifndef GPUAGG_DECORRELATE_H
#define GPUAGG_DECORRELATE_H

#include "nodes/parsenodes.h"

#include "plan/query/rewrite.h"

/*
 * Rewrite a query that has not been planned, in place: correlated subqueries of aggregates, in its
 * conditions and in what it puts out, become joins of the groups of these.  It has the same rows,
 * and raises no error that it did not.  False: it has none, and stays as it is.
 */
extern bool decorrelate(Query *query, const Surroundings *around);

/* Is it a subquery that decorrelate may replace? */
extern bool has_correlated_aggregate(const SubLink *sublink);

#endif							/* GPUAGG_DECORRELATE_H */
