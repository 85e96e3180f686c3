/*
 * resident.c
 *	  The aggregation kernels alone, over columns that are in device memory.
 *
 * The engine's own run is opened, its input buffer is given columns that a
 * kernel made, and its own launch is timed; so what is measured is what queries
 * run.  The first launch chooses the strategy and lets the table grow; the
 * timed ones begin with an empty table of the right size.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "engine/cuda/run/submit.h"
#include "peer.h"

const char *const distribution_names[DIST_COUNT] = {
	"uniform", "sorted", "shifted", "zipf", "heavy"
};

static void
die(const CudaRun *run, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, run ? run->core.head.message : "");
	exit(1);
}

void
resident_make_room(CudaRun *run, uint64_t rows, uint32_t text_length)
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
	if (text_length == 0)
		return;
	if (rows * text_length > UINT32_MAX - core->constants.bytes_size)
		die(run, "the rows have 4 GB of texts");
	run_free(core, &buffer->bytes);
	if (run_alloc(core, core->constants.bytes_size + rows * text_length,
				  &buffer->bytes) != ENGINE_OK)
		die(run, "no memory for the texts");
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

/* The digest of a group's key more. */
static uint64_t
digest_key(uint64_t digest, ValueType type, const ColumnVector *key, uint32_t group)
{
	const char *text = key->values;

	if (key->validity != NULL && !(key->validity[group / 8] >> group % 8 & 1))
		return digest_word(digest, 1);
	if (type == VT_INT4)
		return digest_word(digest, (uint32_t) ((const int32_t *) key->values)[group]);
	if (type == VT_INT8)
		return digest_word(digest, (uint64_t) ((const int64_t *) key->values)[group]);
	for (uint32_t i = key->offsets[group]; i < key->offsets[group + 1]; i++)
		digest = digest_word(digest, (uint8_t) text[i]);
	return digest;
}

/* A narrow sum of floats in units of 2^PEER_UNIT, of which it has 128 bits' room. */
static uint64_t
digest_float(uint64_t digest, const uint64_t *words, int32_t unit)
{
	int			shift = PEER_UNIT - unit;

	if (shift <= 0 || shift >= 64)
		return digest_word(digest_word(digest_word(digest, words[0]), words[1]), words[2]);
	digest = digest_word(digest, words[0] >> shift | words[1] << (64 - shift));
	return digest_word(digest, words[1] >> shift | words[2] << (64 - shift));
}

