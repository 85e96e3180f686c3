/*
 * child.h
 *	  A child plan's tuples, as column batches.
 */
#ifndef GPUAGG_CHILD_H
#define GPUAGG_CHILD_H

#include "nodes/execnodes.h"
#include "port/atomics.h"

#include "handle/handle.h"

/* The child's next tuple; it runs in the query's context, whatever the current one is. */
extern TupleTableSlot *child_next_tuple(PlanState *child);

/*
 * Run the child plan to its end and hand its tuples to the engine.  Returns OK,
 * or the status with which the engine gave up.  stop: not 0 once the rest of the tuples is
 * of no use, or NULL.
 */
extern EngineStatus child_source_run(PlanState *child, const Program *program,
									 EngineHandle *engine, pg_atomic_uint32 *stop);

#endif							/* GPUAGG_CHILD_H */
