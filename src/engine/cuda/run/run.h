/*
 * run.h
 *	  One run of the CUDA engine: its parts, each of which belongs to the folder
 *	  of that name, and what memory it begins with.
 */
#ifndef GPUAGG_RUN_H
#define GPUAGG_RUN_H

#include "engine/cuda/aggregate/aggregation.h"
#include "engine/cuda/core/run_core.h"
#include "engine/cuda/input/input.h"
#include "engine/cuda/output/output.h"

typedef struct CudaRun
{
	RunCore		core;			/* first: callers have a pointer to its head */
	Input		input;
	Aggregation aggregation;
	Output		output;
} CudaRun;

/*
 * memory_needed.c: an estimate of the device memory that a run begins with.
 */

/* EngineProcess.memory_needed. */
extern uint64_t memory_needed(const Program *program, const EngineHints *hints);

#endif							/* GPUAGG_RUN_H */
