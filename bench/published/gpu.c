/*
 * gpu.c
 *	  A device for the experiments: memory, modules, timed launches.
 */
#include <stdio.h>
#include <stdlib.h>

#include "published.h"

/* Any failure is the end. */
static void
check(const Gpu *gpu, DeviceStatus status)
{
	if (status == DEVICE_OK)
		return;
	fprintf(stderr, "%s\n", gpu->context->device->message);
	exit(1);
}

void
gpu_open(Bench *bench, Gpu *gpu)
{
	char		why[256];
	Device	   *dev;

	gpu->bench = bench;
	gpu->context = context_get(bench->device, 0, why, sizeof(why));
	if (gpu->context == NULL)
	{
		fprintf(stderr, "no device: %s\n", why);
		exit(1);
	}
	dev = gpu->context->device;
	check(gpu, bench->device->stream_create(dev, &gpu->stream));
	check(gpu, bench->device->event_create(dev, &gpu->from));
	check(gpu, bench->device->event_create(dev, &gpu->to));
}

void
gpu_close(Gpu *gpu)
{
	const DeviceOps *ops = gpu->bench->device;
	Device	   *dev = gpu->context->device;

	ops->event_destroy(dev, gpu->from);
	ops->event_destroy(dev, gpu->to);
	ops->stream_destroy(dev, gpu->stream);
	context_close(ops);
}

DevicePtr
gpu_alloc(Gpu *gpu, uint64_t size)
{
	DevicePtr	ptr;

	check(gpu, gpu->bench->device->alloc(gpu->context->device, size, &ptr));
	return ptr;
}

void
gpu_free(Gpu *gpu, DevicePtr ptr)
{
	gpu->bench->device->free(gpu->context->device, ptr);
}

void
gpu_zero(Gpu *gpu, DevicePtr ptr, uint64_t size)
{
	check(gpu, gpu->bench->device->fill(gpu->context->device, gpu->stream, ptr, 0, size));
}

void
gpu_upload(Gpu *gpu, DevicePtr to, const void *from, uint64_t size)
{
	const DeviceOps *ops = gpu->bench->device;

	check(gpu, ops->upload(gpu->context->device, gpu->stream, to, from, size));
	check(gpu, ops->stream_wait(gpu->context->device, gpu->stream));
}

void *
gpu_download(Gpu *gpu, DevicePtr from, uint64_t size)
{
	const DeviceOps *ops = gpu->bench->device;
	void	   *to = malloc(size);

	if (to == NULL)
	{
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	check(gpu, ops->download(gpu->context->device, gpu->stream, to, from, size));
	check(gpu, ops->stream_wait(gpu->context->device, gpu->stream));
	return to;
}

DeviceModule *
gpu_module(Gpu *gpu, const char *text)
{
	LoadedModule *module;
	bool		cached;

	check(gpu, kernel_cache_load(gpu->context->device, &gpu->context->modules, text, NULL,
								 &module, &cached));
	return kernel_cache_module(module);
}

void
gpu_launch_blocks(Gpu *gpu, DeviceModule *module, const char *kernel, uint32_t blocks,
				  uint32_t threads, void *args)
{
	const DeviceOps *ops = gpu->bench->device;
	Device	   *dev = gpu->context->device;
	void	   *params[] = {args};
	DeviceKernel *loaded;
	float		ms;

	check(gpu, ops->kernel(dev, module, kernel, &loaded));
	check(gpu, ops->event_record(dev, gpu->from, gpu->stream));
	check(gpu, ops->launch(dev, gpu->stream, loaded, blocks, threads, 0, params));
	check(gpu, ops->event_record(dev, gpu->to, gpu->stream));
	check(gpu, ops->stream_wait(dev, gpu->stream));
	check(gpu, ops->event_elapsed(dev, gpu->from, gpu->to, &ms));
	gpu->ms += ms;
}

void
gpu_launch(Gpu *gpu, DeviceModule *module, const char *kernel, uint64_t items,
		   uint32_t threads, void *args)
{
	uint64_t	most = (uint64_t) gpu->context->device->info.multiprocessors * (2048 / threads);
	uint64_t	blocks = (items + threads - 1) / threads;

	gpu_launch_blocks(gpu, module, kernel, (uint32_t) (blocks < most ? blocks : most), threads,
					  args);
}
