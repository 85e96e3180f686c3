/*
 * unique.h
 *	  Relations whose rows are likely to differ.
 */
#ifndef GPUAGG_UNIQUE_H
#define GPUAGG_UNIQUE_H

#include "nodes/pathnodes.h"

/*
 * Is it likely that no two rows of a base relation agree in all of these expressions?  That it
 * is so must be found out when they are read.
 */
extern bool likely_unique(PlannerInfo *root, RelOptInfo *rel, List *exprs);

#endif							/* GPUAGG_UNIQUE_H */
