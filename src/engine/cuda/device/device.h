/*
 * device.h
 *	  A CUDA device as the engine sees it: a struct of functions.
 *
 * Two implementations: `cuda` (libcuda and NVRTC, both loaded at run time) and
 * `simt` (kernel text compiled by the host compiler, threads as fibers, for
 * tests).  Plain C99 without postgres.h and without CUDA's headers.
 *
 * All functions but those that return nothing return a DeviceStatus and, if it
 * is not OK, leave a message in Device.message.  One Device is used by one
 * thread.  Work goes to streams and is done in order there; different streams run
 * at the same time.
 *
 * stream_wait and stream_destroy wait for the stream's work.  What makes or frees
 * something (memory, events, modules, kernels, the device) may wait for work too;
 * upload and download may if the host memory is not page-locked.  No other
 * function waits for the device.
 */
#ifndef GPUAGG_DEVICE_H
#define GPUAGG_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/devices.h"

typedef enum DeviceStatus
{
	DEVICE_OK,
	DEVICE_BUSY,				/* a query's answer: not done yet */
	DEVICE_NO_MEMORY,
	DEVICE_COMPILE,				/* the kernel text does not compile */
	DEVICE_REFUSED,				/* anything else: the device is what it was */
	DEVICE_FAILED				/* it cannot be used any more: every later call fails,
								 * too, until it is opened anew */
} DeviceStatus;

typedef uint64_t DevicePtr;		/* an address in device memory */
typedef struct DeviceStream DeviceStream;
typedef struct DeviceEvent DeviceEvent;
typedef struct DeviceModule DeviceModule;

/* The head of every kernel; devices put their own struct around it. */
typedef struct DeviceKernel
{
	const char *name;
	uint32_t	allowed_shared; /* bytes of dynamic shared memory: device_launch */
} DeviceKernel;

/* What a block of a kernel takes of a multiprocessor. */
typedef struct KernelUse
{
	uint32_t	threads;		/* that it can have at most */
	uint32_t	static_shared;	/* bytes of shared memory that the kernel declares */
	uint32_t	registers;		/* of a thread; 0: unknown */
} KernelUse;

typedef struct Device
{
	const struct DeviceOps *ops;
	DeviceInfo	info;
	char		message[512];
} Device;

typedef struct DeviceOps
{
	const char *name;			/* "cuda", "simt" */

	/*
	 * Devices of this kind: fills at most max infos and returns how many there
	 * are.  A missing driver: 0, and why says what is missing.
	 */
	int			(*list) (DeviceInfo *infos, int max, char *why, size_t len);

	/* Open device number `index`; NULL with the reason in why on failure. */
	Device	   *(*open) (int index, char *why, size_t len);
	void		(*close) (Device *dev);

	/* Device memory. free also takes 0. */
	DeviceStatus (*alloc) (Device *dev, size_t size, DevicePtr *ptr);
	void		(*free) (Device *dev, DevicePtr ptr);
	DeviceStatus (*memory_free) (Device *dev, uint64_t *bytes);

	/*
	 * Page-locked host memory that copies run at full speed from, and that kernels
	 * read and write at the same address.
	 */
	DeviceStatus (*host_alloc) (Device *dev, size_t size, void **ptr);
	void		(*host_free) (Device *dev, void *ptr);

	/*
	 * Let kernels read other host memory, which is mapped at least for reading, at
	 * *ptr.  The address is the beginning of a page of the operating system.  No two
	 * areas registered with a device overlap, but several devices may have the same area,
	 * which all of them have until the first one unregisters it.  Any thread may register,
	 * beside all other calls but this one, of any device; the message goes to why.
	 */
	DeviceStatus (*host_register) (Device *dev, const void *address, size_t size,
								   DevicePtr *ptr, char *why, size_t len);
	void		(*host_unregister) (Device *dev, const void *address);

	/* Streams and events.  Elapsed time in milliseconds between two events. */
	DeviceStatus (*stream_create) (Device *dev, DeviceStream **stream);
	void		(*stream_destroy) (Device *dev, DeviceStream *stream);
	DeviceStatus (*stream_wait) (Device *dev, DeviceStream *stream);
	DeviceStatus (*event_create) (Device *dev, DeviceEvent **event);
	void		(*event_destroy) (Device *dev, DeviceEvent *event);
	DeviceStatus (*event_record) (Device *dev, DeviceEvent *event, DeviceStream *stream);
	DeviceStatus (*event_query) (Device *dev, DeviceEvent *event);
	DeviceStatus (*event_elapsed) (Device *dev, DeviceEvent *from, DeviceEvent *to, float *ms);
	/* Work given to the stream from now on waits for the event. */
	DeviceStatus (*stream_wait_event) (Device *dev, DeviceStream *stream, DeviceEvent *event);

	/* Copies, in a stream; host memory should be page-locked. */
	DeviceStatus (*upload) (Device *dev, DeviceStream *stream, DevicePtr to,
							const void *from, size_t size);
	DeviceStatus (*download) (Device *dev, DeviceStream *stream, void *to,
							  DevicePtr from, size_t size);
	DeviceStatus (*fill) (Device *dev, DeviceStream *stream, DevicePtr ptr,
						  uint8_t byte, size_t size);

	/*
	 * The same from the memory of another open device of this kind, on which the work that
	 * writes there has ended.
	 */
	DeviceStatus (*copy_from) (Device *dev, DeviceStream *stream, DevicePtr to,
							   Device *other, DevicePtr from, size_t size);

	/*
	 * Compile kernel text for such a device, once it has been listed or opened
	 * (options: extra compiler flags, a NULL-terminated array, or NULL) into an
	 * image, malloc'd, for the caller to keep and to free; a module is loaded
	 * from an image.  On DEVICE_COMPILE the message begins with the compiler's
	 * first error.  Any thread may compile, beside all other calls.
	 */
	DeviceStatus (*compile) (const DeviceInfo *info, const char *text,
							 const char *const *options, void **image, size_t *size,
							 char *message, size_t len);
	DeviceStatus (*module_load) (Device *dev, const void *image, size_t size,
								 DeviceModule **module);
	void		(*module_unload) (Device *dev, DeviceModule *module);
	/* A module's kernel, which lives as long as it; the same one for the same name. */
	DeviceStatus (*kernel) (Device *dev, DeviceModule *module, const char *name,
							DeviceKernel **kernel);

	/* What it takes; zeros where the device does not tell. */
	void		(*kernel_use) (Device *dev, DeviceKernel *kernel, KernelUse *use);

	/*
	 * Let blocks of the kernel have so much dynamic shared memory.  Where that was not
	 * called, they have 48 kB at most, the static one included.
	 */
	DeviceStatus (*allow_shared) (Device *dev, DeviceKernel *kernel, uint32_t shared);

	/*
	 * Launch: params is an array of pointers to the parameters' values, as
	 * cuLaunchKernel takes it.  shared: bytes of dynamic shared memory.  The engine
	 * calls device_launch.
	 */
	DeviceStatus (*launch) (Device *dev, DeviceStream *stream, DeviceKernel *kernel,
							uint32_t grid, uint32_t block, uint32_t shared,
							void **params);
} DeviceOps;

extern const DeviceOps cuda_device;
extern const DeviceOps simt_device;

/*
 * Launch, and allow the shared memory for it before.  What fails says of which launch in
 * the message.
 */
extern DeviceStatus device_launch(Device *dev, DeviceStream *stream, DeviceKernel *kernel,
								  uint32_t grid, uint32_t block, uint32_t shared,
								  void **params);

#endif							/* GPUAGG_DEVICE_H */
