/*
 * pages.c
 *	  Heap pages into an input buffer.
 *
 * The host only counts a page's visible tuples; the rest is the deform kernel's
 * work.  With a NULL list all normal line pointers count.  That is most often all
 * of them, which a look at their flags tells; else they are listed here.
 */
#include <string.h>

#include "engine/cuda/input/pages.h"
#include "program/heap_page.h"

static uint32_t
line_flags(const char *page, uint32_t number)
{
	uint32_t	line;

	memcpy(&line, page + HEAP_PAGE_LINES + (number - 1) * HEAP_LINE_SIZE, sizeof(line));
	return HEAP_LINE_FLAGS(line);
}

/*
 * The visible line pointers of a page as the device gets them: as a list, from
 * the caller or made here, or as "all".  The kernel, which sees the page as it
 * was copied, believes none of it.
 */
static void
list_lines(const InputLayout *input, InputBuffer *buffer, const PageRef *ref,
		   DevicePage *info)
{
	const char *page = ref->page;
	uint16_t   *list = (uint16_t *) ((char *) buffer->stage.data + input_lines_place(input)) +
		buffer->nlines;
	uint32_t	n = 0;

	info->lines = buffer->nlines;
	if (ref->lines != NULL)
	{
		memcpy(list, ref->lines, ref->nlines * sizeof(uint16_t));
		n = ref->nlines;
	}
	else
	{
		for (uint32_t i = 1; i <= ref->nlines; i++)
			n += line_flags(page, i) == HEAP_LINE_NORMAL;
		info->all = n == ref->nlines;
		n = 0;
		for (uint32_t i = 1; i <= ref->nlines && !info->all; i++)
			if (line_flags(page, i) == HEAP_LINE_NORMAL)
				list[n++] = (uint16_t) i;
	}
	info->nlines = (uint16_t) (info->all ? ref->nlines : n);
	buffer->nlines += n;
}

EngineStatus
pages_take_one(RunCore *run, const InputLayout *input, const PageRef *ref,
			   InputBuffer *buffer, uint64_t *ticket)
{
	char	   *page = (char *) buffer->stage.data + (size_t) buffer->npages * HEAP_PAGE_SIZE;
	DevicePage *info = (DevicePage *) ((char *) buffer->stage.data + input_infos_place(input)) +
		buffer->npages;

	if (ref->nlines > input_page_lines())
		return run_fail(run, ENGINE_CORRUPT, "block %u has too many line pointers",
						ref->block);
	*ticket = copier_submit(run->context->copier, page, ref->page, HEAP_PAGE_SIZE);
	memset(info, 0, sizeof(*info));
	info->row = buffer->nrows;
	info->block = ref->block;
	info->table = ref->table;
	list_lines(input, buffer, ref, info);
	buffer->nrows += info->nlines;
	buffer->npages++;
	run->head.stats.rows += info->nlines;
	run->head.stats.bytes += HEAP_PAGE_SIZE;
	run->head.stats.pages_copied++;
	return ENGINE_OK;
}
