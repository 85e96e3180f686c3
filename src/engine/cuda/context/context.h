/*
 * context.h
 *	  The process's devices, and what it keeps of each from one run to the next.
 *
 * Opening a device costs about 0.3 s and 550 MB of its memory, so it is opened
 * once and kept; so are loaded modules, what runs take and give back (pool.h), and
 * the threads that copy pages (copier.h) and register memory (mapped.h).
 *
 * A device is known by its kind, the GPUs or the simulated ones, and by its number among these,
 * as the kind's list has it.  A run uses one device (EngineHints.device).
 */
#ifndef GPUAGG_CONTEXT_H
#define GPUAGG_CONTEXT_H

#include "engine/cuda/compiled/kernel_cache.h"
#include "engine/cuda/context/copier.h"
#include "engine/cuda/context/mapped.h"
#include "engine/cuda/context/pool.h"
#include "engine/cuda/device/device.h"
#include "engine/cuda/device/device_memory.h"
#include "engine/cuda/kept/kept_columns.h"
#include "engine/cuda/strategy/known_facts.h"

typedef struct Context
{
	const DeviceOps *ops;
	int			number;
	Device	   *device;			/* NULL: not open */
	bool		tried;			/* to open it */
	char		why[256];		/* it could not be opened */
	LoadedModule *modules;		/* on it */
	Pool		pool;			/* of streams, events, page-locked memory */
	DeviceMemory memory;		/* what runs take and give back */
	KeptCache	kept;		/* columns that stay in it, */
	KnownFacts	known;			/* and what is known of their rows */
	bool		shared;			/* context_share was called: */
	uint64_t	share;			/* its memory */
	Copier	   *copier;			/* made with the device */
	Mapped	   *mapped;			/* host memory that kernels read; NULL: none */
	int			runs;			/* that are open, and look-ups that others have taken */
	bool		lost;			/* the device cannot be used any more: open it
								 * anew when no run is left */
} Context;

/* The context of a device of that kind, open or not; number is less than DEVICES_MAX. */
extern Context *context_of(const DeviceOps *ops, int number);

/* The same, opened if need be, or NULL and why. */
extern Context *context_get(const DeviceOps *ops, int number, char *why, size_t len);

/*
 * From now on: use those devices only whose bits are set, device 0 the lowest; at first all bits
 * are.  And leave out these, unless no other one is there.
 */
extern void context_use(uint64_t numbers, uint64_t left_out);

/*
 * The devices of that kind that are used: a bit each.  None is there, or usable: 0, and why; the
 * answer is remembered until context_close.
 */
extern uint64_t context_used(const DeviceOps *ops, char *why, size_t len);

/* What a device says of itself; false: there is none of that number. */
extern bool context_info(const DeviceOps *ops, int number, DeviceInfo *info);

/* Is a device of that kind open? */
extern bool context_is_open(const DeviceOps *ops);

/* Did one fail, or could it not be opened?  The least number of those, or -1. */
extern int	context_lost(const DeviceOps *ops);

/*
 * Give back the devices of that kind and all that is kept on them.  Those with open runs stay; a
 * later run opens the others again.
 */
extern void context_close(const DeviceOps *ops);

/*
 * Several runs at once will share the devices: before they are open, once.  Together they
 * take at most so many bytes of each device's memory, 0: 80 % of what is free then; and what
 * they give back is kept for others.
 */
extern void context_share(const DeviceOps *ops, uint64_t memory);

/* Bytes of a device's memory that runs have now, without what is kept for later ones. */
extern uint64_t context_memory_used(const DeviceOps *ops, int number);

/*
 * Announce host memory in which heap pages lie: before the devices are open, once, and
 * for as long as the process lives.  Kernels then read these pages where they are.
 * False: that cannot be done.
 */
extern bool context_map(const DeviceOps *ops, const void *address, size_t size);

/* Wait until no such memory waits to be registered with a device. */
extern void context_map_wait(const DeviceOps *ops);

/* Could some of it not be registered?  Why. */
extern bool context_map_failed(const DeviceOps *ops, char *why, size_t len);

#endif							/* GPUAGG_CONTEXT_H */
