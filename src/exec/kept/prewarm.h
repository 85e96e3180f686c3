/*
 * prewarm.h
 *	  Having columns of a table kept, in device memory or for the CPU engine.
 */
#ifndef GPUAGG_PREWARM_H
#define GPUAGG_PREWARM_H

#include "plan/path/prewarm_columns.h"
#include "utils/rel.h"

/*
 * Read a table that is open and locked, and those that inherit from it if wanted, and have
 * the columns that are asked for kept, as far as they can be: the rows read.  An error if
 * none can be.
 */
extern int64 prewarm_columns(Relation relation, bool inherit, KeepRequest *request);

/* Where columns are kept, as messages say it. */
extern const char *prewarm_place(bool in_memory);

/*
 * prewarm_worker.c: a background worker that has columns of a database's tables kept again.
 */

/* The worker's function; its argument is the database's OID. */
extern PGDLLEXPORT void gpuagg_prewarm_worker(Datum arg);

#endif							/* GPUAGG_PREWARM_H */
