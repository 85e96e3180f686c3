/*
 * deform_buffer.c
 *	  The columns that heap pages are deformed into: memory and layout.
 *
 * Everything is allocated when the buffer is made, for its capacity, except
 * for the bytes of TEXT columns, which double when they are full and stay for
 * the next batches.  The validity bitmaps are all ones between batches; only
 * NULLs touch them, so rows without NULLs cost nothing there.
 */
#include <stdlib.h>
#include <string.h>

#include "deform_internal.h"

#define TEXT_ROOM 4096			/* at first */

static void *
allocate(DeformBuffer *buffer, size_t count, size_t size)
{
	void	   *result = calloc(count ? count : 1, size);

	if (result != NULL)
		buffer->memory += count * size;
	return result;
}

static size_t
bitmap_size(uint32_t nrows)
{
	return ((size_t) nrows + 7) / 8;
}

static bool
init_column(DeformBuffer *buffer, DeformColumn *column, const Column *def,
			const ParamValue *params)
{
	size_t		nrows = buffer->capacity;

	column->width = (uint8_t) value_type_size((ValueType) def->type);
	column->nullable = def->nullable;
	column->numeric = def->numeric;
	column->scale = def->scale;
	column->presence = def->presence;
	column->attno = (uint16_t) def->attno;
	column->next = -1;
	if (def->missing >= 0 && !params[def->missing].isnull)
		column->missing = &params[def->missing];

	if (column->width == 0)
	{
		column->room = TEXT_ROOM;
		column->offsets = allocate(buffer, nrows + 1, sizeof(uint32_t));
		column->values = allocate(buffer, TEXT_ROOM, 1);
	}
	else
		column->values = allocate(buffer, nrows, column->width);
	column->validity = allocate(buffer, bitmap_size(buffer->capacity), 1);
	if (column->values == NULL || column->validity == NULL ||
		(column->width == 0 && column->offsets == NULL))
		return false;
	memset(column->validity, 0xff, bitmap_size(buffer->capacity));
	return true;
}

/* Lay out the attributes up to the last one that a column needs. */
static void
init_steps(DeformBuffer *buffer, const Attribute *attrs)
{
	bool		fixed = true;

	for (int i = 0; i < buffer->nsteps; i++)
	{
		DeformStep *step = &buffer->steps[i];
		uint32_t	mask = attrs[i].align - 1u;

		step->len = attrs[i].len;
		step->align_mask = (uint8_t) mask;
		step->column = -1;
		fixed &= step->len > 0;
		if (fixed)
		{
			buffer->nfixed = i + 1;
			buffer->fixed_size = ((buffer->fixed_size + mask) & ~mask) + (uint32_t) step->len;
		}
		for (int c = 0; c < buffer->ncolumns; c++)
		{
			DeformColumn *column = &buffer->columns[c];

			if (column->attno != i + 1 || column->values == NULL)
				continue;
			column->next = step->column;
			step->column = (int16_t) c;
			if (fixed)
				column->offset = (uint16_t) (buffer->fixed_size - (uint32_t) step->len);
		}
	}
}

DeformBuffer *
deform_create(const Program *program, const ParamValue *params, uint32_t capacity,
			  const bool *wanted)
{
	DeformBuffer *buffer = calloc(1, sizeof(DeformBuffer));
	const Column *defs = program_columns(program);

	if (buffer == NULL)
		return NULL;
	buffer->memory = sizeof(DeformBuffer);
	buffer->capacity = capacity;
	for (int c = 0; c < program->ncolumns; c++)
		if (defs[c].attno > buffer->nsteps)
			buffer->nsteps = defs[c].attno;

	buffer->columns = allocate(buffer, program->ncolumns, sizeof(DeformColumn));
	buffer->vectors = allocate(buffer, program->ncolumns, sizeof(ColumnVector));
	buffer->steps = allocate(buffer, (size_t) buffer->nsteps, sizeof(DeformStep));
	buffer->leaves = program_leaves_rows(program);
	buffer->left = allocate(buffer, buffer->leaves ? capacity : 0, 1);
	if (buffer->left == NULL || buffer->columns == NULL || buffer->vectors == NULL ||
		buffer->steps == NULL)
	{
		deform_free(buffer);
		return NULL;
	}

	/* columns is all zero, so free may be called at any point from here */
	buffer->ncolumns = program->ncolumns;
	for (int c = 0; c < buffer->ncolumns; c++)
	{
		if ((wanted == NULL || wanted[c]) &&
			!init_column(buffer, &buffer->columns[c], &defs[c], params))
		{
			deform_free(buffer);
			return NULL;
		}
	}
	init_steps(buffer, program_attrs(program));
	buffer->all = deform_pass_create(buffer, wanted, NULL);
	if (buffer->all != NULL)
		return buffer;
	deform_free(buffer);
	return NULL;
}

