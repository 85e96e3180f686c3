/*
 * node_verify.h
 *	  Runs whose answer is compared with PostgreSQL's before the first tuple leaves.
 */
#ifndef GPUAGG_NODE_VERIFY_H
#define GPUAGG_NODE_VERIFY_H

#include "exec/node/node.h"

/* Is there anything to compare the run's answers with? */
extern bool node_has_witness(const NodeRun *run);

/*
 * node_run_to_groups of the node's own run, and if this execution is one to be verified, comparison:
 * ENGINE_INEXACT if the answers differ.
 */
extern EngineStatus node_run_verified(GpuAggState *state, const EngineHints *hints,
									  const char **message);

#endif							/* GPUAGG_NODE_VERIFY_H */
