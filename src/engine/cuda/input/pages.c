/*
 * pages.c
 *	  Heap pages into an input buffer.
 *
 * A page that kernels can read in place is noted for gather.c; another one is copied
 * into the stage by threads, and noted as well.  The host does not look at it: rows
 * are counted by what the caller says of its line pointers, and the rest is the deform
 * kernel's work, which believes none of it.
 */
#include <string.h>

#include "engine/cuda/input/pages.h"
#include "program/heap_page.h"

/* The visible line pointers of a page as the device gets them. */
static void
list_lines(const InputLayout *input, InputBuffer *buffer, const PageRef *ref,
		   DevicePage *info)
{
	uint16_t   *list = (uint16_t *) ((char *) buffer->stage.data + input_lines_place(input)) +
		buffer->nlines;

	info->nlines = (uint16_t) ref->nlines;
	info->all = ref->lines == NULL;
	info->lines = buffer->nlines;
	if (info->all)
		return;
	memcpy(list, ref->lines, ref->nlines * sizeof(uint16_t));
	buffer->nlines += ref->nlines;
}

/* Where the page's bytes come from: a ticket, if a thread copies it. */
static void
find_source(RunCore *run, const InputLayout *input, const char *page, InputBuffer *buffer,
			uint64_t *ticket)
{
	char	   *stage = buffer->stage.data;
	char	   *copy = stage + (size_t) buffer->npages * HEAP_PAGE_SIZE;
	uint64_t   *in_place = (uint64_t *) (stage + input_in_place_place(input));
	uint64_t   *copied = (uint64_t *) (stage + input_copied_place(input));
	Mapped	   *mapped = run->context->mapped;
	DevicePtr	place = mapped != NULL ? mapped_place(mapped, page, HEAP_PAGE_SIZE) : 0;

	in_place[buffer->npages] = place;
	copied[buffer->npages] = place != 0 ? 0 : (uint64_t) (uintptr_t) copy;
	if (place != 0)
	{
		run->head.stats.pages_in_place++;
		return;
	}
	*ticket = copier_submit(run->context->copier, copy, page, HEAP_PAGE_SIZE);
	buffer->ncopied++;
	run->head.stats.pages_copied++;
}

EngineStatus
pages_take_one(RunCore *run, const InputLayout *input, const PageRef *ref,
			   InputBuffer *buffer, uint64_t *ticket)
{
	DevicePage *info = (DevicePage *) ((char *) buffer->stage.data + input_infos_place(input)) +
		buffer->npages;

	if (ref->nlines > input_page_lines())
		return run_fail(run, ENGINE_CORRUPT, "block %u has too many line pointers",
						ref->block);
	find_source(run, input, ref->page, buffer, ticket);
	memset(info, 0, sizeof(*info));
	info->row = buffer->nrows;
	info->block = ref->block;
	info->table = ref->table;
	list_lines(input, buffer, ref, info);
	buffer->nrows += info->nlines;
	buffer->npages++;
	run->head.stats.rows += info->nlines;
	run->head.stats.bytes += HEAP_PAGE_SIZE;
	return ENGINE_OK;
}
