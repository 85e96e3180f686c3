/*
 * cuda_engine.h
 *	  The CUDA engine, on a GPU and on the simulated device.
 */
#ifndef GPUAGG_CUDA_ENGINE_H
#define GPUAGG_CUDA_ENGINE_H

#include "engine/engine.h"

extern const EngineOps cuda_engine;
extern const EngineCosts cuda_costs;
extern const EngineOps simt_engine;
extern const EngineCosts simt_costs;

#endif							/* GPUAGG_CUDA_ENGINE_H */
