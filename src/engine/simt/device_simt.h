/*
 * device_simt.h
 *	  The simulated device's own state, its compiler, and the failures that tests ask for.
 */
#ifndef GPUAGG_SIMT_DEVICE_SIMT_H
#define GPUAGG_SIMT_DEVICE_SIMT_H

#include <pthread.h>

#include "engine/cuda/device/device.h"
#include "engine/simt/block.h"
#include "engine/simt/limits.h"
#include "engine/simt/memory.h"
#include "engine/simt/simt.h"

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
	int			number;
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

/*
 * host_compile.c: kernel text to a shared object by the host's C compiler.
 */

/* Is the compiler there?  If not, why. */
extern bool simt_compiler_there(char *why, size_t len);

/* As DeviceOps.compile; takes -D, -U and -I of the options. */
extern DeviceStatus simt_host_compile(const char *text, const char *const *options,
									  void **image, size_t *size,
									  char *message, size_t len);

/*
 * simt_inject.c: failures that tests ask the simulated device for.
 */

/* Of a call that is no device's. */
#define SIMT_NO_DEVICE (-1)

/* Count a device's call; the status it must fail with, or DEVICE_OK. */
extern DeviceStatus simt_injected(int device, const char *call);

#endif							/* GPUAGG_SIMT_DEVICE_SIMT_H */
