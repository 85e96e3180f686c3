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

/* A GpuAggEngine as gpuagg.engine names it. */
extern const char *engine_choice_name(int choice);

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
 * The engine to run a plan with that was made for the GpuAggEngine `planned` (only plans made
 * under `auto` need it; cuda may be gone since).  Where gpuagg.engine has changed since to one
 * that cannot run the Program: cpu.
 */
extern const EngineOps *engine_for_plan(int planned, const Program *program);

#endif							/* GPUAGG_SELECT_H */
