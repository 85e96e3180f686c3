/*
 * link.c
 *	  How fast the device reads the host's memory: the floor of every query whose
 *	  pages are in the host's buffers.
 *
 * Page-locked memory by a copy, and by the kernel that gathers pages in calls of as
 * many as a session gives at once.  What is moved is not zeros, and each run moves
 * all of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "engine/engine.h"
#include "program/heap_page.h"

/* Bytes moved at a time: those of the table, and at most 1 GB. */
#define LINK_BYTES_MAX (UINT64_C(1) << 30)
#define ROW_BYTES 12

/* Blocks of a launch, as the engine's. */
#define GATHER_BLOCKS 64

/* What both ways need; what could not be made is NULL or 0. */
typedef struct Link
{
	const DeviceOps *ops;
	Device	   *device;
	DeviceStream *stream;
	DeviceEvent *begun;
	DeviceEvent *done;
	void	   *from;
	DevicePtr	to;
	uint64_t	size;
	DeviceModule *module;
	DeviceKernel *gather;
	uint64_t   *pages;			/* page-locked: where they are, behind one another */
} Link;

static bool
load_gather(Link *link)
{
	void	   *image;
	size_t		size;
	char		message[256];

	if (link->ops->compile(&link->device->info, "#include \"prelude.cuh\"\n#include \"args.cuh\"\n#include \"gather.cuh\"\n",
						   NULL, &image, &size, message, sizeof(message)) != DEVICE_OK)
	{
		fprintf(stderr, "%s\n", message);
		return false;
	}
	if (link->ops->module_load(link->device, image, size, &link->module) != DEVICE_OK)
		link->module = NULL;
	free(image);
	return link->module != NULL &&
		link->ops->kernel(link->device, link->module, "gather", &link->gather) == DEVICE_OK;
}

static bool
list_pages(Link *link)
{
	void	   *list;

	if (link->ops->host_alloc(link->device, link->size / HEAP_PAGE_SIZE * sizeof(uint64_t),
							  &list) != DEVICE_OK)
		return false;
	link->pages = list;
	for (uint64_t i = 0; i < link->size / HEAP_PAGE_SIZE; i++)
		link->pages[i] = (uint64_t) (uintptr_t) link->from + i * HEAP_PAGE_SIZE;
	return true;
}

static bool
link_open(const Bench *bench, Link *link)
{
	char		why[256];

	*link = (Link) {.ops = bench->device,.size = bench->rows * ROW_BYTES};
	if (link->size > LINK_BYTES_MAX)
		link->size = LINK_BYTES_MAX;
	link->size = link->size / HEAP_PAGE_SIZE * HEAP_PAGE_SIZE;
	link->device = link->ops->open(0, why, sizeof(why));
	return link->device != NULL &&
		link->ops->stream_create(link->device, &link->stream) == DEVICE_OK &&
		link->ops->event_create(link->device, &link->begun) == DEVICE_OK &&
		link->ops->event_create(link->device, &link->done) == DEVICE_OK &&
		link->ops->host_alloc(link->device, link->size, &link->from) == DEVICE_OK &&
		link->ops->alloc(link->device, link->size, &link->to) == DEVICE_OK &&
		load_gather(link) && list_pages(link);
}

static void
link_close(Link *link)
{
	const DeviceOps *ops = link->ops;

	if (link->device == NULL)
		return;
	if (link->module != NULL)
		ops->module_unload(link->device, link->module);
	if (link->pages != NULL)
		ops->host_free(link->device, link->pages);
	ops->free(link->device, link->to);
	if (link->from != NULL)
		ops->host_free(link->device, link->from);
	if (link->begun != NULL)
		ops->event_destroy(link->device, link->begun);
	if (link->done != NULL)
		ops->event_destroy(link->device, link->done);
	if (link->stream != NULL)
		ops->stream_destroy(link->device, link->stream);
	ops->close(link->device);
}

/* All bytes by one copy. */
static bool
copy_all(const Link *link)
{
	return link->ops->upload(link->device, link->stream, link->to, link->from,
							 link->size) == DEVICE_OK;
}

/* All bytes by launches of the gathering kernel. */
static bool
gather_all(const Link *link)
{
	uint64_t	npages = link->size / HEAP_PAGE_SIZE;
	bool		good = true;

	for (uint64_t first = 0; first < npages && good; first += ENGINE_MAX_PAGES)
	{
		uint64_t	rest = npages - first;
		GatherArgs	args = {.to = link->to + first * HEAP_PAGE_SIZE,
			.sources = (uint64_t) (uintptr_t) (link->pages + first),
			.npages = (uint32_t) (rest < ENGINE_MAX_PAGES ? rest : ENGINE_MAX_PAGES)};
		void	   *params[] = {&args};

		good = link->ops->launch(link->device, link->stream, link->gather, GATHER_BLOCKS,
								 GATHER_THREADS, 0, params) == DEVICE_OK;
	}
	return good;
}

/* Milliseconds in which all bytes are moved; negative: it failed. */
static double
time_once(const Link *link, bool (*move) (const Link *link))
{
	const DeviceOps *ops = link->ops;
	float		ms;

	if (ops->event_record(link->device, link->begun, link->stream) != DEVICE_OK ||
		!move(link) ||
		ops->event_record(link->device, link->done, link->stream) != DEVICE_OK ||
		ops->stream_wait(link->device, link->stream) != DEVICE_OK ||
		ops->event_elapsed(link->device, link->begun, link->done, &ms) != DEVICE_OK)
		return -1;
	return ms;
}

/* One way's line of the table. */
static void
report_way(Bench *bench, const Link *link, const char *name, bool (*move) (const Link *link))
{
	double		times[64];
	int			runs = bench->runs < 64 ? bench->runs : 64;
	char		cell[32];
	const char *line[] = {name, cell};

	for (int i = 0; i < runs && !bench->failed; i++)
	{
		times[i] = time_once(link, move);
		bench->failed = times[i] < 0;
	}
	snprintf(cell, sizeof(cell), "%.1f",
			 bench->failed ? 0 : link->size / median(times, runs) / 1e6);
	report_line(line, 2);
}

void
run_link(Bench *bench)
{
	Link		link;

	report_section("From the host's memory, GB/s", "what|GB/s");
	if (!link_open(bench, &link))
		bench->failed = true;
	else
		for (uint64_t i = 0; i < link.size / 8; i++)
			((uint64_t *) link.from)[i] = i * UINT64_C(0x9E3779B97F4A7C15);
	report_way(bench, &link, "a copy from page-locked memory", copy_all);
	report_way(bench, &link, "pages from there, gathered by a kernel", gather_all);
	link_close(&link);
}
