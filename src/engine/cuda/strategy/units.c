/*
 * units.c
 *	  The units of float sums, from the first batch.
 *
 * A kernel finds the largest exponent among each sum's first values; exact.h
 * tells what follows.  Without any value but 0 the unit is one for values about
 * 1, and the run has to begin again should that be wrong.
 */
#include <stdlib.h>

#include "engine/cuda/run/run.h"

_Static_assert(ARGS_MAX_SUMS == PROGRAM_MAX_ACCS, "a unit for each accumulator");

/* The largest exponents of the batch, on the host. */
static EngineStatus
find_exponents(CudaRun *run, const RowBatch *batch, DeviceBuffer *buffer,
			   uint32_t *exponents)
{
	const DeviceOps *ops = run->device_ops;
	size_t		size = run->layouts[0].nsums * sizeof(uint32_t);
	AggregateArgs args = {0};
	DeviceStatus device;
	EngineStatus status;

	status = run_alloc(run, size, buffer);
	if (status != ENGINE_OK)
		return status;
	args.batch = *batch;
	args.constants = run->slot_values.ptr;
	args.exponents = buffer->ptr;
	status = run_device(run, ops->fill(run->device, run->work, args.exponents, 0, size),
						"could not clear exponents");
	if (status == ENGINE_OK)
		status = kernels_launch(run, run->kernels.exponents, batch->nrows, 256, 0, &args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, exponents, buffer->ptr, size);
	if (device == DEVICE_OK)
		device = ops->stream_wait(run->device, run->work);
	return run_device(run, device, "could not read exponents");
}

EngineStatus
units_choose(CudaRun *run, const RowBatch *batch)
{
	const Program *program = run->program;
	const KernelLayout *layout = &run->layouts[run->choice.table];
	EngineStatus status = ENGINE_OK;

	if (batch != NULL && codegen_needs_exponents(program))
	{
		DeviceBuffer buffer = {0};

		status = find_exponents(run, batch, &buffer, run->exponents);
		run_free(run, &buffer);
	}
	for (int i = 0; i < program->naccs && status == ENGINE_OK; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];
		int			sum = layout->parts[layout->part_of[i][0]].sum;

		if (!acc_sums_floats(acc))
			continue;
		run->group_units[i] = acc_unit(acc, program->level, run->exponents[sum]);
		run->units[sum] = run->group_units[i];
	}
	return status;
}
