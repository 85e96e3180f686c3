/*
 * segment_launches.c
 *	  Which segments a launch takes, and what of them is copied to the device before.
 *
 * Launches take segments in their order, whether they are on the device or not.  On the device are
 * a table's first stripes mostly (kept/room.c), so that kernels have work while the first copies
 * go on.
 */
#include <stdlib.h>

#include "engine/cuda/input/segment_launches.h"

/* Where a launch's next piece begins, at least; kernels load vectors. */
#define PIECE_ALIGN 256

/* Give the pieces of a segment, from this one on, places behind so many bytes; the bytes then. */
static uint64_t
place_pieces(Served *served, uint32_t piece, uint32_t segment, uint64_t bytes)
{
	for (; piece < served->npieces && served->pieces[piece].segment == segment; piece++)
	{
		served->pieces[piece].to = bytes;
		bytes += (served->pieces[piece].size + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
	}
	return bytes;
}

/* Take segments, from the launch's first one on. */
static void
plan_launch(Served *served, uint32_t segments, uint64_t bytes, SegmentLaunch *launch)
{
	while (launch->n < segments && launch->first + launch->n < served->nsegments)
	{
		uint32_t	segment = launch->first + launch->n;
		uint32_t	piece = launch->first_piece + launch->npieces;
		uint64_t	with = place_pieces(served, piece, segment, launch->bytes);

		if (launch->n > 0 && with > bytes)
			break;
		launch->n++;
		launch->bytes = with;
		for (; piece < served->npieces && served->pieces[piece].segment == segment; piece++)
			launch->npieces++;
	}
}

EngineStatus
segment_launches_plan(RunCore *run, Served *served, uint32_t segments, uint64_t bytes,
					  SegmentLaunches *launches)
{
	SegmentLaunch next = {0};

	segment_launches_close(launches);
	launches->launches = malloc((served->nsegments + (size_t) 1) * sizeof(next));
	if (launches->launches == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	while (next.first < served->nsegments)
	{
		plan_launch(served, segments, bytes, &next);
		launches->launches[launches->n++] = next;
		if (launches->most_segments < next.n)
			launches->most_segments = next.n;
		if (launches->most_bytes < next.bytes)
			launches->most_bytes = next.bytes;
		next = (SegmentLaunch)
		{
			.first = next.first + next.n,.first_piece = next.first_piece + next.npieces
		};
	}
	return ENGINE_OK;
}

/* Have the words of a segment that tell of the piece tell of its copy. */
static void
place_piece(const Program *program, const HostPiece *piece, DevicePtr copy, uint64_t *words)
{
	for (int i = 0; i < program->ncolumns; i++)
	{
		uint64_t   *places[] = {&words[SEGMENT_VALUES(i)], &words[SEGMENT_NULLS(i)]};

		for (int j = 0; j < 2; j++)
			if (PLACE_ADDRESS(*places[j]) >= piece->from &&
				PLACE_ADDRESS(*places[j]) < piece->from + piece->size)
				*places[j] = PLACE(PLACE_ADDRESS(*places[j]) - piece->from + copy,
								   PLACE_WIDTH(*places[j]));
	}
}

void
segment_launches_place(const RunCore *run, Served *served, const SegmentLaunches *launches,
					   const InputBuffer *buffers, int nbuffers)
{
	size_t		nwords = SEGMENT_WORDS((size_t) run->program->ncolumns);

	for (uint32_t i = 0; i < launches->n; i++)
	{
		const SegmentLaunch *launch = &launches->launches[i];
		const InputBuffer *buffer = &buffers[segment_launch_buffer(i, nbuffers)];

		for (uint32_t j = 0; j < launch->npieces; j++)
		{
			const HostPiece *piece = &served->pieces[launch->first_piece + j];

			place_piece(run->program, piece, buffer->copies.ptr + piece->to,
						served->words + piece->segment * nwords);
		}
	}
}

EngineStatus
segment_launch_copy(RunCore *run, const Served *served, const SegmentLaunch *launch,
					const InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status = DEVICE_OK;

	if (launch->npieces == 0)
		return ENGINE_OK;
	for (uint32_t i = 0; i < launch->npieces && status == DEVICE_OK; i++)
	{
		const HostPiece *piece = &served->pieces[launch->first_piece + i];

		status = ops->upload(run->device, run->copy, buffer->copies.ptr + piece->to,
							 (const void *) (uintptr_t) piece->from, piece->size);
		/* how small they are encoded tells of the values */
		if (!run->program->hides_rows)
			run->head.stats.bytes_streamed += piece->size;
	}
	if (status == DEVICE_OK)
		status = ops->event_record(run->device, buffer->uploaded, run->copy);
	if (status == DEVICE_OK)
		status = ops->stream_wait_event(run->device, run->work, buffer->uploaded);
	return run_device(run, status, "could not copy kept columns");
}

void
segment_launches_close(SegmentLaunches *launches)
{
	free(launches->launches);
	*launches = (SegmentLaunches) {0};
}
