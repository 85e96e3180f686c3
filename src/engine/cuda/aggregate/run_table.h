/*
 * run_table.h
 *	  A run's group table on the device: made, grown, freed.
 */
#ifndef GPUAGG_RUN_TABLE_H
#define GPUAGG_RUN_TABLE_H

#include "engine/cuda/aggregate/group_rows.h"
#include "engine/cuda/aggregate/value_lists.h"

/* The table as kernels see it, and the device memory it lies in. */
typedef struct RunTable
{
	DeviceTable table;
	DeviceBuffer slots;			/* and behind them the cold words */
	DeviceBuffer arena;			/* bytes of text keys */
	DeviceBuffer values;		/* of extremes: table_values.c */
	ValueLists	lists;			/* of values, with their groups' slots */
	GroupRows	rows;			/* that come first in the groups */
	uint64_t	rows_since_normalize;
	uint32_t	growths;		/* how often it was made larger */
} RunTable;

/*
 * Bytes of a table of hashed keys, or of one group without keys, that is made for so
 * many groups; layout: of that kind of table.
 */
extern uint64_t run_table_memory(const Program *program, const KernelLayout *layout,
								 uint64_t groups, uint64_t memory_limit);

/*
 * An empty table: for that many groups; with direct addressing for the choice's
 * range; without keys for one group.
 */
extern EngineStatus run_table_create(RunCore *run, const Kernels *kernels, uint64_t groups,
									 RunTable *table);

/*
 * Make room for that many groups more.  Direct addressing gives way to hashing, and
 * to other kernels, since the rows that found no room had keys out of its range.
 */
extern EngineStatus run_table_grow(RunCore *run, Kernels *kernels, uint64_t more_groups,
								   RunTable *table);

/* What the table holds: waits for all that has been launched. */
extern EngineStatus run_table_counters(RunCore *run, const RunTable *table,
									   TableCounters *counters);

/* Before that many rows are taken in: carry low words of sums over, if it is time. */
extern EngineStatus run_table_normalize(RunCore *run, const Kernels *kernels, uint64_t rows,
										RunTable *table);

extern void run_table_free(RunCore *run, RunTable *table);

#endif							/* GPUAGG_RUN_TABLE_H */
