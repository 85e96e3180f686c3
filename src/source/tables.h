/*
 * tables.h
 *	  The rows of one or several tables, as heap pages and as column batches.
 */
#ifndef GPUAGG_TABLES_H
#define GPUAGG_TABLES_H

#include "plan/plan_info.h"
#include "source/heap.h"

/*
 * Open the tables of a plan whose rows are read, in the current context, and close
 * them; the locks stay.
 */
extern SourceTable *source_tables_open(const PlanInfo *plan, int *ntables);
/* Are all of them read by pages? */
extern bool source_tables_only_pages(const SourceTable *tables, int ntables);

extern void source_tables_close(SourceTable *tables, int ntables);

/*
 * The heap pages that the tables have now: all together, and by table in nblocks,
 * unless it is NULL.
 */
extern double source_tables_blocks(const SourceTable *tables, int ntables,
								   BlockNumber *nblocks);

extern void table_source_stats_add(TableSourceStats *stats, const TableSourceStats *others);

/*
 * Of an open run: the blocks that the engine serves itself, as EngineKept.served says them, and
 * how many these are.
 */
extern EngineStatus table_source_served(const SourceTable *tables, int ntables,
										const BlockNumber *nblocks, EngineHandle *engine,
										const uint8 **served, BlockNumber *nserved);

/*
 * Hand all rows of the tables' blocks, nblocks of each table, as the snapshot sees them,
 * to the engine, but for the blocks that it serves itself.  Adds to *stats.  Returns OK,
 * or the status with which the engine gave up.  The relations are locked; the snapshot is
 * an MVCC snapshot, and older than nblocks.
 */
extern EngineStatus table_source_run(const SourceTable *tables, int ntables,
									 const BlockNumber *nblocks, const uint8 *const *served,
									 Snapshot snapshot, const Program *program,
									 EngineHandle *engine, TableSourceStats *stats);

/* The same for a process's share of the rows, by the allocator. */
extern EngineStatus table_source_run_share(const SourceTable *tables, int ntables,
										   Snapshot snapshot, BlockAllocator *blocks,
										   const Program *program, EngineHandle *engine,
										   TableSourceStats *stats);

/*
 * Once the run has groups, and rows are known: count those that the engine had itself, and
 * those of a single table (heap_source_count_rows).  stats: of this run.  What the engine
 * has served of several tables is divided among them by their blocks.
 */
extern void table_source_count_rows(const SourceTable *tables, int ntables,
									const BlockNumber *nserved, uint64 rows,
									const TableSourceStats *stats);

#endif							/* GPUAGG_TABLES_H */
