/*
 * node_run.h
 *	  A run of the node's engine: from the first input row to the first groups.
 */
#ifndef GPUAGG_NODE_RUN_H
#define GPUAGG_NODE_RUN_H

#include "exec/node/node.h"

/* What the plan knows of a run. */
extern EngineHints node_plan_hints(const GpuAggState *state);

/*
 * Run the engine until its first groups are there, again for as long as the input has what
 * the Programs cannot hold.  message: why it cannot finish, if not ENGINE_OK; the run must
 * be closed then, too.  In run_context.
 */
extern EngineStatus node_run_to_groups(GpuAggState *state, const EngineHints *hints,
									   const char **message);

/* The next batch of the node's groups; message: why not. */
extern EngineStatus node_run_next_groups(GpuAggState *state, const char **message);

/*
 * Free what a run has allocated outside of PostgreSQL's memory, and count it.  This is not
 * called after an error.
 */
extern void node_run_close(GpuAggState *state);

/*
 * The engine cannot finish: close its run.  A failure of a device is reported, with what
 * goes on in its place.
 */
extern void node_run_report_failure(GpuAggState *state, EngineStatus status,
									const char *reason, const char *successor);

/*
 * Let the input's plan, or that of all processes' parts, begin again.  What it allocates
 * must be there as long as the query.
 */
extern void node_run_rescan_input(GpuAggState *state);

#endif							/* GPUAGG_NODE_RUN_H */
