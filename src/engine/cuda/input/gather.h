/*
 * gather.h
 *	  An input buffer's pages into its bytes on the device, in the copy stream.
 */
#ifndef GPUAGG_GATHER_H
#define GPUAGG_GATHER_H

#include "engine/cuda/input/page_calls.h"
#include "engine/cuda/input/page_deformer.h"

/* Those that kernels read in place, of the buffer's pages from `first` on. */
extern EngineStatus gather_in_place(RunCore *run, const PageDeformer *deformer,
									const InputLayout *input, const InputBuffer *buffer,
									uint32_t first, PageCall *call);

/* Those that have been copied into its stage. */
extern EngineStatus gather_copied(RunCore *run, const PageDeformer *deformer,
								  const InputLayout *input, const InputBuffer *buffer);

#endif							/* GPUAGG_GATHER_H */
