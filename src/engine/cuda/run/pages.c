/*
 * pages.c
 *	  Heap pages into an input buffer, and to columns on the device.
 *
 * A buffer's stage holds pages, then a DevicePage for each, then the lists of
 * visible line pointers of those pages that need one.  The host only counts a
 * page's visible tuples; the rest is the deform kernel's work.
 *
 * With a NULL list all normal line pointers count.  That is most often all of
 * them, which a look at their flags tells; else they are listed here.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/run/run.h"
#include "program/heap_page.h"

/* 16 MB of pages: 0.3 ms on the link, far more than a launch costs. */
#define PAGES_PER_BUFFER 2048

/* The most tuples of a page: each takes a line pointer and an aligned header. */
#define PAGE_MAX_LINES ((HEAP_PAGE_SIZE - HEAP_PAGE_LINES) / \
						(HEAP_LINE_SIZE + HEAP_TUPLE_BITS + 1))
#define PAGES_MIN_PER_BUFFER ENGINE_MAX_PAGES

static size_t
info_place(const CudaRun *run)
{
	return (size_t) run->page_capacity * HEAP_PAGE_SIZE;
}

static size_t
lines_place(const CudaRun *run)
{
	return info_place(run) + run->page_capacity * sizeof(DevicePage);
}

/* What the deform kernel must know of attributes and columns. */
static EngineStatus
open_attrs(CudaRun *run)
{
	const Program *program = run->program;
	const Column *columns = program_columns(program);
	size_t		attrs_size;
	size_t		size;
	DeformAttr *attrs;
	DeviceColumn *made;
	EngineStatus status;

	for (int i = 0; i < program->ncolumns; i++)
		if (run->nattrs < (uint32_t) columns[i].attno)
			run->nattrs = (uint32_t) columns[i].attno;
	attrs_size = run->nattrs * sizeof(DeformAttr);
	size = attrs_size + program->ncolumns * sizeof(DeviceColumn);
	if (size == 0)
		return ENGINE_OK;
	attrs = calloc(1, size);
	if (attrs == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	run->host_attrs = attrs;
	made = (DeviceColumn *) (attrs + run->nattrs);
	for (uint32_t i = 0; i < run->nattrs; i++)
	{
		attrs[i].len = program_attrs(program)[i].len;
		attrs[i].align = program_attrs(program)[i].align;
		attrs[i].column = -1;
	}
	for (int i = 0; i < program->ncolumns; i++)
	{
		DeformAttr *attr = &attrs[columns[i].attno - 1];

		made[i].values = run->layouts[0].columns[i].values;
		made[i].nulls = run->layouts[0].columns[i].nulls;
		made[i].width = (uint32_t) layout_value_size((ValueType) columns[i].type);
		made[i].is_text = columns[i].type == VT_TEXT;
		made[i].numeric = columns[i].numeric;
		made[i].scale = columns[i].scale;
		made[i].presence = columns[i].presence;
		made[i].missing = columns[i].missing;
		made[i].next = attr->column;
		attr->column = (int16_t) i;
	}
	status = run_alloc(run, size, &run->attrs);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->upload(run->device, run->work,
														 run->attrs.ptr, attrs, size),
							"could not copy the table's layout");
	return status;
}

