/*
 * input.h
 *	  A run's input: opened and closed.
 */
#ifndef GPUAGG_INPUT_H
#define GPUAGG_INPUT_H

#include "engine/cuda/input/codes.h"
#include "engine/cuda/input/input_buffer.h"
#include "engine/cuda/input/keep.h"
#include "engine/cuda/input/left_rows.h"
#include "engine/cuda/input/page_calls.h"
#include "engine/cuda/input/page_deformer.h"
#include "engine/cuda/input/segment_launches.h"
#include "engine/cuda/input/served.h"

#define INPUT_BUFFERS 2

/* Launches over segments that the device has at once: the next one waits behind the other. */
#define SEGMENTS_QUEUED 2

/* Begins as zeros. */
typedef struct Input
{
	KeptTables	tables;
	Served		served;
	Codes		codes;
	SegmentLaunches launches;	/* over what is served */
	uint32_t	launched;		/* of these */
	InputBuffer segments[SEGMENTS_QUEUED];	/* these, and what comes of them */
	int			nqueued;		/* how many of the buffers are open */
	Keep		keep;
	KeepBuffer	kept[INPUT_BUFFERS];
	bool		ready;			/* all that follows is open */
	InputLayout layout;
	InputBuffer buffers[INPUT_BUFFERS];
	int			filling;		/* the buffer that rows go to */
	PageCalls	calls;			/* pages that may still be read */
	uint32_t	pages_taken;	/* pages of the caller's call taken so far */
	PageRef		last;			/* the last one taken, but for its page and lines */
	uint32_t	batch_taken;	/* rows of the caller's batch taken so far */
	uint64_t	rows_before;	/* of buffers that have been submitted */
	PageDeformer deformer;
	bool		leaves;			/* program_leaves_rows */
	LeftRows	left;
	bool		ended;			/* all rows are in the table */
} Input;

/*
 * What is served is known then, unless the caller is asked for what decides it (asked.h): else
 * once it has answered.  Buffers for rows that are not served are opened if nothing is, else by
 * input_ready.  Whatever a failure leaves, input_close takes.
 */
extern EngineStatus input_open(RunCore *run, Input *input);
extern EngineStatus input_answer(RunCore *run, Input *input, const EngineAnswer *answer);

/* Have buffers for pages and column batches. */
extern EngineStatus input_ready(RunCore *run, Input *input);

/* Wait for threads that still copy pages. */
extern void input_wait(RunCore *run, const Input *input);

/* Free it; nothing is left that works on it. */
extern void input_close(RunCore *run, Input *input);

#endif							/* GPUAGG_INPUT_H */
