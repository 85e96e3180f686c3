/*
 * feed.c
 *	  The caller's pages and batches into input buffers, and full ones to the
 *	  device.
 *
 * One buffer is filled while the device works on the other.
 */
#include "engine/column_batch.h"
#include "engine/cuda/input/input_steps.h"
#include "engine/cuda/run/feed.h"
#include "engine/cuda/run/submit.h"

/* Hand what has been gathered to the device, and go on with the other buffer. */
static EngineStatus
flush(CudaRun *run)
{
	Input	   *input = &run->input;
	InputBuffer *buffer = &input->buffers[input->filling];

	if (buffer->state != BUFFER_FILLING)
		return ENGINE_OK;
	if (buffer->nrows == 0 && buffer->npages == 0)
	{
		buffer->state = BUFFER_EMPTY;
		return ENGINE_OK;
	}
	input->filling = (input->filling + 1) % INPUT_BUFFERS;
	return submit_buffer(run, buffer);
}

/*
 * The buffer to fill, with pages or with column batches, once the device is done
 * with what it had before; BUSY until then.
 */
static EngineStatus
current_buffer(CudaRun *run, bool pages, InputBuffer **buffer)
{
	Input	   *input = &run->input;
	InputBuffer *current = &input->buffers[input->filling];
	EngineStatus ready = input_ready(&run->core, input);

	if (ready != ENGINE_OK)
		return ready;
	if (current->state == BUFFER_FILLING && current->pages != pages)
	{
		EngineStatus status = flush(run);

		if (status != ENGINE_OK)
			return status;
		current = &input->buffers[input->filling];
	}
	if (current->state == BUFFER_SUBMITTED)
	{
		EngineStatus status = submit_finish(run, current);

		if (status != ENGINE_OK)
			return status;
	}
	if (current->state == BUFFER_EMPTY)
		input_buffer_begin(current, pages);
	*buffer = current;
	return ENGINE_OK;
}

/* No page is needed any more, and what has been left out is known. */
static EngineStatus
end_pages(CudaRun *run)
{
	EngineStatus status;

	if (page_calls_released(&run->core, &run->input.calls) < run->input.calls.given)
		return ENGINE_BUSY;
	if (!run->input.leaves)
		return ENGINE_OK;
	status = flush(run);
	return status == ENGINE_OK ? submit_finish_all(run) : status;
}

/*
 * As many pages as the buffer has room for.  The device begins to read those that it
 * can read in place, threads to copy the others.
 */
static EngineStatus
take_pages(CudaRun *run, const PageRef *pages, uint32_t n, InputBuffer *buffer)
{
	RunCore    *core = &run->core;
	Input	   *input = &run->input;
	uint32_t	first = buffer->npages;
	uint32_t	taken = 0;
	PageCall   *call;
	EngineStatus status;

	if (page_calls_full(core, &input->calls))
		return ENGINE_BUSY;
	/* columns that are kept have all rows */
	if (first == 0)
		buffer->filtered = !input->keep.enabled &&
			tuple_filter_pays(&input->deformer.filter, pages, n);
	status = page_calls_begin(core, &input->calls, &call);
	if (status == ENGINE_OK)
		status = pages_take(core, &input->layout, input->keep.enabled, pages, n, buffer,
							&call->ticket, &taken);
	copier_start(core->context->copier);
	if (status == ENGINE_OK)
		status = gather_in_place(core, &input->deformer, &input->layout, buffer, first, call);
	page_calls_end(&input->calls, call, taken);
	input->pages_taken += taken;
	if (taken > 0)
		input->last = pages[taken - 1];
	return status;
}

/*
 * How many of the pages the buffer takes.  It ends where a stripe of blocks does that is to be
 * kept.
 */
static uint32_t
pages_for_buffer(const Input *input, const PageRef *pages, uint32_t n,
				 const InputBuffer *buffer)
{
	uint32_t	room = input->layout.pages - buffer->npages;

	if (room == 0)
		return 0;
	return keep_limit(&input->keep, input->calls.given > 0 ? &input->last : NULL, pages, n,
					  room);
}

/*
 * A buffer that has no room is handed to the device; the other one may be BUSY, and
 * the caller comes again with the same pages.
 */
EngineStatus
feed_pages(CudaRun *run, const PageRef *pages, int n)
{
	Input	   *input = &run->input;
	InputBuffer *buffer;
	EngineStatus status = submit_segments(run);

	if (status != ENGINE_OK && status != ENGINE_BUSY)
		return status;
	if (n == 0)
		return end_pages(run);
	status = ENGINE_OK;
	while (input->pages_taken < (uint32_t) n && status == ENGINE_OK)
	{
		const PageRef *next = pages + input->pages_taken;
		uint32_t	taken = 0;

		status = current_buffer(run, true, &buffer);
		if (status == ENGINE_OK)
			taken = pages_for_buffer(input, next, (uint32_t) n - input->pages_taken, buffer);
		if (status == ENGINE_OK && taken == 0)
			status = flush(run);
		else if (status == ENGINE_OK)
			status = take_pages(run, next, taken, buffer);
	}
	if (status == ENGINE_OK)
		input->pages_taken = 0;
	return status;
}

/* Rows of the batch that the buffer has room for now: one at least. */
static EngineStatus
room_for_rows(CudaRun *run, const ColumnBatch *batch, InputBuffer *buffer, uint32_t *n)
{
	const Program *program = run->core.program;
	Input	   *input = &run->input;

	*n = columns_rows_that_fit(program, &input->layout, buffer, batch, input->batch_taken);
	if (*n > 0 || buffer->nrows > 0)
		return ENGINE_OK;
	*n = 1;
	return input_buffer_grow_texts(&run->core, &input->layout,
								   columns_text_size(program, batch, input->batch_taken, 1),
								   buffer);
}

/*
 * A batch is taken in several pieces if it does not fit one buffer.  BUSY between
 * them: what has been taken is remembered, and the caller comes again with the same
 * batch.
 */
EngineStatus
feed_columns(CudaRun *run, const ColumnBatch *batch)
{
	RunCore    *core = &run->core;
	Input	   *input = &run->input;
	EngineStatus served = submit_segments(run);

	if (served != ENGINE_OK && served != ENGINE_BUSY)
		return served;
	if (input->batch_taken == 0 && batch_has_wrong_null(core->program, batch))
		return run_fail(core, ENGINE_INEXACT, "a column that cannot be NULL is NULL");
	while (input->batch_taken < batch->nrows)
	{
		InputBuffer *buffer;
		uint32_t	n = 0;
		EngineStatus status = current_buffer(run, false, &buffer);

		if (status == ENGINE_OK)
			status = room_for_rows(run, batch, buffer, &n);
		if (status != ENGINE_OK)
			return status;
		columns_take_rows(core, &input->layout, batch, input->batch_taken, n, buffer);
		input->batch_taken += n;
		core->head.stats.rows += n;
		if (input->batch_taken < batch->nrows || buffer->nrows == input->layout.batch_rows)
		{
			status = flush(run);
			if (status != ENGINE_OK)
				return status;
		}
	}
	input->batch_taken = 0;
	return ENGINE_OK;
}

EngineStatus
feed_end(CudaRun *run)
{
	EngineStatus served = submit_segments(run);
	EngineStatus status = served == ENGINE_BUSY ? ENGINE_OK : served;

	if (status == ENGINE_OK)
		status = flush(run);
	if (status == ENGINE_OK)
		status = submit_finish_all(run);
	return status == ENGINE_OK ? served : status;
}