/* What a group's key and state come to, its sums of two words carried. */
static uint64_t
digest_group(const Program *program, const GroupBatch *batch, uint32_t group)
{
	const uint64_t *state = batch->states + (size_t) group * program->nwords;
	uint64_t	digest = 0;

	for (int i = 0; i < program->nkeys; i++)
		digest = digest_key(digest, program_key_type(program, i), &batch->keys[i], group);
	for (int i = 0; i < program->naccs; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];

		if (acc->kind == ACC_SUM_FLOAT && acc->nwords == 3)
		{
			digest = digest_float(digest, state + acc->word, batch->units[i]);
			continue;
		}
		for (int word = 0; word < acc->nwords; word++)
		{
			uint64_t	value = state[acc->word + word];

			if (acc->kind == ACC_SUM_INT128)
				value = word == 0 ? value & UINT32_MAX : value + (state[acc->word] >> 32);
			digest = digest_word(digest, value);
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

/* A run whose first buffer has the rows.  texts: of codes. */
static CudaRun *
open_run(const Bench *bench, const Program *program, const Workload *workload,
		 const RowOrder *order, const char *strategy, DeviceBuffer *texts)
{
	EngineHints hints = {
		.groups = order->groups,.rows = (double) order->rows,.strategy = strategy
	};
	char		message[256];
	EngineRun  *head;
	CudaRun    *run;

	if (bench->engine->open(program, workload_params, &hints, &head, message) != ENGINE_OK)
	{
		fprintf(stderr, "open: %s\n", message);
		exit(1);
	}
	run = (CudaRun *) head;
	resident_make_room(run, order->rows, key_text_length(bench->keys));
	if (bench->keys == KEY_CODES)
		coded_segments(run, workload, order, texts);
	workload_rows(&run->core, workload, &run->input.buffers[0], run->input.layout.rows, order,
				  bench->keys);
	return run;
}

void
resident_measure(const Bench *bench, CudaRun *run, Measurement *result)
{
	double		times[64];
	const StrategyChoice *choice;

	launch_once(run);
	for (int i = 0; i < bench->runs; i++)
	{
		empty_table(run);
		times[i] = launch_once(run);
	}
	result->ms = median(times, bench->runs);
	read_groups(run, result, &result->counted);
	choice = &run->aggregation.kernels.choice;
	snprintf(result->ran, sizeof(result->ran), "%s/%s", strategy_name(choice->strategy),
			 choice->table == TABLE_DIRECT ? "direct" : "hash");
}

/* CUB's function, from the library beside this program; NULL: it is not there. */
static PeerRun
peer_find(void)
{
	static void *library = NULL;
	char		path[4096];
	ssize_t		size = readlink("/proc/self/exe", path, sizeof(path) - sizeof(PEER_LIBRARY));

	if (library == NULL && size > 0)
	{
		path[size] = 0;
		strcpy(strrchr(path, '/') + 1, PEER_LIBRARY);
		library = dlopen(path, RTLD_NOW);
	}
	return library ? (PeerRun) (intptr_t) dlsym(library, PEER_RUN) : NULL;
}

bool
peer_can(const Bench *bench, const Workload *workload)
{
	return bench->device == &cuda_device && bench->keys <= KEY_INT8 &&
		workload == &workload_double && peer_find() != NULL;
}

/* How many bits tell that many dense keys apart. */
static int
bits_of_keys(KeyKind keys, uint32_t groups)
{
	int			bits = 1;

	if (keys != KEY_DENSE)
		return keys == KEY_INT8 ? 64 : 32;
	while (bits < 32 && (groups - 1) >> bits != 0)
		bits++;
	return bits;
}

static void
measure_peer(const Bench *bench, CudaRun *run, uint32_t groups, Measurement *result)
{
	RunCore    *core = &run->core;
	const ColumnPlace *places = core->layouts[0].columns;
	DevicePtr	columns = run->input.buffers[0].columns.ptr;
	PeerInput	input = {
		.keys = columns + (uint64_t) run->input.layout.rows * places[0].values,
		.values = columns + (uint64_t) run->input.layout.rows * places[1].values,
		.rows = run->input.buffers[0].nrows,.key_bytes = bench->keys == KEY_INT8 ? 8 : 4,
		.key_bits = bits_of_keys(bench->keys, groups),.runs = bench->runs
	};
	PeerResult	peer = {0};

	if (core->device_ops->stream_wait(core->device, core->work) != DEVICE_OK ||
		peer_find() (&input, &peer) != 0)
	{
		fprintf(stderr, "CUB: %s %s\n", peer.message, core->device->message);
		exit(1);
	}
	result->ms = median(peer.ms, bench->runs);
	result->digest = peer.digest;
	result->groups = peer.groups;
	result->counted = peer.rows;
	snprintf(result->ran, sizeof(result->ran), "%d bits", input.key_bits);
}

Measurement
measure_resident(const Bench *bench, const Workload *workload, const RowOrder *order,
				 const char *strategy)
{
	Program    *program = workload_program(workload, bench->keys);
	bool		peer = strcmp(strategy, "cub") == 0;
	Measurement result = {0};
	DeviceBuffer texts = {0};
	CudaRun    *run = open_run(bench, program, workload, order, peer ? "auto" : strategy, &texts);

	if (peer)
		measure_peer(bench, run, order->groups, &result);
	else
		resident_measure(bench, run, &result);
	result.row_bytes = bench->keys == KEY_CODES ? codes_row_bytes(&run->core, workload, order) :
		run->core.layouts[0].row_bytes;
	run_free(&run->core, &texts);
	result.right = result.counted == order->rows || workload->filter;
	bench->engine->close(&run->core.head);
	free(program);
	return result;
}
