/*
 * numeric_stats.h
 *	  The scales of numerics that have no type modifier, from statistics.
 */
#ifndef GPUAGG_NUMERIC_STATS_H
#define GPUAGG_NUMERIC_STATS_H

#include "nodes/pathnodes.h"

/*
 * The scale at which a column's values are expected to fit 64 bits; false: none
 * is.  *same: all seem to have that display scale.
 */
extern bool numeric_column_scale(PlannerInfo *root, const Var *var, int *scale, bool *same);

#endif							/* GPUAGG_NUMERIC_STATS_H */
