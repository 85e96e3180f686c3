/*
 * compile.h
 *	  DeviceOps.compile for an open device, whose message it sets.
 */
#ifndef GPUAGG_TEST_COMPILE_H
#define GPUAGG_TEST_COMPILE_H

#include "engine/cuda/device/device.h"

static inline DeviceStatus
device_compile(Device *dev, const char *text, const char *const *options,
			   void **image, size_t *size)
{
	return dev->ops->compile(&dev->info, text, options, image, size,
							 dev->message, sizeof(dev->message));
}

#endif							/* GPUAGG_TEST_COMPILE_H */
