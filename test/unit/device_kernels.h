/*
 * device_kernels.h
 *	  What kernels must do on every device: the same tests for simt and cuda.
 */
#ifndef DEVICE_KERNELS_H
#define DEVICE_KERNELS_H

#include "engine/cuda/device.h"

/* Compile a set of kernels for the device and test them; reports by tap.h. */
extern void test_device_kernels(Device *dev);

/*
 * Streams, events and the failures that leave the device usable.
 */
extern void test_device_calls(Device *dev);

/*
 * Run the kernel of that name of a text: params is its parameter.  The status
 * of the first step that fails, compilation to waiting.
 */
extern DeviceStatus run_kernel(Device *dev, const char *text, const char *name,
							   uint32_t grid, uint32_t block, uint32_t shared,
							   void *params);

/* Device memory with the host's bytes in it; ends the test if there is none. */
extern DevicePtr device_copy(Device *dev, const void *from, size_t size);
/* Its content back. */
extern void host_copy(Device *dev, void *to, DevicePtr from, size_t size);

#endif							/* DEVICE_KERNELS_H */
