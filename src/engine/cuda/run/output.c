/*
 * output.c
 *	  Groups out of the table, by batches.
 *
 * The table's slots are cut into windows; a kernel compacts the groups of one
 * window into vectors, which are downloaded while the host puts those of the
 * window before into memory of its own.  All windows are there before the first
 * batch is given, since from then on nothing may fail.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/cuda/run/run.h"
#include "program/state.h"

/* Slots of a window, hence groups of a batch at most; a multiple of 256. */
#define OUTPUT_SLOTS (64 * 1024)
#define OUTPUT_TEXT_BYTES (4 << 20)

#define OUTPUT_BUFFERS 2

static const KernelLayout *
output_layout(const CudaRun *run)
{
	return &run->layouts[run->choice.table];
}

static uint64_t
vectors_size(const CudaRun *run)
{
	return (uint64_t) run->output_capacity / 8 * output_layout(run)->out_bits;
}

/* Room for texts: on the device, and behind the vectors in the stage. */
static EngineStatus
make_text_room(CudaRun *run, OutputBuffer *output, uint64_t size)
{
	EngineStatus status;

	run_free(run, &output->text);
	stage_give_back(run->context, &output->stage);
	status = run_device(run, stage_take(run->context, vectors_size(run) + size,
										&output->stage),
						"could not make room for the result");
	if (status == ENGINE_OK && size > 0)
		status = run_alloc(run, size, &output->text);
	return status;
}

static EngineStatus
open_output(CudaRun *run, OutputBuffer *output)
{
	const KernelLayout *layout = output_layout(run);
	EngineStatus status;

	status = run_device(run, run->device_ops->event_create(run->device, &output->done),
						"could not make an event");
	if (status == ENGINE_OK)
		status = run_alloc(run, vectors_size(run), &output->vectors);
	if (status == ENGINE_OK)
		status = make_text_room(run, output, layout->has_text || layout->has_text_value ?
								OUTPUT_TEXT_BYTES : 0);
	return status;
}

static EngineStatus
open_outputs(CudaRun *run)
{
	EngineStatus status = ENGINE_OK;

	run->output_capacity = OUTPUT_SLOTS;
	while (run->output_capacity > 256 && run->output_capacity / 2 >= run->table.capacity)
		run->output_capacity /= 2;
	for (int i = 0; i < OUTPUT_BUFFERS && status == ENGINE_OK; i++)
		status = open_output(run, &run->outputs[i]);
	return status;
}

static DevicePtr
output_counters(const CudaRun *run, const OutputBuffer *output)
{
	return run->counters.ptr + COUNTERS_OF_OUTPUT(output - run->outputs);
}

static Counters *
output_results(const CudaRun *run, const OutputBuffer *output)
{
	return (Counters *) ((char *) run->results.data +
						 COUNTERS_OF_OUTPUT(output - run->outputs));
}

/* Compact the output's window and download it. */
static EngineStatus
launch_window(CudaRun *run, OutputBuffer *output)
{
	const DeviceOps *ops = run->device_ops;
	const KernelLayout *layout = output_layout(run);
	EmitArgs	args = {0};
	DeviceStatus device;
	EngineStatus status;

	args.table = run->table;
	args.output = output->vectors.ptr;
	args.text = output->text.ptr;
	args.text_size = output->text.size;
	args.counters = output_counters(run, output);
	args.capacity = run->output_capacity;
	args.from = output->from;
	args.to = output->to;
	args.negative_zero = run->negative_zero;
	device = ops->fill(run->device, run->work, args.counters, 0, sizeof(Counters));
	/* validity bits stand first */
	if (device == DEVICE_OK && layout->out_states > 0)
		device = ops->fill(run->device, run->work, output->vectors.ptr, 0,
						   (size_t) run->output_capacity / 8 * layout->out_states);
	status = run_device(run, device, "could not clear the output");
	if (status == ENGINE_OK)
		status = kernels_launch(run, run->kernels.emit, args.to - args.from, 256, 0, &args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, output_results(run, output),
						   args.counters, sizeof(Counters));
	if (device == DEVICE_OK)
		device = ops->download(run->device, run->work, output->stage.data,
							   output->vectors.ptr, vectors_size(run));
	if (device == DEVICE_OK && output->text.size > 0)
		device = ops->download(run->device, run->work,
							   (char *) output->stage.data + vectors_size(run),
							   output->text.ptr, output->text.size);
	if (device == DEVICE_OK)
		device = ops->event_record(run->device, output->done, run->work);
	output->launched = true;
	return run_device(run, device, "could not fetch the result");
}

/* Give the output the next window, if one is left. */
static EngineStatus
launch_next(CudaRun *run, OutputBuffer *output)
{
	uint64_t	left = run->table.capacity - run->output_next;

	output->launched = false;
	if (left == 0)
		return ENGINE_OK;
	output->from = run->output_next;
	output->to = output->from +
		(uint32_t) (left < run->output_capacity ? left : run->output_capacity);
	run->output_next = output->to;
	return launch_window(run, output);
}

