/*
 * node_groups.h
 *	  From a run's groups to the node's tuples.
 */
#ifndef GPUAGG_NODE_GROUPS_H
#define GPUAGG_NODE_GROUPS_H

#include "exec/node.h"

/* The Program whose groups are the node's. */
extern const Program *node_result_program(const GpuAggState *state);

/* A value of the current batch's group in the node's nth column.  node: a GpuAggState. */
extern Datum node_group_value(void *node, uint32_t group, int n, bool *isnull);

/* The next tuple made of the engine's groups, or an empty slot. */
extern TupleTableSlot *node_next_tuple(GpuAggState *state);

#endif							/* GPUAGG_NODE_GROUPS_H */
