/*
 * deform.c
 *	  Heap tuples into columns.
 *
 * Tuples that are simple (deform_pass.c) are read in runs: the attributes at known
 * places column by column, in loops without a branch, then the rest step by step.
 * A step is taken through all tuples of a run before the next one, since what
 * it needs of one tuple does not depend on the others, and so the processor
 * fetches many of them at once.  Other tuples are walked attribute by attribute, no
 * farther than the last one needed.
 *
 * Nothing on a page is believed (heap_tuple.h).
 */
#include <stdio.h>
#include <string.h>

#include "deform_internal.h"
#include "program/first_rows.h"
#include "program/numeric_page.h"

/* Tuples in a run at most: about what a page holds. */
#define CHUNK 256

/*
 * A needed value cannot be read here.  leave_rows sees to the row, once the others
 * have been read.
 */
static EngineStatus
toasted_value(DeformBuffer *buffer, DeformColumn *column, uint32_t row, int att)
{
	if (!buffer->leaves)
	{
		snprintf(buffer->message, 256,
				 "value of attribute %d is compressed or stored out of line", att + 1);
		return ENGINE_INEXACT;
	}
	buffer->leave = true;
	buffer->left[row] = 1;
	if (column->width == 0)
		column->offsets[row + 1] = column->offsets[row];
	else
		memset((char *) column->values + (size_t) row * column->width, 0, column->width);
	return ENGINE_OK;
}

/* The value at *offset or behind padding, to which *offset is moved. */
static inline bool
find_value(const HeapTuple *heap, const DeformStep *step, uint32_t *offset, HeapValue *value)
{
	uint32_t	align = step->align_mask + 1u;

	return step->len > 0 ? heap_fixed(heap, align, (uint32_t) step->len, offset, value) :
		heap_varlena(heap, align, offset, value);
}

static EngineStatus
inexact_numeric(DeformBuffer *buffer, const DeformColumn *column, int att, const char *bytes,
				uint32_t len)
{
	if (numeric_is_not_admitted(column->numeric, (const uint8_t *) bytes, len))
	{
		snprintf(buffer->message, 256, "value of attribute %d is NaN or infinite", att + 1);
		return ENGINE_SPECIAL;
	}
	snprintf(buffer->message, 256,
			 "value of attribute %d is no number that the engine can hold", att + 1);
	return ENGINE_INEXACT;
}

static EngineStatus
no_memory(DeformBuffer *buffer)
{
	snprintf(buffer->message, 256, "out of memory for text values");
	return ENGINE_NO_MEMORY;
}

/* Does what the Program needs of a tuple fit into it?  No value is read. */
static EngineStatus
check_tuple(const DeformBuffer *buffer, const DeformTuple *tuple)
{
	const HeapTuple *heap = &tuple->heap;
	uint32_t	offset = 0;

	for (int att = 0; att < buffer->nsteps && att < heap->natts; att++)
	{
		HeapValue	value;

		if (heap_attribute_is_null(heap, (uint32_t) att))
			continue;
		if (!find_value(heap, &buffer->steps[att], &offset, &value))
			return deform_corrupt_value(tuple, att, buffer->message);
		offset += value.size;
	}
	return ENGINE_OK;
}

/*
 * Note those of n rows that are left out.  All of such a tuple is checked before
 * anybody else reads it.
 */
static EngineStatus
leave_rows(DeformBuffer *buffer, const DeformTuple *tuples, uint32_t n, uint32_t row)
{
	EngineStatus status = ENGINE_OK;

	buffer->leave = false;
	buffer->has_left = true;
	for (uint32_t i = 0; i < n && status == ENGINE_OK; i++)
	{
		if (!buffer->left[row + i])
			continue;
		status = check_tuple(buffer, &tuples[i]);
		if (status != ENGINE_OK ||
			(left_add(&buffer->left_list, tuples[i].table, tuples[i].block, tuples[i].line) &&
			 left_add(&buffer->left_rows, tuples[i].table, tuples[i].block, tuples[i].line)))
			continue;
		snprintf(buffer->message, 256, "out of memory for rows left out");
		status = ENGINE_NO_MEMORY;
	}
	return status;
}

