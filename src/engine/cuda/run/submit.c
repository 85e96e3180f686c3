/*
 * submit.c
 *	  A full buffer's way through the device: copy, deform, aggregate.
 *
 * The copy goes to a stream of its own and so runs while the kernels work on the
 * buffer before.  What came of the kernels is read when the buffer is needed
 * again: errors, and rows whose groups found no room; for these the table grows
 * and they run again.
 */
#include <stdio.h>

#include "engine/cuda/aggregate/table_values.h"
#include "engine/cuda/input/input_steps.h"
#include "engine/cuda/input/unpack.h"
#include "engine/cuda/run/submit.h"

/* Clear the buffer's counters before a launch; download them behind it. */
static EngineStatus
clear_counters(RunCore *core, const InputBuffer *buffer)
{
	return run_device(core,
					  core->device_ops->fill(core->device, core->work, buffer->counters, 0,
											 sizeof(Counters)),
					  "could not clear counters");
}

static EngineStatus
fetch_counters(RunCore *core, const InputBuffer *buffer)
{
	const DeviceOps *ops = core->device_ops;
	DeviceStatus status;

	status = ops->download(core->device, core->work, buffer->results, buffer->counters,
						   sizeof(Counters));
	if (status == DEVICE_OK)
		status = ops->event_record(core->device, buffer->done, core->work);
	return run_device(core, status, "could not read counters");
}

/* Copy the rows to the device; the work stream waits for them. */
static EngineStatus
copy_rows(CudaRun *run, const InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	const DeviceOps *ops = core->device_ops;
	DeviceStatus status;
	EngineStatus result;

	status = ops->event_record(core->device, buffer->begun, core->copy);
	result = run_device(core, status, "could not record an event");
	if (result != ENGINE_OK)
		return result;
	if (buffer->pages)
	{
		result = page_calls_copy(core, &run->input.calls);
		if (result == ENGINE_OK)
			result = gather_copied(core, &run->input.deformer, &run->input.layout, buffer);
	}
	if (result == ENGINE_OK)
		result = input_upload(core, &run->input.layout, buffer);
	if (result != ENGINE_OK)
		return result;
	status = ops->event_record(core->device, buffer->uploaded, core->copy);
	if (status == DEVICE_OK)
		status = ops->stream_wait_event(core->device, core->work, buffer->uploaded);
	return run_device(core, status, "could not order the streams");
}

/* Which of the input's buffers it is. */
static uint32_t
buffer_number(const CudaRun *run, const InputBuffer *buffer)
{
	return (uint32_t) (buffer - run->input.buffers);
}

/* The columns that the run needs, then those that are kept for later ones. */
static EngineStatus
deform_pages(CudaRun *run, const InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	const Input *input = &run->input;
	uint32_t	number = buffer_number(run, buffer);
	EngineStatus status = page_deformer_launch(core, &input->deformer, &input->layout, buffer);

	if (status == ENGINE_OK)
		status = keep_launch(core, &input->keep, &input->deformer, &input->layout, buffer,
							 &input->kept[number], number);
	return status;
}

/* Make the copied rows columns, of which some may be left out. */
static EngineStatus
make_columns(CudaRun *run, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	Input	   *input = &run->input;
	EngineStatus status = clear_counters(core, buffer);

	if (status == ENGINE_OK && buffer->pages)
		status = deform_pages(run, buffer);
	else if (status == ENGINE_OK && input->leaves)
		status = run_device(core, core->device_ops->fill(core->device, core->work,
														 buffer->left.ptr, 0, buffer->nrows),
							"could not clear marks");
	if (status == ENGINE_OK && buffer->nrows > 0)
		status = codes_make(core, &input->codes, &input->deformer.kernels, &input->layout,
							buffer);
	return status;
}

/* Rows in segments to columns, if the kernels take those. */
static EngineStatus
unpack_rows(CudaRun *run, InputBuffer *buffer, RowBatch *batch)
{
	RunCore    *core = &run->core;
	Input	   *input = &run->input;
	const SegmentLaunch *launch;
	EngineStatus status = ENGINE_OK;

	if (batch->segments == 0 || core->layouts[0].segments)
		return ENGINE_OK;
	if (!input->deformer.open)
		status = page_deformer_open(core, &input->deformer);
	if (status != ENGINE_OK)
		return status;
	launch = &input->launches.launches[input->launched - 1];
	status = unpack_launch(core, &input->served, input->deformer.kernels.unpack, launch->first,
						   launch->n, buffer);
	input_buffer_batch(&input->layout, buffer, batch);
	return status;
}

