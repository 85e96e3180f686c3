/*
 * device_launch.c
 *	  Launching a kernel, on every device.
 *
 * A block gets 48 kB of shared memory, static and dynamic together, and more only if the
 * kernel has been allowed to have it.  Dynamic shared memory is always allowed first,
 * whatever its size, so that nothing here depends on what a kernel declares.
 */
#include <stdio.h>
#include <string.h>

#include "engine/cuda/device/device.h"

/* Say which launch it was, behind the device's own words. */
static void
add_numbers(Device *device, DeviceKernel *kernel, uint32_t grid, uint32_t block,
			uint32_t shared)
{
	size_t		used = strlen(device->message);
	KernelUse	use = {0};

	device->ops->kernel_use(device, kernel, &use);
	snprintf(device->message + used, sizeof(device->message) - used,
			 ": kernel \"%s\", %u blocks of %u threads (at most %u), %u bytes of dynamic and %u of static shared memory, %u registers",
			 kernel->name, grid, block, use.threads, shared, use.static_shared, use.registers);
}

DeviceStatus
device_launch(Device *device, DeviceStream *stream, DeviceKernel *kernel, uint32_t grid,
			  uint32_t block, uint32_t shared, void **params)
{
	DeviceStatus status = DEVICE_OK;

	if (shared > kernel->allowed_shared)
	{
		status = device->ops->allow_shared(device, kernel, shared);
		if (status == DEVICE_OK)
			kernel->allowed_shared = shared;
	}
	if (status == DEVICE_OK)
		status = device->ops->launch(device, stream, kernel, grid, block, shared, params);
	if (status != DEVICE_OK)
		add_numbers(device, kernel, grid, block, shared);
	return status;
}
