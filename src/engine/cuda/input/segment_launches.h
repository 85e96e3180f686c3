/*
 * segment_launches.h
 *	  Which segments a launch takes, and what of them is copied to the device before.
 *
 * Of segments whose columns are in host memory, each launch has copies in memory of its buffer.
 * The copies of one launch go on while kernels work on the one before.
 */
#ifndef GPUAGG_SEGMENT_LAUNCHES_H
#define GPUAGG_SEGMENT_LAUNCHES_H

#include "engine/cuda/input/input_buffer.h"
#include "engine/cuda/input/served.h"

typedef struct SegmentLaunch
{
	uint32_t	first;			/* segment */
	uint32_t	n;
	uint32_t	first_piece;	/* of Served.pieces */
	uint32_t	npieces;
	uint64_t	bytes;			/* of these */
} SegmentLaunch;

/* Begins as zeros. */
typedef struct SegmentLaunches
{
	SegmentLaunch *launches;
	uint32_t	n;
	uint32_t	most_segments;	/* of one launch */
	uint64_t	most_bytes;
} SegmentLaunches;

/*
 * Divide what is served into launches of so many segments and bytes of pieces at most, but of one
 * segment at least.  What was planned before is forgotten.
 */
extern EngineStatus segment_launches_plan(RunCore *run, Served *served, uint32_t segments,
										  uint64_t bytes, SegmentLaunches *launches);

/*
 * Have segments' words tell where the pieces will be: the copies of a launch with pieces are in
 * buffer segment_launch_buffer(number, nbuffers).
 */
extern void segment_launches_place(const RunCore *run, Served *served,
								   const SegmentLaunches *launches, const InputBuffer *buffers,
								   int nbuffers);

/* Copy a launch's pieces, by the copy stream; the work stream waits for that. */
extern EngineStatus segment_launch_copy(RunCore *run, const Served *served,
										const SegmentLaunch *launch, const InputBuffer *buffer);

extern void segment_launches_close(SegmentLaunches *launches);

/* Which of the buffers a launch with pieces has. */
static inline int
segment_launch_buffer(uint32_t number, int nbuffers)
{
	return (int) (number % (uint32_t) nbuffers);
}

#endif							/* GPUAGG_SEGMENT_LAUNCHES_H */
