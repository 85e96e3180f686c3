/*
 * dependence.h
 *	  What a query's rows depend on beside its tables.
 */
#ifndef GPUAGG_DEPENDENCE_H
#define GPUAGG_DEPENDENCE_H

#include "nodes/parsenodes.h"

/* Does a query depend on values of queries around it, or of subqueries that are executed before? */
extern bool query_depends_on_values(Query *query);

/*
 * Has a copy of the query, as a part of it or further below, the same rows?  It has no value or CTE
 * of a query around it, and of its tables none is sampled, foreign or has virtual columns, which
 * are expressions.
 */
extern bool query_can_be_copied(Query *query);

#endif							/* GPUAGG_DEPENDENCE_H */
