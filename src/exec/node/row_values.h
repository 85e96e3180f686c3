/*
 * row_values.h
 *	  Values of rows that need not be fetched, since their groups have them.
 */
#ifndef GPUAGG_ROW_VALUES_H
#define GPUAGG_ROW_VALUES_H

#include "executor/tuptable.h"

#include "exec/node/node_run.h"

typedef struct RowValues RowValues;

/* In the current context, for all executions of a node whose rows are not fetched. */
extern RowValues *row_values_create(const NodeInput *input);

/* From now on rows are of the run's batch of groups, which stays until then. */
extern void row_values_begin(RowValues *values, const NodeRun *run);

/*
 * The scan tuple of a group's row of this number, from 1, whose entry (first_rows.h) is given.  What
 * it points to stays until the next call.  False: the values cannot be told, and the row must be fetched.
 */
extern bool row_values_store(RowValues *values, uint32 group, int number, const uint64 *entry,
							 TupleTableSlot *slot);

/*
 * What a row's place alone tells: its number, ctid or tableoid, as one of FirstRowsInfo.columns.
 * The ctid is in *tid.
 */
extern Datum row_value_of_place(const NodeInput *input, AttrNumber column, uint64 place, int number,
								ItemPointer tid);

#endif							/* GPUAGG_ROW_VALUES_H */
