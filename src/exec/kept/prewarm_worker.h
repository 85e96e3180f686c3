/*
 * prewarm_worker.h
 *	  A background worker that has columns of a database's tables kept again.
 */
#ifndef GPUAGG_PREWARM_WORKER_H
#define GPUAGG_PREWARM_WORKER_H

/* The worker's function; its argument is the database's OID. */
extern PGDLLEXPORT void gpuagg_prewarm_worker(Datum arg);

#endif							/* GPUAGG_PREWARM_WORKER_H */
