/*
 * run_resources.h
 *	  What a run has before its first row, opened and closed: the limit of its
 *	  memory, streams, counters, constants.
 */
#ifndef GPUAGG_RUN_RESOURCES_H
#define GPUAGG_RUN_RESOURCES_H

#include "engine/cuda/core/run_core.h"

/* How the columns, keys and states of the Program that kernels run lie. */
extern void run_make_layouts(RunCore *run);

/* The device is open.  Whatever a failure leaves, run_resources_close takes. */
extern EngineStatus run_resources_open(RunCore *run);

/* Wait for all that the run has given to the device, whatever came of it. */
extern void run_resources_wait(RunCore *run);

/* Nothing is left that works on the device. */
extern void run_resources_close(RunCore *run);

/*
 * constants.c: the values of a Program's parameters on the device.
 */

/*
 * Upload the parameters' values and tables, by the work stream, and gather their texts for the
 * batches.  run->constants.params is set, and they stay as they are until close.
 */
extern EngineStatus constants_open(RunCore *run);
extern void constants_close(RunCore *run);

#endif							/* GPUAGG_RUN_RESOURCES_H */
