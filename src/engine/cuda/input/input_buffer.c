/*
 * input_buffer.c
 *	  A buffer that rows are gathered in: opened, enlarged, closed.
 */
#include <string.h>

#include "engine/cuda/input/input_buffer.h"

/* Device memory for pages or texts, behind the constants' texts, which stay there. */
static EngineStatus
make_bytes(RunCore *run, uint64_t size, InputBuffer *buffer)
{
	const Constants *constants = &run->constants;
	EngineStatus status;

	run_free(run, &buffer->bytes);
	status = run_alloc(run, constants->bytes_size + size, &buffer->bytes);
	if (status == ENGINE_OK && constants->bytes_size > 0)
		status = run_device(run, run->device_ops->upload(run->device, run->copy,
														 buffer->bytes.ptr, constants->bytes,
														 constants->bytes_size),
							"could not copy constants");
	return status;
}

static EngineStatus
make_events(RunCore *run, InputBuffer *buffer)
{
	DeviceEvent **events[] = {
		&buffer->begun, &buffer->uploaded, &buffer->deformed, &buffer->done
	};
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < 4 && status == ENGINE_OK; i++)
		status = run_take_event(run, events[i]);
	return status;
}

EngineStatus
input_buffer_open(RunCore *run, const InputLayout *input, int number, InputBuffer *buffer)
{
	EngineStatus status;

	buffer->text_capacity = input->text;
	buffer->counters = run->counters.ptr + COUNTERS_OF_INPUT(number);
	buffer->results = (Counters *) ((char *) run->results.data + COUNTERS_OF_INPUT(number));
	status = run_take_stage(run, input->stage, &buffer->stage);
	if (status == ENGINE_OK)
		status = make_events(run, buffer);
	if (status == ENGINE_OK)
		status = make_bytes(run, input->bytes, buffer);
	if (status == ENGINE_OK)
		status = run_alloc(run, (uint64_t) input->rows * input->row_bytes, &buffer->columns);
	for (int i = 0; i < 2 && status == ENGINE_OK && run->program->nkeys > 0; i++)
		status = run_alloc(run, (uint64_t) input->rows * sizeof(uint32_t),
						   &buffer->undone[i]);
	if (status == ENGINE_OK && program_leaves_rows(run->program))
		status = run_alloc(run, input->rows, &buffer->left);
	return status;
}

void
input_buffer_close(RunCore *run, InputBuffer *buffer)
{
	run_give_event(run, &buffer->begun);
	run_give_event(run, &buffer->uploaded);
	run_give_event(run, &buffer->deformed);
	run_give_event(run, &buffer->done);
	run_free(run, &buffer->bytes);
	run_free(run, &buffer->columns);
	run_free(run, &buffer->left);
	run_free(run, &buffer->undone[0]);
	run_free(run, &buffer->undone[1]);
	scattered_free(run, &buffer->scattered);
	run_give_stage(run, &buffer->stage);
}

void
input_buffer_begin(InputBuffer *buffer, bool pages)
{
	buffer->pages = pages;
	buffer->nrows = 0;
	buffer->npages = 0;
	buffer->ncopied = 0;
	buffer->nlines = 0;
	buffer->nbytes = 0;
	buffer->state = BUFFER_FILLING;
}

EngineStatus
input_buffer_grow_texts(RunCore *run, const InputLayout *input, uint64_t size,
						InputBuffer *buffer)
{
	uint64_t	pages = run->program->source == SOURCE_PAGES ? input->bytes : 0;
	EngineStatus status;

	if (size > UINT32_MAX - run->constants.bytes_size - 4096)
		return run_fail(run, ENGINE_INEXACT, "a row has 4 GB of text");
	size = (size + 4095) / 4096 * 4096;
	run_give_stage(run, &buffer->stage);
	status = run_take_stage(run, input_texts_place(input) + size, &buffer->stage);
	if (status == ENGINE_OK)
		status = make_bytes(run, size > pages ? size : pages, buffer);
	if (status == ENGINE_OK)
		buffer->text_capacity = (uint32_t) size;
	return status;
}

void
input_buffer_batch(const InputLayout *input, const InputBuffer *buffer, RowBatch *batch)
{
	memset(batch, 0, sizeof(*batch));
	batch->columns = buffer->columns.ptr;
	batch->bytes = buffer->bytes.ptr;
	batch->undone = buffer->undone[0].ptr;
	batch->left = buffer->left.ptr;
	batch->capacity = input->rows;
	batch->nrows = buffer->nrows;
	batch->first = buffer->first;
}
