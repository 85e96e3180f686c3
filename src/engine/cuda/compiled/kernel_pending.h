/*
 * kernel_pending.h
 *	  Kernels that were asked for and are not loaded yet.
 */
#ifndef GPUAGG_KERNEL_PENDING_H
#define GPUAGG_KERNEL_PENDING_H

#include "engine/cuda/compiled/kernel_disk.h"
#include "engine/cuda/device/device.h"

/* An image that is wanted; the source is the requester's. */
typedef struct ImageRequest
{
	const DeviceOps *ops;
	const DeviceInfo *info;		/* of the device, which need not be open */
	const KernelSource *source;
	bool		from_disk;		/* it may come from there */
} ImageRequest;

/*
 * Begin to get an image, unless that was begun or there is no memory: from disk, or
 * compiled in a thread.  If too many compilers work (four; for what no run waits for, one for
 * two processors), it is queued until one is free and something else is asked for, or
 * kernel_pending_keep is called.  If too much is queued, what was asked for first is forgotten.
 */
extern void kernel_pending_begin(const ImageRequest *request);

/* The same, and true if the image is there; one that cannot be had never is. */
extern bool kernel_pending_ready(const ImageRequest *request);

/*
 * Wait for an image, which is the caller's to free, and is pending no longer.
 * *compiled says that it did not come from disk.  BUSY: `wait`, which is
 * EngineHints.wait, said that this should end; then it stays pending.  All
 * failures have a message.
 */
extern DeviceStatus kernel_pending_get(const ImageRequest *request,
									   bool (*wait) (int milliseconds),
									   void **image, size_t *size, bool *compiled,
									   char *message, size_t len);

/*
 * Forget compilations that have failed: what failed for one run may be right for
 * the next, and to be called before that asks for anything.
 */
extern void kernel_pending_forget_failures(void);

/*
 * Keep on disk what has been compiled since and nobody waits for, and compile what is
 * queued.  Is more still to be compiled?
 */
extern bool kernel_pending_keep(void);

/*
 * Wait for what is still being compiled, and keep it on disk: before the process
 * ends, since a compiler that runs while it does may crash.  What has not begun never does.
 */
extern void kernel_pending_end(void);

#endif							/* GPUAGG_KERNEL_PENDING_H */
