/*
 * stream.c
 *	  The simulated device's streams: queues of work that is done late.
 *
 * Work is done when somebody asks for it: one piece at each query, as much as
 * needed at each wait.  So the host sees what a device would show it at worst:
 * answers that are not there yet, copies that read host memory long after they
 * were asked for, failures that come to light at the next wait.
 */
#include "engine/simt/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/simt/module.h"

/* The stream's failure, again. */
static DeviceStatus
failed(SimtDevice *dev, const DeviceStream *stream)
{
	snprintf(dev->device.message, sizeof(dev->device.message), "%s",
			 stream->message);
	return stream->status;
}

DeviceStatus
simt_stream_add(SimtDevice *dev, DeviceStream *stream, const Work *work)
{
	Work	   *copy;

	if (stream->status != DEVICE_OK)
		return failed(dev, stream);
	copy = malloc(sizeof(Work));
	if (copy == NULL)
	{
		snprintf(dev->device.message, sizeof(dev->device.message), "out of memory");
		return DEVICE_NO_MEMORY;
	}
	*copy = *work;
	copy->next = NULL;
	*stream->last = copy;
	stream->last = &copy->next;
	return DEVICE_OK;
}

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* Run a kernel and look at the memory's guards; a failure loses the device. */
static DeviceStatus
do_launch(SimtDevice *dev, DeviceStream *stream, const Work *work)
{
	DeviceModule *module = work->kernel->module;
	SimtLaunch	launch = {
		.kernel = work->kernel->code,
		.params = work->params,
		.grid = work->grid,
		.block = work->block,
		.dynamic_shared = work->shared,
		.shared = module->shared_bounds[0],
		.shared_end = module->shared_bounds[1],
		.rt = module->rt
	};
	char		why[320];

	if (work->injected)
		snprintf(why, sizeof(why), "injected failure");
	else if (simt_block_launch(dev->block, &launch, why, sizeof(why)) &&
			 simt_memory_check(&dev->memory, why, sizeof(why)))
		return DEVICE_OK;
	snprintf(dev->lost_message, sizeof(dev->lost_message), "kernel \"%s\": %s",
			 work->kernel->name, why);
	dev->lost = true;
	snprintf(stream->message, sizeof(stream->message), "%s", dev->lost_message);
	return DEVICE_FAILED;
}

static void
reach_event(const Work *work, DeviceStatus status)
{
	work->event->reached = work->generation;
	work->event->status = status;
	work->event->time = now_ms();
}

/* Another stream must get to where the event was recorded. */
static DeviceStatus
do_wait_event(SimtDevice *dev, DeviceStream *stream, const Work *work)
{
	while (work->event->reached < work->generation)
		simt_stream_step(dev, work->event->stream);
	if (work->event->status != DEVICE_OK)
		snprintf(stream->message, sizeof(stream->message),
				 "the stream that it waits for has failed");
	return work->event->status;
}

static DeviceStatus
do_work(SimtDevice *dev, DeviceStream *stream, const Work *work)
{
	switch (work->kind)
	{
		case WORK_COPY:
			memcpy(work->to, work->from, work->size);
			return DEVICE_OK;
		case WORK_FILL:
			memset(work->to, work->byte, work->size);
			return DEVICE_OK;
		case WORK_LAUNCH:
			return do_launch(dev, stream, work);
		case WORK_EVENT:
			reach_event(work, DEVICE_OK);
			return DEVICE_OK;
		case WORK_WAIT_EVENT:
			return do_wait_event(dev, stream, work);
	}
	return DEVICE_FAILED;
}

static void
drop_first(DeviceStream *stream)
{
	Work	   *work = stream->first;

	stream->first = work->next;
	if (stream->first == NULL)
		stream->last = &stream->first;
	free(work->params);
	free(work);
}

DeviceStatus
simt_stream_step(SimtDevice *dev, DeviceStream *stream)
{
	if (stream->status != DEVICE_OK)
		return failed(dev, stream);
	if (stream->first == NULL)
		return DEVICE_OK;
	stream->status = do_work(dev, stream, stream->first);
	drop_first(stream);
	if (stream->status == DEVICE_OK)
		return DEVICE_BUSY;
	simt_stream_drop(stream);
	return failed(dev, stream);
}

DeviceStatus
simt_stream_drain(SimtDevice *dev, DeviceStream *stream)
{
	DeviceStatus status;

	do
		status = simt_stream_step(dev, stream);
	while (status == DEVICE_BUSY);
	return status;
}

void
simt_stream_drop(DeviceStream *stream)
{
	while (stream->first)
	{
		if (stream->first->kind == WORK_EVENT)
			reach_event(stream->first, stream->status);
		drop_first(stream);
	}
}
