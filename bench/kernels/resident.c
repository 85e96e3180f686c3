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

static void
die(const CudaRun *run, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, run ? run->core.head.message : "");
	exit(1);
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

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

/* What a group's key and state come to, its sums of two words carried. */
static uint64_t
digest_group(const Program *program, const GroupBatch *batch, uint32_t group)
{
	const ColumnVector *key = &batch->keys[0];
	const uint64_t *state = batch->states + (size_t) group * program->nwords;
	bool		valid = key->validity == NULL || (key->validity[group / 8] >> group % 8 & 1);
	uint64_t	digest = valid ? mix((uint32_t) ((const int32_t *) key->values)[group]) : 1;

	for (int i = 0; i < program->naccs; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];

		for (int word = 0; word < acc->nwords; word++)
		{
			uint64_t	value = state[acc->word + word];

			if (acc->kind == ACC_SUM_INT128)
				value = word == 0 ? value & UINT32_MAX : value + (state[acc->word] >> 32);
			digest = mix(digest + value);
		}
	}
	return digest;
}

/* Number, counts and digest of all groups, in any order. */
static void
read_groups(CudaRun *run, Measurement *result, uint64_t *total)
{
	GroupBatch	batch;

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
		result->groups += batch.ngroups;
		for (uint32_t i = 0; i < batch.ngroups; i++)
		{
			*total += batch.states[(size_t) (i + 1) * run->core.program->nwords - 1];
			result->digest += digest_group(run->core.program, &batch, i);
		}
	}
}

Measurement
measure_resident(const Bench *bench, const Workload *workload, uint64_t rows, uint32_t groups,
				 Distribution distribution, const char *strategy)
{
	Program    *program = workload_program(workload);
	EngineHints hints = {.groups = groups, .rows = (double) rows, .strategy = strategy};
	Measurement result = {0};
	uint64_t	total = 0;
	double		times[64];
	char		message[256];
	const StrategyChoice *choice;
	EngineRun  *head;
	CudaRun    *run;

	if (bench->engine->open(program, workload_slots, &hints, &head, message) != ENGINE_OK)
	{
		fprintf(stderr, "open: %s\n", message);
		exit(1);
	}
	run = (CudaRun *) head;
	make_room(run, rows);
	workload_rows(&run->core, workload, run->input.buffers[0].columns.ptr,
				  run->input.layout.rows, rows, groups, distribution, bench->sparse);
	launch_once(run);
	for (int i = 0; i < bench->runs; i++)
	{
		empty_table(run);
		times[i] = launch_once(run);
	}
	result.ms = median(times, bench->runs);
	result.row_bytes = run->core.layouts[0].row_bytes;
	read_groups(run, &result, &total);
	result.right = total == rows || workload->filter;
	choice = &run->aggregation.kernels.choice;
	snprintf(result.ran, sizeof(result.ran), "%s/%s", strategy_name(choice->strategy),
			 choice->table == TABLE_DIRECT ? "direct" : "hash");
	bench->engine->close(head);
	free(program);
	return result;
}
