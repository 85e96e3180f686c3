/*
 * aggregate.c
 *	  A full buffer's way through the device: copy, deform, aggregate.
 *
 * The copy goes to a stream of its own and so runs beside the kernels of the
 * buffer before.  What came of the kernels is read when the buffer is needed
 * again: errors, and rows whose groups found no room; for these the table grows
 * and they run again.
 */
#include <stdio.h>
#include <string.h>

#include "engine/cuda/run/run.h"

static uint32_t
strategy_threads(const StrategyChoice *choice)
{
	return choice->strategy == STRATEGY_BLOCK ? 1024 : 256;
}

/* Shared memory of strategy `block`: see block.cuh. */
static uint32_t
strategy_shared(const CudaRun *run)
{
	const StrategyChoice *choice = &run->choice;
	const KernelLayout *layout = &run->layouts[choice->table];

	if (choice->strategy != STRATEGY_BLOCK)
		return 0;
	return block_table_size(layout, choice->block_direct, choice->block_slots,
							choice->block_replicas);
}

/* What kernels over a batch's rows are told. */
static void
row_args(const CudaRun *run, const InputBuffer *buffer, const RowBatch *batch,
		 AggregateArgs *args)
{
	memset(args, 0, sizeof(*args));
	args->batch = *batch;
	args->table = run->table;
	args->constants = run->slot_values.ptr;
	args->counters = run->counters.ptr + COUNTERS_OF_BUFFER(buffer - run->inputs);
	memcpy(args->units, run->units, run->layouts[0].nsums * sizeof(args->units[0]));
}

/* Launch `aggregate` over all rows of a batch, or over those in its list. */
static EngineStatus
launch(CudaRun *run, InputBuffer *buffer, const RowBatch *batch)
{
	AggregateArgs args;
	uint64_t	threads = batch->nrows;

	row_args(run, buffer, batch, &args);
	args.hot = run->choice.hot ? run->hot.ptr : 0;
	args.block_slots = run->choice.block_slots;
	args.block_replicas = run->choice.block_replicas;
	if (run->choice.strategy == STRATEGY_BLOCK)
		threads = batch->nrows / BLOCK_STRATEGY_ROWS * strategy_threads(&run->choice);
	return kernels_launch(run, run->kernels.aggregate, threads,
						  strategy_threads(&run->choice), strategy_shared(run), &args);
}

/* Clear the buffer's counters before a launch; download them behind it. */
static EngineStatus
clear_counters(CudaRun *run, InputBuffer *buffer)
{
	return run_device(run,
					  run->device_ops->fill(run->device, run->work,
											run->counters.ptr +
											COUNTERS_OF_BUFFER(buffer - run->inputs),
											0, sizeof(Counters)),
					  "could not clear counters");
}

static EngineStatus
fetch_counters(CudaRun *run, InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status;

	status = ops->download(run->device, run->work, buffer->counters,
						   run->counters.ptr + COUNTERS_OF_BUFFER(buffer - run->inputs),
						   sizeof(Counters));
	if (status == DEVICE_OK)
		status = ops->event_record(run->device, buffer->done, run->work);
	return run_device(run, status, "could not read counters");
}

/* Copy the rows to the device and make them columns. */
static EngineStatus
submit_input(CudaRun *run, InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status;
	EngineStatus result;

	status = ops->event_record(run->device, buffer->begun, run->copy);
	result = run_device(run, status, "could not record an event");
	if (result == ENGINE_OK)
		result = buffer->pages ? pages_upload(run, buffer) : columns_upload(run, buffer);
	if (result != ENGINE_OK)
		return result;
	status = ops->event_record(run->device, buffer->uploaded, run->copy);
	if (status == DEVICE_OK)
		status = ops->stream_wait_event(run->device, run->work, buffer->uploaded);
	result = run_device(run, status, "could not order the streams");
	if (result == ENGINE_OK)
		result = clear_counters(run, buffer);
	if (result == ENGINE_OK && buffer->pages)
		result = pages_deform(run, buffer);
	else if (result == ENGINE_OK && run->leaves)
		result = run_device(run, ops->fill(run->device, run->work, buffer->left.ptr, 0,
										   buffer->nrows), "could not clear marks");
	return result;
}

/* Aggregate the rows of a buffer whose columns are on the device. */
EngineStatus
aggregate_launch(CudaRun *run, InputBuffer *buffer)
{
	RowBatch	batch;
	EngineStatus status = ENGINE_OK;

	buffer->first = run->rows_before;
	run->rows_before += buffer->nrows;
	input_batch(run, buffer, &batch);
	if (!run->chosen)
		status = choose(run, &batch);
	if (status == ENGINE_OK)
		status = device_table_normalize(run, batch.nrows);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->event_record(run->device, buffer->deformed,
															   run->work),
							"could not record an event");
	if (status == ENGINE_OK)
		status = launch(run, buffer, &batch);
	if (status == ENGINE_OK)
		status = fetch_counters(run, buffer);
	if (status == ENGINE_OK)
		buffer->state = BUFFER_SUBMITTED;
	return status;
}

EngineStatus
aggregate_submit(CudaRun *run, InputBuffer *buffer)
{
	EngineStatus status = submit_input(run, buffer);

	return status == ENGINE_OK ? aggregate_launch(run, buffer) : status;
}

