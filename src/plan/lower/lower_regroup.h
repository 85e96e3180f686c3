/*
 * lower_regroup.h
 *	  A Program over the groups of another one, for coarser groups.
 */
#ifndef GPUAGG_LOWER_REGROUP_H
#define GPUAGG_LOWER_REGROUP_H

#include "plan/lower/lowering.h"

/*
 * The Program that takes in each value of aggregates with DISTINCT once, from the
 * groups of a Program that has the keys and the aggregates without DISTINCT.
 * Returns NULL, with *reason set, if it cannot be done.
 */
extern Program *lower_regrouping(const Program *fine, List *keys, List *aggrefs,
								 const char **reason);

#endif							/* GPUAGG_LOWER_REGROUP_H */
