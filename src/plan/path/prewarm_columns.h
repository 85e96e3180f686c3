/*
 * prewarm_columns.h
 *	  Columns that a run keeps which its query does not need: gpuagg_prewarm's.
 */
#ifndef GPUAGG_PREWARM_COLUMNS_H
#define GPUAGG_PREWARM_COLUMNS_H

#include "nodes/pathnodes.h"

#include "plan/lower/lowering.h"

/* What is asked for while a query is planned, and what has come of it. */
typedef struct KeepRequest
{
	Oid			relid;			/* a table that the query names */
	Bitmapset  *attnos;			/* its columns to keep */
	bool		in_memory;		/* for the CPU engine, in shared memory; else in device memory */
	bool		taken;			/* a run will keep those that it can */
	const char *refused;		/* why none will, or NULL: it is taken, or nobody knows */
	MemoryContext context;		/* of the reasons: */
	const char **reasons;		/* by attno: why a column cannot be kept */
} KeepRequest;

/* Of the queries that are planned from now on; NULL: none keeps more than it needs. */
extern void keep_columns_of(KeepRequest *request);

/* The request's columns, if the relation is its table: a List of Vars. */
extern List *keep_vars(PlannerInfo *root, RelOptInfo *rel);

/* The tables that hold these Vars cannot be read by pages: why. */
extern void keep_refuse(const List *vars, const char *reason);

/*
 * How the Vars' values are read: *n Columns, palloc'd.  Nothing of the Program has
 * been lowered yet, and nothing is but parameters, and these Columns if the CPU engine is to keep
 * them.
 */
extern Column *keep_lower(Lowering *l, List *vars, int *n);

#endif							/* GPUAGG_PREWARM_COLUMNS_H */
