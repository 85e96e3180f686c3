/*
 * explain.h
 *	  What EXPLAIN shows of a GpuAgg node.
 */
#ifndef GPUAGG_EXPLAIN_H
#define GPUAGG_EXPLAIN_H

#include "nodes/execnodes.h"

#include "compat.h"

extern void gpuagg_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif							/* GPUAGG_EXPLAIN_H */