/* Texts of one key behind one another, with offsets. */
static void
gather_texts(const TextRef *refs, const uint8_t *validity, const char *bytes,
			 uint32_t ngroups, uint32_t *offsets, char *to)
{
	uint32_t	at = 0;

	for (uint32_t i = 0; i < ngroups; i++)
	{
		offsets[i] = at;
		if (!((validity[i / 8] >> (i % 8)) & 1))
			continue;
		memcpy(to + at, bytes + refs[i].start, refs[i].length);
		at += refs[i].length;
	}
	offsets[ngroups] = at;
}

/* Copy the texts of extremes, whose states then have addresses: see state.h. */
static void
gather_extremes(const Program *program, const char *bytes, uint32_t ngroups,
				uint64_t *states, char *to)
{
	const Accumulator *accs = program_accs(program);

	for (uint32_t i = 0; i < ngroups; i++, states += program->nwords)
		for (int j = 0; j < program->naccs; j++)
		{
			uint64_t   *words = states + accs[j].word;

			if (!acc_is_text((AccKind) accs[j].kind))
				continue;
			if (words[0] == UINT64_MAX)
			{
				words[0] = 0;
				continue;
			}
			memcpy(to, bytes + words[0], words[1]);
			words[0] = (uint64_t) (uintptr_t) to;
			to += words[1];
		}
}

static size_t
aligned(size_t size)
{
	return (size + 15) / 16 * 16;
}

/* A group batch in one piece of memory: its head, vectors, states, keys. */
static size_t
kept_size(const CudaRun *run, const Counters *counters)
{
	size_t		n = counters->emitted;
	size_t		size = aligned(sizeof(KeptGroups)) +
		aligned(run->program->nkeys * sizeof(ColumnVector)) +
		aligned(n * run->program->nwords * sizeof(uint64_t));

	if (output_layout(run)->has_text_value)
		size += aligned(counters->emitted_bytes) + 1;

	for (int i = 0; i < run->program->nkeys; i++)
	{
		ValueType	type = program_key_type(run->program, i);

		size += aligned(n / 8 + 1);
		if (type == VT_TEXT)
			size += aligned((n + 1) * sizeof(uint32_t)) + aligned(counters->emitted_bytes);
		else
			size += aligned(n * (size_t) value_type_size(type));
	}
	return size;
}

/* Copy one key of the downloaded window; returns what comes behind the copy. */
static char *
keep_key(const CudaRun *run, const OutputBuffer *output, const Counters *counters,
		 int key, ColumnVector *vector, char *to)
{
	const KernelLayout *layout = output_layout(run);
	const char *data = output->stage.data;
	size_t		unit = run->output_capacity / 8;
	size_t		n = counters->emitted;
	const char *values = data + unit * layout->out_values[key];
	const uint8_t *validity = (const uint8_t *) data + unit * layout->out_valid[key];
	ValueType	type = program_key_type(run->program, key);

	vector->validity = memcpy(to, validity, n / 8 + 1);
	to += aligned(n / 8 + 1);
	if (type != VT_TEXT)
	{
		size_t		size = n * (size_t) value_type_size(type);

		vector->values = memcpy(to, values, size);
		vector->offsets = NULL;
		return to + aligned(size);
	}
	vector->offsets = (const uint32_t *) to;
	vector->values = to + aligned((n + 1) * sizeof(uint32_t));
	gather_texts((const TextRef *) values, validity, data + vectors_size(run),
				 counters->emitted, (uint32_t *) to, (char *) vector->values);
	return (char *) vector->values + aligned(counters->emitted_bytes);
}