/* The first batch decides how rows meet their groups, and whether those of segments are unpacked. */
static EngineStatus
choose_aggregation(CudaRun *run, InputBuffer *buffer, RowBatch *batch)
{
	RunCore    *core = &run->core;
	Input	   *input = &run->input;
	bool		packed = batch->segments != 0;
	bool		unpacks = packed && unpack_possible(core, &input->served);
	EngineStatus status = aggregation_choose(core, &run->aggregation, batch, unpacks);

	if (status == ENGINE_OK && packed && !core->layouts[0].segments &&
		!unpack_make_room(core, input->launches.most_segments * buffer->segment_rows,
						  input->segments, input->nqueued))
		status = aggregation_choose_packed(core, &run->aggregation, batch);
	if (status == ENGINE_OK)
		status = unpack_rows(run, buffer, batch);
	return status == ENGINE_OK ? aggregation_begin(core, &run->aggregation, batch) : status;
}

/* What the aggregation of a batch needs: a strategy, its kernels, the table. */
static EngineStatus
prepare_aggregation(CudaRun *run, InputBuffer *buffer, RowBatch *batch)
{
	RunCore    *core = &run->core;
	Aggregation *aggregation = &run->aggregation;
	EngineStatus status;

	if (!aggregation->chosen)
		status = choose_aggregation(run, buffer, batch);
	else
	{
		status = aggregation_compiled(core, aggregation);
		if (status == ENGINE_OK)
			status = unpack_rows(run, buffer, batch);
	}
	if (status == ENGINE_OK)
		status = run_table_normalize(core, &aggregation->kernels, batch->nrows,
									 &aggregation->table);
	return status;
}

/*
 * Only aggregate the rows of a buffer whose columns are on the device.  There are none if its
 * pages are only to be kept, and then there may be no strategy.
 */
EngineStatus
submit_columns(CudaRun *run, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	Aggregation *aggregation = &run->aggregation;
	RowBatch	batch;
	EngineStatus status = ENGINE_OK;

	buffer->first = run->input.rows_before;
	run->input.rows_before += buffer->nrows;
	input_buffer_batch(&run->input.layout, buffer, &batch);
	if (batch.nrows > 0)
		status = prepare_aggregation(run, buffer, &batch);
	if (status == ENGINE_OK)
		status = run_device(core, core->device_ops->event_record(core->device,
																 buffer->deformed,
																 core->work),
							"could not record an event");
	buffer->growths = aggregation->table.growths;
	buffer->passed = 0;
	buffer->listed = core->layouts[0].nlists == 0 && core->layouts[0].nfirst == 0;
	if (status == ENGINE_OK && batch.nrows > 0)
		status = aggregation_launch(core, aggregation, &batch, buffer->counters,
									&buffer->scattered);
	if (status == ENGINE_OK)
		status = fetch_counters(core, buffer);
	if (status == ENGINE_OK)
		buffer->state = BUFFER_SUBMITTED;
	return status;
}

EngineStatus
submit_buffer(CudaRun *run, InputBuffer *buffer)
{
	Input	   *input = &run->input;
	uint32_t	number = buffer_number(run, buffer);
	EngineStatus status;

	if (buffer->pages)
		keep_begin(&run->core, &input->keep, &input->deformer, &input->layout, buffer, number,
				   &input->kept[number]);
	status = copy_rows(run, buffer);
	if (status == ENGINE_OK)
		status = make_columns(run, buffer);
	if (status == ENGINE_OK)
		status = submit_columns(run, buffer);
	return status;
}

/* Errors that the kernels met. */
static EngineStatus
check_errors(RunCore *run, const Counters *counters)
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
	if (counters->errors & ERROR_CODES)
		return run_fail(run, ENGINE_NO_MEMORY, "a text found no room in a dictionary");
	if (counters->errors & ERROR_WIDEN)
		return run_fail(run, ENGINE_WIDEN, "a float sum needs more words");
	return ENGINE_OK;
}

/*
 * Grow the table, unless it has grown since the buffer's launch: for the rows of another one,
 * and then there may be room.
 */
static EngineStatus
make_room(RunCore *core, Aggregation *aggregation, InputBuffer *buffer, uint32_t undone)
{
	EngineStatus status = ENGINE_OK;

	if (buffer->growths == aggregation->table.growths)
		status = run_table_grow(core, &aggregation->kernels, undone, &aggregation->table);
	buffer->growths = aggregation->table.growths;
	return status;
}

