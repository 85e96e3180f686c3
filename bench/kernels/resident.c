/*
 * resident.c
 *	  The aggregation kernels alone, over columns that are in device memory.
 *
 * The engine's own run is opened, its input buffer is given columns that a
 * kernel made, and its own launch is timed; so what is measured is what queries
 * run.  The first launch chooses the strategy and lets the table grow; the
 * timed ones begin with an empty table of the right size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "engine/cuda/run/submit.h"

const char *const distribution_names[DIST_COUNT] = {
	"uniform", "sorted", "shifted", "zipf", "heavy"
};

/* Parameters of the kernel below. */
typedef struct MakeArgs
{
	DevicePtr	keys;
	DevicePtr	values;
	uint64_t	rows;
	uint32_t	groups;
	uint32_t	distribution;
	uint32_t	float8;
	uint32_t	sparse;
} MakeArgs;

static const char *const make_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#ifndef __CUDACC__\n"
"#include <math.h>\n"
"#endif\n"
"typedef struct MakeArgs\n"
"{\n"
"	int32_t *keys;\n"
"	void *values;\n"
"	uint64_t rows;\n"
"	uint32_t groups, distribution, float8, sparse;\n"
"} MakeArgs;\n"
"\n"
"DEVICE_FN uint32_t\n"
"make_key(const MakeArgs *args, uint64_t row, uint64_t random)\n"
"{\n"
"	uint32_t groups = args->groups;\n"
"	uint32_t sorted = (uint32_t) (row * groups / args->rows);\n"
"	uint32_t uniform = (uint32_t) (random >> 16) % groups;\n"
"	double u = (double) (random >> 11) / 9007199254740992.0;\n"
"	uint32_t zipf;\n"
"\n"
"	switch (args->distribution)\n"
"	{\n"
"		case 1:\n"
"			return sorted;\n"
"		case 2:\n"
"			if (random & 1)\n"
"				return sorted + 1 < groups ? sorted + 1 : sorted;\n"
"			return sorted > 0 ? sorted - 1 : 0;\n"
"		case 3:\n"
"			zipf = (uint32_t) exp(u * log((double) groups + 1)) - 1;\n"
"			return zipf < groups ? zipf : groups - 1;\n"
"		case 4:\n"
"			return random & 1 ? 0 : uniform;\n"
"		default:\n"
"			return uniform;\n"
"	}\n"
"}\n"
"\n"
"KERNEL(make, MakeArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.rows; i += grid_size())\n"
"	{\n"
"		uint64_t random = hash_mix(i + 88172645463325252);\n"
"		double value = (double) (hash_mix(random) >> 11) / 9007199254740992.0 * 1000;\n"
"\n"
"		/* odd factor: other keys, as many, all over the range */\n"
"		args.keys[i] = (int32_t) (make_key(&args, i, random) *\n"
"								  (args.sparse ? 2654435761u : 1));\n"
"		if (args.float8)\n"
"			((double *) args.values)[i] = value;\n"
"		else\n"
"			((float *) args.values)[i] = (float) value;\n"
"	}\n"
"}\n";

static void
die(const CudaRun *run, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, run ? run->core.head.message : "");
	exit(1);
}

static Program *
make_program(ValueType value)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 2, value, false, -1), -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Give the run's first buffer room for all rows. */
static void
make_room(CudaRun *run, uint64_t rows)
{
	InputBuffer *buffer = &run->input.buffers[0];
	InputLayout *layout = &run->input.layout;
	RunCore    *core = &run->core;

	layout->rows = (uint32_t) ((rows + 255) / 256 * 256);
	run_free(core, &buffer->columns);
	run_free(core, &buffer->undone[0]);
	run_free(core, &buffer->undone[1]);
	if (run_alloc(core, (uint64_t) layout->rows * layout->row_bytes,
				  &buffer->columns) != ENGINE_OK ||
		run_alloc(core, (uint64_t) layout->rows * 4, &buffer->undone[0]) != ENGINE_OK ||
		run_alloc(core, (uint64_t) layout->rows * 4, &buffer->undone[1]) != ENGINE_OK)
		die(run, "no memory for the rows");
	buffer->nrows = (uint32_t) rows;
}

