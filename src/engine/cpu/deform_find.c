/*
 * deform_find.c
 *	  The visible tuples of heap pages.
 *
 * Follows a page's line pointers and checks each tuple's header: notes where its
 * data begins and ends, how many attributes there are and whether any is NULL.
 *
 * Nothing on a page is believed (heap_tuple.h).
 */
#include <stdio.h>

#include "deform_internal.h"

/*
 * How far ahead to fetch tuples, in bytes.  They are stored from the page's end
 * on downwards; measured on pages out of cache, 11 ns a row become 7.
 */
#define PREFETCH 2048

/* Of a page that is expected: its header and the first line pointers. */
#define PREFETCHED_LINES 512
#define CACHE_LINE 64

/* A page, its header checked. */
typedef struct Page
{
	const DeformBuffer *buffer;
	const PageRef *ref;
	const uint8_t *bytes;
	HeapBounds	bounds;
	char	   *message;
} Page;

static EngineStatus
corrupt_line(const Page *page, uint32_t line, const char *what)
{
	snprintf(page->message, 256, "block %u, line pointer %u: %s", page->ref->block, line, what);
	return ENGINE_CORRUPT;
}

static EngineStatus
open_page(Page *page, const DeformBuffer *buffer, const PageRef *ref, char *message)
{
	page->buffer = buffer;
	page->ref = ref;
	page->bytes = (const uint8_t *) ref->page;
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
	*number = page->ref->lines != NULL ? page->ref->lines[i] : i + 1;
	if (*number < 1 || *number > page->bounds.nlines)
		return corrupt_line(page, *number, "there is no such line pointer");
	*line = heap_line(page->bytes, *number);
	if (HEAP_LINE_FLAGS(*line) != HEAP_LINE_NORMAL)
		return corrupt_line(page, *number, "there is no tuple");
	return ENGINE_OK;
}

/*
 * Fetch what lies PREFETCH bytes behind a tuple, in the order of tuples: behind the
 * page's last one is the next page's first.
 */
static inline void
prefetch_behind(const Page *page, uint32_t offset)
{
	uint32_t	last = page->bounds.upper;

	if (offset >= last + PREFETCH)
		__builtin_prefetch(page->bytes + offset - PREFETCH);
	else if (page->buffer->expected != NULL && offset >= last)
		__builtin_prefetch(page->buffer->expected + HEAP_PAGE_SIZE - PREFETCH +
						   (offset - last));
}

/* Check a line pointer and the header of its tuple. */
static inline EngineStatus
read_tuple(const Page *page, uint32_t number, uint32_t line, DeformTuple *tuple)
{
	const DeformBuffer *buffer = page->buffer;
	const HeapTuple *heap = &tuple->heap;
	uint32_t	offset = HEAP_LINE_OFFSET(line);

	prefetch_behind(page, offset);
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
	tuple->line = (uint16_t) number;
	tuple->block = page->ref->block;
	tuple->table = page->ref->table;
	tuple->simple = heap->natts >= buffer->nsteps &&
		!(heap->has_nulls && buffer->nfixed > 0 &&
		  heap_has_null_among(heap, 0, (uint32_t) buffer->nfixed - 1));
	tuple->at = tuple->simple ? (uint16_t) buffer->fixed_size : 0;
	if (!tuple->simple || heap->len >= buffer->fixed_size)
		return ENGINE_OK;
	return deform_corrupt_value(tuple, buffer->nfixed - 1, page->message);
}

EngineStatus
deform_corrupt_value(const DeformTuple *tuple, int att, char *message)
{
	snprintf(message, 256,
			 "block %u, line pointer %u: attribute %d does not fit into the tuple",
			 tuple->block, tuple->line, att + 1);
	return ENGINE_CORRUPT;
}

void
deform_expect(DeformBuffer *buffer, const PageRef *page)
{
	buffer->expected = page ? (const uint8_t *) page->page : NULL;
	for (uint32_t at = 0; page != NULL && at < PREFETCHED_LINES; at += CACHE_LINE)
		__builtin_prefetch(buffer->expected + at);
}

EngineStatus
deform_find(const DeformBuffer *buffer, const PageRef *ref, uint32_t *line,
			DeformTuple *tuples, uint32_t *n, uint32_t room, char *message)
{
	Page		page;
	EngineStatus status;

	if (*line >= ref->nlines)
		return ENGINE_OK;		/* a new page has no header either */
	status = open_page(&page, buffer, ref, message);
	for (; status == ENGINE_OK && *line < ref->nlines && *n < room; ++*line)
	{
		uint32_t	number;
		uint32_t	item;

		status = read_line(&page, *line, &number, &item);
		if (status == ENGINE_OK)
			status = read_tuple(&page, number, item, &tuples[(*n)++]);
	}
	return status;
}

EngineStatus
deform_count(DeformBuffer *buffer, const PageRef *ref, uint32_t *line, char *message)
{
	Page		page;
	EngineStatus status = open_page(&page, buffer, ref, message);

	for (; status == ENGINE_OK && *line < ref->nlines && buffer->nrows < buffer->capacity;
		 ++*line)
	{
		uint32_t	number;
		uint32_t	item;

		status = read_line(&page, *line, &number, &item);
		buffer->nrows++;
	}
	return status;
}