void
deform_free(DeformBuffer *buffer)
{
	if (buffer == NULL)
		return;
	for (int c = 0; c < buffer->ncolumns; c++)
	{
		free(buffer->columns[c].values);
		free(buffer->columns[c].offsets);
		free(buffer->columns[c].validity);
	}
	free(buffer->columns);
	free(buffer->vectors);
	deform_pass_free(buffer->all);
	free(buffer->steps);
	free(buffer->left);
	left_free(&buffer->left_list);
	left_free(&buffer->left_rows);
	free(buffer);
}

void
deform_reset(DeformBuffer *buffer)
{
	for (int c = 0; c < buffer->ncolumns; c++)
	{
		DeformColumn *column = &buffer->columns[c];

		if (column->has_nulls)
			memset(column->validity, 0xff, bitmap_size(buffer->nrows));
		column->has_nulls = false;
	}
	if (buffer->has_left)
		memset(buffer->left, 0, buffer->nrows);
	buffer->has_left = false;
	buffer->left_rows.n = 0;
	buffer->nrows = 0;
}

const ColumnBatch *
deform_batch(DeformBuffer *buffer)
{
	for (int c = 0; c < buffer->ncolumns; c++)
	{
		DeformColumn *column = &buffer->columns[c];
		ColumnVector *vector = &buffer->vectors[c];

		vector->values = column->values;
		vector->offsets = column->offsets;
		vector->validity = column->has_nulls ? column->validity : NULL;
	}
	buffer->batch.nrows = buffer->nrows;
	buffer->batch.columns = buffer->vectors;
	return &buffer->batch;
}

const uint8_t *
deform_left(const DeformBuffer *buffer)
{
	return buffer->has_left ? buffer->left : NULL;
}

const ToastedRow *
deform_left_rows(const DeformBuffer *buffer)
{
	return buffer->left_rows.rows;
}

int
deform_take_left(DeformBuffer *buffer, ToastedRow *rows, int max)
{
	return left_take(&buffer->left_list, rows, max);
}

uint32_t
deform_rows(const DeformBuffer *buffer)
{
	return buffer->nrows;
}

bool
deform_full(const DeformBuffer *buffer)
{
	return buffer->nrows == buffer->capacity;
}

size_t
deform_memory(const DeformBuffer *buffer)
{
	return buffer->memory;
}

/* Room for `needed` bytes in a TEXT column. */
static bool
grow_text(DeformBuffer *buffer, DeformColumn *column, size_t needed)
{
	size_t		room = column->room;
	void	   *values;

	if (needed > UINT32_MAX)	/* what offsets can say */
		return false;
	while (room < needed)
		room *= 2;
	values = realloc(column->values, room);
	if (values == NULL)
		return false;
	buffer->memory += room - column->room;
	column->values = values;
	column->room = room;
	return true;
}

bool
deform_append_text(DeformBuffer *buffer, DeformColumn *column, uint32_t row,
				   const char *data, uint32_t len)
{
	size_t		begin = column->offsets[row];
	size_t		end = begin + len;

	if (end > column->room && !grow_text(buffer, column, end))
		return false;
	if (len > 0)
		memcpy((char *) column->values + begin, data, len);
	column->offsets[row + 1] = (uint32_t) end;
	return true;
}
