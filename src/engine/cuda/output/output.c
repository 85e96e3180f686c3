/*
 * output.c
 *	  Groups out of the table, by batches.
 *
 * The table's slots are cut into windows; a kernel compacts the groups of one
 * window into vectors, which are downloaded while the host puts those of the
 * window before into memory of its own.  All windows are there before the first
 * batch is given, since from then on nothing may fail.  Where it may
 * (EngineHints.streams), a window is given when it is there: where it has been downloaded
 * to, or if it has texts, as a copy, which is then freed.  Where not all groups are
 * wanted (top_list.c), windows are cut from the list of the slots of those that are.
 */
#include <string.h>

#include "engine/clock.h"
#include "engine/cuda/output/output.h"
#include "program/state.h"

/* Slots of a window, hence groups of a batch at most; a multiple of 256. */
#define OUTPUT_SLOTS (64 * 1024)
#define OUTPUT_TEXT_BYTES (4 << 20)

/* What all functions here work on. */
typedef struct Fetch
{
	RunCore    *run;
	const Aggregation *aggregation;
	const KernelLayout *layout;
	Output	   *output;
} Fetch;

/* 0 if there are neither keys nor words of states. */
static uint64_t
vectors_size(const Fetch *fetch)
{
	return (uint64_t) fetch->output->capacity / 8 * fetch->layout->out_bits;
}

/* Room for texts: on the device, and behind the vectors in the stage. */
static EngineStatus
make_text_room(const Fetch *fetch, OutputBuffer *buffer, uint64_t size)
{
	RunCore    *run = fetch->run;
	EngineStatus status;

	run_free(run, &buffer->text);
	run_give_stage(run, &buffer->stage);
	status = run_take_stage(run, vectors_size(fetch) + size, &buffer->stage);
	if (status == ENGINE_OK)
		status = run_alloc(run, size, &buffer->text);
	return status;
}

/* Are there texts to give: of extremes, or of keys that are read? */
static bool
gives_texts(const Fetch *fetch)
{
	const Program *program = fetch->run->program;

	if (!fetch->layout->emits_texts || fetch->layout->has_text_value)
		return fetch->layout->emits_texts;
	for (int i = 0; i < program->nkeys; i++)
		if (program_key_type(program, i) == VT_TEXT && !(fetch->run->hints.unread_keys >> i & 1))
			return true;
	return false;
}

static EngineStatus
open_buffer(const Fetch *fetch, int number)
{
	OutputBuffer *buffer = &fetch->output->buffers[number];
	RunCore    *run = fetch->run;
	EngineStatus status;

	buffer->counters = run->counters.ptr + COUNTERS_OF_OUTPUT(number);
	buffer->results = (Counters *) ((char *) run->results.data + COUNTERS_OF_OUTPUT(number));
	status = run_take_event(run, &buffer->done);
	if (status == ENGINE_OK)
		status = run_alloc(run, vectors_size(fetch), &buffer->vectors);
	if (status == ENGINE_OK)
		status = make_text_room(fetch, buffer, gives_texts(fetch) ? OUTPUT_TEXT_BYTES : 0);
	return status;
}

static EngineStatus
open_buffers(const Fetch *fetch)
{
	Output	   *output = fetch->output;
	EngineStatus status = ENGINE_OK;

	output->capacity = OUTPUT_SLOTS;
	while (output->capacity > 256 && output->capacity / 2 >= output->nslots)
		output->capacity /= 2;
	for (int i = 0; i < OUTPUT_BUFFERS && status == ENGINE_OK; i++)
		status = open_buffer(fetch, i);
	return status;
}

