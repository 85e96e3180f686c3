/*
 * memory.h
 *	  The simulated device's memory: host memory with guards.
 */
#ifndef GPUAGG_SIMT_MEMORY_H
#define GPUAGG_SIMT_MEMORY_H

#include "engine/cuda/device/device.h"

typedef struct SimtBuffer SimtBuffer;

typedef struct SimtMemory
{
	SimtBuffer *first;
	uint64_t	limit;			/* bytes that all buffers together may have */
	uint64_t	used;
	uint64_t	allocations;	/* ever, to number buffers */
} SimtMemory;

/* A buffer full of garbage, aligned to 256 bytes; 0: no memory. */
extern DevicePtr simt_memory_alloc(SimtMemory *memory, size_t size);

/*
 * Give a buffer back.  False, with the reason, if it is none, or if somebody
 * wrote outside it; an existing buffer is freed even so.
 */
extern bool simt_memory_release(SimtMemory *memory, DevicePtr ptr,
								char *message, size_t len);

/* Does the range lie in one buffer?  If not, why. */
extern bool simt_memory_range(const SimtMemory *memory, DevicePtr ptr,
							  size_t size, char *message, size_t len);

/* Has anybody written outside a buffer?  If so, false and which. */
extern bool simt_memory_check(const SimtMemory *memory, char *message, size_t len);

/*
 * Hide memory from what was compiled with the address sanitizer, and show it again; nothing in
 * a process without it.
 */
extern void simt_memory_hide(const void *address, size_t size);
extern void simt_memory_show(const void *address, size_t size);

extern void simt_memory_free_all(SimtMemory *memory);

#endif							/* GPUAGG_SIMT_MEMORY_H */