static inline void
copy_value(DeformColumn *column, uint32_t row, const char *from)
{
	char	   *to = (char *) column->values + (size_t) row * column->width;

	switch (column->width)
	{
		case 1:
			*to = *from;
			break;
		case 2:
			memcpy(to, from, 2);
			break;
		case 4:
			memcpy(to, from, 4);
			break;
		case 8:
			memcpy(to, from, 8);
			break;
		default:
			memcpy(to, from, 16);
			break;
	}
}

/* A value that tuples have fewer bytes of than columns. */
static void
copy_short(const DeformColumn *column, uint32_t row, const char *from, uint32_t stored)
{
	char	   *to = (char *) column->values + (size_t) row * column->width;

	memcpy(to, from, stored);
	memset(to + stored, 0, column->width - stored);
}

/* NULL in all columns made of an attribute. */
static EngineStatus
put_null(DeformBuffer *buffer, uint32_t row, int att)
{
		for (int c = buffer->steps[att].column; c >= 0; c = buffer->columns[c].next)
	{
		/* old row versions may have NULL in what is now a NOT NULL column */
		if (!buffer->columns[c].nullable)
		{
			snprintf(buffer->message, 256,
					 "value of attribute %d is NULL, which it cannot be", att + 1);
			return ENGINE_INEXACT;
		}
		deform_set_null(&buffer->columns[c], row);
	}
	return ENGINE_OK;
}

/* An attribute that the tuple is too short to hold. */
static EngineStatus
put_missing(DeformBuffer *buffer, uint32_t row, int att)
{
		for (int c = buffer->steps[att].column; c >= 0; c = buffer->columns[c].next)
	{
		DeformColumn *column = &buffer->columns[c];
		const ParamValue *value = column->missing;

		if (value == NULL)
			return put_null(buffer, row, att);
		if (column->width == 0)
		{
			if (!deform_append_text(buffer, column, row, value->bytes.data, value->bytes.len))
				return no_memory(buffer);
		}
		else if (value_is_bytes((ValueType) value->type))
			copy_value(column, row, value->bytes.data);
		else					/* the value's bytes come first */
			copy_value(column, row, (const char *) &value->word);
	}
	return ENGINE_OK;
}

/* The value of attribute att, whose bytes are behind data, in its columns. */
static inline EngineStatus
put_value(DeformBuffer *buffer, uint32_t row, int att, const char *data,
		  const HeapValue *value)
{
		for (int c = buffer->steps[att].column; c >= 0; c = buffer->columns[c].next)
	{
		DeformColumn *column = &buffer->columns[c];
		const char *bytes = data + value->header;
		uint32_t	len = value->size - value->header;

		if (!value->plain && !column->presence)
		{
			EngineStatus status = toasted_value(buffer, column, row, att);

			if (status != ENGINE_OK)
				return status;
		}
		else if (column->numeric)
		{
			if (!numeric_read_part(column->numeric, column->width == sizeof(Wide),
								   (const uint8_t *) bytes, len, column->scale,
								   (char *) column->values + (size_t) row * column->width))
				return inexact_numeric(buffer, column, att, bytes, len);
		}
		else if (column->presence)
			((uint8_t *) column->values)[row] = true;
		else if (column->width > len)
			copy_short(column, row, bytes, len);
		else if (column->width != 0)
			copy_value(column, row, bytes);
		else if (!deform_append_text(buffer, column, row, bytes, len))
			return no_memory(buffer);
	}
	return ENGINE_OK;
}

/* One column's values, from their known place in each tuple. */
static void
copy_fixed(const DeformColumn *column, uint32_t stored, const DeformTuple *tuples, uint32_t n,
		   uint32_t row)
{
	uint32_t	offset = column->offset;

	if (stored < column->width)
	{
		for (uint32_t i = 0; i < n; i++)
			copy_short(column, row + i, (const char *) tuples[i].heap.data + offset, stored);
		return;
	}

#define COPY(size) \
	do { \
		char	   *to = (char *) column->values + (size_t) row * (size); \
		for (uint32_t i = 0; i < n; i++) \
			memcpy(to + i * (size_t) (size), tuples[i].heap.data + offset, (size)); \
	} while (0)

	switch (column->width)
	{
		case 1:
			COPY(1);
			break;
		case 2:
			COPY(2);
			break;
		case 4:
			COPY(4);
			break;
		case 8:
			COPY(8);
			break;
		default:
			COPY(16);
			break;
	}
#undef COPY
}

