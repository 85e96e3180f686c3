/*
 * sample_rows.c
 *	  A sample of a batch's rows, taken on the device.
 */
#include <string.h>

#include "engine/cuda/aggregate/aggregation.h"
#include "engine/cuda/compiled/fnv.h"

/* Sample the batch's rows on the device, into the host's memory. */
static EngineStatus
take_sample(RunCore *run, const RowBatch *batch, const Kernels *kernels,
			DeviceBuffer *sampled, SampledRow *rows, uint32_t nrows)
{
	const DeviceOps *ops = run->device_ops;
	AggregateArgs args = {0};
	uint64_t	nchunks = (nrows + SAMPLE_CHUNK - 1) / SAMPLE_CHUNK;
	DeviceStatus device;
	EngineStatus status;

	status = run_alloc(run, nrows * sizeof(SampledRow), sampled);
	if (status != ENGINE_OK)
		return status;
	args.task = TASK_SAMPLE;
	args.batch = *batch;
	args.batch.nrows = nrows;
	args.table.script = kernels->script;
	args.constants = run->constants.values.ptr;
	memcpy(args.answers, run->answers, sizeof(args.answers));
	args.sampled = sampled->ptr;
	args.sample_chunk = SAMPLE_CHUNK;
	args.sample_stride = nchunks > 1 ? (batch->nrows - SAMPLE_CHUNK) / (nchunks - 1) : 0;
	status = kernels_launch(run, kernels->sample, nrows, kernels->row_threads,
							kernels->row_shared, &args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, rows, sampled->ptr,
						   nrows * sizeof(SampledRow));
	return run_wait(run, device, "could not sample rows");
}

/* About how many neighbouring rows of a batch a block of strategy `block` takes. */
static uint64_t
rows_of_block(const RunCore *run, uint64_t nrows)
{
	uint64_t	rows = nrows / run->device->info.multiprocessors;

	return rows > BLOCK_STRATEGY_ROWS ? rows : BLOCK_STRATEGY_ROWS;
}

/* The batch may have more rows than were expected of all. */
static uint32_t
rows_to_sample(const RunCore *run, const RowBatch *batch)
{
	double		rows = run->hints.rows;
	uint32_t	size;

	if (rows > 0 && rows < batch->nrows)
		rows = batch->nrows;
	size = sample_size(rows);
	return batch->nrows < size ? (uint32_t) batch->nrows : size;
}

/*
 * A hash: which rows, how many of them the batch has and are sampled, and how their keys and
 * values are made.  A Program with codes does not tell what its conditions on texts are: the
 * run's own one does.  Rows that stay are in no columns of the batch's own.
 */
uint64_t
sample_key(const RunCore *run, const RowBatch *batch)
{
	uint64_t	key = run->served_key;
	uint64_t	sizes[] = {
		batch->nrows, batch->segment_rows, rows_to_sample(run, batch), (uint64_t) run->forced
	};

	if (key == 0 || batch->columns != 0)
		return 0;
	key = fnv_add_words(key, sizes, sizeof(sizes));
	key = fnv_add(key, run->kernel_program, run->kernel_program->size);
	if (run->kernel_program != run->program)
		key = fnv_add(key, run->program, run->program->size);
	return fnv_add_words(key, &run->constants.key, sizeof(run->constants.key));
}

/* Sample a batch; *rows: as sample_rows. */
static EngineStatus
sample_batch(RunCore *run, const RowBatch *batch, uint32_t nrows, Stage *rows,
			 SampleFacts *facts)
{
	StrategyChoice sampling = choose_first(run->kernel_program, run->layouts, run->forced);
	Kernels		kernels = {0};
	DeviceBuffer sampled = {0};
	EngineStatus status;

	status = run_take_stage(run, nrows * sizeof(SampledRow), rows);
	if (status == ENGINE_OK)
		status = kernels_load(run, &sampling, PART_SAMPLE, &kernels);
	if (status == ENGINE_OK)
		status = take_sample(run, batch, &kernels, &sampled, rows->data, nrows);
	if (status == ENGINE_OK)
		sample_facts(rows->data, nrows, rows_of_block(run, batch->nrows), facts);
	run_free(run, &sampled);
	kernels_release(&kernels);
	return status;
}

EngineStatus
sample_rows(RunCore *run, const RowBatch *batch, uint64_t key, Stage *rows, SampleFacts *facts)
{
	EngineStatus status;

	if (key != 0 && known_facts_find(&run->context->known, key, facts))
		return ENGINE_OK;
	status = sample_batch(run, batch, rows_to_sample(run, batch), rows, facts);
	if (status == ENGINE_OK && key != 0)
		known_facts_add(&run->context->known, key, facts);
	return status;
}
