/*
 * link.c
 *	  How fast the device reads the host's memory: the floor of every query whose
 *	  pages are in the host's buffers.
 *
 * Page-locked memory by a copy, and by the kernel that gathers pages in calls of as
 * many as a session gives at once.  What is moved is not zeros, and each run moves
 * all of it.  Then by the kernel that gathers those tuples of pages that a condition does
 * not refuse, of wide tuples and of narrow ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../test/unit/page_writer.h"
#include "bench.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "engine/engine.h"

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
	DeviceKernel *gather_tuples;
	uint64_t   *pages;			/* page-locked: where they are, behind one another, */
	DevicePage *infos;			/* and their rows */
	GatherCondition condition;	/* of gather_tuples */
} Link;

/* Tuples have so many int4, each of 0 .. 99. */
#define TUPLE_VALUES 100

static bool
load_gather(Link *link)
{
	void	   *image;
	size_t		size;
	char		message[256];

	if (link->ops->compile(&link->device->info, "#include \"prelude.cuh\"\n#include \"args.cuh\"\n#include \"gather.cuh\"\n"
						   "#include \"gather_tuples.cuh\"\n", NULL, &image, &size, message, sizeof(message)) != DEVICE_OK)
	{
		fprintf(stderr, "%s\n", message);
		return false;
	}
	if (link->ops->module_load(link->device, image, size, &link->module) != DEVICE_OK)
		link->module = NULL;
	free(image);
	return link->module != NULL &&
		link->ops->kernel(link->device, link->module, "gather", &link->gather) == DEVICE_OK &&
		link->ops->kernel(link->device, link->module, "gather_tuples",
						  &link->gather_tuples) == DEVICE_OK;
}

