/*
 * decorrelate.h
 *	  Correlated subqueries that give one value as joins.
 */
#ifndef GPUAGG_DECORRELATE_H
#define GPUAGG_DECORRELATE_H

#include "nodes/parsenodes.h"

#include "plan/query/rewrite.h"

/*
 * Rewrite a query that has not been planned, in place: correlated subqueries of aggregates, in its
 * conditions and in what it puts out, become joins of the groups of these, and those of the one row
 * with a key joins of their tables.  It has the same rows,
 * and raises no error that it did not.  False: it has none, and stays as it is.
 */
extern bool decorrelate(Query *query, const Surroundings *around);

/* Is it a subquery that decorrelate may replace? */
extern bool may_be_joined(const SubLink *sublink);

#endif							/* GPUAGG_DECORRELATE_H */
