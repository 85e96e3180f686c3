/*
 * deform.c
 *	  Heap pages into columns.
 *
 * A page is read in chunks of tuples, in two rounds.  The first follows the
 * line pointers and checks each tuple's header; it notes where the tuple's data
 * begins and ends, how many attributes there are and whether any is NULL.  The
 * second fills the columns.
 *
 * In a tuple that has no NULLs and all attributes that are needed, the leading
 * attributes of fixed length stand at places known beforehand, so runs of such
 * tuples are copied column by column, in loops without a branch.  What stands
 * behind an attribute of variable length is found by a walk through each tuple,
 * from there on and no farther than the last attribute needed.  Tuples with
 * NULLs, or stored before a column was added, are walked from their begin.
 *
 * Nothing on a page is believed (heap_tuple.h).
 */
#include <stdio.h>
#include <string.h>

#include "deform_internal.h"
#include "program/heap_tuple.h"
#include "program/numeric_page.h"

/* Tuples in a chunk: about what a page holds. */
#define CHUNK 256

/*
 * How far ahead to fetch tuples, in bytes.  They are stored from the page's end
 * on downwards; measured on pages out of cache, 11 ns a row become 7.
 */
#define PREFETCH 2048

/* A tuple whose header has been checked. */
typedef struct Tuple
{
	HeapTuple	heap;
	uint16_t	line;			/* line pointer, from 1 */
} Tuple;

/* A page, its header checked. */
typedef struct Page
{
	DeformBuffer *buffer;
	const uint8_t *bytes;
	const uint16_t *lines;		/* of the PageRef */
	HeapBounds	bounds;
	uint32_t	block;
	uint32_t	table;
	char	   *message;
} Page;

static EngineStatus
corrupt_line(const Page *page, uint32_t line, const char *what)
{
	snprintf(page->message, 256, "block %u, line pointer %u: %s", page->block, line, what);
	return ENGINE_CORRUPT;
}

static EngineStatus
corrupt_value(const Page *page, const Tuple *tuple, int att)
{
	snprintf(page->message, 256,
			 "block %u, line pointer %u: attribute %d does not fit into the tuple",
			 page->block, tuple->line, att + 1);
	return ENGINE_CORRUPT;
}

/*
 * A needed value cannot be read here.  The walk goes on, so that the whole tuple
 * is checked before anybody else reads it; leave_row sees to the row.
 */
static EngineStatus
toasted_value(const Page *page, DeformColumn *column, uint32_t row, int att)
{
	if (!page->buffer->leaves)
	{
		snprintf(page->message, 256,
				 "value of attribute %d is compressed or stored out of line", att + 1);
		return ENGINE_INEXACT;
	}
	page->buffer->leave = true;
	if (column->width == 0)
		column->offsets[row + 1] = column->offsets[row];
	else
		memset((char *) column->values + (size_t) row * column->width, 0, column->width);
	return ENGINE_OK;
}

/* Note that a row is left out. */
static EngineStatus
leave_row(const Page *page, const Tuple *tuple, uint32_t row)
{
	DeformBuffer *buffer = page->buffer;

	buffer->leave = false;
	buffer->has_left = true;
	buffer->left[row] = 1;
	if (left_add(&buffer->left_list, page->table, page->block, tuple->line))
		return ENGINE_OK;
	snprintf(page->message, 256, "out of memory for rows left out");
	return ENGINE_NO_MEMORY;
}

static EngineStatus
inexact_numeric(const Page *page, const DeformColumn *column, int att, const char *bytes,
				uint32_t len)
{
	if (numeric_is_not_admitted(column->numeric, (const uint8_t *) bytes, len))
	{
		snprintf(page->message, 256, "value of attribute %d is NaN or infinite", att + 1);
		return ENGINE_SPECIAL;
	}
	snprintf(page->message, 256,
			 "value of attribute %d is no number that the engine can hold", att + 1);
	return ENGINE_INEXACT;
}

static EngineStatus
no_memory(const Page *page)
{
	snprintf(page->message, 256, "out of memory for text values");
	return ENGINE_NO_MEMORY;
}

static EngineStatus
open_page(Page *page, DeformBuffer *buffer, const PageRef *ref, char *message)
{
	page->buffer = buffer;
	page->bytes = (const uint8_t *) ref->page;
	page->lines = ref->lines;
	page->block = ref->block;
	page->table = ref->table;
	page->message = message;
	if (heap_bounds(page->bytes, &page->bounds))
		return ENGINE_OK;
	snprintf(message, 256, "block %u: the page header contradicts itself", ref->block);
	return ENGINE_CORRUPT;
}

/*
 * Entry i of the page's list of visible tuples, or of its line pointers: its number
 * and its line pointer.
 */
