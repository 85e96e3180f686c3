/*
 * pool.c
 *	  What runs take from the process's device and give back: streams, events and
 *	  page-locked memory.
 *
 * Stages have sizes that are powers of two, or multiples of 1 MB, so that they fit
 * other runs.  The smallest one that is large enough is taken, unless it is many
 * times as large.
 */
#include <string.h>

#include "engine/cuda/context/pool.h"

#define STAGE_MIN 4096
#define STAGE_STEP ((size_t) 1 << 20)

/* Page-locked memory that is kept at most, in bytes: 16 runs' stages of 18 MB twice. */
#define STAGE_BYTES_KEPT (UINT64_C(640) << 20)

/* A stage that is so many times as large as what is wanted is left to others. */
#define STAGE_WASTE 16

DeviceStatus
pool_take_stream(Device *device, Pool *pool, DeviceStream **stream)
{
	*stream = NULL;
	if (pool->nstreams == 0)
		return device->ops->stream_create(device, stream);
	*stream = pool->streams[--pool->nstreams];
	return DEVICE_OK;
}

void
pool_give_stream(Device *device, Pool *pool, DeviceStream *stream)
{
	if (stream != NULL && pool->nstreams < POOL_STREAMS)
		pool->streams[pool->nstreams++] = stream;
	else
		device->ops->stream_destroy(device, stream);
}

DeviceStatus
pool_take_event(Device *device, Pool *pool, DeviceEvent **event)
{
	*event = NULL;
	if (pool->nevents == 0)
		return device->ops->event_create(device, event);
	*event = pool->events[--pool->nevents];
	return DEVICE_OK;
}

void
pool_give_event(Device *device, Pool *pool, DeviceEvent *event)
{
	if (event != NULL && pool->nevents < POOL_EVENTS)
		pool->events[pool->nevents++] = event;
	else
		device->ops->event_destroy(device, event);
}

static size_t
stage_size(size_t size)
{
	size_t		rounded = STAGE_MIN;

	if (size > STAGE_STEP)
		return (size + STAGE_STEP - 1) / STAGE_STEP * STAGE_STEP;
	while (rounded < size)
		rounded *= 2;
	return rounded;
}

/* The smallest kept stage for that size, or -1. */
static int
find_stage(const Pool *pool, size_t size)
{
	int			best = -1;

	for (int i = 0; i < pool->nstages; i++)
		if (pool->stages[i].size >= size && pool->stages[i].size / STAGE_WASTE <= size &&
			(best < 0 || pool->stages[i].size < pool->stages[best].size))
			best = i;
	return best;
}

DeviceStatus
pool_take_stage(Device *device, Pool *pool, size_t size, Stage *stage)
{
	size_t		rounded = stage_size(size);
	int			found = size > 0 ? find_stage(pool, rounded) : -1;
	DeviceStatus status;

	if (found >= 0)
	{
		*stage = pool->stages[found];
		pool->stages[found] = pool->stages[--pool->nstages];
		pool->stage_bytes -= stage->size;
		return DEVICE_OK;
	}
	memset(stage, 0, sizeof(*stage));
	if (size == 0)
		return DEVICE_OK;
	status = device->ops->host_alloc(device, rounded, &stage->data);
	if (status == DEVICE_OK)
		stage->size = rounded;
	return status;
}

void
pool_give_stage(Device *device, Pool *pool, Stage *stage)
{
	if (stage->data != NULL && pool->nstages < POOL_STAGES &&
		pool->stage_bytes + stage->size <= STAGE_BYTES_KEPT)
	{
		pool->stages[pool->nstages++] = *stage;
		pool->stage_bytes += stage->size;
	}
	else
		device->ops->host_free(device, stage->data);
	memset(stage, 0, sizeof(*stage));
}

void
pool_free(Device *device, Pool *pool)
{
	while (pool->nstreams > 0)
		device->ops->stream_destroy(device, pool->streams[--pool->nstreams]);
	while (pool->nevents > 0)
		device->ops->event_destroy(device, pool->events[--pool->nevents]);
	while (pool->nstages > 0)
		device->ops->host_free(device, pool->stages[--pool->nstages].data);
	pool->stage_bytes = 0;
}
