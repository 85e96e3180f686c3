/*
 * group_keys.h
 *	  The keys of a node's groups, as a source of a look-up's rows.
 */
#ifndef GPUAGG_GROUP_KEYS_H
#define GPUAGG_GROUP_KEYS_H

#include "exec/lookup/key_source.h"

/* A KeySourceOpen: of a plan that is a GpuAgg node all of whose rows are groups' keys. */
extern KeySource *group_keys_open(PlanState *plan, const Program *program,
								  const Bitmapset *datums);

#endif							/* GPUAGG_GROUP_KEYS_H */
