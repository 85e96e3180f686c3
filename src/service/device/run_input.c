/*
 * run_input.c
 *	  A session's pages and columns, as the device process gives them to an engine.
 *
 * Pages in shared buffers are read where they are.  The bytes of other pages, and
 * columns, are copied out of the session's file, which can change at any time: what is
 * checked is what the engine reads.
 */
#include "service/device/run_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/heap_page.h"
#include "service/wire/channel.h"

/* Line pointers that a page has room for. */
#define MAX_LINES ((HEAP_PAGE_SIZE - HEAP_PAGE_LINES) / HEAP_LINE_SIZE)

/* The shared buffer's page, or NULL. */
static const char *
buffer_page(const ServiceConfig *config, int32_t buffer)
{
	if ((uint64_t) buffer > config->buffers_size / HEAP_PAGE_SIZE)
		return NULL;
	return config->buffers + ((uint64_t) buffer - 1) * HEAP_PAGE_SIZE;
}

/* Copies that the message needs, and how many of the ring are free. */
static bool
copies_fit(const RunInput *input, Message *message, uint64_t released)
{
	const PageEntry *entries = message_pages(message);
	uint64_t	oldest = input->ncopies > COPIED_PAGES ? input->ncopies - COPIED_PAGES : 0;
	uint64_t	needed = 0;

	for (uint32_t i = 0; i < message->pages.npages; i++)
		needed += entries[i].buffer == 0;
	while (oldest < input->ncopies && input->copy_of[oldest % COPIED_PAGES] <= released)
		oldest++;
	return needed <= COPIED_PAGES - (input->ncopies - oldest);
}

/* Copy a page's bytes to the next place of the ring; NULL: they, or memory, are not there. */
static const char *
copy_page(RunInput *input, uint64_t place)
{
	uint64_t	turn = input->ncopies % COPIED_PAGES;
	char	   *copy;

	if (input->copies == NULL)
		input->copies = malloc((size_t) COPIED_PAGES * HEAP_PAGE_SIZE);
	if (input->copies == NULL)
		return NULL;
	copy = input->copies + turn * HEAP_PAGE_SIZE;
	if (!file_read(input->file, place, copy, HEAP_PAGE_SIZE))
		return NULL;
	input->copy_of[turn] = input->npages + 1;
	input->ncopies++;
	return copy;
}

static bool
take_page(RunInput *input, const PageEntry *entry, const uint16_t *lines, PageRef *ref)
{
	ref->page = entry->buffer > 0 ? buffer_page(input->config, entry->buffer) :
		copy_page(input, entry->place);
	if (ref->page == NULL || entry->nlines > MAX_LINES)
		return false;
	ref->lines = entry->lines == PAGE_ALL_LINES ? NULL : lines + entry->lines;
	ref->nlines = entry->nlines;
	ref->block = entry->block;
	ref->table = entry->table;
	ref->lsn = entry->lsn;
	input->npages++;
	return true;
}

EngineStatus
input_take_pages(RunInput *input, Message *message, uint64_t released)
{
	const PageEntry *entries = message_pages(message);

	if (!copies_fit(input, message, released))
		return ENGINE_BUSY;
	for (uint32_t i = 0; i < message->pages.npages; i++)
		if (!take_page(input, &entries[i], message_lines(message), &input->refs[i]))
			return ENGINE_FAILED;
	return ENGINE_OK;
}

static uint64_t
offsets_size(ValueType type, uint64_t nrows)
{
	return type == VT_TEXT ? (nrows + 1) * sizeof(uint32_t) : 0;
}

static uint64_t
validity_size(const ColumnEntry *entry, uint64_t nrows)
{
	return entry->validity != 0 ? (nrows + 7) / 8 : 0;
}

/* Can so many rows' values have that size?  A TEXT's offsets are 32-bit numbers. */
static bool
size_is_possible(ValueType type, uint64_t size, uint64_t nrows)
{
	return type == VT_TEXT ? size <= UINT32_MAX : size == nrows * value_type_size(type);
}

/* The memory that the columns need, or 0 if their sizes are not the Program's. */
static uint64_t
columns_size(const RunInput *input, Message *message, const Program *program)
{
	const ColumnEntry *entries = message_columns(message);
	uint64_t	nrows = message->columns.nrows;
	uint64_t	most = file_size(input->file);
	uint64_t	size = 8;		/* never 0 */

	for (uint32_t i = 0; i < message->columns.ncolumns; i++)
	{
		ValueType	type = (ValueType) program_columns(program)[i].type;

		/* the file has got them all, though perhaps at the same place */
		if (entries[i].values_size > most || offsets_size(type, nrows) > most ||
			!size_is_possible(type, entries[i].values_size, nrows))
			return 0;
		size += file_aligned(entries[i].values_size) + file_aligned(offsets_size(type, nrows)) +
			file_aligned(validity_size(&entries[i], nrows));
	}
	return size;
}

/* Copy bytes to *to, and move it behind them. */
static bool
copy_bytes(const RunInput *input, uint64_t place, uint64_t size, char **to)
{
	char	   *copy = *to;

	*to += file_aligned(size);
	return file_read(input->file, place, copy, size);
}

/* Are the texts' offsets in order, and inside? */
static bool
offsets_are_good(const uint32_t *offsets, uint64_t nrows, uint64_t size)
{
	for (uint64_t i = 0; i < nrows; i++)
		if (offsets[i] > offsets[i + 1])
			return false;
	return offsets[nrows] <= size;
}

static bool
copy_column(const RunInput *input, ValueType type, const ColumnEntry *entry, uint64_t nrows,
			char **to, ColumnVector *vector)
{
	memset(vector, 0, sizeof(*vector));
	vector->values = *to;
	if (!copy_bytes(input, entry->values, entry->values_size, to))
		return false;
	if (type == VT_TEXT)
	{
		vector->offsets = (const uint32_t *) *to;
		if (!copy_bytes(input, entry->offsets, offsets_size(type, nrows), to) ||
			!offsets_are_good(vector->offsets, nrows, entry->values_size))
			return false;
	}
	if (entry->validity != 0)
	{
		vector->validity = (const uint8_t *) *to;
		return copy_bytes(input, entry->validity, validity_size(entry, nrows), to);
	}
	return true;
}

EngineStatus
input_take_columns(RunInput *input, Message *message, const Program *program)
{
	const ColumnEntry *entries = message_columns(message);
	uint64_t	size;
	char	   *to;

	if (message->columns.ncolumns != program->ncolumns)
		return ENGINE_FAILED;
	size = columns_size(input, message, program);
	if (size == 0)
		return ENGINE_FAILED;
	if (size > input->columns_room)
	{
		free(input->columns);
		input->columns = malloc(size);
		input->columns_room = input->columns != NULL ? size : 0;
	}
	if (input->columns == NULL)
		return ENGINE_NO_MEMORY;
	to = input->columns;
	for (uint32_t i = 0; i < message->columns.ncolumns; i++)
		if (!copy_column(input, (ValueType) program_columns(program)[i].type, &entries[i],
						 message->columns.nrows, &to, &input->vectors[i]))
			return ENGINE_FAILED;
	return ENGINE_OK;
}

void
input_free(RunInput *input)
{
	free(input->copies);
	free(input->columns);
	input->copies = input->columns = NULL;
	if (input->file >= 0)
		close(input->file);
	input->file = -1;
}
