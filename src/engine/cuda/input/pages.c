/*
 * pages.c
 *	  Heap pages into an input buffer.
 *
 * A page that kernels can read in place is noted for gather.c; another one is copied
 * into the stage by threads, and noted as well.  The host does not look at it: rows
 * are counted by what the caller says of its line pointers, and the rest is the deform
 * kernel's work, which believes none of it.
 *
 * A page without rows has a place in the buffer only if columns are kept: that it has none is
 * kept, too.  Its bytes are not read.
 */
#include <string.h>

#include "engine/cuda/input/input_steps.h"
#include "program/heap_page.h"

/* The stage's lists, each with a place for every page of the buffer. */
typedef struct PageLists
{
	DevicePage *infos;
	uint16_t   *lines;
	uint64_t   *in_place;
	uint64_t   *copied;
} PageLists;

static PageLists
lists_of(const InputLayout *input, const InputBuffer *buffer)
{
	char	   *stage = buffer->stage.data;

	return (PageLists)
	{
		.infos = (DevicePage *) (stage + input_infos_place(input)),
			.lines = (uint16_t *) (stage + input_lines_place(input)),
			.in_place = (uint64_t *) (stage + input_in_place_place(input)),
			.copied = (uint64_t *) (stage + input_copied_place(input))
	};
}

/* What the device is told of the page, and its visible line pointers. */
static void
describe(const PageLists *lists, const PageRef *ref, InputBuffer *buffer)
{
	bool		filtered = buffer->filtered && lists->in_place[buffer->npages] != 0;

	lists->infos[buffer->npages] = (DevicePage)
	{
		.row = buffer->nrows,
			.block = ref->block,
			.table = ref->table,
			.nlines = (uint16_t) ref->nlines,
			.all = ref->lines == NULL,
			.filtered = filtered,
			.lines = buffer->nlines,
			.kept = KEPT_NONE
	};
	buffer->lsns[buffer->npages] = ref->lsn;
	if (filtered)
		buffer->ntested += ref->nlines;
	if (ref->lines == NULL)
		return;
	memcpy(lists->lines + buffer->nlines, ref->lines, ref->nlines * sizeof(uint16_t));
	buffer->nlines += ref->nlines;
}

/* Where the page's bytes come from: a ticket, if a thread copies it. */
static void
find_source(RunCore *run, const PageLists *lists, const PageRef *ref, InputBuffer *buffer,
			uint64_t *ticket)
{
	Mapped	   *mapped = run->context->mapped;
	DevicePtr	place;
	char	   *copy;

	lists->in_place[buffer->npages] = 0;
	lists->copied[buffer->npages] = 0;
	if (ref->nlines == 0)
		return;
	run->head.stats.bytes += HEAP_PAGE_SIZE;
	place = mapped != NULL ? mapped_place(mapped, ref->page, HEAP_PAGE_SIZE) : 0;
	lists->in_place[buffer->npages] = place;
	if (place != 0)
	{
		run->head.stats.pages_in_place++;
		return;
	}
	copy = (char *) buffer->stage.data + (size_t) buffer->npages * HEAP_PAGE_SIZE;
	lists->copied[buffer->npages] = (uint64_t) (uintptr_t) copy;
	*ticket = copier_submit(run->context->copier, copy, ref->page, HEAP_PAGE_SIZE);
	buffer->ncopied++;
	run->head.stats.pages_copied++;
}

EngineStatus
pages_take(RunCore *run, const InputLayout *input, bool keeps, const PageRef *pages,
		   uint32_t n, InputBuffer *buffer, uint64_t *ticket, uint32_t *taken)
{
	PageLists	lists = lists_of(input, buffer);
	uint32_t	i;

	for (i = 0; i < n && buffer->npages < input->pages; i++)
	{
		const PageRef *ref = &pages[i];

		if (ref->nlines == 0 && !keeps)
			continue;
		if (ref->nlines > input_page_lines())
			return run_fail(run, ENGINE_CORRUPT, "block %u has too many line pointers",
							ref->block);
		find_source(run, &lists, ref, buffer, ticket);
		describe(&lists, ref, buffer);
		buffer->nrows += ref->nlines;
		buffer->npages++;
		run->head.stats.rows += ref->nlines;
	}
	*taken = i;
	return ENGINE_OK;
}
