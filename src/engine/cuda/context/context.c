/*
 * context.c
 *	  The process's devices, and what it keeps of each from one run to the next.
 *
 * What is said of all devices of a kind is said of each context, since nobody knows yet which of
 * them will be opened.
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

/* The devices of a kind. */
typedef struct Kind
{
	Context		contexts[DEVICES_MAX];
	bool		looked;			/* which devices are used is known: */
	uint64_t	usable;			/* of those that may be used, a bit each; */
	uint64_t	used;			/* without those that are left out; */
	char		why[256];		/* or why there are none */
} Kind;

/* The GPUs, and the simulated devices. */
static Kind kinds[2];

/* Those that may be used, a bit each, and those that had better not be. */
static uint64_t allowed = UINT64_MAX;
static uint64_t avoided;

static Kind *
kind_of(const DeviceOps *ops)
{
	return &kinds[ops == &cuda_device ? 0 : 1];
}

Context *
context_of(const DeviceOps *ops, int number)
{
	Context    *context = &kind_of(ops)->contexts[number];

	context->ops = ops;
	context->number = number;
	return context;
}

void
context_use(uint64_t numbers, uint64_t left_out)
{
	allowed = numbers;
	avoided = left_out;
	kinds[0].looked = kinds[1].looked = false;
}

static bool
is_allowed(int number)
{
	return (allowed >> number & 1) != 0;
}

/* The devices that are used; why there are none is what the first one says that could be. */
static void
look(const DeviceOps *ops, Kind *kind)
{
	DeviceInfo	infos[DEVICES_MAX];
	int			n = ops->list(infos, DEVICES_MAX, kind->why, sizeof(kind->why));
	const DeviceInfo *unusable = NULL;

	kind->looked = true;
	kind->usable = 0;
	for (int i = 0; i < n && i < DEVICES_MAX; i++)
	{
		if (is_allowed(i) && infos[i].usable)
			kind->usable |= UINT64_C(1) << i;
		else if (is_allowed(i) && unusable == NULL)
			unusable = &infos[i];
	}
	kind->used = (kind->usable & ~avoided) != 0 ? kind->usable & ~avoided : kind->usable;
	if (unusable != NULL)
		snprintf(kind->why, sizeof(kind->why), "%s", unusable->reason);
	else if (n > 0)
		snprintf(kind->why, sizeof(kind->why), "gpuagg.devices names none of the devices");
}

uint64_t
context_used(const DeviceOps *ops, char *why, size_t len)
{
	Kind	   *kind = kind_of(ops);

	if (!kind->looked)
		look(ops, kind);
	if (kind->used == 0)
		snprintf(why, len, "%s", kind->why);
	return kind->used;
}

bool
context_info(const DeviceOps *ops, int number, DeviceInfo *info)
{
	const Context *context = context_of(ops, number);
	DeviceInfo	infos[DEVICES_MAX];
	char		why[256];

	if (context->device != NULL)
		*info = context->device->info;
	else if (ops->list(infos, DEVICES_MAX, why, sizeof(why)) > number)
		*info = infos[number];
	else
		return false;
	return true;
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

/* Give back the device and all that is kept on it.  No run is open. */
static void
close_one(Context *context)
{
	Context		kept = {
		.mapped = context->mapped, .shared = context->shared,
		.share = context->share, .kept.limit = context->kept.limit,
		.kept.host.limit = context->kept.host.limit
	};

	if (context->device != NULL)
	{
		kernel_cache_unload(context->device, &context->modules);
		pool_free(context->device, &context->pool);
		device_lookups_forget(&context->kept);
		kept_close(&context->kept);
		device_memory_trim(context->device, &context->memory, 0);
		if (context->mapped != NULL)
			mapped_close(context->mapped);
		context->ops->close(context->device);
	}
	copier_destroy(context->copier);
	known_facts_free(&context->known);
	*context = kept;
}

Context *
context_get(const DeviceOps *ops, int number, char *why, size_t len)
{
	Context    *context = context_of(ops, number);

	if (context->lost && context->runs == 0)
	{
		close_one(context);
		context = context_of(ops, number);
	}
	if (!context->tried)
	{
		context->tried = true;
		context->copier = copier_create(copier_threads());
		if (context->copier == NULL)
			snprintf(context->why, sizeof(context->why), "out of memory");
		else
			context->device = ops->open(number, context->why, sizeof(context->why));
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
	for (int i = 0; i < DEVICES_MAX; i++)
		if (context_of(ops, i)->device != NULL)
			return true;
	return false;
}

int
context_lost(const DeviceOps *ops)
{
	for (int i = 0; i < DEVICES_MAX; i++)
	{
		const Context *context = context_of(ops, i);

		if (context->lost || (context->tried && context->device == NULL))
			return i;
	}
	return -1;
}

void
context_close(const DeviceOps *ops)
{
	kind_of(ops)->looked = false;
	for (int i = 0; i < DEVICES_MAX; i++)
	{
		Context    *context = context_of(ops, i);

		if (context->runs == 0)
			close_one(context);
	}
}

void
context_share(const DeviceOps *ops, uint64_t memory)
{
	for (int i = 0; i < DEVICES_MAX; i++)
	{
		Context    *context = context_of(ops, i);

		context->shared = true;
		context->share = memory;
	}
}

uint64_t
context_memory_used(const DeviceOps *ops, int number)
{
	const Context *context = context_of(ops, number);

	return context->memory.lent - context->kept.bytes;
}

/* Also for devices that are left out for a while. */
bool
context_map(const DeviceOps *ops, const void *address, size_t size)
{
	char		why[256];
	bool		mapped = context_used(ops, why, sizeof(why)) != 0;

	for (int i = 0; i < DEVICES_MAX; i++)
	{
		Context    *context = context_of(ops, i);

		if ((kind_of(ops)->usable >> i & 1) == 0)
			continue;
		if (context->device == NULL && context->mapped == NULL)
			context->mapped = mapped_create();
		mapped &= context->device == NULL && context->mapped != NULL &&
			mapped_add(context->mapped, address, size);
	}
	return mapped;
}

void
context_map_wait(const DeviceOps *ops)
{
	for (int i = 0; i < DEVICES_MAX; i++)
		if (context_of(ops, i)->mapped != NULL)
			mapped_wait(context_of(ops, i)->mapped);
}

bool
context_map_failed(const DeviceOps *ops, char *why, size_t len)
{
	for (int i = 0; i < DEVICES_MAX; i++)
		if (context_of(ops, i)->mapped != NULL &&
			mapped_failed(context_of(ops, i)->mapped, why, len))
			return true;
	return false;
}