static bool
list_pages(Link *link)
{
	uint64_t	npages = link->size / HEAP_PAGE_SIZE;
	void	   *list;
	void	   *infos;

	if (link->ops->host_alloc(link->device, npages * sizeof(uint64_t), &list) != DEVICE_OK)
		return false;
	link->pages = list;
	for (uint64_t i = 0; i < npages; i++)
		link->pages[i] = (uint64_t) (uintptr_t) link->from + i * HEAP_PAGE_SIZE;
	if (link->ops->host_alloc(link->device, npages * sizeof(DevicePage), &infos) != DEVICE_OK)
		return false;
	link->infos = infos;
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
	if (link->infos != NULL)
		ops->host_free(link->device, link->infos);
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

/* All pages by launches of a gathering kernel, with these parameters but for the pages. */
static bool
launch_all(const Link *link, DeviceKernel *kernel, GatherTuplesArgs *args)
{
	uint64_t	npages = link->size / HEAP_PAGE_SIZE;
	bool		good = true;

	for (uint64_t first = 0; first < npages && good; first += ENGINE_MAX_PAGES)
	{
		uint64_t	rest = npages - first;
		void	   *params[] = {args};

		/* the parameters of `gather` are their first member */
		args->pages = (GatherArgs)
		{
			.to = link->to + first * HEAP_PAGE_SIZE,
				.sources = (uint64_t) (uintptr_t) (link->pages + first),
				.npages = (uint32_t) (rest < ENGINE_MAX_PAGES ? rest : ENGINE_MAX_PAGES)
		};
		args->info = (uint64_t) (uintptr_t) (link->infos + first);
		good = link->ops->launch(link->device, link->stream, kernel, GATHER_BLOCKS,
								 GATHER_THREADS, 0, params) == DEVICE_OK;
	}
	return good;
}

static bool
gather_all(const Link *link)
{
	GatherTuplesArgs args = {0};

	return launch_all(link, link->gather, &args);
}

static bool
gather_tuples(const Link *link)
{
	GatherTuplesArgs args = {.nconditions = 1,.conditions = {link->condition}};

	return launch_all(link, link->gather_tuples, &args);
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

/* The median of GB/s, by which all bytes are moved or passed over. */
static double
measure(Bench *bench, const Link *link, bool (*move) (const Link *link))
{
	double		times[64];
	int			runs = bench->runs < 64 ? bench->runs : 64;

	for (int i = 0; i < runs && !bench->failed; i++)
	{
		times[i] = time_once(link, move);
		bench->failed = times[i] < 0;
	}
	return bench->failed ? 0 : link->size / median(times, runs) / 1e6;
}

/* One way's line of the table. */
static void
report_way(Bench *bench, const Link *link, const char *name, bool (*move) (const Link *link))
{
	char		cell[32];
	const char *line[] = {name, cell};

	snprintf(cell, sizeof(cell), "%.1f", measure(bench, link, move));
	report_line(line, 2);
}

static void
fill_page(char *page, DevicePage *info, int natts, uint64_t *state)
{
	TupleWriter tuple;

	page_begin(page);
	do
	{
		tuple_begin(&tuple);
		for (int i = 0; i < natts; i++)
		{
			int32_t		value;

			*state ^= *state << 13;
			*state ^= *state >> 7;
			*state ^= *state << 17;
			value = (int32_t) ((*state >> 20) % TUPLE_VALUES);
			tuple_fixed(&tuple, &value, 4, 4);
		}
	} while (page_add(page, &tuple, HEAP_LINE_NORMAL));
	*info = (DevicePage) {.nlines = (uint16_t) page_nlines(page),.all = true,.filtered = true};
}

/* Which share of the rows was not gathered; negative: that could not be read. */
static double
refused_share(const Link *link)
{
	char	   *pages = malloc(link->size);
	uint64_t	refused = 0;
	uint64_t	all = 0;

	if (pages == NULL ||
		link->ops->download(link->device, link->stream, pages, link->to, link->size) != DEVICE_OK ||
		link->ops->stream_wait(link->device, link->stream) != DEVICE_OK)
	{
		free(pages);
		return -1;
	}
	for (uint64_t i = 0; i < link->size / HEAP_PAGE_SIZE; i++)
	{
		const uint32_t *lines = (const uint32_t *) (pages + i * HEAP_PAGE_SIZE + HEAP_PAGE_LINES);

		for (uint32_t j = 0; j < link->infos[i].nlines; j++)
			refused += lines[j] == LINE_REFUSED;
		all += link->infos[i].nlines;
	}
	free(pages);
	return (double) refused / (double) all;
}

/* A condition on an attribute that so many of a hundred rows meet. */
static double
measure_condition(Bench *bench, Link *link, int att, int percent)
{
	double		speed;
	double		share;

	link->condition = (GatherCondition)
	{
		.most = percent - 1,.place = (uint16_t) (4 * att),.att = (uint8_t) att,.width = 4
	};
	speed = measure(bench, link, gather_tuples);
	share = refused_share(link);
	bench->failed |= share < (98 - percent) / 100.0 || share > (102 - percent) / 100.0;
	return speed;
}

static void
report_tuples(Bench *bench, Link *link, int natts)
{
	static const int atts[] = {0, 6, 24, 60};
	static const int percents[] = {1, 10, 50};
	uint64_t	state = 88172645463325252u;
	char		cells[6][32];
	const char *line[] = {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]};

	for (uint64_t i = 0; i < link->size / HEAP_PAGE_SIZE; i++)
		fill_page((char *) link->from + i * HEAP_PAGE_SIZE, &link->infos[i], natts, &state);
	snprintf(cells[0], sizeof(cells[0]), "%d, %d a page", natts, link->infos[0].nlines);
	snprintf(cells[2], sizeof(cells[2]), "%.1f", measure(bench, link, gather_all));
	for (int i = 0; i < 4 && atts[i] < natts && !bench->failed; i++)
	{
		snprintf(cells[1], sizeof(cells[1]), "%d", atts[i] + 1);
		for (int j = 0; j < 3; j++)
			snprintf(cells[3 + j], sizeof(cells[0]), "%.1f",
					 measure_condition(bench, link, atts[i], percents[j]));
		report_line(line, 6);
	}
}

void
run_link(Bench *bench)
{
	static const int widths[] = {105, 30, 8};
	Link		link;

	report_section("From the host's memory, GB/s", "what|GB/s");
	if (!link_open(bench, &link))
		bench->failed = true;
	else
		for (uint64_t i = 0; i < link.size / 8; i++)
			((uint64_t *) link.from)[i] = i * UINT64_C(0x9E3779B97F4A7C15);
	report_way(bench, &link, "a copy from page-locked memory", copy_all);
	report_way(bench, &link, "pages from there, gathered by a kernel", gather_all);
	report_section("Pages in the host's memory, GB/s of pages gone through, by the rows that meet a condition",
				   "int4 columns|condition on column|whole pages|1 %|10 %|50 %");
	for (int i = 0; i < 3 && !bench->failed; i++)
		report_tuples(bench, &link, widths[i]);
	link_close(&link);
}