/* Make room for the rows that found none, and launch again for them. */
static EngineStatus
run_undone(CudaRun *run, InputBuffer *buffer, uint32_t undone)
{
	RunCore    *core = &run->core;
	Aggregation *aggregation = &run->aggregation;
	DeviceBuffer list = buffer->undone[0];
	RowBatch	batch;
	EngineStatus status;

	status = input_buffer_need_undone(core, undone, buffer);
	if (status == ENGINE_OK)
		status = make_room(core, aggregation, buffer, undone);
	if (status == ENGINE_OK)
		status = clear_counters(core, buffer);
	if (status != ENGINE_OK)
		return status;
	buffer->undone[0] = buffer->undone[1];
	buffer->undone[1] = list;
	input_buffer_batch(&run->input.layout, buffer, &batch);
	if (buffer->scattered.used)
	{
		batch.columns = buffer->scattered.rows;
		batch.capacity = buffer->scattered.capacity;
	}
	batch.rows = list.ptr;
	batch.nrows = undone;
	status = aggregation_launch(core, aggregation, &batch, buffer->counters,
								&buffer->scattered);
	if (status == ENGINE_OK)
		status = fetch_counters(core, buffer);
	return status;
}

/* Make room for extremes that found none, and take them from the batch again. */
static EngineStatus
run_values_again(CudaRun *run, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	Aggregation *aggregation = &run->aggregation;
	uint64_t	missed = buffer->values_missed;
	RowBatch	batch;
	EngineStatus status;

	buffer->values_missed = 0;
	status = table_values_grow(core, &aggregation->kernels, missed, &aggregation->table);
	if (status == ENGINE_OK)
		status = clear_counters(core, buffer);
	if (status != ENGINE_OK)
		return status;
	input_buffer_batch(&run->input.layout, buffer, &batch);
	status = aggregation_launch_values(core, aggregation, &batch, buffer->counters);
	if (status == ENGINE_OK)
		status = fetch_counters(core, buffer);
	return status;
}

/*
 * All groups are there: add the rows' values to lists, or find which rows come first; again, if
 * some of them have found no room.
 */
static EngineStatus
run_lists(CudaRun *run, InputBuffer *buffer, bool again)
{
	RunCore    *core = &run->core;
	RowBatch	batch;
	EngineStatus status = clear_counters(core, buffer);

	buffer->listed = true;
	input_buffer_batch(&run->input.layout, buffer, &batch);
	if (status == ENGINE_OK && core->layouts[0].nfirst > 0)
		status = aggregation_launch_first_rows(core, &run->aggregation, &batch, buffer->passed,
											   again, buffer->counters);
	else if (status == ENGINE_OK)
		status = aggregation_launch_lists(core, &run->aggregation, &batch, buffer->passed,
										  buffer->counters);
	if (status == ENGINE_OK)
		status = fetch_counters(core, buffer);
	return status;
}

/* Account for the time the buffer took on the device. */
static EngineStatus
add_times(RunCore *core, const InputBuffer *buffer)
{
	const DeviceOps *ops = core->device_ops;
	float		input = 0;
	float		aggregate = 0;
	DeviceStatus status;

	status = ops->event_elapsed(core->device, buffer->begun, buffer->deformed, &input);
	if (status == DEVICE_OK)
		status = ops->event_elapsed(core->device, buffer->deformed, buffer->done, &aggregate);
	core->head.stats.input_ns += (uint64_t) (input * 1e6);
	core->head.stats.aggregate_ns += (uint64_t) (aggregate * 1e6);
	return run_device(core, status, "could not read the time");
}

/* All of a buffer's rows are in the table. */
static EngineStatus
buffer_done(CudaRun *run, InputBuffer *buffer)
{
	EngineStats *stats = &run->core.head.stats;
	EngineStatus status = ENGINE_OK;

	buffer->state = BUFFER_EMPTY;
	if (buffer->pages)
		status = keep_end(&run->core, &run->input.keep, &run->input.deformer,
						  &run->input.kept[buffer_number(run, buffer)],
						  buffer_number(run, buffer));
	if (run->aggregation.chosen)
		snprintf(stats->strategy, sizeof(stats->strategy), "%s",
				 strategy_name(aggregation_strategy(&run->aggregation)));
	return status == ENGINE_OK ? add_times(&run->core, buffer) : status;
}

