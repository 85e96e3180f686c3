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

bool
simt_stream_add(DeviceStream *stream, const Work *work)
{
	Work	   *copy = malloc(sizeof(Work));

	if (copy == NULL)
		return false;
	*copy = *work;
	copy->next = NULL;
	*stream->last = copy;
	stream->last = &copy->next;
	return true;
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

	if (work->injected != DEVICE_OK)
	{
		snprintf(stream->message, sizeof(stream->message),
				 "kernel \"%s\": injected failure", work->kernel->name);
		return work->injected;
	}
	if (simt_block_launch(dev->block, &launch, why, sizeof(why)) &&
		simt_memory_check(&dev->memory, why, sizeof(why)))
		return DEVICE_OK;
	snprintf(dev->lost_message, sizeof(dev->lost_message), "kernel \"%s\": %s",
			 work->kernel->name, why);
	dev->lost = true;
	snprintf(stream->message, sizeof(stream->message), "%s", dev->lost_message);
	return DEVICE_FAILED;
}

/* Another stream must get to where the event was recorded. */
static DeviceStatus
do_wait_event(SimtDevice *dev, DeviceStream *stream, const Work *work)
{
	while (work->event->reached < work->generation)
	{
		DeviceStatus status = simt_stream_step(dev, work->event->stream);

		if (status == DEVICE_BUSY)
			continue;
		snprintf(stream->message, sizeof(stream->message), "%s",
				 dev->device.message);
		return status == DEVICE_OK ? DEVICE_FAILED : status;
	}
	return DEVICE_OK;
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
			work->event->reached = work->generation;
			work->event->time = now_ms();
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
	DeviceStatus status = stream->status;

	if (status == DEVICE_OK && stream->first)
	{
		stream->status = status = do_work(dev, stream, stream->first);
		drop_first(stream);
		if (status == DEVICE_OK)
			return DEVICE_BUSY;
	}
	if (status != DEVICE_OK)
		snprintf(dev->device.message, sizeof(dev->device.message), "%s",
				 stream->message);
	return status;
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
		drop_first(stream);
}