/* Compact the buffer's window. */
static EngineStatus
compact_window(const Fetch *fetch, OutputBuffer *buffer)
{
	const DeviceOps *ops = fetch->run->device_ops;
	RunCore    *run = fetch->run;
	EmitArgs	args = {0};
	DeviceStatus device;
	EngineStatus status;

	args.table = fetch->aggregation->table.table;
	args.list = fetch->output->top.list.ptr;
	args.output = buffer->vectors.ptr;
	args.text = buffer->text.ptr;
	args.text_size = buffer->text.size;
	args.counters = buffer->counters;
	args.capacity = fetch->output->capacity;
	args.from = buffer->from;
	args.to = buffer->to;
	args.negative_zero = fetch->output->negative_zero;
	args.unread_keys = fetch->run->hints.unread_keys;
	args.statistics = fetch->aggregation->table.lists.results.ptr;
	args.first = group_rows_device(&fetch->aggregation->table.rows);
	memcpy(args.coded, run->coded, sizeof(args.coded));
	device = ops->fill(run->device, run->work, args.counters, 0, sizeof(Counters));
	/* validity bits, which stand first; and what no group is written to is downloaded, too */
	if (device == DEVICE_OK && buffer->vectors.size > 0)
		device = ops->fill(run->device, run->work, buffer->vectors.ptr, 0, vectors_size(fetch));
	if (device == DEVICE_OK && buffer->text.size > 0)
		device = ops->fill(run->device, run->work, buffer->text.ptr, 0, buffer->text.size);
	status = run_device(run, device, "could not clear the output");
	if (status == ENGINE_OK)
		status = kernels_launch(run, fetch->aggregation->kernels.emit, args.to - args.from,
								256, 0, &args);
	return status;
}

/* Compact the buffer's window and download it. */
static EngineStatus
launch_window(const Fetch *fetch, OutputBuffer *buffer)
{
	const DeviceOps *ops = fetch->run->device_ops;
	RunCore    *run = fetch->run;
	EngineStatus status = compact_window(fetch, buffer);
	DeviceStatus device;

	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, buffer->results, buffer->counters,
						   sizeof(Counters));
	if (device == DEVICE_OK && buffer->vectors.size > 0)
		device = ops->download(run->device, run->work, buffer->stage.data,
							   buffer->vectors.ptr, vectors_size(fetch));
	if (device == DEVICE_OK && buffer->text.size > 0)
		device = ops->download(run->device, run->work,
							   (char *) buffer->stage.data + vectors_size(fetch),
							   buffer->text.ptr, buffer->text.size);
	if (device == DEVICE_OK)
		device = ops->event_record(run->device, buffer->done, run->work);
	buffer->launched = true;
	return run_device(run, device, "could not fetch the result");
}

/* Give the buffer the next window, if one is left. */
static EngineStatus
launch_next(const Fetch *fetch, OutputBuffer *buffer)
{
	Output	   *output = fetch->output;
	uint64_t	left = output->nslots - output->next_slot;

	buffer->launched = false;
	if (left == 0)
		return ENGINE_OK;
	buffer->from = output->next_slot;
	buffer->to = buffer->from +
		(uint32_t) (left < output->capacity ? left : output->capacity);
	output->next_slot = buffer->to;
	return launch_window(fetch, buffer);
}

/* The downloaded window. */
static Window
window_of(const Fetch *fetch, const OutputBuffer *buffer)
{
	return (Window)
	{
		.counters = buffer->results,.vectors = buffer->stage.data,
			.texts = (const char *) buffer->stage.data + vectors_size(fetch),
			.capacity = fetch->output->capacity
	};
}

/* Are groups given where they have been downloaded to? */
static bool
gives_in_place(const Fetch *fetch)
{
	return fetch->run->hints.streams && window_can_be_given(fetch->layout);
}

