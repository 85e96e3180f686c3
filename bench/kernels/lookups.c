/*
 * lookups.c
 *	  Look-ups of int4 keys in tables of each form: of 2,556 to 20,000,000 rows.
 *
 * A table has every second key of a range, and keys come from all of it, so that half of them
 * are found.  How many were is counted, and must be the number of even keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "engine/cpu/eval.h"
#include "engine/cpu/lookup.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "lookup_tables.h"

static const LookupForm forms[] = {
	LOOKUP_BITS, LOOKUP_ARRAY1, LOOKUP_ARRAY2, LOOKUP_ARRAY4, LOOKUP_HASH4, LOOKUP_HASH8
};

#define NFORMS ((int) (sizeof(forms) / sizeof(forms[0])))
#define COLUMNS "rows|bits|1 byte|2 bytes|4 bytes|hash of 4|hash of 8|values|right"

static const uint32_t sizes[] = {2556, 30000, 200000, 1400000, 3000000, 20000000};

#define NSIZES ((int) (sizeof(sizes) / sizeof(sizes[0])))

typedef struct LookupArgs
{
	DevicePtr	keys;
	DevicePtr	constant;		/* DeviceConstant of the table */
	DevicePtr	counters;		/* found, even */
	uint64_t	n;
	uint32_t	range;			/* keys are below */
	uint32_t	unused;
} LookupArgs;

/* A thread has four keys at once, as of small rows. */
static const char *const lookup_text =
"#include \"prelude.cuh\"\n"
"#include \"ops.h\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#include \"tables.cuh\"\n"
"typedef struct LookupArgs\n"
"{\n"
"	int32_t *keys;\n"
"	const DeviceConstant *constant;\n"
"	uint64_t *counters;\n"
"	uint64_t n;\n"
"	uint32_t range, unused;\n"
"} LookupArgs;\n"
"\n"
"KERNEL(fill, LookupArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
"		args.keys[i] = (int32_t) (hash_mix(i) % args.range);\n"
"}\n"
"\n"
"#define AT_ONCE 4\n"
"#define LOOKUPS(name, look_up) \\\n"
"KERNEL(name, LookupArgs, args) \\\n"
"{ \\\n"
"	uint64_t found = 0, even = 0; \\\n"
"\\\n"
"	for (uint64_t i = grid_index(); i < args.n; i += AT_ONCE * grid_size()) \\\n"
"	{ \\\n"
"		Bytes table = table_bytes(args.constant); \\\n"
"		int32_t keys[AT_ONCE]; \\\n"
"\\\n"
"		PRAGMA_UNROLL \\\n"
"		for (int j = 0; j < AT_ONCE; j++) \\\n"
"			keys[j] = i + j * grid_size() < args.n ? args.keys[i + j * grid_size()] : -1; \\\n"
"		PRAGMA_UNROLL \\\n"
"		for (int j = 0; j < AT_ONCE; j++) \\\n"
"		{ \\\n"
"			found += look_up; \\\n"
"			even += (keys[j] & 1) == 0; \\\n"
"		} \\\n"
"	} \\\n"
"	atomic_add_u64_noreturn(&args.counters[0], found); \\\n"
"	atomic_add_u64_noreturn(&args.counters[1], even); \\\n"
"}\n"
"\n"
"LOOKUPS(find, int8_lookup(keys[j], table) >= 0)\n"
"LOOKUPS(value, row_int4(keys[j] & 1 ? -1 : keys[j] >> 1, table) == 1)\n";

/* The device, and the keys there. */
typedef struct Lookups
{
	Context    *context;
	DeviceStream *stream;
	DeviceEvent *from;
	DeviceEvent *to;
	DeviceModule *module;
	LookupArgs	args;
} Lookups;

static void
check(const Lookups *lookups, DeviceStatus status)
{
	if (status == DEVICE_OK)
		return;
	fprintf(stderr, "%s\n", lookups->context->device->message);
	exit(1);
}

