/*
 * prefilter.h
 *	  Which of the filter's conditions kernels evaluate first (prefilter.cuh).
 *
 * Pure functions, as those of choose.h.
 */
#ifndef GPUAGG_PREFILTER_H
#define GPUAGG_PREFILTER_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/strategy.h"
#include "engine/cuda/strategy/sample_facts.h"

/* Shared memory of a block that its rows' queues take, at most. */
#define PREFILTER_SHARED 8192

/* The conditions of a Program with these parameters that can be evaluated first. */
extern void prefilter_candidates(const Program *program, const ParamValue *params,
								 Prefilter *candidates);

/*
 * Those of the layout's candidates that are worth it, by the shares of rows that a sample tells:
 * the layout's prefilter, which may be none.
 */
extern void prefilter_choose(const Program *program, const ParamValue *params,
							 const SampleFacts *facts, KernelLayout *layout);

/* For tests: all candidates are worth it, in their order. */
#ifdef GPUAGG_TESTING
extern bool prefilter_takes_all;
#endif

/* Do kernels of a strategy evaluate conditions first?  Not where neighbours are to stay so. */
extern bool prefilter_suits(Strategy strategy);

#endif							/* GPUAGG_PREFILTER_H */
