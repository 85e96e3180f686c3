/*
 * several_devices.h
 *	  A run on several devices at once.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_SEVERAL_DEVICES_H
#define GPUAGG_SEVERAL_DEVICES_H

#include "engine/devices.h"
#include "engine/engine.h"

/* Can its groups be made in parts, and merged? */
extern bool several_devices_possible(const Program *program);

/*
 * As open of the engine, on these devices; the run's calls are those of its ops, which has no
 * other tables than the engine's process and, if the engine has it, kept.
 */
extern EngineStatus several_devices_open(const EngineOps *ops, uint64_t devices,
										 const Program *program, const ParamValue *params,
										 const EngineHints *hints, EngineRun **run,
										 char *message);

#endif							/* GPUAGG_SEVERAL_DEVICES_H */
