/*
 * run_resources.c
 *	  What a run has before its first row, opened and closed.
 */
#include "engine/cuda/core/constants.h"
#include "engine/cuda/core/run_resources.h"

/*
 * Of the free device memory, what a run takes at most if nobody says so.  Other
 * processes have the rest.
 */
#define MEMORY_SHARE 0.8

static EngineStatus
open_memory_limit(RunCore *run)
{
	uint64_t	available;
	EngineStatus status;

	run->memory_limit = run->hints.memory_limit;
	if (run->memory_limit > 0)
		return ENGINE_OK;
	status = run_device(run, run->device_ops->memory_free(run->device, &available),
						"could not ask for free device memory");
	run->memory_limit = (uint64_t) (available * MEMORY_SHARE);
	return status;
}

EngineStatus
run_resources_open(RunCore *run)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus device;
	EngineStatus status;

	status = open_memory_limit(run);
	if (status != ENGINE_OK)
		return status;
	device = ops->stream_create(run->device, &run->copy);
	if (device == DEVICE_OK)
		device = ops->stream_create(run->device, &run->work);
	if (device == DEVICE_OK)
		device = stage_take(run->context, COUNTERS_SIZE, &run->results);
	status = run_device(run, device, "could not begin to work on the device");
	if (status == ENGINE_OK)
		status = run_alloc(run, COUNTERS_SIZE, &run->counters);
	if (status == ENGINE_OK)
		status = run_device(run, ops->fill(run->device, run->work, run->counters.ptr, 0,
										   COUNTERS_SIZE), "could not clear counters");
	if (status == ENGINE_OK)
		status = constants_open(run);
	return status;
}

void
run_resources_wait(RunCore *run)
{
	if (run->copy != NULL)
		(void) run->device_ops->stream_wait(run->device, run->copy);
	if (run->work != NULL)
		(void) run->device_ops->stream_wait(run->device, run->work);
}

void
run_resources_close(RunCore *run)
{
	constants_close(run);
	run_free(run, &run->counters);
	stage_give_back(run->context, &run->results);
	if (run->copy != NULL)
		run->device_ops->stream_destroy(run->device, run->copy);
	if (run->work != NULL)
		run->device_ops->stream_destroy(run->device, run->work);
}