/* Take the launch's counters, before the next one's stand in their place. */
static EngineStatus
take_counters(CudaRun *run, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	const Counters *counters = buffer->results;
	EngineStatus status = check_errors(core, counters);

	if (status == ENGINE_OK && counters->left > 0)
		status = left_rows_note(core, &run->input.layout, buffer, &run->input.left);
	if (status != ENGINE_OK)
		return status;
	buffer->passed += counters->rows_passed - counters->undone;
	core->head.stats.rows_passed += counters->rows_passed - counters->undone;
	core->head.stats.rows_refused += counters->refused;
	if (buffer->ntested > 0)
		tuple_filter_learn(&run->input.deformer.filter, buffer->ntested, counters->refused);
	buffer->ntested = 0;
	if (core->layouts[0].nsums > 0 && core->head.stats.rows_passed >= EXACT_MAX_ROWS)
		return run_fail(core, ENGINE_INEXACT, "too many rows for a float sum");
	if (counters->values_missed > buffer->values_missed)
		buffer->values_missed = counters->values_missed;
	return ENGINE_OK;
}

EngineStatus
submit_finish(CudaRun *run, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	DeviceStatus ready;
	EngineStatus status;

	if (buffer->state != BUFFER_SUBMITTED)
		return ENGINE_OK;
	ready = core->device_ops->event_query(core->device, buffer->done);
	if (ready == DEVICE_BUSY)
		return ENGINE_BUSY;
	status = run_device(core, ready, "the device failed");
	if (status == ENGINE_OK)
		status = take_counters(run, buffer);
	if (status != ENGINE_OK)
		return status;
	if (buffer->results->undone > 0)
		status = run_undone(run, buffer, buffer->results->undone);
	else if (buffer->values_missed > 0)
		status = run_values_again(run, buffer);
	else if (!buffer->listed && buffer->passed > 0)
		status = run_lists(run, buffer, false);
	else if (buffer->results->first_missed)
		status = run_lists(run, buffer, true);
	else
		return buffer_done(run, buffer);
	return status == ENGINE_OK ? ENGINE_BUSY : status;
}

EngineStatus
submit_finish_all(CudaRun *run)
{
	EngineStatus result = ENGINE_OK;

	for (int i = 0; i < INPUT_BUFFERS; i++)
	{
		EngineStatus status = submit_finish(run, &run->input.buffers[i]);

		if (status == ENGINE_BUSY)
			result = ENGINE_BUSY;
		else if (status != ENGINE_OK)
			return status;
	}
	return result == ENGINE_OK ?
		keep_finish(&run->core, &run->input.keep, &run->input.deformer, run->input.kept,
					INPUT_BUFFERS) : result;
}

/* The next launch over segments that are served. */
static EngineStatus
launch_segments(CudaRun *run, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	Input	   *input = &run->input;
	const Served *served = &input->served;
	const SegmentLaunch *launch = &input->launches.launches[input->launched++];
	EngineStatus status;

	input_buffer_order_undone(buffer);
	buffer->segments = served->segments.ptr +
		(uint64_t) launch->first * buffer->segment_words * sizeof(uint64_t);
	buffer->nrows = launch->n * served->segment_rows;
	status = run_device(core, core->device_ops->event_record(core->device, buffer->begun,
															 core->work),
						"could not record an event");
	if (status == ENGINE_OK)
		status = segment_launch_copy(core, served, launch, buffer);
	if (status == ENGINE_OK)
		status = clear_counters(core, buffer);
	return status == ENGINE_OK ? submit_columns(run, buffer) : status;
}

/* Is there a launch left that may have the buffer, once that is free? */
static bool
has_launch(const Input *input, int buffer)
{
	const SegmentLaunches *launches = &input->launches;

	return input->launched < launches->n &&
		(launches->launches[input->launched].npieces == 0 ||
		 segment_launch_buffer(input->launched, input->nqueued) == buffer);
}

/*
 * A launch does not wait for what came of the one before: if its rows found no room, those of
 * the next one find none either, and each launch has a list of its own.  One that copies waits for
 * its buffer, whose copies it takes the place of.
 */
EngineStatus
submit_segments(CudaRun *run)
{
	Input	   *input = &run->input;
	EngineStatus result = ENGINE_OK;

	for (int i = 0; i < input->nqueued; i++)
	{
		InputBuffer *buffer = &input->segments[i];
		EngineStatus status = submit_finish(run, buffer);

		if (status == ENGINE_OK && has_launch(input, i))
			status = launch_segments(run, buffer);
		if (input->launched < input->launches.n || buffer->state == BUFFER_SUBMITTED)
			result = ENGINE_BUSY;
		if (status == ENGINE_BUSY)
			result = ENGINE_BUSY;
		else if (status != ENGINE_OK)
			return status;
	}
	return result;
}
