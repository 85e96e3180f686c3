/*
 * pool.h
 *	  What runs take from the process's device and give back: streams, events and
 *	  page-locked memory.
 *
 * Making them takes the driver longer than a small query does, and it waits for
 * work of other runs as it frees page-locked memory.  So they are kept, up to a
 * limit of each kind.
 */
#ifndef GPUAGG_POOL_H
#define GPUAGG_POOL_H

#include "engine/cuda/device/device.h"

#define POOL_STREAMS 32
#define POOL_EVENTS 1024
#define POOL_STAGES 128

/* Page-locked memory that input is gathered in, and output is fetched to. */
typedef struct Stage
{
	void	   *data;
	size_t		size;
} Stage;

/* Those that no run has; begins as zeros. */
typedef struct Pool
{
	DeviceStream *streams[POOL_STREAMS];
	DeviceEvent *events[POOL_EVENTS];
	Stage		stages[POOL_STAGES];
	int			nstreams;
	int			nevents;
	int			nstages;
	uint64_t	stage_bytes;	/* of all stages here */
} Pool;

/*
 * Take one; on failure it is NULL.  What is given back may be NULL.  A stream that is
 * given back has no work, and none of it has failed; an event may still be used by
 * work that nobody waits for.
 */
extern DeviceStatus pool_take_stream(Device *device, Pool *pool, DeviceStream **stream);
extern void pool_give_stream(Device *device, Pool *pool, DeviceStream *stream);
extern DeviceStatus pool_take_event(Device *device, Pool *pool, DeviceEvent **event);
extern void pool_give_event(Device *device, Pool *pool, DeviceEvent *event);

/*
 * Page-locked memory of at least that size, none for 0 bytes; given back it becomes
 * empty.
 */
extern DeviceStatus pool_take_stage(Device *device, Pool *pool, size_t size, Stage *stage);
extern void pool_give_stage(Device *device, Pool *pool, Stage *stage);

/* Give all that is kept back to the device. */
extern void pool_free(Device *device, Pool *pool);

#endif							/* GPUAGG_POOL_H */
