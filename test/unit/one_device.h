/*
 * one_device.h
 *	  A device for all of a program: the simulated one or, with GPUAGG_TEST_ENGINE=cuda, a
 *	  GPU; and a module of kernels for it.
 */
#ifndef GPUAGG_TEST_ONE_DEVICE_H
#define GPUAGG_TEST_ONE_DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

static Device *dev;
static const DeviceOps *ops;

/* End the program unless the device has done it. */
static void
must(DeviceStatus status)
{
	if (status == DEVICE_OK)
		return;
	printf("Bail out! %s\n", dev->message);
	exit(1);
}

/* Open the device and compile a text for it. */
static DeviceModule *
open_with_module(const char *text)
{
	const char *engine = getenv("GPUAGG_TEST_ENGINE");
	DeviceModule *module;
	char		why[256];
	void	   *image;
	size_t		size;

	ops = engine && strcmp(engine, "cuda") == 0 ? &cuda_device : &simt_device;
	dev = ops->open(0, why, sizeof(why));
	if (dev == NULL)
	{
		printf("Bail out! %s\n", why);
		exit(1);
	}
	must(device_compile(dev, text, NULL, &image, &size));
	must(ops->module_load(dev, image, size, &module));
	free(image);
	return module;
}

#endif							/* GPUAGG_TEST_ONE_DEVICE_H */
