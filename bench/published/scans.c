/*
 * scans.c
 *	  Armour's scans: prefix sums within warps, within blocks, and of all values.
 */
#include <stdio.h>
#include <stdlib.h>

#include "published.h"
#include "scans.cuh"

static const char *const scans_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"scans.cuh\"\n";

/* A way: up to three kernels, and of how many values the sums are. */
typedef struct Scan
{
	const char *extent;
	const char *how;
	const char *kernels[3];
	uint32_t	values;			/* 0: all */
	uint32_t	read;			/* how often a value is read */
} Scan;

static const Scan scans[] = {
	{"warp", "shuffles", {"warps"}, 32, 1},
	{"block", "shared memory", {"blocks_shared"}, SCAN_THREADS, 1},
	{"block", "shuffles", {"blocks_shuffles"}, SCAN_THREADS, 1},
	{"device", "three kernels", {"tile_sums", "tile_starts", "tile_add"}, 0, 2},
	{"device", "single pass", {"single_pass"}, 0, 1}
};

static double
run_once(Gpu *gpu, DeviceModule *module, const Scan *scan, ScanArgs *args)
{
	gpu_zero(gpu, args->tiles, args->n / SCAN_TILE * 8);
	gpu_zero(gpu, args->next, 4);
	gpu->ms = 0;
	for (int k = 0; k < 3 && scan->kernels[k] != NULL; k++)
	{
		if (k == 1)
			gpu_launch_blocks(gpu, module, scan->kernels[k], 1, 1024, args);
		else
			gpu_launch(gpu, module, scan->kernels[k], scan->values ? args->n : args->n / 16,
					   SCAN_THREADS, args);
	}
	return gpu->ms;
}

/* Are the sums those that the CPU adds up? */
static bool
are_right(Gpu *gpu, const Scan *scan, const ScanArgs *args, const uint32_t *values)
{
	uint32_t   *sums = gpu_download(gpu, args->sums, args->n * 4);
	uint32_t	expected = 0;
	uint64_t	i;

	for (i = 0; i < args->n; i++)
	{
		if (scan->values > 0 && i % scan->values == 0)
			expected = 0;
		expected += values[i];
		if (sums[i] != expected)
			break;
	}
	free(sums);
	return i == args->n;
}

static void
scan_line(Gpu *gpu, DeviceModule *module, const Scan *scan, ScanArgs *args,
		  const uint32_t *values)
{
	char		cells[2][32];
	const char *line[] = {scan->extent, scan->how, cells[0], cells[1], "right"};
	double		times[64];
	double		ms;

	for (int i = 0; i < gpu->bench->runs; i++)
		times[i] = run_once(gpu, module, scan, args);
	ms = median(times, gpu->bench->runs);
	snprintf(cells[0], sizeof(cells[0]), "%.3g", args->n / ms / 1e6);
	snprintf(cells[1], sizeof(cells[0]), "%.3g", args->n * 4 * (scan->read + 1) / ms / 1e9);
	if (!are_right(gpu, scan, args, values))
	{
		line[4] = "WRONG";
		gpu->bench->failed = true;
	}
	report_line(line, 5);
}

void
run_scans(Gpu *gpu)
{
	DeviceModule *module = gpu_module(gpu, scans_text);
	uint64_t	n = (gpu->bench->rows * 4 + SCAN_TILE - 1) / SCAN_TILE * SCAN_TILE;
	uint32_t   *values = malloc(n * sizeof(uint32_t));
	ScanArgs	args = {
		.values = gpu_alloc(gpu, n * 4),.sums = gpu_alloc(gpu, n * 4),
		.tiles = gpu_alloc(gpu, n / SCAN_TILE * 8),.next = gpu_alloc(gpu, 4),.n = n
	};

	for (uint64_t i = 0; i < n; i++)
		values[i] = (uint32_t) (i * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	gpu_upload(gpu, args.values, values, n * 4);
	report_section("Scans of uint32, G values/s (Armour)", "of|how|G values/s|TB/s|right");
	for (size_t i = 0; i < sizeof(scans) / sizeof(scans[0]); i++)
		scan_line(gpu, module, &scans[i], &args, values);
	gpu_free(gpu, args.values);
	gpu_free(gpu, args.sums);
	gpu_free(gpu, args.tiles);
	gpu_free(gpu, args.next);
	free(values);
}
