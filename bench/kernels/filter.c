/*
 * filter.c
 *	  Adinetz's experiment: values that pass are written behind one another.
 *
 * Places come from one counter in device memory, added to by every thread that
 * has something (plain), by one lane of a warp (aggregated), or from a counter
 * in shared memory, one for the block, which is added to the global one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define FILTER_VALUES UINT64_C(100000000)

typedef struct FilterArgs
{
	DevicePtr	values;
	DevicePtr	passed;
	DevicePtr	counter;
	uint64_t	n;
	uint32_t	threshold;		/* values are 0 .. 99 */
	uint32_t	unused;
} FilterArgs;

static const char *const filter_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#include \"compact.cuh\"\n"
"typedef struct FilterArgs\n"
"{\n"
"	int32_t *values, *passed;\n"
"	uint32_t *counter;\n"
"	uint64_t n;\n"
"	uint32_t threshold, unused;\n"
"} FilterArgs;\n"
"\n"
"KERNEL(fill, FilterArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
"		args.values[i] = (int32_t) (hash_mix(i) % 100);\n"
"}\n"
"\n"
"KERNEL(plain, FilterArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
"	{\n"
"		int32_t value = args.values[i];\n"
"\n"
"		if (value < (int32_t) args.threshold)\n"
"		{\n"
"			volatile uint32_t one = 1;\n"
"\n"
"			args.passed[atomic_add_u32(args.counter, one)] = value;\n"
"		}\n"
"	}\n"
"}\n"
"\n"
"KERNEL(aggregated, FilterArgs, args)\n"
"{\n"
"	uint64_t rounds = (args.n + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;\n"
"\n"
"	for (uint64_t i = grid_index(); i < rounds; i += grid_size())\n"
"	{\n"
"		int32_t value = i < args.n ? args.values[i] : 100;\n"
"		bool keep = value < (int32_t) args.threshold;\n"
"		uint32_t place = compact_place(keep, args.counter);\n"
"\n"
"		if (keep)\n"
"			args.passed[place] = value;\n"
"	}\n"
"}\n"
"\n"
"KERNEL(shared, FilterArgs, args)\n"
"{\n"
"	SHARED uint32_t count;\n"
"	SHARED uint32_t first;\n"
"	uint64_t rounds = (args.n + blockDim.x - 1) / blockDim.x * blockDim.x;\n"
"\n"
"	for (uint64_t i = grid_index(); i < rounds; i += grid_size())\n"
"	{\n"
"		int32_t value = i < args.n ? args.values[i] : 100;\n"
"		bool keep = value < (int32_t) args.threshold;\n"
"		uint32_t place = 0;\n"
"\n"
"		if (threadIdx.x == 0)\n"
"			count = 0;\n"
"		block_sync();\n"
"		if (keep)\n"
"			place = atomic_add_u32(&count, 1);\n"
"		block_sync();\n"
"		if (threadIdx.x == 0)\n"
"			first = atomic_add_u32(args.counter, count);\n"
"		block_sync();\n"
"		if (keep)\n"
"			args.passed[first + place] = value;\n"
"	}\n"
"}\n";

typedef struct Filter
{
	Context    *context;
	DeviceStream *stream;
	DeviceEvent *from;
	DeviceEvent *to;
	DeviceModule *module;
	FilterArgs	args;
} Filter;

static void
check(const Filter *filter, DeviceStatus status)
{
	if (status == DEVICE_OK)
		return;
	fprintf(stderr, "%s\n", filter->context->device->message);
	exit(1);
}

/* Milliseconds of one launch; *count: values that passed. */
static double
launch(Filter *filter, const char *name, uint32_t *count)
{
	const DeviceOps *ops = filter->context->ops;
	Device	   *dev = filter->context->device;
	void	   *params[] = {&filter->args};
	DeviceKernel *kernel;
	float		ms;

	check(filter, ops->kernel(dev, filter->module, name, &kernel));
	check(filter, ops->fill(dev, filter->stream, filter->args.counter, 0, 4));
	check(filter, ops->event_record(dev, filter->from, filter->stream));
	check(filter, ops->launch(dev, filter->stream, kernel,
							  (uint32_t) dev->info.multiprocessors * 8, 256, 0, params));
	check(filter, ops->event_record(dev, filter->to, filter->stream));
	check(filter, ops->download(dev, filter->stream, count, filter->args.counter, 4));
	check(filter, ops->stream_wait(dev, filter->stream));
	check(filter, ops->event_elapsed(dev, filter->from, filter->to, &ms));
	return ms;
}

static void
measure_share(Bench *bench, Filter *filter, uint32_t percent)
{
	static const char *const names[] = {"aggregated", "plain", "shared"};
	char		cells[5][32];
	const char *line[] = {cells[0], cells[1], cells[2], cells[3], cells[4]};
	uint32_t	counts[3];

	filter->args.threshold = percent;
	snprintf(cells[0], sizeof(cells[0]), "%u %%", percent);
	for (int v = 0; v < 3; v++)
	{
		double		times[64];

		for (int i = 0; i < bench->runs; i++)
			times[i] = launch(filter, names[v], &counts[v]);
		snprintf(cells[v + 1], sizeof(cells[0]), "%.3g",
				 filter->args.n / median(times, bench->runs) / 1e6);
	}
	snprintf(cells[4], sizeof(cells[0]), "%s",
			 counts[0] == counts[1] && counts[1] == counts[2] ? "yes" : "NO");
	bench->failed |= cells[4][0] == 'N';
	report_line(line, 5);
}

void
run_filter(Bench *bench)
{
	char		why[256];
	Filter		filter = {.context = context_get(bench->device, 0, why, sizeof(why))};
	const DeviceOps *ops = bench->device;
	Device	   *dev = filter.context->device;
	LoadedModule *module;
	uint32_t	count;
	bool		cached;

	filter.args.n = bench->rows < FILTER_VALUES ? bench->rows : FILTER_VALUES;
	check(&filter, kernel_cache_load(dev, &filter.context->modules, filter_text, NULL, &module,
									 &cached));
	filter.module = kernel_cache_module(module);
	check(&filter, ops->stream_create(dev, &filter.stream));
	check(&filter, ops->event_create(dev, &filter.from));
	check(&filter, ops->event_create(dev, &filter.to));
	check(&filter, ops->alloc(dev, filter.args.n * 4, &filter.args.values));
	check(&filter, ops->alloc(dev, filter.args.n * 4, &filter.args.passed));
	check(&filter, ops->alloc(dev, 4, &filter.args.counter));
	launch(&filter, "fill", &count);
	report_section("Filtering, G values/s by share that passes (Adinetz)",
				   "share|aggregated|plain|shared|same");
	for (uint32_t percent = 0; percent <= 100; percent += 20)
		measure_share(bench, &filter, percent);
	ops->free(dev, filter.args.values);
	ops->free(dev, filter.args.passed);
	ops->free(dev, filter.args.counter);
	ops->event_destroy(dev, filter.from);
	ops->event_destroy(dev, filter.to);
	ops->stream_destroy(dev, filter.stream);
	kernel_cache_release(module);
}
