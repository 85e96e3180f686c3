/*
 * pages.h
 *	  Heap pages into an input buffer.
 */
#ifndef GPUAGG_PAGES_H
#define GPUAGG_PAGES_H

#include "engine/cuda/input/input_buffer.h"

/*
 * Take a page into a buffer that has room for it.  Threads copy it: it must stay
 * until copier_wait has returned for *ticket.
 */
extern EngineStatus pages_take_one(RunCore *run, const InputLayout *input,
								   const PageRef *ref, InputBuffer *buffer,
								   uint64_t *ticket);

#endif							/* GPUAGG_PAGES_H */
