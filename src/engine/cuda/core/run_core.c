/*
 * run_core.c
 *	  A run's failures, and its device memory.
 */
#include <stdarg.h>
#include <stdio.h>

#include "engine/cuda/core/run_core.h"

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
	if (status == DEVICE_OK)
		return ENGINE_OK;
	if (status == DEVICE_NO_MEMORY)
		return run_fail(run, ENGINE_NO_MEMORY, "%s: %s", what, run->device->message);
	if (status == DEVICE_FAILED)
		run->context->lost = true;
	return run_fail(run, ENGINE_FAILED, "%s: %s", what, run->device->message);
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
	status = run_device(run, run->device_ops->alloc(run->device, size, &buffer->ptr),
						"could not allocate device memory");
	if (status != ENGINE_OK)
		return status;
	buffer->size = size;
	run->memory_used += size;
	if (run->head.stats.memory < run->memory_used)
		run->head.stats.memory = run->memory_used;
	return ENGINE_OK;
}

void
run_free(RunCore *run, DeviceBuffer *buffer)
{
	if (buffer->ptr == 0)
		return;
	run->device_ops->free(run->device, buffer->ptr);
	run->memory_used -= buffer->size;
	*buffer = (DeviceBuffer) {0};
}
