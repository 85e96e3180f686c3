/*
 * device_memory.h
 *	  Device memory that runs take and give back.
 *
 * Freeing device memory waits for all work on the device, that of other runs too.
 * Where several runs share a device, memory is therefore kept for later runs, and all
 * of it together is bounded.
 */
#ifndef GPUAGG_DEVICE_MEMORY_H
#define GPUAGG_DEVICE_MEMORY_H

#include "engine/cuda/device/device.h"

typedef struct KeptMemory KeptMemory;

/* Begins as zeros. */
typedef struct DeviceMemory
{
	uint64_t	budget;			/* bytes for all runs; 0: there is one run at a time,
								 * and nothing is kept */
	uint64_t	lent;			/* bytes that runs have */
	uint64_t	kept;			/* bytes that none has */
	KeptMemory *blocks;			/* these; what was given back last comes first */
} DeviceMemory;

/* What memory of that size really takes. */
extern uint64_t device_memory_size(const DeviceMemory *memory, uint64_t size);

/*
 * Memory of at least that size.  What is given back must not be used any more by work
 * on the device.
 */
extern DeviceStatus device_memory_take(Device *device, DeviceMemory *memory, uint64_t size,
									   DevicePtr *ptr);
extern void device_memory_give(Device *device, DeviceMemory *memory, DevicePtr ptr,
							   uint64_t size);

/* Give what is kept back to the device until no more than so many bytes are. */
extern void device_memory_trim(Device *device, DeviceMemory *memory, uint64_t keep);

#endif							/* GPUAGG_DEVICE_MEMORY_H */
