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
 * How far ahead to fetch tuples: in bytes of a page, and of wide tuples so many at least.
 * They are stored from the page's end on downwards; measured on pages out of cache,
 * 11 ns a row become 7.
 */
#define PREFETCH 2048
#define PREFETCHED_TUPLES 8

/*
 * Of tuples whose mean size is more than this, those lines of the cache are fetched that are
 * read: the filters of ClickBench, whose 105 columns take 500 bytes, then take 15 to 30 % less
 * time.  Others lie so close that a line of each means nearly all.
 */
#define WIDE_TUPLE 128

/* Of a page that is expected: its header and the first line pointers. */
#define PREFETCHED_LINES 512
#define CACHE_LINE 64

/* Of how many tuples one is looked at to learn how far they are read. */
#define REACH_SAMPLE 16

/* The line pointers that a page has room for. */
#define MAX_LINES ((HEAP_PAGE_SIZE - HEAP_PAGE_LINES) / HEAP_LINE_SIZE)

/* gcc takes a function that only prefetches for one without effect, and drops its calls. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A page, its header checked. */
typedef struct Page
{
	const DeformBuffer *buffer;
	const PageRef *ref;
	const uint8_t *bytes;
	HeapBounds	bounds;
	bool		wide;			/* its tuples are, */
	uint32_t	ahead;			/* so many of which are fetched ahead */
	char	   *message;
} Page;

static EngineStatus
corrupt_line(const Page *page, uint32_t line, const char *what)
{
	snprintf(page->message, 256, "block %u, line pointer %u: %s", page->ref->block, line, what);
	return ENGINE_CORRUPT;
}

/* Are the page's tuples wide, and how many lie in PREFETCH bytes? */
static void
measure_tuples(Page *page)
{
	uint32_t	size = page->bounds.special - page->bounds.upper;
	uint32_t	n = page->bounds.nlines;

	page->wide = size > WIDE_TUPLE * n;
	page->ahead = page->wide ? PREFETCH * n / size : 0;
	if (page->ahead < PREFETCHED_TUPLES)
		page->ahead = PREFETCHED_TUPLES;
}

static EngineStatus
open_page(Page *page, const DeformBuffer *buffer, const PageRef *ref, char *message)
{
	page->buffer = buffer;
	page->ref = ref;
	page->bytes = (const uint8_t *) ref->page;
	page->message = message;
	if (!heap_bounds(page->bytes, &page->bounds))
	{
		snprintf(message, 256, "block %u: the page header contradicts itself", ref->block);
		return ENGINE_CORRUPT;
	}
	measure_tuples(page);
	return ENGINE_OK;
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
static ALWAYS_INLINE void
prefetch_behind(const Page *page, uint32_t offset)
{
	const PageRef *expected = page->buffer->expected;
	uint32_t	last = page->bounds.upper;

	if (offset >= last + PREFETCH)
		__builtin_prefetch(page->bytes + offset - PREFETCH);
	else if (expected != NULL && offset >= last)
		__builtin_prefetch(expected->page + HEAP_PAGE_SIZE - PREFETCH + (offset - last));
}

/*
 * Where the tuple of entry i is, of this page or, behind its last one, of the one that is
 * expected; NULL: there is none.  Nothing of it has been checked, but that it
 * begins on the page.
 */
static inline const uint8_t *
expected_tuple(const Page *page, uint32_t i)
{
	const PageRef *ref = page->ref;
	uint32_t	number;

	if (i >= ref->nlines)
	{
		i -= ref->nlines;
		ref = page->buffer->expected;
		if (ref == NULL || i >= ref->nlines)
			return NULL;
	}
	number = ref->lines != NULL ? ref->lines[i] : i + 1;
	if (number < 1 || number > MAX_LINES)
		return NULL;
	return (const uint8_t *) ref->page +
		HEAP_LINE_OFFSET(heap_line((const uint8_t *) ref->page, number)) % HEAP_PAGE_SIZE;
}

/* Fetch what will be read of a wide tuple behind entry i. */
static ALWAYS_INLINE void
prefetch_tuple(const Page *page, uint32_t i)
{
	const uint8_t *tuple = expected_tuple(page, i + page->ahead);
	uint32_t	reach = page->buffer->reach;

	if (tuple == NULL)
		return;
	for (uint32_t at = 0; at < reach; at += CACHE_LINE)
		__builtin_prefetch(tuple + at);
	__builtin_prefetch(tuple + reach);
}

/* Check a line pointer and the header of its tuple. */
static inline EngineStatus
read_tuple(const Page *page, uint32_t number, uint32_t line, DeformTuple *tuple)
{
	const DeformBuffer *buffer = page->buffer;
	const HeapTuple *heap = &tuple->heap;

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
	buffer->expected = page;
	for (uint32_t at = 0; page != NULL && at < PREFETCHED_LINES; at += CACHE_LINE)
		__builtin_prefetch(page->page + at);
}

uint32_t
deform_reach(const DeformTuple *tuples, uint32_t n)
{
	uint32_t	samples = 0;
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < n; i += REACH_SAMPLE, samples++)
		sum += tuples[i].heap.hoff + tuples[i].at;
	return samples > 0 ? sum / samples : 0;
}

void
deform_set_reach(DeformBuffer *buffer, uint32_t reach)
{
	buffer->reach = reach;
}

static inline EngineStatus
find_tuples(const Page *page, uint32_t *line, DeformTuple *tuples, uint32_t *n, uint32_t room,
			bool wide)
{
	EngineStatus status = ENGINE_OK;

	for (; status == ENGINE_OK && *line < page->ref->nlines && *n < room; ++*line)
	{
		uint32_t	number;
		uint32_t	item = 0;	/* no compiler sees that read_line() sets it */

		if (wide)
			prefetch_tuple(page, *line);
		status = read_line(page, *line, &number, &item);
		if (status != ENGINE_OK)
			break;
		if (!wide)
			prefetch_behind(page, HEAP_LINE_OFFSET(item));
		status = read_tuple(page, number, item, &tuples[(*n)++]);
	}
	return status;
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
	if (status != ENGINE_OK)
		return status;
	/* each way has a loop of its own */
	return page.wide ? find_tuples(&page, line, tuples, n, room, true) :
		find_tuples(&page, line, tuples, n, room, false);
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
