/*
 * host_memory.h
 *	  Page-locked host memory for kept columns that device memory has no room for.
 *
 * To page-lock memory, and to free such memory, takes the driver long and may wait for all work
 * on the device.  So it is taken in slabs, of which chunks get pieces.  A slab without pieces is
 * given back.
 *
 * Kernels write to it at the same address, and copies from it run at the link's speed.  One thread
 * uses it.
 */
#ifndef GPUAGG_HOST_MEMORY_H
#define GPUAGG_HOST_MEMORY_H

#include "engine/cuda/device/device.h"

typedef struct HostSlab HostSlab;

/* Begins as zeros, but for the limit. */
typedef struct HostMemory
{
	uint64_t	limit;			/* bytes of slabs; 0: there are none */
	uint64_t	held;			/* bytes of slabs */
	uint64_t	used;			/* bytes of pieces */
	HostSlab   *slabs;
	DeviceStream *stream;		/* that copies between it and the device; NULL: not yet */
	bool		refused;		/* there is no memory for another slab: */
	char		why[256];
} HostMemory;

/* A piece of at least that size, at a multiple of 256 bytes; NULL: there is no room for it. */
extern void *host_memory_take(Device *device, HostMemory *memory, uint64_t size);
extern void host_memory_give(Device *device, HostMemory *memory, void *piece, uint64_t size);

/* Copy to a piece, or from it, and wait for that; false: it failed. */
extern bool host_memory_download(Device *device, HostMemory *memory, void *to, DevicePtr from,
								 uint64_t size);
extern bool host_memory_upload(Device *device, HostMemory *memory, DevicePtr to,
							   const void *from, uint64_t size);

/* Free what there is; no pieces are left.  The limit stays. */
extern void host_memory_close(Device *device, HostMemory *memory);

#endif							/* GPUAGG_HOST_MEMORY_H */
