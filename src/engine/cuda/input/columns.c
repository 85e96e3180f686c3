/*
 * columns.c
 *	  Column batches into an input buffer.
 *
 * The stage has the layout of the device's columns, so that each column is one
 * copy.  Validity bits become bytes that say NULL; texts become TextRefs into
 * the bytes that are gathered behind the columns.
 */
#include <string.h>

#include "engine/column_batch.h"
#include "engine/cuda/input/input_steps.h"

uint64_t
columns_text_size(const Program *program, const ColumnBatch *batch, uint32_t from, uint32_t n)
{
	const Column *columns = program_columns(program);
	uint64_t	bytes = 0;

	for (int i = 0; i < program->ncolumns; i++)
		if (columns[i].type == VT_TEXT)
			bytes += batch->columns[i].offsets[from + n] - batch->columns[i].offsets[from];
	return bytes;
}

uint32_t
columns_rows_that_fit(const Program *program, const InputLayout *input,
					  const InputBuffer *buffer, const ColumnBatch *batch, uint32_t from)
{
	uint32_t	n = batch->nrows - from;
	uint64_t	room = buffer->text_capacity - buffer->nbytes;

	if (n > input->batch_rows - buffer->nrows)
		n = input->batch_rows - buffer->nrows;
	while (n > 0 && columns_text_size(program, batch, from, n) > room)
		n /= 2;
	return n;
}

/* Texts of one column: their bytes and where they are. */
static void
take_texts(const RunCore *run, const InputLayout *input, InputBuffer *buffer,
		   const ColumnVector *vector, uint32_t from, uint32_t n, TextRef *refs)
{
	char	   *bytes = (char *) buffer->stage.data + input_texts_place(input);
	uint32_t	first = vector->offsets[from];
	uint32_t	base = run->constants.bytes_size + buffer->nbytes;
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

void
columns_take_rows(const RunCore *run, const InputLayout *input, const ColumnBatch *batch,
				  uint32_t from, uint32_t n, InputBuffer *buffer)
{
	const Column *columns = program_columns(run->program);
	char	   *stage = buffer->stage.data;

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const ColumnVector *vector = &batch->columns[i];
		const ColumnPlace *place = &run->layouts[0].columns[i];
		size_t		size = (size_t) layout_value_size((ValueType) columns[i].type);
		char	   *values = stage + (size_t) input->batch_rows * place->values +
			buffer->nrows * size;

		if (columns[i].type == VT_TEXT)
			take_texts(run, input, buffer, vector, from, n, (TextRef *) values);
		else
			memcpy(values, (const char *) vector->values + from * size, n * size);
		if (place->nulls > 0)
		{
			char	   *nulls = stage + (size_t) input->batch_rows * place->nulls + buffer->nrows;

			for (uint32_t j = 0; j < n; j++)
				nulls[j] = vector_is_null(vector, from + j);
		}
	}
	buffer->nrows += n;
}
