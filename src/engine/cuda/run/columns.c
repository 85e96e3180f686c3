/*
 * columns.c
 *	  Column batches into an input buffer.
 *
 * The stage has the layout of the device's columns, so that each column is one
 * copy.  Validity bits become bytes that say NULL; texts become TextRefs into
 * the bytes that are gathered behind the columns.  A stage that was made for pages
 * holds fewer rows than the device's columns; one row's texts may be longer than
 * its room for them, which then grows.
 */
#include <string.h>

#include "engine/cuda/run/run.h"

/* Rows of a buffer, and bytes of texts: large enough for every batch's start. */
#define COLUMNS_ROWS (128 * 1024)
#define COLUMNS_MIN_ROWS 1024
#define COLUMNS_TEXT_BYTES (16 << 20)

static bool
has_text(const Program *program)
{
	for (int i = 0; i < program->ncolumns; i++)
		if (program_columns(program)[i].type == VT_TEXT)
			return true;
	return false;
}

EngineStatus
columns_open(CudaRun *run)
{
	uint64_t	rows = input_rows(run) / 256 * 256;
	uint32_t	row_bytes = run->layouts[0].row_bytes;

	if (run->program->source == SOURCE_PAGES)
	{
		/* half of what holds pages, the rest is for texts */
		run->batch_rows = run->capacity < COLUMNS_ROWS ? run->capacity : COLUMNS_ROWS;
		if ((uint64_t) run->batch_rows * row_bytes > run->bytes_capacity / 2)
			run->batch_rows = run->bytes_capacity / 2 / row_bytes / 16 * 16;	/* aligned */
		return ENGINE_OK;
	}
	run->capacity = COLUMNS_ROWS;
	if (rows < run->capacity)
		run->capacity = rows < COLUMNS_MIN_ROWS ? COLUMNS_MIN_ROWS : (uint32_t) rows;
	run->batch_rows = run->capacity;
	run->bytes_capacity = has_text(run->program) ? COLUMNS_TEXT_BYTES : 0;
	return ENGINE_OK;
}

/* The stage of a buffer for column batches: columns, then texts. */
size_t
columns_stage_size(const CudaRun *run, uint32_t text_capacity)
{
	return (size_t) run->batch_rows * run->layouts[0].row_bytes + text_capacity;
}

static bool
is_null(const ColumnVector *vector, uint32_t row)
{
	return vector->validity != NULL && !((vector->validity[row / 8] >> (row % 8)) & 1);
}

/* Bytes of texts of n rows from `from` on. */
static uint64_t
text_bytes(const CudaRun *run, const ColumnBatch *batch, uint32_t from, uint32_t n)
{
	const Column *columns = program_columns(run->program);
	uint64_t	bytes = 0;

	for (int i = 0; i < run->program->ncolumns; i++)
		if (columns[i].type == VT_TEXT)
			bytes += batch->columns[i].offsets[from + n] - batch->columns[i].offsets[from];
	return bytes;
}

/* How many rows, from `from`, still fit, texts included. */
static uint32_t
rows_that_fit(const CudaRun *run, const InputBuffer *buffer, const ColumnBatch *batch,
			  uint32_t from)
{
	uint32_t	n = batch->nrows - from;
	uint64_t	room = buffer->text_capacity - buffer->nbytes;

	if (n > run->batch_rows - buffer->nrows)
		n = run->batch_rows - buffer->nrows;
	while (n > 0 && text_bytes(run, batch, from, n) > room)
		n /= 2;
	return n;
}

/* Make a buffer's room for texts large enough for one row. */
static EngineStatus
grow_texts(CudaRun *run, InputBuffer *buffer, uint64_t bytes)
{
	uint64_t	pages = run->program->source == SOURCE_PAGES ? run->bytes_capacity : 0;
	EngineStatus status;

	if (bytes > UINT32_MAX - run->slot_bytes_size - 4096)
		return run_fail(run, ENGINE_INEXACT, "a row has 4 GB of text");
	bytes = (bytes + 4095) / 4096 * 4096;
	stage_give_back(run->context, &buffer->stage);
	status = run_device(run, stage_take(run->context,
										columns_stage_size(run, (uint32_t) bytes),
										&buffer->stage),
						"could not make room for a long text");
	if (status == ENGINE_OK)
		status = input_alloc_bytes(run, buffer, (bytes > pages ? bytes : pages) + 16);
	if (status == ENGINE_OK)
		buffer->text_capacity = (uint32_t) bytes;
	return status;
}

