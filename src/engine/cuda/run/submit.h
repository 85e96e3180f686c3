/*
 * submit.h
 *	  A full buffer's way through the device: copy, deform, aggregate.
 */
#ifndef GPUAGG_SUBMIT_H
#define GPUAGG_SUBMIT_H

#include "engine/cuda/run/run.h"

/* Hand a buffer with rows to the device. */
extern EngineStatus submit_buffer(CudaRun *run, InputBuffer *buffer);

/* The same of a buffer whose rows are columns on the device already. */
extern EngineStatus submit_columns(CudaRun *run, InputBuffer *buffer);

/*
 * Hand segments that are served to the device, once it is done with those before.  OK: all
 * their rows are in the table; BUSY: ask again.
 */
extern EngineStatus submit_segments(CudaRun *run);

/*
 * See what came of a submitted buffer, and do what is left to be done.  OK: all its
 * rows are in the table and it is empty; BUSY: ask again.
 */
extern EngineStatus submit_finish(CudaRun *run, InputBuffer *buffer);

/* The same for all buffers. */
extern EngineStatus submit_finish_all(CudaRun *run);

#endif							/* GPUAGG_SUBMIT_H */
