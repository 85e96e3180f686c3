/*
 * visibility.h
 *	  What the visibility map says of the tables that are read.
 */
#ifndef GPUAGG_SOURCE_TABLE_STATE_H
#define GPUAGG_SOURCE_TABLE_STATE_H

#include "engine/table_state.h"
#include "source/heap.h"

/* May an engine keep a heap table's columns from one run to the next? */
extern bool table_columns_may_stay(Relation relation);

/*
 * The states of those tables whose columns may stay, in the current context: *n of
 * them; NULL: there are none.  The snapshot of the run has been taken, none of the
 * tables' pages has been read.
 */
extern TableState *table_states_read(const SourceTable *tables, int ntables,
									 const BlockNumber *nblocks, int *n);

#endif							/* GPUAGG_SOURCE_TABLE_STATE_H */
