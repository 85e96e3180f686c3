/*
 * merge_sort.c
 *	  G-Atom's merge sort: keys of 16 bits with the numbers of their rows.
 *
 * See merge_sort.cuh.  The keys are counted by G-Atom's four ways, too.
 */
#include <stdio.h>
#include <stdlib.h>

#include "published.h"
#include "merge_sort.cuh"
#include "scans.cuh"

#define SORT_KEYS 65536

static const char *const sort_text =
"#define ATOMS_ONE\n"
"#include \"atoms.cuh\"\n"
"#include \"scans.cuh\"\n"
"#include \"merge_sort.cuh\"\n";

static const char *const place_kernels[ATOMS_WAYS] = {
	"place_plain", "place_atomic_sr", "place_atomic_vr", "place_atomic_ss"
};

static void
sort_once(Gpu *gpu, DeviceModule *module, const Atoms *atoms, int way, MergeSortArgs *args,
		  ScanArgs *scan)
{
	AggregateArgs count = atoms_args(atoms, 0);

	gpu_upload(gpu, args->keys, atoms->keys, atoms->rows * 4);
	gpu_zero(gpu, atoms->table, SORT_KEYS * 8);
	gpu_zero(gpu, scan->tiles, scan->n / SCAN_TILE * 8);
	gpu_zero(gpu, scan->next, 4);
	gpu->ms = 0;
	gpu_launch(gpu, module, "sort_tiles", args->n / 4, MERGE_THREADS, args);
	gpu_launch(gpu, module, atoms_kernels[way], args->n / 4, 256, &count);
	gpu_launch(gpu, module, "sort_pad", args->npadded, 256, args);
	gpu_launch(gpu, module, "single_pass", scan->n / 16, SCAN_THREADS, scan);
	gpu_launch(gpu, module, "sort_cursors", SORT_KEYS, 256, args);
	gpu_launch(gpu, module, place_kernels[way], args->n / 4, 256, args);
}

/* Are the keys in order, and each row there once, with its own key? */
static bool
is_sorted(Gpu *gpu, const Atoms *atoms, const MergeSortArgs *args)
{
	uint64_t   *sorted = gpu_download(gpu, args->sorted, args->n * 8);
	uint8_t    *seen = calloc(args->n, 1);
	bool		right = true;

	for (uint64_t i = 0; i < args->n && right; i++)
	{
		uint32_t	row = (uint32_t) sorted[i];

		right = row < args->n && !seen[row] && sorted[i] >> 32 == atoms->keys[row] &&
			(i == 0 || sorted[i] >> 32 >= sorted[i - 1] >> 32);
		if (right)
			seen[row] = 1;
	}
	free(sorted);
	free(seen);
	return right;
}

static void
sort_line(Gpu *gpu, DeviceModule *module, Atoms *atoms, Distribution distribution,
		  MergeSortArgs *args, ScanArgs *scan)
{
	double		ms[ATOMS_WAYS];
	bool		right = true;

	atoms_keys(atoms, distribution);
	for (int way = 0; way < ATOMS_WAYS; way++)
	{
		double		times[64];

		for (int i = 0; i < gpu->bench->runs; i++)
		{
			sort_once(gpu, module, atoms, way, args, scan);
			times[i] = gpu->ms;
		}
		ms[way] = median(times, gpu->bench->runs);
		right &= is_sorted(gpu, atoms, args);
	}
	atoms_line(gpu, distribution, atoms->rows, ms, right);
}

void
run_merge_sort(Gpu *gpu)
{
	DeviceModule *module = gpu_module(gpu, sort_text);
	uint64_t	n = gpu->bench->rows / 4;
	Atoms		atoms;
	MergeSortArgs args;
	ScanArgs	scan;

	atoms_open(gpu, n, SORT_KEYS, &atoms);
	args = (MergeSortArgs) {
		.keys = atoms.columns,.elements = gpu_alloc(gpu, n * 8),.counts = atoms.table,
			.padded = gpu_alloc(gpu, SORT_KEYS * 4),.cursors = gpu_alloc(gpu, SORT_KEYS * 4),
			.sorted = gpu_alloc(gpu, n * 8),.n = n,.nkeys = SORT_KEYS,.npadded = SORT_KEYS
	};
	scan = (ScanArgs) {
		.values = args.padded,.sums = args.padded,
			.tiles = gpu_alloc(gpu, SORT_KEYS / SCAN_TILE * 8),.next = gpu_alloc(gpu, 4),
			.n = SORT_KEYS
	};
	report_section("Merge sort by keys of 16 bits, G rows/s (G-Atom)", "keys|" ATOMS_COLUMNS);
	for (int d = 0; d < DIST_COUNT; d++)
		sort_line(gpu, module, &atoms, (Distribution) d, &args, &scan);
	gpu_free(gpu, args.elements);
	gpu_free(gpu, args.padded);
	gpu_free(gpu, args.cursors);
	gpu_free(gpu, args.sorted);
	gpu_free(gpu, scan.tiles);
	gpu_free(gpu, scan.next);
	atoms_close(&atoms);
}