/* Check and count the downloaded window's groups; keep them in the host's memory. */
static EngineStatus
keep_groups(const Fetch *fetch, const OutputBuffer *buffer)
{
	const Program *program = fetch->run->program;
	Window		window = window_of(fetch, buffer);
	uint32_t	n = buffer->results->emitted;
	const char *inexact;
	KeptGroups *kept;

	if (n == 0)
		return ENGINE_OK;
	inexact = states_are_inexact(program, window_states(fetch->layout, &window), program->nwords, n);
	if (inexact != NULL)
		return run_fail(fetch->run, ENGINE_INEXACT, "%s", inexact);
	/* all were counted when the list was made */
	if (fetch->output->top.list.ptr == 0)
		fetch->run->head.stats.groups += n;
	if (gives_in_place(fetch))
		return ENGINE_OK;
	kept = kept_groups_make(program, fetch->layout, &window);
	if (kept == NULL)
		return run_fail(fetch->run, ENGINE_NO_MEMORY, "out of memory for the groups");
	kept->batch.units = fetch->aggregation->units.of_accs;
	kept->next = fetch->output->kept;
	fetch->output->kept = kept;
	return ENGINE_OK;
}

/* Is the buffer's window there?  With more room if its texts need it. */
static EngineStatus
window_ready(const Fetch *fetch, OutputBuffer *buffer)
{
	RunCore    *run = fetch->run;
	DeviceStatus ready = run->device_ops->event_query(run->device, buffer->done);
	uint64_t	bytes;
	EngineStatus status;

	if (ready == DEVICE_BUSY)
		return ENGINE_BUSY;
	status = run_device(run, ready, "the device failed");
	if (status != ENGINE_OK)
		return status;
	bytes = buffer->results->emitted_bytes;
	if (bytes <= buffer->text.size)
		return ENGINE_OK;
	if (bytes > UINT32_MAX)
		return run_fail(run, ENGINE_NO_MEMORY, "texts of groups are too large");
	status = make_text_room(fetch, buffer, bytes);
	if (status == ENGINE_OK)
		status = launch_window(fetch, buffer);
	return status == ENGINE_OK ? ENGINE_BUSY : status;
}

/* The window whose turn it is has been taken: use its buffer for another one. */
static EngineStatus
pass_turn(const Fetch *fetch)
{
	Output	   *output = fetch->output;
	EngineStatus status = launch_next(fetch, &output->buffers[output->turn]);

	output->turn = (output->turn + 1) % OUTPUT_BUFFERS;
	return status;
}

