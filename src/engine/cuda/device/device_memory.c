/*
 * device_memory.c
 *	  Device memory that runs take and give back.
 *
 * Sizes are rounded up to a power of two or to eighths above one, so that memory
 * fits later runs.  A block is taken for its size only.  If the budget or the
 * device has no room, kept blocks go back to the device, those kept for longest first.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/cuda/device/device_memory.h"

#define SMALLEST 512
#define STEPS 8					/* between two powers of two */

/* Of the budget, what is kept at most while no run has it. */
#define KEPT_SHARE 2

struct KeptMemory
{
	struct KeptMemory *next;
	DevicePtr	ptr;
	uint64_t	size;			/* as rounded */
};

uint64_t
device_memory_size(const DeviceMemory *memory, uint64_t size)
{
	uint64_t	power = SMALLEST;
	uint64_t	step;

	if (memory->budget == 0)
		return size;
	while (power <= size / 2)
		power *= 2;
	step = power == SMALLEST ? SMALLEST : power / STEPS;
	return (size + step - 1) / step * step;
}

/* Take a block of that size out of those kept. */
static bool
take_kept(DeviceMemory *memory, uint64_t size, DevicePtr *ptr)
{
	KeptMemory **link = &memory->blocks;
	KeptMemory *block;

	while (*link != NULL && (*link)->size != size)
		link = &(*link)->next;
	block = *link;
	if (block == NULL)
		return false;
	*link = block->next;
	*ptr = block->ptr;
	memory->kept -= size;
	free(block);
	return true;
}

DeviceStatus
device_memory_take(Device *device, DeviceMemory *memory, uint64_t size, DevicePtr *ptr)
{
	uint64_t	bytes = device_memory_size(memory, size);
	DeviceStatus status = DEVICE_OK;

	*ptr = 0;
	if (memory->budget > 0 && bytes > memory->budget - memory->lent)
	{
		snprintf(device->message, sizeof(device->message),
				 "all runs together have %llu of %llu bytes",
				 (unsigned long long) memory->lent, (unsigned long long) memory->budget);
		return DEVICE_NO_MEMORY;
	}
	if (!take_kept(memory, bytes, ptr))
	{
		if (memory->budget > 0)
			device_memory_trim(device, memory, memory->budget - memory->lent - bytes);
		status = device->ops->alloc(device, bytes, ptr);
		if (status == DEVICE_NO_MEMORY && memory->kept > 0)
		{
			device_memory_trim(device, memory, 0);
			status = device->ops->alloc(device, bytes, ptr);
		}
	}
	if (status == DEVICE_OK)
		memory->lent += bytes;
	return status;
}

void
device_memory_give(Device *device, DeviceMemory *memory, DevicePtr ptr, uint64_t size)
{
	uint64_t	bytes = device_memory_size(memory, size);
	KeptMemory *block = memory->budget > 0 ? malloc(sizeof(KeptMemory)) : NULL;

	memory->lent -= bytes;
	if (block == NULL)
	{
		device->ops->free(device, ptr);
		return;
	}
	*block = (KeptMemory) {memory->blocks, ptr, bytes};
	memory->blocks = block;
	memory->kept += bytes;
	device_memory_trim(device, memory, memory->budget / KEPT_SHARE);
}

/* The link that leads to the block kept for longest. */
static KeptMemory **
last_kept(DeviceMemory *memory)
{
	KeptMemory **link = &memory->blocks;

	while ((*link)->next != NULL)
		link = &(*link)->next;
	return link;
}

void
device_memory_trim(Device *device, DeviceMemory *memory, uint64_t keep)
{
	while (memory->kept > keep)
	{
		KeptMemory **link = last_kept(memory);
		KeptMemory *block = *link;

		*link = NULL;
		memory->kept -= block->size;
		device->ops->free(device, block->ptr);
		free(block);
	}
}
