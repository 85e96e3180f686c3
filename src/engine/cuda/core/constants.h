/*
 * constants.h
 *	  The values of a Program's parameters on the device.
 */
#ifndef GPUAGG_CONSTANTS_H
#define GPUAGG_CONSTANTS_H

#include "engine/cuda/core/run_core.h"

/*
 * Upload the parameters' values and tables, by the work stream, and gather their texts for the
 * batches.  run->constants.params is set, and they stay as they are until close.
 */
extern EngineStatus constants_open(RunCore *run);
extern void constants_close(RunCore *run);

#endif							/* GPUAGG_CONSTANTS_H */
