/*
 * context.h
 *	  The process's device, and what it keeps from one run to the next.
 *
 * Opening a device costs about 0.3 s and 550 MB of its memory, so it is opened
 * once and kept; so are loaded modules, the page-locked staging memory and the
 * threads that copy pages into it.
 */
#ifndef GPUAGG_CONTEXT_H
#define GPUAGG_CONTEXT_H

#include "engine/cuda/cache/kernel_cache.h"
#include "engine/cuda/context/copier.h"
#include "engine/cuda/device/device.h"

#define CONTEXT_STAGES 2

/* Page-locked memory that input is gathered in. */
typedef struct Stage
{
	void	   *data;
	size_t		size;
} Stage;

typedef struct Context
{
	const DeviceOps *ops;
	Device	   *device;			/* NULL: not open */
	bool		tried;			/* to open it */
	char		why[256];		/* it could not be opened */
	LoadedModule *modules;		/* on it */
	Stage		stages[CONTEXT_STAGES]; /* not in use */
	Copier	   *copier;			/* made with the device */
	int			runs;			/* that are open */
	bool		lost;			/* the device failed: open it anew when no run
								 * is left */
} Context;

/* The context of that kind of device, open or not. */
extern Context *context_of(const DeviceOps *ops);

/* The same, opened if need be, or NULL and why. */
extern Context *context_get(const DeviceOps *ops, char *why, size_t len);

/* Is that kind of device open? */
extern bool context_is_open(const DeviceOps *ops);

/* Did it fail, or could it not be opened? */
extern bool context_is_lost(const DeviceOps *ops);

/*
 * Give back the device and all that is kept on it.  No run may be open; a later
 * run opens it again.
 */
extern void context_close(const DeviceOps *ops);

/*
 * Take page-locked memory of at least that size; give it back for later runs.  For 0
 * bytes there is none.
 */
extern DeviceStatus stage_take(Context *context, size_t size, Stage *stage);
extern void stage_give_back(Context *context, Stage *stage);

#endif							/* GPUAGG_CONTEXT_H */
