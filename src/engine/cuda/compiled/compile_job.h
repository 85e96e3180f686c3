/*
 * compile_job.h
 *	  The compilation of a kernel, in a thread of its own.
 */
#ifndef GPUAGG_COMPILE_JOB_H
#define GPUAGG_COMPILE_JOB_H

#include "engine/cuda/device/device.h"

typedef struct CompileJob CompileJob;

/*
 * Begin to compile text, which is copied, for such a device, which need not be
 * open.  NULL: out of memory.  Every job must be ended.
 */
extern CompileJob *compile_job_begin(const DeviceOps *ops, const DeviceInfo *info,
									 const char *text);

/* Wait for at most so many milliseconds; is the job done? */
extern bool compile_job_wait(CompileJob *job, int milliseconds);

/* Is it done, without an image? */
extern bool compile_job_failed(CompileJob *job);

/*
 * Take the result, as DeviceOps.compile gives it, and free the job.  Waits for
 * it, if it is not done, and cannot be interrupted.
 */
extern DeviceStatus compile_job_end(CompileJob *job, void **image, size_t *size,
									char *message, size_t len);

#endif							/* GPUAGG_COMPILE_JOB_H */
