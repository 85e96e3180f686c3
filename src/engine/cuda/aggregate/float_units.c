/*
 * float_units.c
 *	  The units of float sums, from the first batch.
 *
 * A kernel finds the largest exponent among each sum's first values; exact.h
 * tells what follows.  Without any value but 0 the unit is one for values about
 * 1, and the run has to begin again should that be wrong.
 */
#include <string.h>

#include "engine/cuda/aggregate/float_units.h"

_Static_assert(ARGS_MAX_SUMS == PROGRAM_MAX_ACCS, "a unit for each accumulator");

/* Rows of the batch that are looked at, at most. */
#define EXPONENTS_ROWS (UINT32_C(1) << 20)

/* The unit that the first of all parts' runs has chosen, by the values that it knows then. */
static int32_t
share_unit(int64_t *shared, int32_t unit)
{
	if (*shared == 0)
		*shared = (int64_t) unit - INT32_MIN;
	return (int32_t) (*shared + INT32_MIN);
}

/* The largest exponents of the batch, on the host.  The counters begin as zeros. */
static EngineStatus
find_exponents(RunCore *run, const Kernels *kernels, const RowBatch *batch,
			   uint32_t *exponents)
{
	const DeviceOps *ops = run->device_ops;
	size_t		size = run->layouts[0].nsums * sizeof(uint32_t);
	char	   *result = (char *) run->results.data + COUNTERS_OF_EXPONENTS;
	AggregateArgs args = {0};
	DeviceStatus device;
	EngineStatus status;

	args.task = TASK_EXPONENTS;
	args.batch = *batch;
	if (batch->nrows > EXPONENTS_ROWS)
		args.batch.nrows = EXPONENTS_ROWS;
	args.table.script = kernels->script;
	args.constants = run->constants.values.ptr;
	memcpy(args.answers, run->answers, sizeof(args.answers));
	args.exponents = run->counters.ptr + COUNTERS_OF_EXPONENTS;
	status = kernels_launch(run, kernels->exponents, args.batch.nrows, kernels->row_threads,
							kernels->row_shared, &args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, result, args.exponents, size);
	status = run_wait(run, device, "could not read exponents");
	memcpy(exponents, result, size);
	return status;
}

/* The same, or what is known of the batch's rows. */
static EngineStatus
know_exponents(RunCore *run, const Kernels *kernels, const RowBatch *batch, uint64_t key,
			   uint32_t *exponents)
{
	KnownFacts *known = &run->context->known;
	int			nsums = run->layouts[0].nsums;
	EngineStatus status;

	if (key != 0 && known_exponents_find(known, key, exponents, nsums))
		return ENGINE_OK;
	status = find_exponents(run, kernels, batch, exponents);
	if (status == ENGINE_OK && key != 0)
		known_exponents_add(known, key, exponents, nsums);
	return status;
}

EngineStatus
float_units_choose(RunCore *run, const Kernels *kernels, const RowBatch *batch,
				   uint64_t key, FloatUnits *units)
{
	const Program *program = run->program;
	const KernelLayout *layout = &run->layouts[kernels->choice.table];
	EngineStatus status = ENGINE_OK;

	if (batch != NULL && layout_needs_exponents(program))
		status = know_exponents(run, kernels, batch, key, units->exponents);
	for (int i = 0; i < program->naccs && status == ENGINE_OK; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];
		int			sum = layout->parts[layout->part_of[i][0]].sum;

		if (!acc_sums_floats(acc))
			continue;
		units->of_accs[i] = acc_unit(acc, program->level, units->exponents[sum]);
		if (run->hints.units != NULL && batch != NULL)
			units->of_accs[i] = share_unit(&run->hints.units[i], units->of_accs[i]);
		units->of_sums[sum] = units->of_accs[i];
	}
	return status;
}
