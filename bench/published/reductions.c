/*
 * reductions.c
 *	  Armour's reductions: the sum of all values, reduced by warps, blocks, threads
 *	  before it meets the sum in device memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "published.h"
#include "reductions.cuh"

static const char *const reductions_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"reductions.cuh\"\n";

typedef struct Reduction
{
	const char *reduced;
	const char *how;
	const char *kernel;
	uint32_t	share;			/* of the values, since it is slow: 1 of so many */
} Reduction;

static const Reduction reductions[] = {
	{"nothing", "an atomic a value", "each_value", 32},
	{"32 values of a warp", "shuffles", "each_warp", 1},
	{"32 values of a warp", "__reduce_add_sync", "each_warp_redux", 1},
	{"256 values of a block", "shared memory", "each_block_shared", 1},
	{"256 values of a block", "shuffles", "each_block", 1},
	{"all of a block", "registers, shuffles", "thread_first", 1},
	{"all of a block", "16-byte loads, registers, shuffles", "thread_first_16", 1},
	{"all of a block", "the same, a second kernel for atomics", "partial_sums", 1},
	{"all of a block", "the engine's strategy reduce", "reduce", 1}
};

/* The engine's kernel takes its own parameters. */
static void
launch(Gpu *gpu, DeviceModule *module, DeviceModule *atoms, const Reduction *reduction,
	   ReductionArgs *args, DevicePtr counters)
{
	AggregateArgs engine = {
		.batch = {.columns = args->values,.capacity = args->n,.nrows = args->n},
		.table = {.slots = args->sum,.capacity = 1},.counters = counters
	};
	uint32_t	blocks = (uint32_t) gpu->context->device->info.multiprocessors * 8;

	if (reduction->kernel[0] == 'r')
		gpu_launch(gpu, atoms, reduction->kernel, args->n / 4, REDUCTION_THREADS, &engine);
	else
		gpu_launch_blocks(gpu, module, reduction->kernel, blocks, REDUCTION_THREADS, args);
	args->npartial = blocks;
	if (reduction->kernel[0] == 'p')
		gpu_launch_blocks(gpu, module, "last_sum", 1, REDUCTION_THREADS, args);
}

static void
reduction_line(Gpu *gpu, DeviceModule *module, DeviceModule *atoms, const Reduction *reduction,
			   ReductionArgs args, const uint32_t *values)
{
	char		cells[2][32];
	const char *line[] = {reduction->reduced, reduction->how, cells[0], cells[1], "right"};
	DevicePtr	counters = gpu_alloc(gpu, sizeof(Counters));
	uint64_t	expected = 0;
	double		times[64];
	double		ms;
	uint64_t   *sum;

	args.n /= reduction->share;
	for (int i = 0; i < gpu->bench->runs; i++)
	{
		gpu_zero(gpu, args.sum, 8);
		gpu->ms = 0;
		launch(gpu, module, atoms, reduction, &args, counters);
		times[i] = gpu->ms;
	}
	ms = median(times, gpu->bench->runs);
	snprintf(cells[0], sizeof(cells[0]), "%.3g", args.n / ms / 1e6);
	snprintf(cells[1], sizeof(cells[0]), "%.3g", args.n * 4 / ms / 1e9);
	for (uint64_t i = 0; i < args.n; i++)
		expected += values[i];
	sum = gpu_download(gpu, args.sum, 8);
	if (*sum != expected)
	{
		line[4] = "WRONG";
		gpu->bench->failed = true;
	}
	free(sum);
	gpu_free(gpu, counters);
	report_line(line, 5);
}

void
run_reductions(Gpu *gpu)
{
	DeviceModule *module = gpu_module(gpu, reductions_text);
	DeviceModule *atoms = gpu_module(gpu, "#define ATOMS_VALUE\n#include \"atoms.cuh\"\n");
	uint64_t	unit = 32 * 4 * REDUCTION_THREADS;
	uint64_t	n = (gpu->bench->rows * 8 + unit - 1) / unit * unit;
	uint32_t   *values = malloc(n * sizeof(uint32_t));
	ReductionArgs args = {
		.values = gpu_alloc(gpu, n * 4),.sum = gpu_alloc(gpu, 8),
		.partial = gpu_alloc(gpu, 65536 * 8),.n = n
	};

	for (uint64_t i = 0; i < n; i++)
		values[i] = (uint32_t) (i * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	gpu_upload(gpu, args.values, values, n * 4);
	report_section("Sum of uint32, G values/s (Armour)",
				   "one atomic for|how|G values/s|TB/s|right");
	for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++)
		reduction_line(gpu, module, atoms, &reductions[i], args, values);
	gpu_free(gpu, args.values);
	gpu_free(gpu, args.sum);
	gpu_free(gpu, args.partial);
	free(values);
}
