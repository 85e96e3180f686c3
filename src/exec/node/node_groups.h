/*
 * node_groups.h
 *	  From a run's groups to the node's tuples.
 */
#ifndef GPUAGG_NODE_GROUPS_H
#define GPUAGG_NODE_GROUPS_H

#include "exec/node/node.h"

/*
 * The columns of the scan tuple.  having: those that HAVING looks at, from 1; the others are
 * made of groups that it does not remove.  NULL: all are made first.
 */
extern void node_create_columns(GpuAggState *state, const Bitmapset *having);

/* A value of the current batch's group in the node's nth column.  node: a GpuAggState. */
extern Datum node_group_value(void *node, uint32_t group, int n, bool *isnull);

/*
 * The next tuple made of the groups of a run, or an empty slot: there are no more.  The run is
 * the node's current one, or a witness.
 */
extern TupleTableSlot *node_next_tuple(GpuAggState *state, NodeRun *run);

#endif							/* GPUAGG_NODE_GROUPS_H */
