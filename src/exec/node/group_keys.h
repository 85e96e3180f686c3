/*
 * group_keys.h
 *	  The keys of a node's groups, as a source of a look-up's rows.
 */
#ifndef GPUAGG_GROUP_KEYS_H
#define GPUAGG_GROUP_KEYS_H

/*
 * Let look-ups be made of the keys of a GpuAgg node all of whose rows are groups' keys.  Called once,
 * when the module is loaded.
 */
extern void group_keys_init(void);

#endif							/* GPUAGG_GROUP_KEYS_H */
