/*
 * select.h
 *	  Which engine runs a query.
 */
#ifndef GPUAGG_SELECT_H
#define GPUAGG_SELECT_H

#include "engine/engine.h"

/* The engine of a GpuAggEngine (guc.h); NULL: CHOICE_AUTO. */
extern const EngineOps *engine_chosen(int choice);

/* And back: the GpuAggEngine that it is. */
extern int	engine_choice(const EngineOps *ops);

/*
 * The two that `auto` compares: the CPU engine, in the process that calls, which is always there and
 * does what others could not; and the one of the GPU, which may be away.
 */
extern const EngineOps *engine_without_device(void);
extern const EngineOps *engine_with_device(void);

/* A GpuAggEngine as gpuagg.engine names it. */
extern const char *engine_choice_name(int choice);

/*
 * The engine that gpuagg.engine names; for `auto`, NULL.  Raises an ERROR if one
 * is named that is not there.
 */
extern const EngineOps *engine_required(void);

/*
 * Is engine_with_device there?  Looks for a device the first time, which takes a
 * moment, and tells the log once if it finds none.
 */
extern bool engine_device_answers(void);

/*
 * The engine to run a plan with that was made for the GpuAggEngine `planned` (only plans made
 * under `auto` need it; the device may be gone since).  Where gpuagg.engine has changed since to one
 * that cannot run the Program: engine_without_device.
 */
extern const EngineOps *engine_for_plan(int planned, const Program *program);

#endif							/* GPUAGG_SELECT_H */
