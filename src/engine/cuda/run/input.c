/*
 * input.c
 *	  Buffers that rows are gathered in before the device gets them.
 *
 * Two buffers: one is filled while the device works on the other.  Launches and
 * copies are large, so that what they cost by themselves does not count.
 */
#include <string.h>

#include "engine/cuda/run/run.h"

/* Device memory for pages or texts, behind the texts of slots, which stay there. */
EngineStatus
input_alloc_bytes(CudaRun *run, InputBuffer *buffer, uint64_t size)
{
	EngineStatus status;

	run_free(run, &buffer->bytes);
	status = run_alloc(run, run->slot_bytes_size + size, &buffer->bytes);
	if (status == ENGINE_OK && run->slot_bytes_size > 0)
		status = run_device(run, run->device_ops->upload(run->device, run->copy,
														 buffer->bytes.ptr, run->slot_bytes,
														 run->slot_bytes_size),
							"could not copy constants");
	return status;
}

/* Events and lists that every buffer has. */
static EngineStatus
open_buffer(CudaRun *run, int i, size_t stage_size, size_t bytes_size)
{
	InputBuffer *buffer = &run->inputs[i];
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status;
	EngineStatus result;

	status = stage_take(run->context, stage_size, &buffer->stage);
	if (status == DEVICE_OK)
		status = ops->event_create(run->device, &buffer->begun);
	if (status == DEVICE_OK)
		status = ops->event_create(run->device, &buffer->uploaded);
	if (status == DEVICE_OK)
		status = ops->event_create(run->device, &buffer->deformed);
	if (status == DEVICE_OK)
		status = ops->event_create(run->device, &buffer->done);
	result = run_device(run, status, "could not make an input buffer");
	buffer->counters = (Counters *) ((char *) run->results.data + COUNTERS_OF_BUFFER(i));
	if (result == ENGINE_OK)
		result = input_alloc_bytes(run, buffer, bytes_size);
	if (result == ENGINE_OK && run->layouts[0].row_bytes > 0)
		result = run_alloc(run, (uint64_t) run->capacity * run->layouts[0].row_bytes,
						   &buffer->columns);
	for (int j = 0; j < 2 && result == ENGINE_OK && run->program->nkeys > 0; j++)
		result = run_alloc(run, (uint64_t) run->capacity * sizeof(uint32_t),
						   &buffer->undone[j]);
	if (result == ENGINE_OK && run->leaves)
		result = run_alloc(run, run->capacity, &buffer->left);
	return result;
}

/* Rows whose columns are of a good size for the memory there is. */
uint64_t
input_rows(const CudaRun *run)
{
	uint64_t	bytes = run->memory_limit / INPUT_MEMORY_SHARE;
	uint32_t	row = run->layouts[0].row_bytes + 8;	/* and in two lists */

	if (bytes > INPUT_COLUMN_BYTES)
		bytes = INPUT_COLUMN_BYTES;
	return bytes / row;
}

EngineStatus
input_open(CudaRun *run)
{
	EngineStatus status = ENGINE_OK;
	size_t		stage_size;
	uint32_t	text_capacity;

	if (run->program->source == SOURCE_PAGES)
		status = pages_open(run);
	if (status == ENGINE_OK)
		status = columns_open(run);
	if (status != ENGINE_OK)
		return status;
	if (run->program->source == SOURCE_PAGES)
	{
		stage_size = run->bytes_capacity;
		text_capacity = (uint32_t) (stage_size - columns_stage_size(run, 0));
	}
	else
	{
		stage_size = columns_stage_size(run, run->bytes_capacity);
		text_capacity = run->bytes_capacity;
	}
	for (int i = 0; i < INPUT_BUFFERS && status == ENGINE_OK; i++)
	{
		run->inputs[i].text_capacity = text_capacity;
		status = open_buffer(run, i, stage_size, run->bytes_capacity + 16);
	}
	return status;
}

void
input_close(CudaRun *run)
{
	const DeviceOps *ops = run->device_ops;

	for (int i = 0; i < INPUT_BUFFERS; i++)
	{
		InputBuffer *buffer = &run->inputs[i];
		DeviceEvent *events[] = {
			buffer->begun, buffer->uploaded, buffer->deformed, buffer->done
		};

		for (int j = 0; j < 4; j++)
			if (events[j] != NULL)
				ops->event_destroy(run->device, events[j]);
		run_free(run, &buffer->bytes);
		run_free(run, &buffer->columns);
		run_free(run, &buffer->left);
		run_free(run, &buffer->undone[0]);
		run_free(run, &buffer->undone[1]);
		stage_give_back(run->context, &buffer->stage);
	}
}

/*
 * The buffer to fill, with pages or with column batches, once the device is done
 * with what it had before; BUSY until then.
 */
EngineStatus
input_current(CudaRun *run, bool pages, InputBuffer **buffer)
{
	InputBuffer *current = &run->inputs[run->filling];

	if (current->state == BUFFER_FILLING && current->pages != pages)
	{
		EngineStatus status = input_flush(run);

		if (status != ENGINE_OK)
			return status;
		current = &run->inputs[run->filling];
	}
	if (current->state == BUFFER_SUBMITTED)
	{
		EngineStatus status = aggregate_finish(run, current);

		if (status != ENGINE_OK)
			return status;
	}
	if (current->state == BUFFER_EMPTY)
	{
		current->pages = pages;
		current->nrows = 0;
		current->npages = 0;
		current->nlines = 0;
		current->nbytes = 0;
		current->state = BUFFER_FILLING;
	}
	*buffer = current;
	return ENGINE_OK;
}

/* Hand what has been gathered to the device, and go on with the other buffer. */
EngineStatus
input_flush(CudaRun *run)
{
	InputBuffer *buffer = &run->inputs[run->filling];

	if (buffer->state != BUFFER_FILLING)
		return ENGINE_OK;
	if (buffer->nrows == 0)
	{
		buffer->state = BUFFER_EMPTY;
		return ENGINE_OK;
	}
	run->filling = (run->filling + 1) % INPUT_BUFFERS;
	return aggregate_submit(run, buffer);
}

/* A buffer's rows as kernels see them. */
void
input_batch(const CudaRun *run, const InputBuffer *buffer, RowBatch *batch)
{
	memset(batch, 0, sizeof(*batch));
	batch->columns = buffer->columns.ptr;
	batch->bytes = buffer->bytes.ptr;
	batch->undone = buffer->undone[0].ptr;
	batch->left = buffer->left.ptr;
	batch->capacity = run->capacity;
	batch->nrows = buffer->nrows;
	batch->first = buffer->first;
}
