/*
 * decorrelate.h
 *	  Correlated subqueries of aggregates as joins.
 */
#ifndef GPUAGG_DECORRELATE_H
#define GPUAGG_DECORRELATE_H

#include "nodes/parsenodes.h"

/*
 * A copy of a query that has not been planned, in which conditions on correlated subqueries of
 * aggregates are joins of the groups of these; it has the same rows, and raises no error that the
 * query does not.  NULL: it has no such conditions.
 */
extern Query *decorrelate(Query *query);

#endif							/* GPUAGG_DECORRELATE_H */
