/*
 * columns.c
 *	  Column batches into an input buffer.
 *
 * The stage has the layout of the device's columns, so that each column is one
 * copy.  Validity bits become bytes that say NULL; texts become TextRefs into
 * the bytes that are gathered behind the columns.
 */
#include <string.h>

#include "engine/cuda/run.h"

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

	run->capacity = COLUMNS_ROWS;
	if (rows < run->capacity)
		run->capacity = rows < COLUMNS_MIN_ROWS ? COLUMNS_MIN_ROWS : (uint32_t) rows;
	run->bytes_capacity = has_text(run->program) ? COLUMNS_TEXT_BYTES : 0;
	return ENGINE_OK;
}

static bool
is_null(const ColumnVector *vector, uint32_t row)
{
	return vector->validity != NULL && !((vector->validity[row / 8] >> (row % 8)) & 1);
}

/* How many rows, from `from`, still fit, texts included. */
static uint32_t
rows_that_fit(const CudaRun *run, const InputBuffer *buffer, const ColumnBatch *batch,
			  uint32_t from)
{
	const Column *columns = program_columns(run->program);
	uint32_t	n = batch->nrows - from;
	uint64_t	room = run->bytes_capacity - buffer->nbytes;

	if (n > run->capacity - buffer->nrows)
		n = run->capacity - buffer->nrows;
	for (;;)
	{
		uint64_t	bytes = 0;

		for (int i = 0; i < run->program->ncolumns; i++)
			if (columns[i].type == VT_TEXT)
				bytes += batch->columns[i].offsets[from + n] - batch->columns[i].offsets[from];
		if (bytes <= room || n == 0)
			return n;
		n /= 2;
	}
}

/* Texts of one column: their bytes and where they are. */
static void
take_texts(const CudaRun *run, InputBuffer *buffer, const ColumnVector *vector,
		   uint32_t from, uint32_t n, TextRef *refs)
{
	char	   *bytes = (char *) buffer->stage.data +
		(size_t) run->capacity * run->layouts[0].row_bytes;
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
		char	   *values = stage + (size_t) run->capacity * place->values +
			buffer->nrows * size;

		if (columns[i].type == VT_TEXT)
			take_texts(run, buffer, vector, from, n, (TextRef *) values);
		else
			memcpy(values, (const char *) vector->values + from * size, n * size);
		if (place->nulls > 0)
		{
			char	   *nulls = stage + (size_t) run->capacity * place->nulls + buffer->nrows;

			for (uint32_t j = 0; j < n; j++)
				nulls[j] = is_null(vector, from + j);
		}
	}
	buffer->nrows += n;
}

/*
 * Take a batch in, in several pieces if it does not fit one buffer.  BUSY
 * between them: what has been taken is remembered, and the caller comes again
 * with the same batch.
 */
EngineStatus
columns_take(CudaRun *run, const ColumnBatch *batch)
{
	while (run->batch_taken < batch->nrows)
	{
		InputBuffer *buffer;
		EngineStatus status = input_current(run, &buffer);
		uint32_t	n;

		if (status != ENGINE_OK)
			return status;
		n = rows_that_fit(run, buffer, batch, run->batch_taken);
		if (n == 0 && buffer->nrows == 0)
			return run_fail(run, ENGINE_INEXACT,
							"a row has more than %d bytes of text", COLUMNS_TEXT_BYTES);
		take_rows(run, buffer, batch, run->batch_taken, n);
		run->batch_taken += n;
		run->head.stats.rows += n;
		if (run->batch_taken < batch->nrows || buffer->nrows == run->capacity)
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
		size_t		size = (size_t) layout_value_size((ValueType) columns[i].type);

		status = ops->upload(run->device, run->copy, buffer->columns.ptr + values,
							 stage + values, buffer->nrows * size);
		run->head.stats.bytes += buffer->nrows * size;
		if (status == DEVICE_OK && place->nulls > 0)
			status = ops->upload(run->device, run->copy, buffer->columns.ptr + nulls,
								 stage + nulls, buffer->nrows);
	}
	if (status == DEVICE_OK && buffer->nbytes > 0)
		status = ops->upload(run->device, run->copy,
							 buffer->bytes.ptr + run->slot_bytes_size,
							 stage + (size_t) run->capacity * run->layouts[0].row_bytes,
							 buffer->nbytes);
	run->head.stats.bytes += buffer->nbytes;
	return run_device(run, status, "could not copy columns to the device");
}