static inline EngineStatus
read_line(const Page *page, uint32_t i, uint32_t *number, uint32_t *line)
{
	*number = page->lines != NULL ? page->lines[i] : i + 1;
	if (*number < 1 || *number > page->bounds.nlines)
		return corrupt_line(page, *number, "there is no such line pointer");
	*line = heap_line(page->bytes, *number);
	if (HEAP_LINE_FLAGS(*line) != HEAP_LINE_NORMAL)
		return corrupt_line(page, *number, "there is no tuple");
	return ENGINE_OK;
}

/* Check a line pointer and the header of its tuple. */
static inline EngineStatus
read_tuple(const Page *page, uint32_t number, uint32_t line, Tuple *tuple)
{
	const DeformBuffer *buffer = page->buffer;
	const HeapTuple *heap = &tuple->heap;
	uint32_t	offset = HEAP_LINE_OFFSET(line);

	__builtin_prefetch(page->bytes + (offset > PREFETCH ? offset - PREFETCH : 0));
	tuple->line = (uint16_t) number;
	switch (heap_tuple(page->bytes, &page->bounds, line, &tuple->heap))
	{
		case HEAP_TUPLE_GOOD:
			break;
		case HEAP_TUPLE_MISPLACED:
			return corrupt_line(page, number, "the tuple is not where tuples are");
		case HEAP_TUPLE_TOO_MANY_ATTRIBUTES:
			return corrupt_line(page, number, "the tuple has too many attributes");
		case HEAP_TUPLE_BAD_HEADER_LENGTH:
			return corrupt_line(page, number, "the tuple's header has an impossible length");
	}
	if (!heap->has_nulls && heap->natts >= buffer->nsteps && heap->len < buffer->fixed_size)
		return corrupt_value(page, tuple, buffer->nfixed - 1);
	return ENGINE_OK;
}

