/*
 * lost_groups.h
 *	  Groups that leave while others are on their way, which may be lost.
 */
#ifndef GPUAGG_LOST_GROUPS_H
#define GPUAGG_LOST_GROUPS_H

#include "exec/node/node.h"

/* May groups of the run's that have not been taken be on their way? */
extern bool lost_groups_streams(const NodeRun *run);

/* Nobody knows when the next group is taken: let all of them come, so that no device waits. */
extern void lost_groups_settle(NodeRun *run);

/*
 * The next batch of the run's groups, all of this one having been taken.  If they are lost, and
 * can be made again, the run that does so becomes the node's.  Returns the run to go on with.
 * Raises an error if they cannot.
 */
extern NodeRun *lost_groups_next_batch(GpuAggState *state, NodeRun *run);

/* Has a group of the run's batch left before the others were lost? */
extern bool lost_groups_has_left(const NodeRun *run, uint32_t group);

#endif							/* GPUAGG_LOST_GROUPS_H */