static void
make_rows(CudaRun *run, uint64_t rows, uint32_t groups, Distribution distribution,
		  ValueType value, bool sparse)
{
	RunCore    *core = &run->core;
	const ColumnPlace *places = core->layouts[0].columns;
	uint64_t	capacity = run->input.layout.rows;
	DevicePtr	columns = run->input.buffers[0].columns.ptr;
	LoadedModule *module;
	DeviceKernel *kernel;
	bool		cached;
	MakeArgs	args = {
		.keys = columns + capacity * places[0].values,
		.values = columns + capacity * places[1].values,
		.rows = rows,
		.groups = groups,
		.distribution = distribution,
		.float8 = value == VT_FLOAT8,
		.sparse = sparse
	};

	if (kernel_cache_load(core->device, &core->context->modules, make_text, NULL, &module,
						  &cached) != DEVICE_OK ||
		core->device_ops->kernel(core->device, kernel_cache_module(module), "make",
								 &kernel) != DEVICE_OK)
	{
		fprintf(stderr, "%s\n", core->device->message);
		exit(1);
	}
	if (kernels_launch(core, kernel, rows, 256, 0, &args) != ENGINE_OK)
		die(run, "rows");
	kernel_cache_release(module);
}

/* One launch, and whatever its undone rows need; milliseconds of the launch. */
static double
launch_once(CudaRun *run)
{
	InputBuffer *buffer = &run->input.buffers[0];
	RunCore    *core = &run->core;
	const DeviceOps *ops = core->device_ops;
	float		ms = 0;
	EngineStatus status;

	if (ops->fill(core->device, core->work, buffer->counters, 0,
				  sizeof(Counters)) != DEVICE_OK ||
		ops->event_record(core->device, buffer->begun, core->work) != DEVICE_OK ||
		submit_columns(run, buffer) != ENGINE_OK)
		die(run, "launch");
	if (ops->stream_wait(core->device, core->work) != DEVICE_OK ||
		ops->event_elapsed(core->device, buffer->deformed, buffer->done, &ms) != DEVICE_OK)
		die(run, core->device->message);
	while ((status = submit_finish(run, buffer)) == ENGINE_BUSY)
		;
	if (status != ENGINE_OK)
		die(run, "kernel");
	return ms;
}

/* All slots empty again. */
static void
empty_table(CudaRun *run)
{
	const DeviceTable *table = &run->aggregation.table.table;
	RunCore    *core = &run->core;
	TableArgs	args = {.table = *table};

	if (core->device_ops->fill(core->device, core->work, table->counters, 0,
							   sizeof(TableCounters)) != DEVICE_OK ||
		kernels_launch(core, run->aggregation.kernels.table_init,
					   (uint64_t) table->capacity * 4, 256, 0, &args) != ENGINE_OK)
		die(run, "empty table");
}

/* Do the groups' counts add up to all rows? */
static bool
check_groups(CudaRun *run, uint64_t rows, uint64_t *ngroups)
{
	uint64_t	total = 0;
	GroupBatch	batch;

	*ngroups = 0;
	run->input.buffers[0].state = BUFFER_EMPTY;
	for (;;)
	{
		EngineStatus status = run->core.head.ops->groups(&run->core.head, &batch);

		if (status == ENGINE_BUSY)
			continue;
		if (status != ENGINE_OK)
			die(run, "groups");
		if (batch.ngroups == 0)
			break;
		*ngroups += batch.ngroups;
		for (uint32_t i = 0; i < batch.ngroups; i++)
			total += batch.states[(size_t) (i + 1) * run->core.program->nwords - 1];
	}
	return total == rows;
}

Measurement
measure_resident(const Bench *bench, uint64_t rows, uint32_t groups,
				 Distribution distribution, ValueType value, const char *strategy)
{
	Program    *program = make_program(value);
	EngineHints hints = {.groups = groups, .rows = (double) rows, .strategy = strategy};
	Measurement result = {0};
	double		times[64];
	char		message[256];
	const StrategyChoice *choice;
	EngineRun  *head;
	CudaRun    *run;

	if (bench->engine->open(program, NULL, &hints, &head, message) != ENGINE_OK)
	{
		fprintf(stderr, "open: %s\n", message);
		exit(1);
	}
	run = (CudaRun *) head;
	make_room(run, rows);
	make_rows(run, rows, groups, distribution, value, bench->sparse);
	launch_once(run);
	for (int i = 0; i < bench->runs; i++)
	{
		empty_table(run);
		times[i] = launch_once(run);
	}
	result.ms = median(times, bench->runs);
	result.right = check_groups(run, rows, &result.groups);
	choice = &run->aggregation.kernels.choice;
	snprintf(result.ran, sizeof(result.ran), "%s/%s", strategy_name(choice->strategy),
			 choice->table == TABLE_DIRECT ? "direct" : "hash");
	bench->engine->close(head);
	free(program);
	return result;
}
