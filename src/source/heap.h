/*
 * heap.h
 *	  A heap table's pages with their visible tuples, as PageRefs.
 */
#ifndef GPUAGG_HEAP_H
#define GPUAGG_HEAP_H

#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "engine/select.h"

typedef struct HeapSourceStats
{
	uint64		pages;			/* read */
	uint64		all_visible;	/* of them, without a look at each tuple */
} HeapSourceStats;

/*
 * Hand all pages of the table, as the snapshot sees them, to the engine.  Adds
 * to *stats.  Returns OK, or the status with which the engine gave up.  The
 * relation is locked; the snapshot is an MVCC snapshot.
 */
extern EngineStatus heap_source_run(Relation relation, Snapshot snapshot,
									EngineHandle *engine, HeapSourceStats *stats);

/* Count the rows in the table's statistics, as a sequential scan does. */
extern void heap_source_count_rows(Relation relation, uint64 rows);

#endif							/* GPUAGG_HEAP_H */
