/*
 * memory_needed.h
 *	  An estimate of the device memory that a run begins with.
 */
#ifndef GPUAGG_MEMORY_NEEDED_H
#define GPUAGG_MEMORY_NEEDED_H

#include "engine/engine.h"

/* EngineProcess.memory_needed. */
extern uint64_t memory_needed(const Program *program, const EngineHints *hints);

#endif							/* GPUAGG_MEMORY_NEEDED_H */
