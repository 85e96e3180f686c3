/*
 * partial.h
 *	  The custom scan node GpuAgg Partial: one process's part of an aggregation.
 */
#ifndef GPUAGG_PARTIAL_H
#define GPUAGG_PARTIAL_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "exec/parallel/parallel_state.h"

extern const CustomScanMethods partial_scan_methods;

/* Registers the node, for plans that are read back: in parallel workers, too. */
extern void partial_init(void);

/* Is it a Gather over a GpuAgg Partial? */
extern bool partial_is_below(PlanState *ps);

/* Can the Gather have other processes? */
extern bool partial_is_possible(const PlanState *gather);

/*
 * Run a Gather over a GpuAgg Partial: all processes aggregate.  False: there can be
 * no others, and nothing has been done.
 */
extern bool partial_run(PlanState *gather, const ParallelJob *job, ParallelResult *result);

/*
 * The merged groups, once partial_run has answered OK, until the Gather is rescanned
 * or shut down.
 */
extern SharedStore *partial_groups(PlanState *gather);

#endif							/* GPUAGG_PARTIAL_H */
