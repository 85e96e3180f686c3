/*
 * device_simt.h
 *	  The simulated device's own state, for its files.
 */
#ifndef GPUAGG_SIMT_DEVICE_SIMT_H
#define GPUAGG_SIMT_DEVICE_SIMT_H

#include <pthread.h>

#include "engine/cuda/device/device.h"
#include "engine/simt/block.h"
#include "engine/simt/limits.h"
#include "engine/simt/memory.h"

/* Host memory that was registered, or allocated. */
typedef struct SimtRegistered
{
	struct SimtRegistered *next;
	const char *address;
	size_t		size;
} SimtRegistered;

typedef struct SimtDevice
{
	Device		device;			/* first: callers have a pointer to it */
	SimtMemory	memory;
	SimtBlock  *block;
	DeviceStream *streams;		/* all of them */
	SimtRegistered *registered; /* host memory, under the mutex */
	SimtRegistered *allocated;	/* host_alloc's, the device's thread's */
	const SimtModel *model;
	pthread_mutex_t mutex;
	bool		lost;			/* a kernel failed: nothing works any more, as
								 * after an error in a CUDA context */
	char		lost_message[512];
} SimtDevice;

#endif							/* GPUAGG_SIMT_DEVICE_SIMT_H */
