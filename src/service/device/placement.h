/*
 * placement.h
 *	  Which devices a run uses.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_PLACEMENT_H
#define GPUAGG_PLACEMENT_H

#include "engine/cuda/device/device.h"
#include "service/device/connection.h"

/*
 * A bit each; 0: there are none.  need: bytes of a device's memory.
 */
extern uint64_t placement_choose(Service *service, const DeviceOps *ops, const Program *program,
								 const EngineHints *hints, uint64_t need);

#endif							/* GPUAGG_PLACEMENT_H */
