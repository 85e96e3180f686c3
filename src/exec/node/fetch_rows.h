/*
 * fetch_rows.h
 *	  From a run's groups to the rows that come first in them.
 */
#ifndef GPUAGG_FETCH_ROWS_H
#define GPUAGG_FETCH_ROWS_H

#include "executor/tuptable.h"

#include "exec/node/node_run.h"

typedef struct FirstRows FirstRows;

/* In the current context, for all executions of a node over these tables. */
extern FirstRows *first_rows_create(const NodeInput *input);

/* How many rows have been fetched by all executions. */
extern uint64 first_rows_fetched(const FirstRows *rows);

/* Another execution begins, or none. */
extern void first_rows_reset(FirstRows *rows);

/*
 * Put the next row into the scan tuple's slot, empty: there are no more.  The run has its first
 * groups.  Not ENGINE_OK: message says why, and the slot has nothing.
 */
extern EngineStatus first_rows_next(FirstRows *rows, NodeRun *run, TupleTableSlot *slot,
									const char **message);

#endif							/* GPUAGG_FETCH_ROWS_H */