EngineStatus
pages_open(CudaRun *run)
{
	EngineStatus status = open_attrs(run);

	run->page_capacity = PAGES_PER_BUFFER;
	if (input_rows(run) < (uint64_t) run->page_capacity * PAGE_MAX_LINES)
		run->page_capacity = (uint32_t) (input_rows(run) / PAGE_MAX_LINES);
	if (run->page_capacity < PAGES_MIN_PER_BUFFER)
		run->page_capacity = PAGES_MIN_PER_BUFFER;
	run->capacity = (run->page_capacity * PAGE_MAX_LINES + 255) / 256 * 256;
	run->line_capacity = run->capacity;
	run->bytes_capacity = (uint32_t) (lines_place(run) +
									  run->line_capacity * sizeof(uint16_t));
	if (status == ENGINE_OK)
		status = kernels_load_deform(run);
	return status;
}

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
list_lines(CudaRun *run, InputBuffer *buffer, const PageRef *ref, DevicePage *info)
{
	const char *page = ref->page;
	uint16_t   *list = (uint16_t *) ((char *) buffer->stage.data + lines_place(run)) +
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

static EngineStatus
take_page(CudaRun *run, InputBuffer *buffer, const PageRef *ref)
{
	char	   *page = (char *) buffer->stage.data + (size_t) buffer->npages * HEAP_PAGE_SIZE;
	DevicePage *info = (DevicePage *) ((char *) buffer->stage.data + info_place(run)) +
		buffer->npages;

	if (ref->nlines > PAGE_MAX_LINES)
		return run_fail(run, ENGINE_CORRUPT, "block %u has too many line pointers",
						ref->block);
	run->copying = copier_submit(run->context->copier, page, ref->page, HEAP_PAGE_SIZE);
	memset(info, 0, sizeof(*info));
	info->row = buffer->nrows;
	info->block = ref->block;
	info->table = ref->table;
	list_lines(run, buffer, ref, info);
	buffer->nrows += info->nlines;
	buffer->npages++;
	run->head.stats.rows += info->nlines;
	run->head.stats.bytes += HEAP_PAGE_SIZE;
	return ENGINE_OK;
}

/*
 * Take pages in.  All that are given fit a buffer that has room for
 * ENGINE_MAX_PAGES; one that has not is handed to the device first, and the
 * other one may be BUSY.  Threads copy the pages; those of the call before have
 * been copied when this one returns.
 */
EngineStatus
pages_take(CudaRun *run, const PageRef *pages, int n)
{
	InputBuffer *buffer = &run->inputs[run->filling];
	uint64_t	before = run->copying;
	EngineStatus status;

	if (n == 0)
	{
		copier_wait(run->context->copier, before);
		/* what has been left out is known when the device is done */
		status = run->leaves ? input_flush(run) : ENGINE_OK;
		if (status == ENGINE_OK && run->leaves)
			status = aggregate_finish_all(run);
		return status;
	}
	if (buffer->state == BUFFER_FILLING && buffer->pages &&
		buffer->npages + (uint32_t) n > run->page_capacity)
	{
		status = input_flush(run);
		if (status != ENGINE_OK)
			return status;
	}
	status = input_current(run, true, &buffer);
	for (int i = 0; i < n && status == ENGINE_OK; i++)
		if (pages[i].nlines > 0)
			status = take_page(run, buffer, &pages[i]);
	copier_start(run->context->copier);
	if (status != ENGINE_BUSY)
		copier_wait(run->context->copier, before);
	return status;
}

/* Copy pages and lists to the device, in the copy stream. */
EngineStatus
pages_upload(CudaRun *run, InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	const char *stage = buffer->stage.data;
	DevicePtr	to = buffer->bytes.ptr + run->slot_bytes_size;
	DeviceStatus status;

	copier_wait(run->context->copier, run->copying);
	status = ops->upload(run->device, run->copy, to, stage,
						 (size_t) buffer->npages * HEAP_PAGE_SIZE);
	if (status == DEVICE_OK)
		status = ops->upload(run->device, run->copy, to + info_place(run),
							 stage + info_place(run), buffer->npages * sizeof(DevicePage));
	if (status == DEVICE_OK && buffer->nlines > 0)
		status = ops->upload(run->device, run->copy, to + lines_place(run),
							 stage + lines_place(run), buffer->nlines * sizeof(uint16_t));
	return run_device(run, status, "could not copy pages to the device");
}

EngineStatus
pages_deform(CudaRun *run, InputBuffer *buffer)
{
	DeformArgs	args = {0};

	input_batch(run, buffer, &args.batch);
	args.pages = buffer->bytes.ptr + run->slot_bytes_size;
	args.info = args.pages + info_place(run);
	args.lines = args.pages + lines_place(run);
	args.attrs = run->attrs.ptr;
	args.columns = run->attrs.ptr + run->nattrs * sizeof(DeformAttr);
	args.constants = run->slot_values.ptr;
	args.counters = run->counters.ptr + COUNTERS_OF_BUFFER(buffer - run->inputs);
	args.npages = buffer->npages;
	args.nattrs = run->nattrs;
	return kernels_launch(run, run->deform, (uint64_t) buffer->npages * 32, 256, 0, &args);
}

/* The marks of a buffer's rows that were left out, which the device has made. */
static EngineStatus
download_marks(CudaRun *run, const InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status;

	if (run->left_marks == NULL)
		run->left_marks = malloc(run->capacity);
	if (run->left_marks == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory for rows left out");
	status = ops->download(run->device, run->work, run->left_marks, buffer->left.ptr,
						   buffer->nrows);
	if (status == DEVICE_OK)
		status = ops->stream_wait(run->device, run->work);
	return run_device(run, status, "could not read which rows were left out");
}

/*
 * Note which rows of a buffer have been left out.  Its stage still holds what the
 * device was given.
 */
EngineStatus
pages_note_left(CudaRun *run, const InputBuffer *buffer)
{
	const char *stage = buffer->stage.data;
	const DevicePage *infos = (const DevicePage *) (stage + info_place(run));
	const uint16_t *lines = (const uint16_t *) (stage + lines_place(run));
	EngineStatus status = download_marks(run, buffer);

	for (uint32_t p = 0; p < buffer->npages && status == ENGINE_OK; p++)
	{
		const DevicePage *info = &infos[p];

		for (uint32_t i = 0; i < info->nlines; i++)
		{
			uint16_t	line = info->all ? (uint16_t) (i + 1) : lines[info->lines + i];

			if (!run->left_marks[info->row + i])
				continue;
			run->head.stats.rows--;
			if (!left_add(&run->left, info->table, info->block, line))
				return run_fail(run, ENGINE_NO_MEMORY, "out of memory for rows left out");
		}
	}
	return status;
}
