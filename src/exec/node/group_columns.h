/*
 * group_columns.h
 *	  The groups of a node, as columns of a source of rows.
 */
#ifndef GPUAGG_GROUP_COLUMNS_H
#define GPUAGG_GROUP_COLUMNS_H

/*
 * Let look-ups and groupings take the groups of a GpuAgg node without a tuple of each.  Called once,
 * when the module is loaded.
 */
extern void group_columns_init(void);

#endif							/* GPUAGG_GROUP_COLUMNS_H */
