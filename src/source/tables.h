/*
 * tables.h
 *	  The rows of one or several tables, as heap pages and as column batches.
 */
#ifndef GPUAGG_TABLES_H
#define GPUAGG_TABLES_H

#include "source/heap.h"

/*
 * Hand all rows of the tables, as the snapshot sees them, to the engine.  Adds to
 * *stats.  Returns OK, or the status with which the engine gave up.  The
 * relations are locked; the snapshot is an MVCC snapshot.
 */
extern EngineStatus table_source_run(const SourceTable *tables, int ntables,
									 Snapshot snapshot, const Program *program,
									 EngineHandle *engine, TableSourceStats *stats);

#endif							/* GPUAGG_TABLES_H */
