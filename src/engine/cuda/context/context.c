/*
 * context.c
 *	  The process's device, and what it keeps from one run to the next.
 */
#include <stdio.h>
#include <string.h>

#include "engine/cuda/context/context.h"

/* The GPU's, and the simulated device's. */
static Context contexts[2];

Context *
context_of(const DeviceOps *ops)
{
	Context    *context = &contexts[ops == &cuda_device ? 0 : 1];

	context->ops = ops;
	return context;
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

	if (context->runs > 0)
		return;
	if (context->device != NULL)
	{
		kernel_cache_unload(context->device, &context->modules);
		for (int i = 0; i < CONTEXT_STAGES; i++)
			if (context->stages[i].data != NULL)
				ops->host_free(context->device, context->stages[i].data);
		ops->close(context->device);
	}
	copier_destroy(context->copier);
	memset(context, 0, sizeof(*context));
	context->ops = ops;
}

DeviceStatus
stage_take(Context *context, size_t size, Stage *stage)
{
	DeviceStatus status;

	memset(stage, 0, sizeof(*stage));
	if (size == 0)
		return DEVICE_OK;
	for (int i = 0; i < CONTEXT_STAGES; i++)
	{
		Stage	   *kept = &context->stages[i];

		if (kept->size < size)
			continue;
		*stage = *kept;
		memset(kept, 0, sizeof(*kept));
		return DEVICE_OK;
	}
	status = context->ops->host_alloc(context->device, size, &stage->data);
	if (status == DEVICE_OK)
		stage->size = size;
	return status;
}

void
stage_give_back(Context *context, Stage *stage)
{
	if (stage->data == NULL)
		return;
	for (int i = 0; i < CONTEXT_STAGES; i++)
	{
		if (context->stages[i].size >= stage->size)
			continue;
		if (context->stages[i].data != NULL)
			context->ops->host_free(context->device, context->stages[i].data);
		context->stages[i] = *stage;
		stage->data = NULL;
		break;
	}
	if (stage->data != NULL)
		context->ops->host_free(context->device, stage->data);
	memset(stage, 0, sizeof(*stage));
}
