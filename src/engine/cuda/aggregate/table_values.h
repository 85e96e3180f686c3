/*
 * table_values.h
 *	  The arena of what a table's extremes refer to: made, cleaned, grown.
 */
#ifndef GPUAGG_TABLE_VALUES_H
#define GPUAGG_TABLE_VALUES_H

#include "engine/cuda/aggregate/run_table.h"

/* For that many groups, if the Program has such extremes. */
extern EngineStatus table_values_create(RunCore *run, uint64_t groups, RunTable *table);

/* Make room, at least for one value of so many 8-byte words. */
extern EngineStatus table_values_grow(RunCore *run, const Kernels *kernels, uint64_t size,
									  RunTable *table);

extern void table_values_free(RunCore *run, RunTable *table);

#endif							/* GPUAGG_TABLE_VALUES_H */