/* Errors that the kernels met. */
static EngineStatus
check_errors(CudaRun *run, const Counters *counters)
{
	if (counters->errors & ERROR_CORRUPT)
		return run_fail(run, ENGINE_CORRUPT, "block %u is corrupted", counters->block);
	if (counters->errors & ERROR_TOASTED)
		return run_fail(run, ENGINE_INEXACT, "a value is compressed or stored elsewhere");
	if (counters->errors & ERROR_NUMERIC)
		return run_fail(run, ENGINE_INEXACT, "a value is no number that the engine can hold");
	if (counters->errors & ERROR_SPECIAL)
		return run_fail(run, ENGINE_SPECIAL, "a numeric is NaN or infinite");
	if (counters->errors & ERROR_INEXACT)
		return run_fail(run, ENGINE_INEXACT, "an expression would raise an error, or a float sum could overflow");
	if (counters->errors & ERROR_WIDEN)
		return run_fail(run, ENGINE_WIDEN, "a float sum needs more words");
	return ENGINE_OK;
}

/* Grow the table, and launch again for the rows that found no room. */
static EngineStatus
run_undone(CudaRun *run, InputBuffer *buffer, uint32_t undone)
{
	DeviceBuffer list = buffer->undone[0];
	RowBatch	batch;
	EngineStatus status;

	status = device_table_grow(run, undone);
	if (status == ENGINE_OK)
		status = clear_counters(run, buffer);
	if (status != ENGINE_OK)
		return status;
	buffer->undone[0] = buffer->undone[1];
	buffer->undone[1] = list;
	input_batch(run, buffer, &batch);
	batch.rows = list.ptr;
	batch.nrows = undone;
	status = launch(run, buffer, &batch);
	if (status == ENGINE_OK)
		status = fetch_counters(run, buffer);
	return status;
}

/* Make room for extremes that found none, and take them from the batch again. */
static EngineStatus
run_values_again(CudaRun *run, InputBuffer *buffer)
{
	uint64_t	units = buffer->values_missed;
	RowBatch	batch;
	AggregateArgs args;
	EngineStatus status;

	buffer->values_missed = 0;
	status = device_values_grow(run, units);
	if (status == ENGINE_OK)
		status = clear_counters(run, buffer);
	if (status != ENGINE_OK)
		return status;
	input_batch(run, buffer, &batch);
	row_args(run, buffer, &batch, &args);
	status = kernels_launch(run, run->kernels.values_again, batch.nrows, 256, 0, &args);
	if (status == ENGINE_OK)
		status = fetch_counters(run, buffer);
	return status;
}

/* Account for the time the buffer took on the device. */
static EngineStatus
add_times(CudaRun *run, InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	float		input = 0;
	float		aggregate = 0;
	DeviceStatus status;

	status = ops->event_elapsed(run->device, buffer->begun, buffer->deformed, &input);
	if (status == DEVICE_OK)
		status = ops->event_elapsed(run->device, buffer->deformed, buffer->done, &aggregate);
	run->head.stats.input_ns += (uint64_t) (input * 1e6);
	run->head.stats.aggregate_ns += (uint64_t) (aggregate * 1e6);
	return run_device(run, status, "could not read the time");
}

/* All of a buffer's rows are in the table. */
static EngineStatus
buffer_done(CudaRun *run, InputBuffer *buffer)
{
	buffer->state = BUFFER_EMPTY;
	snprintf(run->head.stats.strategy, sizeof(run->head.stats.strategy), "%s",
			 strategy_name(run->choice.strategy));
	return add_times(run, buffer);
}

EngineStatus
aggregate_finish(CudaRun *run, InputBuffer *buffer)
{
	const Counters *counters = buffer->counters;
	DeviceStatus ready;
	EngineStatus status;

	if (buffer->state != BUFFER_SUBMITTED)
		return ENGINE_OK;
	ready = run->device_ops->event_query(run->device, buffer->done);
	if (ready == DEVICE_BUSY)
		return ENGINE_BUSY;
	status = run_device(run, ready, "the device failed");
	if (status == ENGINE_OK)
		status = check_errors(run, counters);
	if (status == ENGINE_OK && counters->left > 0)
		status = pages_note_left(run, buffer);
	if (status != ENGINE_OK)
		return status;
	run->head.stats.rows_passed += counters->rows_passed - counters->undone;
	if (run->layouts[0].nsums > 0 && run->head.stats.rows_passed >= EXACT_MAX_ROWS)
		return run_fail(run, ENGINE_INEXACT, "too many rows for a float sum");
	if (counters->values_missed > buffer->values_missed)
		buffer->values_missed = counters->values_missed;
	/* the counters are those of the next launch from then on */
	if (counters->undone > 0)
		status = run_undone(run, buffer, counters->undone);
	else if (buffer->values_missed > 0)
		status = run_values_again(run, buffer);
	else
		return buffer_done(run, buffer);
	return status == ENGINE_OK ? ENGINE_BUSY : status;
}

/* Is the device done with all that it was given? */
EngineStatus
aggregate_finish_all(CudaRun *run)
{
	EngineStatus result = ENGINE_OK;

	for (int i = 0; i < INPUT_BUFFERS; i++)
	{
		EngineStatus status = aggregate_finish(run, &run->inputs[i]);

		if (status == ENGINE_BUSY)
			result = ENGINE_BUSY;
		else if (status != ENGINE_OK)
			return status;
	}
	return result;
}
