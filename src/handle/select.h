/*
 * select.h
 *	  Which engine runs a query.
 */
#ifndef GPUAGG_SELECT_H
#define GPUAGG_SELECT_H

#include "engine/engine.h"

/* The engine of a GpuAggEngine (guc.h), or NULL if the build lacks it. */
extern const EngineOps *engine_named(int choice);

/* And back: the GpuAggEngine that it is. */
extern int	engine_number(const EngineOps *ops);

/*
 * The engine that gpuagg.engine names; for `auto`, NULL.  Raises an ERROR if one
 * is named that is not there.
 */
extern const EngineOps *engine_required(void);

/*
 * Is the CUDA engine there?  Looks for a device the first time, which takes a
 * moment, and tells the log once if it finds none.
 */
extern bool engine_cuda_answers(void);

/*
 * The engine to run a plan with that was made for the engine named `planned`
 * (only plans made under `auto` need it; cuda may be gone since).  Where
 * gpuagg.engine has changed since to one that cannot run the Program: cpu.
 */
extern const EngineOps *engine_for_plan(const char *planned, const Program *program);

#endif							/* GPUAGG_SELECT_H */