/* Is the next window there, and checked?  OK without any: there are no more. */
static EngineStatus
take_window(const Fetch *fetch)
{
	OutputBuffer *buffer = &fetch->output->buffers[fetch->output->turn];
	EngineStatus status;

	if (!buffer->launched)
		return ENGINE_OK;
	if (engine_interrupted(&fetch->run->hints))
		return run_fail(fetch->run, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	status = window_ready(fetch, buffer);
	return status == ENGINE_OK ? keep_groups(fetch, buffer) : status;
}

/*
 * Fetch window after window; BUSY while the next one is on its way.  A device may
 * be so fast that it never is.
 */
static EngineStatus
fetch_windows(const Fetch *fetch)
{
	Output	   *output = fetch->output;

	while (output->buffers[output->turn].launched)
	{
		EngineStatus status = take_window(fetch);

		if (status == ENGINE_OK)
			status = pass_turn(fetch);
		if (status != ENGINE_OK || (fetch->run->hints.streams && output->kept != NULL))
			return status;
	}
	return ENGINE_OK;
}

/* The next window's groups, in place of those given last, as a copy. */
static EngineStatus
stream_copies(const Fetch *fetch, GroupBatch *batch)
{
	Output	   *output = fetch->output;
	EngineStatus status;

	kept_groups_free(output->kept);
	output->kept = NULL;
	status = fetch_windows(fetch);
	if (output->kept != NULL && status == ENGINE_OK)
		*batch = output->kept->batch;
	return status;
}

/* The same where they have been downloaded to. */
static EngineStatus
stream_windows(const Fetch *fetch, GroupBatch *batch)
{
	Output	   *output = fetch->output;
	EngineStatus status = ENGINE_OK;

	if (output->given)
		status = pass_turn(fetch);
	output->given = false;
	while (status == ENGINE_OK && output->buffers[output->turn].launched && !output->given)
	{
		const OutputBuffer *buffer = &output->buffers[output->turn];
		Window		window = window_of(fetch, buffer);

		status = take_window(fetch);
		output->given = status == ENGINE_OK && buffer->results->emitted > 0;
		if (output->given)
			*batch = window_batch(fetch->run->program, fetch->layout, &window, output->keys);
		else if (status == ENGINE_OK)
			status = pass_turn(fetch);
	}
	batch->units = fetch->aggregation->units.of_accs;
	return status;
}

static EngineStatus
stream_groups(const Fetch *fetch, GroupBatch *batch)
{
	return gives_in_place(fetch) ? stream_windows(fetch, batch) : stream_copies(fetch, batch);
}

/* The next of all groups, once they are there. */
static EngineStatus
give_groups(const Fetch *fetch, GroupBatch *batch)
{
	Output	   *output = fetch->output;
	EngineStatus status = fetch_windows(fetch);

	if (status != ENGINE_OK)
		return status;
	if (!output->giving)
		output_restart(output);
	output->giving = true;
	if (output->give_next != NULL)
	{
		*batch = output->give_next->batch;
		output->give_next = output->give_next->next;
	}
	return ENGINE_OK;
}

/*
 * The sign of zero as a float key is that of its group's first row.  With one
 * key there is one such group; with more, only if all rows agree is it known.
 */
static EngineStatus
decide_zero(const Fetch *fetch)
{
	RunCore    *run = fetch->run;
	TableCounters counters;
	EngineStatus status;

	if (!program_has_float_key(run->program))
		return ENGINE_OK;
	status = run_table_counters(run, &fetch->aggregation->table, &counters);
	if (status != ENGINE_OK)
		return status;
	if (run->program->nkeys > 1 && counters.zero_rows[0] && counters.zero_rows[1])
		return run_fail(run, ENGINE_INEXACT, "a float key is both 0 and -0");
	fetch->output->negative_zero = counters.zero_rows[1] > counters.zero_rows[0];
	return ENGINE_OK;
}

/* Begin to fetch: the first windows. */
static EngineStatus
begin_output(const Fetch *fetch)
{
	const RunTable *table = &fetch->aggregation->table;
	TopList    *top = &fetch->output->top;
	EngineStatus status = decide_zero(fetch);

	if (status == ENGINE_OK)
		status = top_list_make(fetch->run, fetch->layout, table,
							   fetch->aggregation->units.of_accs, OUTPUT_SLOTS, top);
	fetch->output->nslots = top->list.ptr != 0 ? top->nslots : table->table.capacity;
	if (status == ENGINE_OK)
		status = open_buffers(fetch);
	fetch->output->begun = true;
	for (int i = 0; i < OUTPUT_BUFFERS && status == ENGINE_OK; i++)
		status = launch_next(fetch, &fetch->output->buffers[i]);
	return status;
}

EngineStatus
output_next(RunCore *run, const Aggregation *aggregation, Output *output, GroupBatch *batch)
{
	Fetch		fetch = {
		.run = run, .aggregation = aggregation, .output = output,
		.layout = &run->layouts[aggregation->kernels.choice.table]
	};
	uint64_t	start = now_ns();
	EngineStatus status = ENGINE_OK;

	memset(batch, 0, sizeof(*batch));
	/* no rows and keys: no groups */
	if (!aggregation->chosen)
		return ENGINE_OK;
	if (!output->begun)
		status = begin_output(&fetch);
	if (status == ENGINE_OK)
		status = run->hints.streams ? stream_groups(&fetch, batch) :
			give_groups(&fetch, batch);
	run->head.stats.output_ns += now_ns() - start;
	return status;
}

void
output_restart(Output *output)
{
	output->give_next = output->kept;
}

void
output_close(RunCore *run, Output *output)
{
	for (int i = 0; i < OUTPUT_BUFFERS; i++)
	{
		OutputBuffer *buffer = &output->buffers[i];

		run_give_event(run, &buffer->done);
		run_free(run, &buffer->vectors);
		run_free(run, &buffer->text);
		run_give_stage(run, &buffer->stage);
	}
	top_list_free(run, &output->top);
	kept_groups_free(output->kept);
}
