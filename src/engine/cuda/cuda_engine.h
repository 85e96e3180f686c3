/*
 * cuda_engine.h
 *	  The CUDA engine, on a GPU and on the simulated device.
 */
#ifndef GPUAGG_CUDA_ENGINE_H
#define GPUAGG_CUDA_ENGINE_H

#include <stddef.h>

#include "engine/engine.h"

extern const EngineOps cuda_engine;
extern const EngineCosts cuda_costs;
extern const EngineOps simt_engine;
extern const EngineCosts simt_costs;

/*
 * In a process that serves many runs at once, before the first of them: how much device
 * memory all of them may have together, 0: 80 % of what is free; and memory of the
 * process, of the given size, in which heap pages lie that kernels may read.
 */
extern void cuda_engine_serve(uint64_t memory, const void *pages, size_t size);

/*
 * In such a process, now and then: keep on disk the kernels that runs have asked for and
 * not waited for.  Are more being compiled?
 */
extern bool cuda_engine_keep_kernels(void);

#endif							/* GPUAGG_CUDA_ENGINE_H */