/* A row from a tuple that is not simple. */
static EngineStatus
walk(DeformBuffer *buffer, const DeformPass *pass, DeformTuple *tuple, uint32_t row)
{
	const HeapTuple *heap = &tuple->heap;
	int			natts = heap->natts < pass->end ? heap->natts : pass->end;
	int			att = pass->from;
	uint32_t	offset = att > 0 ? tuple->at : 0;
	EngineStatus status = ENGINE_OK;

	for (; att < natts && status == ENGINE_OK; att++)
	{
		HeapValue	value;

		if (heap_attribute_is_null(heap, (uint32_t) att))
		{
			if (pass->reads[att])
				status = put_null(buffer, row, att);
			continue;
		}
		if (!find_value(heap, &buffer->steps[att], &offset, &value))
			return deform_corrupt_value(tuple, att, buffer->message);
		if (pass->reads[att])
			status = put_value(buffer, row, att, (const char *) heap->data + offset, &value);
		offset += value.size;
	}
	for (; att < pass->end && status == ENGINE_OK; att++)
		if (pass->reads[att])
			status = put_missing(buffer, row, att);
	tuple->at = (uint16_t) offset;
	return status;
}

/* Attributes from .. last of a tuple, of which the last one is read or not. */
static EngineStatus
walk_step(DeformBuffer *buffer, const DeformOp *op, DeformTuple *tuple, uint32_t row)
{
	const HeapTuple *heap = &tuple->heap;
	uint32_t	offset = tuple->at;
	EngineStatus status = ENGINE_OK;

	for (int att = op->from; att <= op->att && status == ENGINE_OK; att++)
	{
		bool		reads = att == op->att && op->reads;
		HeapValue	value;

		if (heap_attribute_is_null(heap, (uint32_t) att))
		{
			if (reads)
				status = put_null(buffer, row, att);
			continue;
		}
		if (!find_value(heap, &buffer->steps[att], &offset, &value))
			return deform_corrupt_value(tuple, att, buffer->message);
		if (reads)
			status = put_value(buffer, row, att, (const char *) heap->data + offset, &value);
		offset += value.size;
	}
	tuple->at = (uint16_t) offset;
	return status;
}

/* The only column made of a step's values, if it has their bytes as they are; or NULL. */
static DeformColumn *
copied_column(const DeformBuffer *buffer, const DeformOp *op)
{
	const DeformStep *step = &buffer->steps[op->att];
	DeformColumn *column = op->reads && step->len > 0 ? &buffer->columns[step->column] : NULL;

	if (column == NULL || column->next >= 0 || column->numeric || column->presence ||
		column->width != (uint32_t) step->len)
		return NULL;
	return column;
}

/* A step to values of `size` bytes, which are copied. */
static inline EngineStatus
copy_step(DeformBuffer *buffer, const DeformOp *op, const DeformColumn *column,
		  DeformTuple *tuples, uint32_t n, uint32_t row, uint32_t size)
{
	uint32_t	mask = buffer->steps[op->att].align_mask;
	char	   *to = (char *) column->values + (size_t) row * size;
	EngineStatus status = ENGINE_OK;

	for (uint32_t i = 0; i < n && status == ENGINE_OK; i++)
	{
		DeformTuple *tuple = &tuples[i];
		uint32_t	offset = (tuple->at + op->skip[tuple->at % 8] + mask) & ~mask;

		if (offset + size > tuple->heap.len ||
			heap_has_null_among(&tuple->heap, (uint32_t) op->from, (uint32_t) op->att))
		{
			status = walk_step(buffer, op, tuple, row + i);
			continue;
		}
		memcpy(to + (size_t) i * size, tuple->heap.data + offset, size);
		tuple->at = (uint16_t) (offset + size);
	}
	return status;
}

static EngineStatus
take_copied_step(DeformBuffer *buffer, const DeformOp *op, const DeformColumn *column,
				 DeformTuple *tuples, uint32_t n, uint32_t row)
{
	switch (column->width)
	{
		case 1:
			return copy_step(buffer, op, column, tuples, n, row, 1);
		case 2:
			return copy_step(buffer, op, column, tuples, n, row, 2);
		case 4:
			return copy_step(buffer, op, column, tuples, n, row, 4);
		case 8:
			return copy_step(buffer, op, column, tuples, n, row, 8);
		default:
			return copy_step(buffer, op, column, tuples, n, row, 16);
	}
}

