/*
 * dependence.h
 *	  What a query's rows depend on beside its tables.
 */
#ifndef GPUAGG_DEPENDENCE_H
#define GPUAGG_DEPENDENCE_H

#include "nodes/parsenodes.h"

/* Does a query depend on values of queries around it, or of subqueries that are executed before? */
extern bool query_depends_on_values(Query *query);

#endif							/* GPUAGG_DEPENDENCE_H */
