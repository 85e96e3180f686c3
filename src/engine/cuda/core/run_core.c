/*
 * run_core.c
 *	  A run's failures, and its device memory.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/cuda/core/run_core.h"
#include "engine/cuda/kept/room.h"

/* Who is told of failures, or NULL. */
static void (*report) (EngineStatus status, const char *message);

EngineStatus
run_fail(RunCore *run, EngineStatus status, const char *format, ...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(run->head.message, sizeof(run->head.message), format, args);
	va_end(args);
	return status;
}

EngineStatus
run_device(RunCore *run, DeviceStatus status, const char *what)
{
	EngineStatus result = ENGINE_FAILED;

	if (status == DEVICE_OK)
		return ENGINE_OK;
	if (status == DEVICE_NO_MEMORY)
		result = ENGINE_NO_MEMORY;
	else if (status == DEVICE_FAILED)
	{
		run->context->lost = true;
		result = ENGINE_LOST;
	}
	run_fail(run, result, "%s: %s", what, run->device->message);
	/* an interrupted wait for a compiler is no failure */
	if (status != DEVICE_BUSY)
		run_report(result, run->head.message);
	return result;
}

void
run_report_to(void (*to) (EngineStatus status, const char *message))
{
	report = to;
}

void
run_report(EngineStatus status, const char *message)
{
	if (report != NULL)
		report(status, message);
}

EngineStatus
run_take_event(RunCore *run, DeviceEvent **event)
{
	return run_device(run, pool_take_event(run->device, &run->context->pool, event),
					  "could not make an event");
}

void
run_give_event(RunCore *run, DeviceEvent **event)
{
	pool_give_event(run->device, &run->context->pool, *event);
	*event = NULL;
}

EngineStatus
run_take_stage(RunCore *run, size_t size, Stage *stage)
{
	return run_device(run, pool_take_stage(run->device, &run->context->pool, size, stage),
					  "could not allocate page-locked memory");
}

void
run_give_stage(RunCore *run, Stage *stage)
{
	pool_give_stage(run->device, &run->context->pool, stage);
}

EngineStatus
run_wait(RunCore *run, DeviceStatus status, const char *what)
{
	const DeviceOps *ops = run->device_ops;

	if (status != DEVICE_OK)
		return run_device(run, status, what);
	if (run->hints.wait == NULL)
		return run_device(run, ops->stream_wait(run->device, run->work), what);
	status = ops->event_record(run->device, run->waited, run->work);
	if (status != DEVICE_OK)
		return run_device(run, status, what);
	while ((status = ops->event_query(run->device, run->waited)) == DEVICE_BUSY)
	{
		if (!engine_interrupted(&run->hints))
			continue;
		/* the caller's memory is not for the device any more */
		(void) ops->stream_wait(run->device, run->work);
		return run_fail(run, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	}
	return run_device(run, status, what);
}

/* Memory from the context; columns that are kept there give way to a run. */
static DeviceStatus
take_or_evict(RunCore *run, uint64_t size, DevicePtr *ptr)
{
	DeviceMemory *memory = &run->context->memory;
	KeptCache  *cache = &run->context->kept;
	uint64_t	evicted = cache->evicted;
	DeviceStatus status;

	while ((status = device_memory_take(run->device, memory, size, ptr)) == DEVICE_NO_MEMORY)
		if (!kept_give_back(cache, size, time(NULL)))
			break;
	run->head.stats.blocks_evicted += cache->evicted - evicted;
	return status;
}

/* Memory from the context, once freed memory that is not used any more is back. */
static DeviceStatus
take_memory(RunCore *run, uint64_t size, DevicePtr *ptr)
{
	DeviceMemory *memory = &run->context->memory;
	DeviceStatus status;

	run_collect(run);
	status = take_or_evict(run, size, ptr);
	if (status != DEVICE_NO_MEMORY || run->freed == NULL)
		return status;
	status = run->device_ops->stream_wait(run->device, run->copy);
	if (status == DEVICE_OK)
		status = run->device_ops->stream_wait(run->device, run->work);
	run_collect(run);
	return status == DEVICE_OK ? device_memory_take(run->device, memory, size, ptr) : status;
}

EngineStatus
run_alloc(RunCore *run, uint64_t size, DeviceBuffer *buffer)
{
	EngineStatus status;

	if (size == 0)
		return ENGINE_OK;
	if (size > run->memory_limit - run->memory_used)
		return run_fail(run, ENGINE_NO_MEMORY,
						"%llu bytes of device memory are over the limit of %llu",
						(unsigned long long) (run->memory_used + size),
						(unsigned long long) run->memory_limit);
	status = run_device(run, take_memory(run, size, &buffer->ptr),
						"could not allocate device memory");
	if (status != ENGINE_OK)
		return status;
	buffer->size = size;
	run->memory_used += size;
	if (run->head.stats.memory < run->memory_used)
		run->head.stats.memory = run->memory_used;
	return ENGINE_OK;
}

static void
give_back(RunCore *run, const DeviceBuffer *buffer)
{
	device_memory_give(run->device, &run->context->memory, buffer->ptr, buffer->size);
}

/* Note it as freed, with events behind all that may use it; false: that failed. */
static bool
note_freed(RunCore *run, const DeviceBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	FreedBuffer *freed = calloc(1, sizeof(FreedBuffer));
	Pool	   *pool = &run->context->pool;

	if (freed == NULL)
		return false;
	freed->buffer = *buffer;
	if (pool_take_event(run->device, pool, &freed->copied) == DEVICE_OK &&
		pool_take_event(run->device, pool, &freed->worked) == DEVICE_OK &&
		ops->event_record(run->device, freed->copied, run->copy) == DEVICE_OK &&
		ops->event_record(run->device, freed->worked, run->work) == DEVICE_OK)
	{
		freed->next = run->freed;
		run->freed = freed;
		return true;
	}
	run_give_event(run, &freed->copied);
	run_give_event(run, &freed->worked);
	free(freed);
	return false;
}

/*
 * Without a budget for all runs the memory goes back to the device, which waits for its
 * work.  Where others may take it, it must not be in use.
 */
void
run_free(RunCore *run, DeviceBuffer *buffer)
{
	if (buffer->ptr == 0)
		return;
	run->memory_used -= buffer->size;
	if (run->context->memory.budget == 0 || run->ended)
		give_back(run, buffer);
	else if (!note_freed(run, buffer))
	{
		(void) run->device_ops->stream_wait(run->device, run->copy);
		(void) run->device_ops->stream_wait(run->device, run->work);
		give_back(run, buffer);
	}
	*buffer = (DeviceBuffer) {0};
}

/* Has the device got beyond the event, or failed? */
static bool
is_behind(const RunCore *run, DeviceEvent *event)
{
	return run->ended ||
		run->device_ops->event_query(run->device, event) != DEVICE_BUSY;
}

void
run_collect(RunCore *run)
{
	FreedBuffer **link = &run->freed;

	while (*link != NULL)
	{
		FreedBuffer *freed = *link;

		if (!is_behind(run, freed->copied) || !is_behind(run, freed->worked))
		{
			link = &freed->next;
			continue;
		}
		*link = freed->next;
		give_back(run, &freed->buffer);
		run_give_event(run, &freed->copied);
		run_give_event(run, &freed->worked);
		free(freed);
	}
}
