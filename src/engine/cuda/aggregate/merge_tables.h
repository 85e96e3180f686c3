/*
 * merge_tables.h
 *	  The groups of a run on another device into the run's table.
 */
#ifndef GPUAGG_MERGE_TABLES_H
#define GPUAGG_MERGE_TABLES_H

#include "engine/cuda/aggregate/aggregation.h"

/*
 * Merge the groups of the other run, of the same Program; the tables have all rows of both.  Waits
 * for both.  *merged false, with ENGINE_OK: tables of these kinds cannot be merged, or there is no
 * memory for a copy; then both have the groups that they had.  A run whose table then cannot grow
 * has failed.
 */
extern EngineStatus merge_tables(RunCore *run, Aggregation *aggregation, RunCore *other,
								 Aggregation *other_aggregation, bool *merged);

#endif							/* GPUAGG_MERGE_TABLES_H */