/* Keep the downloaded window's groups in the host's memory. */
static EngineStatus
keep_groups(CudaRun *run, const OutputBuffer *output)
{
	const Counters *counters = output_results(run, output);
	const KernelLayout *layout = output_layout(run);
	size_t		states = (size_t) counters->emitted * run->program->nwords * 8;
	const uint64_t *downloaded = (const uint64_t *)
		((const char *) output->stage.data + run->output_capacity / 8 * (size_t) layout->out_states);
	KeptGroups *kept;
	ColumnVector *vectors;
	uint64_t   *copy;
	char	   *at;

	if (counters->emitted == 0)
		return ENGINE_OK;
	if (states_are_ambiguous(run->program, downloaded, run->program->nwords, counters->emitted))
		return run_fail(run, ENGINE_INEXACT, AMBIGUOUS_MESSAGE);
	kept = malloc(kept_size(run, counters));
	if (kept == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory for the groups");
	at = (char *) kept + aligned(sizeof(*kept));
	vectors = (ColumnVector *) at;
	at += aligned(run->program->nkeys * sizeof(ColumnVector));
	kept->batch.ngroups = counters->emitted;
	kept->batch.keys = vectors;
	kept->batch.units = run->group_units;
	copy = memcpy(at, downloaded, states);
	kept->batch.states = copy;
	at += aligned(states);
	for (int i = 0; i < run->program->nkeys; i++)
		at = keep_key(run, output, counters, i, &vectors[i], at);
	if (layout->has_text_value)
		gather_extremes(run->program, (const char *) output->stage.data + vectors_size(run),
						counters->emitted, copy, at);
	kept->next = run->kept;
	run->kept = kept;
	run->head.stats.groups += counters->emitted;
	return ENGINE_OK;
}

/* Is the output's window there?  With more room if its texts need it. */
static EngineStatus
window_ready(CudaRun *run, OutputBuffer *output)
{
	DeviceStatus ready = run->device_ops->event_query(run->device, output->done);
	uint64_t	bytes;
	EngineStatus status;

	if (ready == DEVICE_BUSY)
		return ENGINE_BUSY;
	status = run_device(run, ready, "the device failed");
	if (status != ENGINE_OK)
		return status;
	bytes = output_results(run, output)->emitted_bytes;
	if (bytes <= output->text.size)
		return ENGINE_OK;
	if (bytes > UINT32_MAX)
		return run_fail(run, ENGINE_NO_MEMORY, "texts of groups are too large");
	status = make_text_room(run, output, bytes);
	if (status == ENGINE_OK)
		status = launch_window(run, output);
	return status == ENGINE_OK ? ENGINE_BUSY : status;
}

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

/*
 * Fetch window after window; BUSY while the next one is on its way.  A device may
 * be so fast that it never is.
 */
static EngineStatus
fetch_windows(CudaRun *run)
{
	for (;;)
	{
		OutputBuffer *output = &run->outputs[run->output_turn];
		EngineStatus status;

		if (!output->launched)
			return ENGINE_OK;
		if (engine_interrupted(&run->hints))
			return run_fail(run, ENGINE_FAILED, INTERRUPTED_MESSAGE);
		status = window_ready(run, output);
		if (status == ENGINE_OK)
			status = keep_groups(run, output);
		if (status == ENGINE_OK)
			status = launch_next(run, output);
		if (status != ENGINE_OK)
			return status;
		run->output_turn = (run->output_turn + 1) % OUTPUT_BUFFERS;
	}
}

/*
 * The sign of zero as a float key is that of its group's first row.  With one
 * key there is one such group; with more, only if all rows agree is it known.
 */
static EngineStatus
decide_zero(CudaRun *run)
{
	TableCounters counters;
	EngineStatus status;

	if (!program_has_float_key(run->program))
		return ENGINE_OK;
	status = device_table_counters(run, &counters);
	if (status != ENGINE_OK)
		return status;
	if (run->program->nkeys > 1 && counters.zero_rows[0] && counters.zero_rows[1])
		return run_fail(run, ENGINE_INEXACT, "a float key is both 0 and -0");
	run->negative_zero = counters.zero_rows[1] > counters.zero_rows[0];
	return ENGINE_OK;
}

/* Begin to fetch: the first windows. */
static EngineStatus
begin_output(CudaRun *run)
{
	EngineStatus status = decide_zero(run);

	if (status == ENGINE_OK)
		status = open_outputs(run);
	run->output_begun = true;
	for (int i = 0; i < OUTPUT_BUFFERS && status == ENGINE_OK; i++)
		status = launch_next(run, &run->outputs[i]);
	return status;
}

EngineStatus
output_next(CudaRun *run, GroupBatch *batch)
{
	uint64_t	start = now_ns();
	EngineStatus status = ENGINE_OK;

	memset(batch, 0, sizeof(*batch));
	/* no rows and keys: no groups */
	if (!run->chosen)
		return ENGINE_OK;
	if (!run->output_begun)
		status = begin_output(run);
	if (status == ENGINE_OK)
		status = fetch_windows(run);
	run->head.stats.output_ns += now_ns() - start;
	if (status != ENGINE_OK)
		return status;
	if (!run->giving)
		output_restart(run);
	run->giving = true;
	if (run->give_next != NULL)
	{
		*batch = run->give_next->batch;
		run->give_next = run->give_next->next;
	}
	return ENGINE_OK;
}

void
output_restart(CudaRun *run)
{
	run->give_next = run->kept;
}

void
output_close(CudaRun *run)
{
	for (int i = 0; i < OUTPUT_BUFFERS; i++)
	{
		OutputBuffer *output = &run->outputs[i];

		if (output->done != NULL)
			run->device_ops->event_destroy(run->device, output->done);
		run_free(run, &output->vectors);
		run_free(run, &output->text);
		stage_give_back(run->context, &output->stage);
	}
	while (run->kept != NULL)
	{
		KeptGroups *next = run->kept->next;

		free(run->kept);
		run->kept = next;
	}
}