/* A step, through all tuples of a run, which are simple. */
static EngineStatus
take_step(DeformBuffer *buffer, const DeformOp *op, DeformTuple *tuples, uint32_t n,
		  uint32_t row)
{
	DeformStep	step = buffer->steps[op->att];
	const DeformColumn *column = copied_column(buffer, op);
	EngineStatus status = ENGINE_OK;

	if (column != NULL)
		return take_copied_step(buffer, op, column, tuples, n, row);

	for (uint32_t i = 0; i < n && status == ENGINE_OK; i++)
	{
		DeformTuple *tuple = &tuples[i];
		uint32_t	offset = tuple->at + op->skip[tuple->at % 8];
		HeapValue	value;

		/* where the value does not fit, an attribute that was skipped may not */
		if ((tuple->heap.has_nulls &&
			 heap_has_null_among(&tuple->heap, (uint32_t) op->from, (uint32_t) op->att)) ||
			!find_value(&tuple->heap, &step, &offset, &value))
		{
			status = walk_step(buffer, op, tuple, row + i);
			continue;
		}
		tuple->at = (uint16_t) (offset + value.size);
		if (op->reads)
			status = put_value(buffer, row + i, op->att,
							   (const char *) tuple->heap.data + offset, &value);
	}
	return status;
}

/* Rows from tuples that are simple. */
static EngineStatus
read_simple(DeformBuffer *buffer, const DeformPass *pass, DeformTuple *tuples, uint32_t n,
			uint32_t row)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < pass->nfixed_columns; i++)
	{
		const DeformColumn *column = &buffer->columns[pass->fixed_columns[i]];

		copy_fixed(column, (uint32_t) buffer->steps[column->attno - 1].len, tuples, n, row);
	}
	if (pass->nops > 0 && !pass->resumes)
		for (uint32_t i = 0; i < n; i++)
			tuples[i].at = (uint16_t) buffer->fixed_size;
	for (int i = 0; i < pass->nops && status == ENGINE_OK; i++)
		status = take_step(buffer, &pass->ops[i], tuples, n, row);
	return status;
}

/* Rows' places, of table, block and line pointer. */
static void
put_places(const DeformColumn *column, const DeformTuple *tuples, uint32_t n, uint32_t row)
{
	int64_t    *places = (int64_t *) column->values + row;

	for (uint32_t i = 0; i < n; i++)
		places[i] = (int64_t) place_make(tuples[i].table, tuples[i].block, tuples[i].line);
}

EngineStatus
deform_read(DeformBuffer *buffer, const DeformPass *pass, DeformTuple *tuples, uint32_t n,
			char *message)
{
	EngineStatus status = ENGINE_OK;
	uint32_t	first = buffer->nrows;
	uint32_t	end;

	buffer->message = message;
	for (uint32_t i = 0; i < n && status == ENGINE_OK; i = end)
	{
		for (end = i; end < n && end - i < CHUNK && tuples[end].simple; end++)
			;
		if (end > i)
			status = read_simple(buffer, pass, &tuples[i], end - i, first + i);
		else
			status = walk(buffer, pass, &tuples[end++], first + i);
	}
	if (pass->place >= 0)
		put_places(&buffer->columns[pass->place], tuples, n, first);
	if (status == ENGINE_OK && buffer->leave)
		status = leave_rows(buffer, tuples, n, first);
	buffer->nrows += n;
	return status;
}

EngineStatus
deform_page(DeformBuffer *buffer, const PageRef *page, uint32_t *line, char *message)
{
	DeformTuple tuples[CHUNK];
	EngineStatus status = ENGINE_OK;

	if (buffer->ncolumns == 0 && *line < page->nlines)
		return deform_count(buffer, page, line, message);
	while (status == ENGINE_OK && *line < page->nlines && buffer->nrows < buffer->capacity)
	{
		uint32_t	room = buffer->capacity - buffer->nrows;
		uint32_t	n = 0;

		status = deform_find(buffer, page, line, tuples, &n, room < CHUNK ? room : CHUNK,
							 message);
		if (status == ENGINE_OK)
			status = deform_read(buffer, buffer->all, tuples, n, message);
		/* of a tuple that is corrupt nothing is known */
		if (status == ENGINE_OK)
			buffer->reach = deform_reach(tuples, n);
	}
	return status;
}
