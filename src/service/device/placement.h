/*
 * placement.h
 *	  Which device a run uses.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_PLACEMENT_H
#define GPUAGG_PLACEMENT_H

#include "engine/cuda/device/device.h"
#include "service/device/connection.h"

/*
 * The device, of those that are used, that keeps most of the hints' tables for the Program; if
 * none keeps any, that with the fewest runs; -1: none is used.  need: bytes of its memory.
 */
extern int	placement_choose(Service *service, const DeviceOps *ops, const Program *program,
							 const EngineHints *hints, uint64_t need);

#endif							/* GPUAGG_PLACEMENT_H */
