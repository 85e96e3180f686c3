/*
 * float_units.c
 *	  The units of float sums, from the first batch.
 *
 * A kernel finds the largest exponent among each sum's first values; exact.h
 * tells what follows.  Without any value but 0 the unit is one for values about
 * 1, and the run has to begin again should that be wrong.
 */
#include "engine/cuda/aggregate/float_units.h"

_Static_assert(ARGS_MAX_SUMS == PROGRAM_MAX_ACCS, "a unit for each accumulator");

/* Rows of the batch that are looked at, at most. */
#define EXPONENTS_ROWS (UINT32_C(1) << 20)

/* The largest exponents of the batch, on the host. */
static EngineStatus
find_exponents(RunCore *run, const Kernels *kernels, const RowBatch *batch,
			   DeviceBuffer *buffer, uint32_t *exponents)
{
	const DeviceOps *ops = run->device_ops;
	size_t		size = run->layouts[0].nsums * sizeof(uint32_t);
	AggregateArgs args = {0};
	DeviceStatus device;
	EngineStatus status;

	status = run_alloc(run, size, buffer);
	if (status != ENGINE_OK)
		return status;
	args.task = TASK_EXPONENTS;
	args.batch = *batch;
	if (batch->nrows > EXPONENTS_ROWS)
		args.batch.nrows = EXPONENTS_ROWS;
	args.table.script = kernels->script;
	args.constants = run->constants.values.ptr;
	args.exponents = buffer->ptr;
	status = run_device(run, ops->fill(run->device, run->work, args.exponents, 0, size),
						"could not clear exponents");
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->exponents, args.batch.nrows, kernels->row_threads,
								kernels->row_shared, &args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, exponents, buffer->ptr, size);
	return run_wait(run, device, "could not read exponents");
}

EngineStatus
float_units_choose(RunCore *run, const Kernels *kernels, const RowBatch *batch,
				   FloatUnits *units)
{
	const Program *program = run->program;
	const KernelLayout *layout = &run->layouts[kernels->choice.table];
	EngineStatus status = ENGINE_OK;

	if (batch != NULL && layout_needs_exponents(program))
	{
		DeviceBuffer buffer = {0};

		status = find_exponents(run, kernels, batch, &buffer, units->exponents);
		run_free(run, &buffer);
	}
	for (int i = 0; i < program->naccs && status == ENGINE_OK; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];
		int			sum = layout->parts[layout->part_of[i][0]].sum;

		if (!acc_sums_floats(acc))
			continue;
		units->of_accs[i] = acc_unit(acc, program->level, units->exponents[sum]);
		units->of_sums[sum] = units->of_accs[i];
	}
	return status;
}
