/*
 * page_views.c
 *	  G-Atom's page view count, and page view rank: which pages have most views.
 *
 * Views of a log are counted by page.  The pages are then counted by their views, prefix
 * sums of which give the ranks; so most of the second count's atomics meet, since most
 * pages have few views.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "published.h"
#include "page_views.cuh"
#include "scans.cuh"

#define PAGES 1000000

static const char *const pages_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"scans.cuh\"\n"
"#include \"page_views.cuh\"\n";

/* Everything of one log. */
typedef struct PageViews
{
	Gpu		   *gpu;
	DeviceModule *atoms;
	DeviceModule *module;
	Atoms		log;			/* a view a row, a page a group */
	Atoms		pages;			/* a page a row, its views the group */
	PageArgs	args;
	ScanArgs	scan;
	uint32_t   *expected;		/* ranks */
} PageViews;

static void
count(const PageViews *views, const Atoms *atoms, int way)
{
	AggregateArgs args = atoms_args(atoms, 0);

	gpu_zero(views->gpu, atoms->table, (uint64_t) atoms->groups * 8);
	gpu_launch(views->gpu, views->atoms, atoms_kernels[way], atoms->rows / 4, 256, &args);
}

/* Ranks from views. */
static void
rank(PageViews *views, int way)
{
	Gpu		   *gpu = views->gpu;

	gpu_launch(gpu, views->module, "page_keys", PAGES, 256, &views->args);
	count(views, &views->pages, way);
	gpu_launch(gpu, views->module, "bins_reverse", views->args.padded, 256, &views->args);
	gpu_zero(gpu, views->scan.tiles, views->scan.n / SCAN_TILE * 8);
	gpu_zero(gpu, views->scan.next, 4);
	gpu_launch(gpu, views->module, "single_pass", views->scan.n / 16, SCAN_THREADS,
			   &views->scan);
	gpu_launch(gpu, views->module, "page_ranks", PAGES, 256, &views->args);
}

/* The ranks, as the CPU finds them. */
static void
expect(PageViews *views)
{
	uint32_t   *counts = calloc(PAGES, sizeof(uint32_t));
	uint32_t   *bins = calloc(views->log.rows + 1, sizeof(uint32_t));
	uint32_t	above = 0;

	for (uint64_t i = 0; i < views->log.rows; i++)
		counts[views->log.keys[i]]++;
	for (int i = 0; i < PAGES; i++)
		bins[counts[i]]++;
	for (uint64_t i = views->log.rows + 1; i-- > 0;)
	{
		uint32_t	here = bins[i];

		bins[i] = above + 1;
		above += here;
	}
	for (int i = 0; i < PAGES; i++)
		views->expected[i] = bins[counts[i]];
	free(counts);
	free(bins);
}

/* Milliseconds of the count and of the rank, medians; and if the ranks are right. */
static bool
measure(PageViews *views, int way, double *count_ms, double *rank_ms)
{
	Gpu		   *gpu = views->gpu;
	double		counts[64];
	double		ranks[64];
	uint32_t   *found;
	bool		right;

	for (int i = 0; i < gpu->bench->runs; i++)
	{
		gpu->ms = 0;
		count(views, &views->log, way);
		counts[i] = gpu->ms;
		gpu->ms = 0;
		rank(views, way);
		ranks[i] = gpu->ms;
	}
	*count_ms = median(counts, gpu->bench->runs);
	*rank_ms = median(ranks, gpu->bench->runs);
	found = gpu_download(gpu, views->args.ranks, PAGES * 4);
	right = memcmp(found, views->expected, PAGES * 4) == 0;
	free(found);
	return right;
}

static void
open_views(Gpu *gpu, PageViews *views)
{
	uint64_t	padded = (gpu->bench->rows + SCAN_TILE) / SCAN_TILE * SCAN_TILE;

	views->gpu = gpu;
	views->atoms = gpu_module(gpu, "#define ATOMS_ONE\n#include \"atoms.cuh\"\n");
	views->module = gpu_module(gpu, pages_text);
	atoms_open(gpu, gpu->bench->rows, PAGES, &views->log);
	atoms_open(gpu, PAGES, (uint32_t) gpu->bench->rows + 1, &views->pages);
	views->args = (PageArgs) {
		.views = views->log.table,.keys = views->pages.columns,.bins = views->pages.table,
			.reversed = gpu_alloc(gpu, padded * 4),.ranks = gpu_alloc(gpu, PAGES * 4),
			.npages = PAGES,.nbins = views->pages.groups,.padded = padded
	};
	views->scan = (ScanArgs) {
		.values = views->args.reversed,.sums = views->args.reversed,
			.tiles = gpu_alloc(gpu, padded / SCAN_TILE * 8),.next = gpu_alloc(gpu, 4),
			.n = padded
	};
	views->expected = malloc(PAGES * sizeof(uint32_t));
}

static void
close_views(PageViews *views)
{
	gpu_free(views->gpu, views->args.reversed);
	gpu_free(views->gpu, views->args.ranks);
	gpu_free(views->gpu, views->scan.tiles);
	gpu_free(views->gpu, views->scan.next);
	atoms_close(&views->log);
	atoms_close(&views->pages);
	free(views->expected);
}

void
run_page_views(Gpu *gpu)
{
	double		rank_ms[DIST_COUNT][ATOMS_WAYS];
	bool		right[DIST_COUNT];
	PageViews	views;

	open_views(gpu, &views);
	report_section("Views counted by 1,000,000 pages, G views/s (G-Atom)",
				   "pages|" ATOMS_COLUMNS);
	for (int d = 0; d < DIST_COUNT; d++)
	{
		double		count_ms[ATOMS_WAYS];

		right[d] = true;
		atoms_keys(&views.log, (Distribution) d);
		expect(&views);
		for (int way = 0; way < ATOMS_WAYS; way++)
			right[d] &= measure(&views, way, &count_ms[way], &rank_ms[d][way]);
		atoms_line(gpu, (Distribution) d, views.log.rows, count_ms, right[d]);
	}
	report_section("Rank of 1,000,000 pages from their views, G pages/s (G-Atom)",
				   "pages|" ATOMS_COLUMNS);
	for (int d = 0; d < DIST_COUNT; d++)
		atoms_line(gpu, (Distribution) d, PAGES, rank_ms[d], right[d]);
	close_views(&views);
}