/* Can the fixed attributes be copied from their places? */
static inline bool
is_simple(const DeformBuffer *buffer, const Tuple *tuple)
{
	return !tuple->heap.has_nulls && tuple->heap.natts >= buffer->nsteps;
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

/* NULL in all columns made of an attribute. */
static EngineStatus
put_null(const Page *page, uint32_t row, int att)
{
	DeformBuffer *buffer = page->buffer;

	for (int c = buffer->steps[att].column; c >= 0; c = buffer->columns[c].next)
	{
		/* old row versions may have NULL in what is now a NOT NULL column */
		if (!buffer->columns[c].nullable)
		{
			snprintf(page->message, 256,
					 "value of attribute %d is NULL, which it cannot be", att + 1);
			return ENGINE_INEXACT;
		}
		deform_set_null(&buffer->columns[c], row);
	}
	return ENGINE_OK;
}

/* An attribute that the tuple is too short to hold. */
static EngineStatus
put_missing(const Page *page, uint32_t row, int att)
{
	DeformBuffer *buffer = page->buffer;

	for (int c = buffer->steps[att].column; c >= 0; c = buffer->columns[c].next)
	{
		DeformColumn *column = &buffer->columns[c];
		const SlotValue *value = column->missing;

		if (value == NULL)
			return put_null(page, row, att);
		if (column->width == 0)
		{
			if (!deform_append_text(buffer, column, row, value->bytes.data, value->bytes.len))
				return no_memory(page);
		}
		else if (value->type == VT_UUID || value->type == VT_INTERVAL)
			copy_value(column, row, value->bytes.data);
		else					/* the value's bytes come first */
			copy_value(column, row, (const char *) &value->word);
	}
	return ENGINE_OK;
}

/* The value of attribute att, whose bytes are behind data, in its columns. */
static inline EngineStatus
put_value(const Page *page, uint32_t row, int att, const char *data,
		  const HeapValue *value)
{
	DeformBuffer *buffer = page->buffer;

	for (int c = buffer->steps[att].column; c >= 0; c = buffer->columns[c].next)
	{
		DeformColumn *column = &buffer->columns[c];
		const char *bytes = data + value->header;
		uint32_t	len = value->size - value->header;

		if (!value->plain && !column->presence)
		{
			EngineStatus status = toasted_value(page, column, row, att);

			if (status != ENGINE_OK)
				return status;
		}
		else if (column->numeric)
		{
			if (!numeric_read_part(column->numeric, column->width == sizeof(Wide),
								   (const uint8_t *) bytes, len, column->scale,
								   (char *) column->values + (size_t) row * column->width))
				return inexact_numeric(page, column, att, bytes, len);
		}
		else if (column->presence)
			((uint8_t *) column->values)[row] = true;
		else if (column->width != 0)
			copy_value(column, row, bytes);
		else if (!deform_append_text(buffer, column, row, bytes, len))
			return no_memory(page);
	}
	return ENGINE_OK;
}

/* Fill a row from attribute att on, which begins at offset or behind padding. */
static inline EngineStatus
walk(const Page *page, const Tuple *tuple, uint32_t row, int att, uint32_t offset)
{
	DeformBuffer *buffer = page->buffer;
	const HeapTuple *heap = &tuple->heap;
	int			natts = heap->natts < buffer->nsteps ? heap->natts : buffer->nsteps;
	EngineStatus status = ENGINE_OK;

	for (; att < natts; att++)
	{
		const DeformStep *step = &buffer->steps[att];
		uint32_t	align = step->align_mask + 1u;
		HeapValue	value;

		if (heap_attribute_is_null(heap, (uint32_t) att))
		{
			if (step->column >= 0 && (status = put_null(page, row, att)) != ENGINE_OK)
				return status;
			continue;
		}
		if (!(step->len > 0 ? heap_fixed(heap, align, (uint32_t) step->len, &offset, &value) :
			  heap_varlena(heap, align, &offset, &value)))
			return corrupt_value(page, tuple, att);
		if (step->column >= 0 &&
			(status = put_value(page, row, att, (const char *) heap->data + offset,
								&value)) != ENGINE_OK)
			return status;
		offset += value.size;
	}
	for (; att < buffer->nsteps && status == ENGINE_OK; att++)
		status = put_missing(page, row, att);
	if (status == ENGINE_OK && buffer->leave)
		status = leave_row(page, tuple, row);
	return status;
}

/* One column's values, from their known place in each tuple. */
static void
copy_fixed(const DeformColumn *column, const Tuple *tuples, uint32_t n, uint32_t row)
{
	uint32_t	offset = column->offset;

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

/* Rows from tuples that are simple. */
static EngineStatus
deform_simple(const Page *page, const Tuple *tuples, uint32_t n, uint32_t row)
{
	DeformBuffer *buffer = page->buffer;

	for (int i = 0; i < buffer->nfixed_columns; i++)
		copy_fixed(&buffer->columns[buffer->fixed_columns[i]], tuples, n, row);
	if (buffer->nfixed == buffer->nsteps)
		return ENGINE_OK;
	for (uint32_t i = 0; i < n; i++)
	{
		EngineStatus status = walk(page, &tuples[i], row + i, buffer->nfixed,
								   buffer->fixed_size);

		if (status != ENGINE_OK)
			return status;
	}
	return ENGINE_OK;
}

static EngineStatus
deform_tuples(const Page *page, const Tuple *tuples, uint32_t n)
{
	DeformBuffer *buffer = page->buffer;
	EngineStatus status = ENGINE_OK;
	uint32_t	end;

	for (uint32_t i = 0; i < n && status == ENGINE_OK; i = end)
	{
		uint32_t	row = buffer->nrows + i;

		for (end = i; end < n && is_simple(buffer, &tuples[end]); end++)
			;
		if (end > i)
			status = deform_simple(page, &tuples[i], end - i, row);
		else
			status = walk(page, &tuples[end++], row, 0, 0);
	}
	buffer->nrows += n;
	return status;
}

/* Rows without columns. */
static EngineStatus
count_tuples(const Page *page, uint32_t nlines, uint32_t *at)
{
	DeformBuffer *buffer = page->buffer;

	for (; *at < nlines && buffer->nrows < buffer->capacity; ++*at)
	{
		uint32_t	number;
		uint32_t	line;
		EngineStatus status = read_line(page, *at, &number, &line);

		if (status != ENGINE_OK)
			return status;
		buffer->nrows++;
	}
	return ENGINE_OK;
}

EngineStatus
deform_page(DeformBuffer *buffer, const PageRef *ref, uint32_t *line, char *message)
{
	Tuple		tuples[CHUNK];
	Page		page;
	EngineStatus status;

	if (*line >= ref->nlines)
		return ENGINE_OK;		/* a new page has no header either */
	status = open_page(&page, buffer, ref, message);
	if (status == ENGINE_OK && buffer->ncolumns == 0)
		return count_tuples(&page, ref->nlines, line);

	while (status == ENGINE_OK && *line < ref->nlines && buffer->nrows < buffer->capacity)
	{
		uint32_t	room = buffer->capacity - buffer->nrows;
		uint32_t	n = 0;
		uint32_t	i = *line;

		if (room > CHUNK)
			room = CHUNK;
		for (; i < ref->nlines && n < room; i++)
		{
			uint32_t	number;
			uint32_t	item;

			status = read_line(&page, i, &number, &item);
			if (status == ENGINE_OK)
				status = read_tuple(&page, number, item, &tuples[n++]);
			if (status != ENGINE_OK)
				return status;
		}
		*line = i;
		status = deform_tuples(&page, tuples, n);
	}
	return status;
}
