/*
 * context.c
 *	  The process's device, and what it keeps from one run to the next.
 */
#include <stdio.h>
#include <string.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/kept/device_lookups.h"

/*
 * Of the free device memory, what all runs take at most if nobody says so.  Other
 * processes have the rest.
 */
#define MEMORY_SHARE 0.8

/* The GPU's, and the simulated device's. */
static Context contexts[2];

Context *
context_of(const DeviceOps *ops)
{
	Context    *context = &contexts[ops == &cuda_device ? 0 : 1];

	context->ops = ops;
	return context;
}

/* The memory that all runs together may have, of what is free. */
static uint64_t
memory_budget(Context *context)
{
	uint64_t	available = 0;

	if (!context->shared || context->share > 0)
		return context->share;
	(void) context->ops->memory_free(context->device, &available);
	/* 0 would mean that nothing is bounded */
	return (uint64_t) (available * MEMORY_SHARE) + 1;
}

/* What goes with a device that has just been opened. */
static void
open_parts(Context *context)
{
	context->memory.budget = memory_budget(context);
	context->kept.device = context->device;
	context->kept.memory = &context->memory;
	if (context->mapped != NULL)
		mapped_open(context->mapped, context->device);
}

Context *
context_get(const DeviceOps *ops, char *why, size_t len)
{
	Context    *context = context_of(ops);

	if (context->lost && context->runs == 0)
		context_close(ops);
	if (!context->tried)
	{
		context->tried = true;
		context->copier = copier_create(copier_threads());
		if (context->copier == NULL)
			snprintf(context->why, sizeof(context->why), "out of memory");
		else
			context->device = ops->open(0, context->why, sizeof(context->why));
		if (context->device != NULL)
			open_parts(context);
	}
	if (context->device == NULL)
	{
		snprintf(why, len, "%s", context->why);
		return NULL;
	}
	return context;
}

bool
context_is_open(const DeviceOps *ops)
{
	return context_of(ops)->device != NULL;
}

bool
context_is_lost(const DeviceOps *ops)
{
	const Context *context = context_of(ops);

	return context->lost || (context->tried && context->device == NULL);
}

void
context_close(const DeviceOps *ops)
{
	Context    *context = context_of(ops);
	Context		kept = {
		.ops = ops, .mapped = context->mapped, .shared = context->shared,
		.share = context->share, .kept.limit = context->kept.limit
	};

	if (context->runs > 0)
		return;
	if (context->device != NULL)
	{
		kernel_cache_unload(context->device, &context->modules);
		pool_free(context->device, &context->pool);
		device_lookups_forget(&context->kept);
		kept_close(&context->kept);
		device_memory_trim(context->device, &context->memory, 0);
		if (context->mapped != NULL)
			mapped_close(context->mapped);
		ops->close(context->device);
	}
	copier_destroy(context->copier);
	known_facts_free(&context->known);
	*context = kept;
}

void
context_share(const DeviceOps *ops, uint64_t memory)
{
	Context    *context = context_of(ops);

	context->shared = true;
	context->share = memory;
}

uint64_t
context_memory_used(const DeviceOps *ops)
{
	const Context *context = context_of(ops);

	return context->memory.lent - context->kept.bytes;
}

bool
context_map(const DeviceOps *ops, const void *address, size_t size)
{
	Context    *context = context_of(ops);

	if (context->device != NULL)
		return false;
	if (context->mapped == NULL)
		context->mapped = mapped_create();
	return context->mapped != NULL && mapped_add(context->mapped, address, size);
}

void
context_map_wait(const DeviceOps *ops)
{
	Context    *context = context_of(ops);

	if (context->mapped != NULL)
		mapped_wait(context->mapped);
}

bool
context_map_failed(const DeviceOps *ops, char *why, size_t len)
{
	Context    *context = context_of(ops);

	return context->mapped != NULL && mapped_failed(context->mapped, why, len);
}