/* Texts of one column: their bytes and where they are. */
static void
take_texts(const CudaRun *run, InputBuffer *buffer, const ColumnVector *vector,
		   uint32_t from, uint32_t n, TextRef *refs)
{
	char	   *bytes = (char *) buffer->stage.data + columns_stage_size(run, 0);
	uint32_t	first = vector->offsets[from];
	uint32_t	base = run->slot_bytes_size + buffer->nbytes;
	uint32_t	size = vector->offsets[from + n] - first;

	if (size > 0)
		memcpy(bytes + buffer->nbytes, (const char *) vector->values + first, size);
	for (uint32_t i = 0; i < n; i++)
	{
		refs[i].start = base + (vector->offsets[from + i] - first);
		refs[i].length = vector->offsets[from + i + 1] - vector->offsets[from + i];
	}
	buffer->nbytes += size;
}

static void
take_rows(const CudaRun *run, InputBuffer *buffer, const ColumnBatch *batch,
		  uint32_t from, uint32_t n)
{
	const Column *columns = program_columns(run->program);
	char	   *stage = buffer->stage.data;

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const ColumnVector *vector = &batch->columns[i];
		const ColumnPlace *place = &run->layouts[0].columns[i];
		size_t		size = (size_t) layout_value_size((ValueType) columns[i].type);
		char	   *values = stage + (size_t) run->batch_rows * place->values +
			buffer->nrows * size;

		if (columns[i].type == VT_TEXT)
			take_texts(run, buffer, vector, from, n, (TextRef *) values);
		else
			memcpy(values, (const char *) vector->values + from * size, n * size);
		if (place->nulls > 0)
		{
			char	   *nulls = stage + (size_t) run->batch_rows * place->nulls + buffer->nrows;

			for (uint32_t j = 0; j < n; j++)
				nulls[j] = is_null(vector, from + j);
		}
	}
	buffer->nrows += n;
}

/* Is there a NULL in a column that the Program says has none? */
static bool
has_wrong_null(const CudaRun *run, const ColumnBatch *batch)
{
	const Column *columns = program_columns(run->program);

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		if (columns[i].nullable || batch->columns[i].validity == NULL)
			continue;
		for (uint32_t row = 0; row < batch->nrows; row++)
			if (is_null(&batch->columns[i], row))
				return true;
	}
	return false;
}

/*
 * Take a batch in, in several pieces if it does not fit one buffer.  BUSY
 * between them: what has been taken is remembered, and the caller comes again
 * with the same batch.
 */
EngineStatus
columns_take(CudaRun *run, const ColumnBatch *batch)
{
	if (run->batch_taken == 0 && has_wrong_null(run, batch))
		return run_fail(run, ENGINE_INEXACT, "a column that cannot be NULL is NULL");
	while (run->batch_taken < batch->nrows)
	{
		InputBuffer *buffer;
		EngineStatus status = input_current(run, false, &buffer);
		uint32_t	n;

		if (status != ENGINE_OK)
			return status;
		n = rows_that_fit(run, buffer, batch, run->batch_taken);
		if (n == 0 && buffer->nrows == 0)
		{
			n = 1;
			status = grow_texts(run, buffer, text_bytes(run, batch, run->batch_taken, n));
			if (status != ENGINE_OK)
				return status;
		}
		take_rows(run, buffer, batch, run->batch_taken, n);
		run->batch_taken += n;
		run->head.stats.rows += n;
		if (run->batch_taken < batch->nrows || buffer->nrows == run->batch_rows)
		{
			status = input_flush(run);
			if (status != ENGINE_OK)
				return status;
		}
	}
	run->batch_taken = 0;
	return ENGINE_OK;
}

/* Copy what is there to the device, in the copy stream. */
EngineStatus
columns_upload(CudaRun *run, InputBuffer *buffer)
{
	const Column *columns = program_columns(run->program);
	const DeviceOps *ops = run->device_ops;
	const char *stage = buffer->stage.data;
	DeviceStatus status = DEVICE_OK;

	for (int i = 0; i < run->program->ncolumns && status == DEVICE_OK; i++)
	{
		const ColumnPlace *place = &run->layouts[0].columns[i];
		size_t		values = (size_t) run->capacity * place->values;
		size_t		nulls = (size_t) run->capacity * place->nulls;
		const char *staged = stage + (size_t) run->batch_rows * place->values;
		size_t		size = (size_t) layout_value_size((ValueType) columns[i].type);

		status = ops->upload(run->device, run->copy, buffer->columns.ptr + values,
							 staged, buffer->nrows * size);
		run->head.stats.bytes += buffer->nrows * size;
		if (status == DEVICE_OK && place->nulls > 0)
			status = ops->upload(run->device, run->copy, buffer->columns.ptr + nulls,
								 stage + (size_t) run->batch_rows * place->nulls,
								 buffer->nrows);
	}
	if (status == DEVICE_OK && buffer->nbytes > 0)
		status = ops->upload(run->device, run->copy,
							 buffer->bytes.ptr + run->slot_bytes_size,
							 stage + columns_stage_size(run, 0), buffer->nbytes);
	run->head.stats.bytes += buffer->nbytes;
	return run_device(run, status, "could not copy columns to the device");
}
