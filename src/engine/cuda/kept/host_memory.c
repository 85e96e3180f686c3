/*
 * host_memory.c
 *	  Page-locked host memory for kept columns that device memory has no room for.
 *
 * A slab is divided into units; a piece has neighbouring ones, the first that are free.  Pieces
 * are hundreds of kB mostly, so that little is lost at their ends.  A piece that is larger than
 * slabs usually are has a slab of its own.
 *
 * Once the driver has refused a slab, none is asked for again: what is there is used on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/kept/host_memory.h"

#define UNIT ((uint64_t) 16 << 10)
#define SLAB_SIZE ((uint64_t) 64 << 20)

struct HostSlab
{
	HostSlab   *next;
	char	   *data;
	uint32_t	nunits;
	uint32_t	ntaken;
	uint32_t	longest;		/* no more free units than these are neighbours */
	bool		taken[];		/* by unit */
};

static uint64_t
round_up(uint64_t size)
{
	return (size + UNIT - 1) / UNIT * UNIT;
}

/* The first n neighbouring free units of a slab; false: there are none. */
static bool
find_units(HostSlab *slab, uint32_t n, uint32_t *first)
{
	uint32_t	longest = 0;
	uint32_t	nfree = 0;

	if (n > slab->longest)
		return false;
	for (uint32_t i = 0; i < slab->nunits; i++)
	{
		nfree = slab->taken[i] ? 0 : nfree + 1;
		if (nfree == n)
		{
			*first = i + 1 - n;
			return true;
		}
		longest = nfree > longest ? nfree : longest;
	}
	slab->longest = longest;
	return false;
}

static void *
take_units(HostMemory *memory, HostSlab *slab, uint32_t first, uint32_t n)
{
	memset(&slab->taken[first], true, n * sizeof(slab->taken[0]));
	slab->ntaken += n;
	memory->used += n * UNIT;
	return slab->data + first * UNIT;
}

/* A new slab with room for so many bytes; NULL: the limit, or the system, has no room for it. */
static HostSlab *
make_slab(Device *device, HostMemory *memory, uint64_t bytes)
{
	uint64_t	room = memory->limit > memory->held ? (memory->limit - memory->held) / UNIT * UNIT : 0;
	uint64_t	size = room < SLAB_SIZE ? room : SLAB_SIZE;
	HostSlab   *slab;
	void	   *data;

	if (bytes > room || memory->refused)
		return NULL;
	if (size < bytes)
		size = bytes;
	slab = calloc(1, sizeof(*slab) + size / UNIT * sizeof(slab->taken[0]));
	if (slab == NULL)
		return NULL;
	if (device->ops->host_alloc(device, size, &data) != DEVICE_OK)
	{
		memory->refused = true;
		snprintf(memory->why, sizeof(memory->why), "%.255s", device->message);
		free(slab);
		return NULL;
	}
	slab->data = data;
	slab->nunits = slab->longest = (uint32_t) (size / UNIT);
	slab->next = memory->slabs;
	memory->slabs = slab;
	memory->held += size;
	return slab;
}

void *
host_memory_take(Device *device, HostMemory *memory, uint64_t size)
{
	uint64_t	bytes = round_up(size);
	uint32_t	n = (uint32_t) (bytes / UNIT);
	uint32_t	first = 0;
	HostSlab   *slab = memory->slabs;

	if (bytes > memory->limit)
		return NULL;
	while (slab != NULL && !find_units(slab, n, &first))
		slab = slab->next;
	if (slab == NULL)
		slab = make_slab(device, memory, bytes);
	return slab != NULL ? take_units(memory, slab, first, n) : NULL;
}

static void
free_slab(Device *device, HostMemory *memory, HostSlab **link)
{
	HostSlab   *slab = *link;

	*link = slab->next;
	memory->held -= slab->nunits * UNIT;
	device->ops->host_free(device, slab->data);
	free(slab);
}

void
host_memory_give(Device *device, HostMemory *memory, void *piece, uint64_t size)
{
	HostSlab  **link = &memory->slabs;
	uint32_t	n = (uint32_t) (round_up(size) / UNIT);
	HostSlab   *slab;

	while ((char *) piece < (*link)->data ||
		   (char *) piece >= (*link)->data + (*link)->nunits * UNIT)
		link = &(*link)->next;
	slab = *link;
	memset(&slab->taken[((char *) piece - slab->data) / UNIT], false, n * sizeof(slab->taken[0]));
	slab->ntaken -= n;
	slab->longest = slab->nunits - slab->ntaken;
	memory->used -= n * UNIT;
	if (slab->ntaken == 0)
		free_slab(device, memory, link);
}

/* Have the stream that copies. */
static bool
have_stream(Device *device, HostMemory *memory)
{
	return memory->stream != NULL ||
		device->ops->stream_create(device, &memory->stream) == DEVICE_OK;
}

/*
 * Wait for a copy that has been given to the stream, unless that failed.  To destroy the stream
 * waits for it in any case, so that nothing is copied later.
 */
static bool
copied(Device *device, HostMemory *memory, DeviceStatus status)
{
	if (status == DEVICE_OK)
		status = device->ops->stream_wait(device, memory->stream);
	if (status == DEVICE_OK)
		return true;
	device->ops->stream_destroy(device, memory->stream);
	memory->stream = NULL;
	return false;
}

bool
host_memory_download(Device *device, HostMemory *memory, void *to, DevicePtr from, uint64_t size)
{
	return have_stream(device, memory) &&
		copied(device, memory, device->ops->download(device, memory->stream, to, from, size));
}

bool
host_memory_upload(Device *device, HostMemory *memory, DevicePtr to, const void *from,
				   uint64_t size)
{
	return have_stream(device, memory) &&
		copied(device, memory, device->ops->upload(device, memory->stream, to, from, size));
}

void
host_memory_close(Device *device, HostMemory *memory)
{
	uint64_t	limit = memory->limit;

	while (memory->slabs != NULL)
		free_slab(device, memory, &memory->slabs);
	if (memory->stream != NULL)
		device->ops->stream_destroy(device, memory->stream);
	*memory = (HostMemory) {.limit = limit};
}
