/*
 * run_resources.c
 *	  What a run has before its first row, opened and closed.
 */
#include "engine/cuda/core/interpreter.h"
#include "engine/cuda/core/run_resources.h"
#include "engine/cuda/strategy/prefilter.h"

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
	if (run->memory_limit == 0)
		run->memory_limit = run->context->memory.budget;
	if (run->memory_limit > 0)
		return ENGINE_OK;
	status = run_device(run, run->device_ops->memory_free(run->device, &available),
						"could not ask for free device memory");
	run->memory_limit = (uint64_t) (available * MEMORY_SHARE);
	return status;
}

void
run_make_layouts(RunCore *run)
{
	Prefilter	candidates;

	prefilter_candidates(run->kernel_program, run->constants.params, &candidates);
	for (int table = TABLE_HASH; table <= TABLE_DIRECT; table++)
	{
		layout_make(run->kernel_program, (TableKind) table, &run->layouts[table]);
		run->layouts[table].candidates = candidates;
		run->layouts[table].merges = run->hints.nparts > 1 &&
			layout_can_merge(run->kernel_program, &run->layouts[table]);
	}
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
	device = pool_take_stream(run->device, &run->context->pool, &run->copy);
	if (device == DEVICE_OK)
		device = pool_take_stream(run->device, &run->context->pool, &run->work);
	status = run_device(run, device, "could not begin to work on the device");
	if (status == ENGINE_OK)
		status = run_take_event(run, &run->waited);
	if (status == ENGINE_OK)
		status = run_take_stage(run, COUNTERS_SIZE, &run->results);
	if (status == ENGINE_OK)
		status = run_alloc(run, COUNTERS_SIZE, &run->counters);
	if (status == ENGINE_OK)
		status = run_device(run, ops->fill(run->device, run->work, run->counters.ptr, 0,
										   COUNTERS_SIZE), "could not clear counters");
	if (status == ENGINE_OK)
		status = constants_open(run);
	if (status == ENGINE_OK)
		status = interpreter_open(run);
	return status;
}

/* Wait for a stream's work.  One whose work has failed cannot be used again. */
static void
wait_for_stream(RunCore *run, DeviceStream **stream)
{
	if (*stream == NULL || run->device_ops->stream_wait(run->device, *stream) == DEVICE_OK)
		return;
	run->device_ops->stream_destroy(run->device, *stream);
	*stream = NULL;
}

void
run_resources_wait(RunCore *run)
{
	wait_for_stream(run, &run->copy);
	wait_for_stream(run, &run->work);
	run->ended = true;
	run_collect(run);
}

void
run_resources_close(RunCore *run)
{
	interpreter_close(run);
	constants_close(run);
	run_free(run, &run->counters);
	run_give_stage(run, &run->results);
	run_give_event(run, &run->waited);
	pool_give_stream(run->device, &run->context->pool, run->copy);
	pool_give_stream(run->device, &run->context->pool, run->work);
}
