/*
 * input_buffer.c
 *	  A buffer that rows are gathered in: opened, enlarged, closed.
 */
#include <stdlib.h>
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

/* Its columns as a segment, since all kernels of the run take segments. */
static EngineStatus
make_segment(RunCore *run, const InputLayout *input, InputBuffer *buffer)
{
	const Column *columns = program_columns(run->kernel_program);
	int			ncolumns = run->kernel_program->ncolumns;
	size_t		size = SEGMENT_WORDS((size_t) ncolumns) * sizeof(uint64_t);
	EngineStatus status;

	buffer->segment = malloc(size);
	if (buffer->segment == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	buffer->segment[SEGMENT_NROWS] = input->rows;
	buffer->segment[SEGMENT_MASK] = buffer->left.ptr;
	for (int i = 0; i < ncolumns; i++)
	{
		const ColumnPlace *place = &run->layouts[0].columns[i];
		uint32_t	width = layout_type_width((ValueType) columns[i].type);

		buffer->segment[SEGMENT_VALUES(i)] =
			PLACE(buffer->columns.ptr + (uint64_t) input->rows * place->values, width);
		buffer->segment[SEGMENT_BASE(i)] = 0;
		buffer->segment[SEGMENT_NULLS(i)] =
			PLACE(buffer->columns.ptr + (uint64_t) input->rows * place->nulls, WIDTH_1);
	}
	status = run_alloc(run, size, &buffer->own_segments);
	buffer->segments = buffer->own_segments.ptr;
	buffer->segment_rows = input->rows;
	buffer->segment_words = (uint32_t) SEGMENT_WORDS(ncolumns);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->upload(run->device, run->work,
														 buffer->segments, buffer->segment,
														 size), "could not copy addresses");
	return status;
}

static EngineStatus
make_undone(RunCore *run, uint64_t rows, DeviceBuffer *undone)
{
	if (run->program->nkeys == 0)
		return ENGINE_OK;
	return run_alloc(run, rows * sizeof(uint32_t), undone);
}

EngineStatus
input_buffer_need_undone(RunCore *run, uint32_t undone, InputBuffer *buffer)
{
	if (buffer->undone[1].size >= (uint64_t) undone * sizeof(uint32_t))
		return ENGINE_OK;
	run_free(run, &buffer->undone[1]);
	return make_undone(run, undone, &buffer->undone[1]);
}

void
input_buffer_order_undone(InputBuffer *buffer)
{
	DeviceBuffer first = buffer->undone[0];

	if (first.size >= buffer->undone[1].size)
		return;
	buffer->undone[0] = buffer->undone[1];
	buffer->undone[1] = first;
}

/* Where the device tells of the buffer. */
static void
place_counters(const RunCore *run, size_t place, InputBuffer *buffer)
{
	buffer->counters = run->counters.ptr + place;
	buffer->results = (Counters *) ((char *) run->results.data + place);
}

/* Let the work stream wait for what has been given to the copy stream. */
static EngineStatus
wait_for_copies(RunCore *run, const InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status = ops->event_record(run->device, buffer->uploaded, run->copy);

	if (status == DEVICE_OK)
		status = ops->stream_wait_event(run->device, run->work, buffer->uploaded);
	return run_device(run, status, "could not order the streams");
}

EngineStatus
input_buffer_open_segments(RunCore *run, uint32_t rows, uint64_t bytes, uint64_t copied,
						   int number, InputBuffer *buffer)
{
	EngineStatus status = make_events(run, buffer);

	place_counters(run, COUNTERS_OF_SEGMENTS((size_t) number), buffer);
	if (status == ENGINE_OK)
		status = make_bytes(run, bytes, buffer);
	if (status == ENGINE_OK)
		status = wait_for_copies(run, buffer);
	if (status == ENGINE_OK)
		status = run_alloc(run, copied, &buffer->copies);
	return status == ENGINE_OK ? make_undone(run, rows, &buffer->undone[0]) : status;
}

EngineStatus
input_buffer_open(RunCore *run, const InputLayout *input, int number, InputBuffer *buffer)
{
	EngineStatus status;

	buffer->text_capacity = input->text;
	buffer->capacity = input->rows;
	place_counters(run, COUNTERS_OF_INPUT((size_t) number), buffer);
	buffer->lsns = malloc(input->pages * sizeof(*buffer->lsns) + 1);
	if (buffer->lsns == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	status = run_take_stage(run, input->stage, &buffer->stage);
	if (status == ENGINE_OK)
		status = make_events(run, buffer);
	if (status == ENGINE_OK)
		status = make_bytes(run, input->bytes, buffer);
	if (status == ENGINE_OK)
		status = run_alloc(run, (uint64_t) input->rows * input->row_bytes, &buffer->columns);
	for (int i = 0; i < 2 && status == ENGINE_OK; i++)
		status = make_undone(run, input->rows, &buffer->undone[i]);
	if (status == ENGINE_OK && program_leaves_rows(run->program))
		status = run_alloc(run, input->rows, &buffer->left);
	if (status == ENGINE_OK && run->layouts[0].segments)
		status = make_segment(run, input, buffer);
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
	run_free(run, &buffer->answers);
	run_free(run, &buffer->copies);
	run_free(run, &buffer->undone[0]);
	run_free(run, &buffer->undone[1]);
	run_free(run, &buffer->own_segments);
	free(buffer->lsns);
	free(buffer->segment);
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
	buffer->filtered = false;
	buffer->ntested = 0;
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
	batch->segments = buffer->segments;
	if (buffer->segments != 0)
		batch->segment_magic = SEGMENT_MAGIC(buffer->segment_rows);
	batch->segment_rows = buffer->segment_rows;
	batch->segment_words = buffer->segment_words;
	batch->columns = buffer->columns.ptr;
	batch->bytes = buffer->bytes.ptr;
	batch->undone = buffer->undone[0].ptr;
	batch->left = buffer->left.ptr;
	batch->answers = buffer->answers.ptr;
	batch->capacity = buffer->capacity;
	batch->nrows = buffer->nrows;
	batch->first = buffer->first;
}
