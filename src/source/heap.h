/*
 * heap.h
 *	  Heap tables' pages with their visible tuples, as PageRefs.
 */
#ifndef GPUAGG_HEAP_H
#define GPUAGG_HEAP_H

#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "handle/handle.h"
#include "source/block_allocator.h"

/* A table whose rows are read. */
typedef struct SourceTable
{
	Relation	relation;
	bool		pages;			/* heap pages that the engine can read; else rows
								 * are sent to it */
	AttrNumber *attnos;			/* the Program's columns */
} SourceTable;

typedef struct TableSourceStats
{
	uint64		pages;			/* read */
	uint64		all_visible;	/* of them, without a look at each tuple */
	uint64		page_rows;		/* visible ones on them */
	uint64		left_rows;		/* of pages, left out by the engine and sent */
	uint64		scanned_rows;	/* of tables whose pages it cannot read */
} TableSourceStats;

struct RowSender;

/*
 * Hand the allocator's pages of the tables that are read by pages, as the snapshot
 * sees them, to the engine, and to the sender the rows that it leaves out.  Adds to
 * *stats.
 * Returns OK, or the status with which the engine gave up.
 */
extern EngineStatus heap_source_run(const SourceTable *tables, int ntables,
									Snapshot snapshot, BlockAllocator *blocks,
									EngineHandle *engine, struct RowSender *sender,
									TableSourceStats *stats);

/*
 * Count rows as read from a relation, for pg_stat_user_tables.  heap_source_run
 * does so where there are several tables, but for rows that the engine has; of a single
 * table only the engine knows how many there are, and not before its first groups are
 * there.
 */
extern void heap_source_count_rows(Relation relation, uint64 rows);

#endif							/* GPUAGG_HEAP_H */
