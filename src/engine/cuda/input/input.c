/*
 * input.c
 *	  A run's input: opened and closed.
 *
 * Two buffers: one is filled while the device works on the other.  Launches and
 * copies are large, so that what they cost by themselves does not count.
 */
#include "engine/cuda/input/asked.h"
#include "engine/cuda/input/input.h"

/*
 * Rows of one launch over segments: many, since a launch with what belongs to it takes this
 * thread some 20 us.  Each row may be undone, which takes two entries of 4 bytes: for all
 * launches that are queued no more of what the run has left than this share.
 */
#define SEGMENTS_ROWS (UINT32_C(1) << 27)
#define UNDONE_SHARE 4

/*
 * Bytes that one launch has copied from host memory: what takes a link of 50 GB/s more than a ms,
 * so that a launch and this thread's way back to the next one count little.  No more of what the
 * run has left than this share.
 */
#define COPIED_BYTES (UINT64_C(64) << 20)
#define COPIED_SHARE 8

static uint32_t
segments_at_once(const RunCore *run, const Served *served)
{
	uint64_t	rows = SEGMENTS_ROWS;
	uint64_t	room = (run->memory_limit - run->memory_used) / UNDONE_SHARE /
		(SEGMENTS_QUEUED * 2 * sizeof(uint32_t));

	if (run->program->nkeys > 0 && rows > room)
		rows = room;
	rows /= served->segment_rows;
	if (rows == 0)
		return 1;
	return rows < served->nsegments ? (uint32_t) rows : served->nsegments;
}

static uint64_t
copied_at_once(const RunCore *run)
{
	uint64_t	room = (run->memory_limit - run->memory_used) / COPIED_SHARE;

	return room < COPIED_BYTES ? room : COPIED_BYTES;
}

static void
close_segments(RunCore *run, Input *input)
{
	for (int i = 0; i < input->nqueued; i++)
		input_buffer_close(run, &input->segments[i]);
	input->nqueued = 0;
}

/* The buffers of segments, as many as there will be launches. */
static EngineStatus
open_queue(RunCore *run, Input *input)
{
	const Served *served = &input->served;
	const SegmentLaunches *launches = &input->launches;
	EngineStatus status = ENGINE_OK;

	while (input->nqueued < SEGMENTS_QUEUED && (uint32_t) input->nqueued < launches->n &&
		   status == ENGINE_OK)
	{
		int			number = input->nqueued++;
		InputBuffer *buffer = &input->segments[number];

		buffer->segment_rows = served->segment_rows;
		buffer->segment_words = (uint32_t) SEGMENT_WORDS(run->program->ncolumns);
		status = input_buffer_open_segments(run, launches->most_segments * served->segment_rows,
											served->texts.bytes, launches->most_bytes, number,
											buffer);
		if (status == ENGINE_OK)
			status = served_texts_copy(run, &served->texts,
									   input->deformer.kernels.dictionary_copy,
									   buffer->bytes.ptr);
	}
	return status;
}

/* Choose what a launch takes, and open the buffers; other runs may have the memory for more. */
static EngineStatus
open_launches(RunCore *run, Input *input)
{
	uint32_t	segments = segments_at_once(run, &input->served);
	uint64_t	bytes = copied_at_once(run);

	for (;;)
	{
		EngineStatus status = segment_launches_plan(run, &input->served, segments, bytes,
													&input->launches);

		if (status == ENGINE_OK)
			status = open_queue(run, input);
		if (status != ENGINE_NO_MEMORY || segments == 1)
			return status;
		close_segments(run, input);
		segments /= 2;
		bytes /= 2;
	}
}

/* What is needed for segments that are served; from now on all kernels take segments. */
static EngineStatus
open_segments(RunCore *run, Input *input)
{
	EngineStatus status = ENGINE_OK;

	if (run->context->mapped != NULL)
		mapped_hold(run->context->mapped);
	run->layouts[TABLE_HASH].segments = true;
	run->layouts[TABLE_DIRECT].segments = true;
	if (input->served.nmasked > 0 || input->served.texts.entries > 0 ||
		input->codes.answers.conditions.n > 0)
		status = page_deformer_open(run, &input->deformer);
	if (status == ENGINE_OK)
		status = served_make_room(run, &input->served, input->deformer.kernels.mask_rows);
	if (status == ENGINE_OK)
		status = codes_answer(run, &input->codes, input->deformer.kernels.dictionary_copy);
	if (status == ENGINE_OK)
		status = open_launches(run, input);
	if (status != ENGINE_OK)
		return status;
	segment_launches_place(run, &input->served, &input->launches, input->segments,
						   input->nqueued);
	return served_upload(run, &input->served);
}

/* All is known by which it is decided what is served. */
static EngineStatus
find_served(RunCore *run, Input *input)
{
	EngineStatus status = served_find(run, &input->tables, &input->served);

	if (status == ENGINE_OK)
		status = codes_open(run, &input->served.texts, &input->layout, &input->codes);
	if (status == ENGINE_OK)
		status = keep_open(run, &input->tables, input->layout.pages, INPUT_BUFFERS,
						   &input->keep);
	if (status == ENGINE_OK && input->served.nsegments > 0)
		return open_segments(run, input);
	return status == ENGINE_OK ? input_ready(run, input) : status;
}

EngineStatus
input_open(RunCore *run, Input *input)
{
	EngineStatus status;

	input->leaves = program_leaves_rows(run->program);
	input_layout(run->program, &run->layouts[0], &run->hints, run->memory_limit,
				 &input->layout);
	status = kept_tables_open(run, &input->tables);
	if (status == ENGINE_OK)
		status = asked_find(run, &input->tables);
	return status == ENGINE_OK && input->tables.nasked == 0 ? find_served(run, input) : status;
}

EngineStatus
input_answer(RunCore *run, Input *input, const EngineAnswer *answer)
{
	EngineStatus status = asked_take(run, &input->tables, answer);

	return status == ENGINE_OK ? find_served(run, input) : status;
}

EngineStatus
input_ready(RunCore *run, Input *input)
{
	EngineStatus status = ENGINE_OK;

	if (input->ready)
		return ENGINE_OK;
	if (run->program->source == SOURCE_PAGES && !input->deformer.open)
		status = page_deformer_open(run, &input->deformer);
	for (int i = 0; i < INPUT_BUFFERS && status == ENGINE_OK; i++)
		status = input_buffer_open(run, &input->layout, i, &input->buffers[i]);
	input->ready = status == ENGINE_OK;
	return status;
}

void
input_wait(RunCore *run, const Input *input)
{
	page_calls_wait_copies(run, &input->calls);
}

void
input_close(RunCore *run, Input *input)
{
	for (int i = 0; i < INPUT_BUFFERS; i++)
	{
		keep_drop(run, &input->keep, &input->kept[i]);
		input_buffer_close(run, &input->buffers[i]);
	}
	close_segments(run, input);
	segment_launches_close(&input->launches);
	keep_close(run, &input->keep);
	codes_close(run, &input->codes);
	served_close(run, &input->served);
	kept_tables_close(&input->tables);
	page_deformer_close(run, &input->deformer);
	page_calls_close(run, &input->calls);
	left_rows_free(&input->left);
}
