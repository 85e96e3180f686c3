/*
 * input_scan.h
 *	  The path by which the native plan reads the input plan's rows.
 */
#ifndef GPUAGG_PLAN_INPUT_SCAN_H
#define GPUAGG_PLAN_INPUT_SCAN_H

#include "nodes/pathnodes.h"

/*
 * A path whose rows are those of `input`, the path of a GpuAgg node's input plan,
 * with the target of the input relation's cheapest path, which input's target
 * begins with.
 */
extern Path *input_scan_path(RelOptInfo *input_rel, const Path *input);

#endif							/* GPUAGG_PLAN_INPUT_SCAN_H */