/* A table with the keys 0, 2, 4 ... of rows as many as the form has numbers. */
static Bytes
make_table(LookupForm form, uint32_t n)
{
	static const uint32_t numbers[LOOKUP_FORMS] = {1, 255, 65535, INT32_MAX, INT32_MAX, INT32_MAX};
	int64_t    *keys = malloc(n * sizeof(*keys));
	uint32_t   *rows = malloc(n * sizeof(*rows));
	Bytes		table;

	for (uint32_t i = 0; i < n; i++)
	{
		keys[i] = (int64_t) i * 2;
		rows[i] = i % numbers[form];
	}
	table = table_of_integers(form, keys, rows, n, n < numbers[form] ? n : numbers[form]);
	free(keys);
	free(rows);
	return table;
}

/* A column of values, all of them 1. */
static Bytes
make_values(uint32_t n)
{
	int32_t    *values = malloc(n * sizeof(*values));
	Bytes		table;

	for (uint32_t i = 0; i < n; i++)
		values[i] = 1;
	table = table_of_values(sizeof(*values), values, NULL, n);
	free(values);
	return table;
}

/* Milliseconds of one launch; the counters of found keys and of even ones. */
static double
launch(Lookups *lookups, const char *name, uint64_t counters[2])
{
	const DeviceOps *ops = lookups->context->ops;
	Device	   *dev = lookups->context->device;
	void	   *params[] = {&lookups->args};
	DeviceKernel *kernel;
	float		ms;

	check(lookups, ops->kernel(dev, lookups->module, name, &kernel));
	check(lookups, ops->fill(dev, lookups->stream, lookups->args.counters, 0, 16));
	check(lookups, ops->event_record(dev, lookups->from, lookups->stream));
	check(lookups, ops->launch(dev, lookups->stream, kernel,
							   (uint32_t) dev->info.multiprocessors * 8, 256, 0, params));
	check(lookups, ops->event_record(dev, lookups->to, lookups->stream));
	check(lookups, ops->download(dev, lookups->stream, counters, lookups->args.counters, 16));
	check(lookups, ops->stream_wait(dev, lookups->stream));
	check(lookups, ops->event_elapsed(dev, lookups->from, lookups->to, &ms));
	return ms;
}

/* G look-ups a second in a table, the median; 0: no memory.  False: some result was wrong. */
static bool
measure_on_device(const Bench *bench, Lookups *lookups, Bytes table, const char *kernel,
				  double *speed)
{
	const DeviceOps *ops = bench->device;
	Device	   *dev = lookups->context->device;
	DeviceConstant constant = {.text = {.length = table.len}};
	DevicePtr	ptr;
	uint64_t	counters[2] = {0, 1};
	double		times[64];
	DeviceStatus status = ops->alloc(dev, table.len, &ptr);

	*speed = 0;
	if (status == DEVICE_NO_MEMORY)
		return true;
	check(lookups, status);
	constant.word = (int64_t) ptr;
	check(lookups, ops->upload(dev, lookups->stream, ptr, table.data, table.len));
	check(lookups, ops->upload(dev, lookups->stream, lookups->args.constant, &constant,
							   sizeof(constant)));
	for (int i = 0; i < bench->runs; i++)
		times[i] = launch(lookups, kernel, counters);
	ops->free(dev, ptr);
	*speed = (double) lookups->args.n / median(times, bench->runs) / 1e6;
	return counters[0] == counters[1];
}

/* The same of this processor. */
static bool
measure_on_host(const Bench *bench, const int64_t *keys, Bytes table, OpCode op, double *speed)
{
	static int32_t rows[CPU_BATCH];
	static int32_t results[CPU_BATCH];
	bool		right = true;
	double		times[64];

	for (int run = 0; run < bench->runs; run++)
	{
		struct timespec from;
		struct timespec to;
		uint64_t	found = 0;
		uint64_t	even = 0;
		double		ns = 0;

		for (uint64_t first = 0; first + CPU_BATCH <= bench->rows; first += CPU_BATCH)
		{
			for (int i = 0; i < CPU_BATCH; i++)
				rows[i] = keys[first + i] & 1 ? -1 : (int32_t) (keys[first + i] >> 1);
			clock_gettime(CLOCK_MONOTONIC, &from);
			lookup_run(op, CPU_BATCH, op == OP_int8_lookup ? (const void *) (keys + first) : rows,
					   table, results);
			clock_gettime(CLOCK_MONOTONIC, &to);
			ns += (double) (to.tv_sec - from.tv_sec) * 1e9 + (double) (to.tv_nsec - from.tv_nsec);
			for (int i = 0; i < CPU_BATCH; i++)
			{
				found += op == OP_int8_lookup ? results[i] >= 0 : rows[i] >= 0 && results[i] == 1;
				even += (keys[first + i] & 1) == 0;
			}
		}
		right &= found == even;
		times[run] = ns;
	}
	*speed = (double) bench->rows / median(times, bench->runs);
	return right;
}

