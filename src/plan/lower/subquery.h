/*
 * subquery.h
 *	  Queries that relations of another query stand for.
 */
#ifndef GPUAGG_SUBQUERY_H
#define GPUAGG_SUBQUERY_H

#include "nodes/pathnodes.h"

/* The query, planned, whose output a subquery's or a CTE's rows are; NULL: there is none. */
extern PlannerInfo *subquery_root(PlannerInfo *root, Index rti);

#endif							/* GPUAGG_SUBQUERY_H */
