/*
 * temp_store.h
 *	  A GroupStore in a temporary file of PostgreSQL's, for one run of an engine.
 */
#ifndef GPUAGG_TEMP_STORE_H
#define GPUAGG_TEMP_STORE_H

#include "engine/engine.h"

typedef struct TempStore TempStore;

/*
 * A store without a file yet, in the current memory context.  Of the program and
 * hints, what says how many partitions are good: memory_limit (not 0) and groups.
 */
extern TempStore *temp_store_create(const Program *program, const EngineHints *hints);
extern GroupStore *temp_store_groups(TempStore *store);

/* Bytes written. */
extern uint64 temp_store_bytes(const TempStore *store);

/* Delete the file, written or not; the engine must not use the store any more. */
extern void temp_store_close(TempStore *store);

#endif							/* GPUAGG_TEMP_STORE_H */