/* One size: a form a cell, then the values.  lookups or keys: where it is measured. */
static void
size_line(Bench *bench, Lookups *lookups, const int64_t *keys, uint32_t n)
{
	char		cells[NFORMS + 3][32];
	const char *line[NFORMS + 3];
	bool		right = true;

	snprintf(cells[0], sizeof(cells[0]), "%u", n);
	for (int i = 0; i <= NFORMS; i++)
	{
		Bytes		table = i < NFORMS ? make_table(forms[i], n) : make_values(n);
		double		speed;

		if (lookups != NULL)
			right &= measure_on_device(bench, lookups, table, i < NFORMS ? "find" : "value",
									   &speed);
		else
			right &= measure_on_host(bench, keys, table,
									 i < NFORMS ? OP_int8_lookup : OP_row_int4, &speed);
		snprintf(cells[i + 1], sizeof(cells[0]), speed > 0 ? "%.3g" : "-", speed);
		free((void *) table.data);
	}
	snprintf(cells[NFORMS + 2], sizeof(cells[0]), "%s", right ? "yes" : "NO");
	bench->failed |= !right;
	for (int i = 0; i < NFORMS + 3; i++)
		line[i] = cells[i];
	report_line(line, NFORMS + 3);
}

void
run_lookups(Bench *bench)
{
	char		why[256];
	Lookups		lookups = {.context = context_get(bench->device, 0, why, sizeof(why))};
	const DeviceOps *ops = bench->device;
	Device	   *dev = lookups.context->device;
	LoadedModule *module;
	uint64_t	counters[2];
	bool		cached;

	lookups.args.n = bench->rows;
	check(&lookups, kernel_cache_load(dev, &lookups.context->modules, lookup_text, NULL, &module,
									  &cached));
	lookups.module = kernel_cache_module(module);
	check(&lookups, ops->stream_create(dev, &lookups.stream));
	check(&lookups, ops->event_create(dev, &lookups.from));
	check(&lookups, ops->event_create(dev, &lookups.to));
	check(&lookups, ops->alloc(dev, bench->rows * sizeof(int32_t), &lookups.args.keys));
	check(&lookups, ops->alloc(dev, sizeof(DeviceConstant), &lookups.args.constant));
	check(&lookups, ops->alloc(dev, sizeof(counters), &lookups.args.counters));
	report_section("Look-ups of int4 by the table's rows and form, G look-ups/s", COLUMNS);
	for (int i = 0; i < NSIZES; i++)
	{
		lookups.args.range = 2 * sizes[i];
		launch(&lookups, "fill", counters);
		size_line(bench, &lookups, NULL, sizes[i]);
	}
	ops->free(dev, lookups.args.keys);
	ops->free(dev, lookups.args.constant);
	ops->free(dev, lookups.args.counters);
	ops->event_destroy(dev, lookups.from);
	ops->event_destroy(dev, lookups.to);
	ops->stream_destroy(dev, lookups.stream);
	kernel_cache_release(module);
}

void
run_cpu_lookups(Bench *bench)
{
	int64_t    *keys;

	bench->rows = bench->rows / CPU_BATCH * CPU_BATCH;
	keys = malloc(bench->rows * sizeof(*keys) + 1);
	if (keys == NULL)
	{
		fprintf(stderr, "no memory for the keys\n");
		exit(1);
	}
	report_section("Look-ups by the table's rows and form, G look-ups/s of one processor", COLUMNS);
	for (int i = 0; i < NSIZES; i++)
	{
		uint64_t	random = UINT64_C(88172645463325252);

		for (uint64_t row = 0; row < bench->rows; row++)
		{
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			keys[row] = (int64_t) (random % (2 * (uint64_t) sizes[i]));
		}
		size_line(bench, NULL, keys, sizes[i]);
	}
	free(keys);
}
