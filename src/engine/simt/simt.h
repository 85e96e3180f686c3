/*
 * simt.h
 *	  What tests can do to the simulated device beyond Device's functions.
 *
 * All of it can also be set in the environment, read when a device is opened:
 *	  GPUAGG_SIMT_CC		the C compiler, "cc" by default
 *	  GPUAGG_SIMT_CFLAGS	more words of its command line, for kernels that are compiled
 *							from then on: those on disk are not told apart by them
 *	  GPUAGG_SIMT_MEMORY	device memory in bytes, 256 MB by default; numbers with commas between
 *							them: of so many devices, each its own
 *	  GPUAGG_SIMT_CAPABILITY	the compute capability of the GPUs whose limits it has,
 *						"9.0" by default
 *	  GPUAGG_SIMT_SEED		as simt_set_seed
 *	  GPUAGG_SIMT_INJECT	as simt_inject_text
 */
#ifndef GPUAGG_SIMT_H
#define GPUAGG_SIMT_H

#include "engine/cuda/device/device.h"

/*
 * Let the nth (from 1) call from now on of the DeviceOps member called `call`
 * fail with status, once; `call@1`: of those of device number 1, which none of `compile` is.  With DEVICE_FAILED the device is lost from then on; a
 * "launch" then fails when the kernel runs, as on a device, so it is a later wait or query
 * that says so.  The call "any" counts every call, and from the nth on all of them fail: the
 * device has disappeared.  A NULL call takes all injections back.  They hold for the
 * process, whichever devices are open.  False: no such call, or too many
 * injections.
 */
extern bool simt_inject(const char *call, int nth, DeviceStatus status);

/*
 * The same as text: "call:nth:status[,...]", the status one of no_memory,
 * compile, refused and failed; an empty text takes all back.  False if it is malformed.
 */
extern bool simt_inject_text(const char *text);

/*
 * Threads of later launches change in an order that the seed determines, also
 * at atomics; 0: in their own order.
 */
extern void simt_set_seed(Device *dev, uint64_t seed);

#endif							/* GPUAGG_SIMT_H */
