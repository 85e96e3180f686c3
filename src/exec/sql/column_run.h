/*
 * column_run.h
 *	  Aggregation of column batches that outlives the engine it began in.
 */
#ifndef GPUAGG_COLUMN_RUN_H
#define GPUAGG_COLUMN_RUN_H

#include "engine/engine.h"

/* In a memory context of its own below the current one. */
typedef struct ColumnRun ColumnRun;

/*
 * Begin in the given engine.  The Program has no parameters, and outlives the run;
 * rows: expected, 0: unknown; one_batch: there will be no second one.
 */
extern ColumnRun *column_run_create(const EngineOps *ops, const Program *program,
									double rows, bool one_batch);

/* The Program that groups are returned for: float sums may have become wider. */
extern const Program *column_run_program(const ColumnRun *run);

/* Take in a batch. */
extern void column_run_add(ColumnRun *run, const ColumnBatch *batch);

/*
 * The next groups, none (ngroups = 0) after the last; the first call ends the
 * input.  Returns false if it had to begin again: the groups
 * returned so far are void, and will be returned again.
 */
extern bool column_run_groups(ColumnRun *run, GroupBatch *groups);

/* After an error, the memory context and the resource owner do this. */
extern void column_run_close(ColumnRun *run);

#endif							/* GPUAGG_COLUMN_RUN_H */
