/*
 * pages.h
 *	  Heap pages into an input buffer.
 */
#ifndef GPUAGG_PAGES_H
#define GPUAGG_PAGES_H

#include "engine/cuda/input/input_buffer.h"

/*
 * Take as many of n pages into a buffer as it has room for: *taken.  Threads copy those
 * that kernels cannot read in place: they must stay until copier_wait has returned for
 * *ticket.  keeps: columns of pages are kept, so that those without rows have places, too.
 */
extern EngineStatus pages_take(RunCore *run, const InputLayout *input, bool keeps,
							   const PageRef *pages, uint32_t n, InputBuffer *buffer,
							   uint64_t *ticket, uint32_t *taken);

#endif							/* GPUAGG_PAGES_H */
