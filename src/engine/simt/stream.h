/*
 * stream.h
 *	  The simulated device's streams: queues of work that is done late.
 */
#ifndef GPUAGG_SIMT_STREAM_H
#define GPUAGG_SIMT_STREAM_H

#include "engine/simt/device_simt.h"

typedef enum WorkKind
{
	WORK_COPY,					/* size bytes from `from` to `to` */
	WORK_FILL,					/* size bytes at `to` with byte */
	WORK_LAUNCH,
	WORK_EVENT,					/* event reaches generation */
	WORK_WAIT_EVENT				/* wait until event has reached generation */
} WorkKind;

typedef struct Work
{
	struct Work *next;
	WorkKind	kind;
	void	   *to;
	const void *from;
	size_t		size;
	uint8_t		byte;
	ModuleKernel *kernel;
	void	   *params;			/* a copy, freed with the work */
	uint32_t	grid,
				block,
				shared;
	bool		injected;		/* the kernel shall fail */
	DeviceEvent *event;
	uint64_t	generation;
} Work;

struct DeviceStream
{
	DeviceStream *next;
	Work	   *first,
			  **last;
	DeviceStatus status;		/* what went wrong with its work */
	char		message[512];
};

struct DeviceEvent
{
	DeviceStream *stream;		/* recorded there last */
	uint64_t	recorded;		/* how often */
	uint64_t	reached;
	DeviceStatus status;		/* of the stream then */
	double		time;			/* when, in milliseconds */
};

/*
 * Add a copy of the work to the stream.  A stream whose work has failed takes
 * no more and says so again.
 */
extern DeviceStatus simt_stream_add(SimtDevice *dev, DeviceStream *stream,
									const Work *work);

/*
 * Do the stream's next piece of work, if there is any.  DEVICE_BUSY: it did
 * one; DEVICE_OK: there was nothing; else what went wrong, in Device.message.
 */
extern DeviceStatus simt_stream_step(SimtDevice *dev, DeviceStream *stream);

/* Do all work of the stream; the status of the whole. */
extern DeviceStatus simt_stream_drain(SimtDevice *dev, DeviceStream *stream);

/* Drop the work that has not been done; its events are reached all the same. */
extern void simt_stream_drop(DeviceStream *stream);

#endif							/* GPUAGG_SIMT_STREAM_H */
