/*
 * input_buffer.h
 *	  A buffer that rows are gathered in, and their way to the device.
 */
#ifndef GPUAGG_INPUT_BUFFER_H
#define GPUAGG_INPUT_BUFFER_H

#include "engine/cuda/aggregate/scatter.h"
#include "engine/cuda/core/run_core.h"
#include "engine/cuda/input/input_layout.h"

typedef enum BufferState
{
	BUFFER_EMPTY,
	BUFFER_FILLING,
	BUFFER_SUBMITTED			/* the device works on it */
} BufferState;

/*
 * A batch of rows on its way: gathered in page-locked memory, copied to the
 * device, aggregated.  `bytes` on the device begins with the constants' bytes.
 */
typedef struct InputBuffer
{
	BufferState state;
	bool		pages;			/* what it is filled with, not column batches */
	Stage		stage;
	DeviceBuffer bytes;
	DeviceBuffer columns;
	uint64_t	capacity;		/* rows that the columns have room for */
	DeviceBuffer left;			/* one byte a row, if the program leaves rows */
	DeviceBuffer answers;		/* RowBatch.answers */
	DeviceBuffer copies;		/* of segments' columns in host memory */
	DeviceBuffer undone[2];		/* lists of rows: from the last launch, and for
								 * the next; of segments there is no other one
								 * before it is needed */
	Scattered	scattered;		/* the rows in another order, by strategy `scatter` */
	uint64_t   *lsns;			/* of its pages */
	uint64_t   *segment;		/* its columns as a segment, if kernels take those; */
	DeviceBuffer own_segments;	/* the same on the device */
	DevicePtr	segments;		/* of the rows; 0: kernels take columns */
	uint32_t	segment_rows;
	uint32_t	segment_words;
	uint32_t	nrows;
	uint32_t	npages;
	uint32_t	ncopied;		/* of these, copied into the stage */
	bool		filtered;		/* of the others, only tuples are gathered that pass
								 * conditions */
	uint32_t	ntested;		/* rows of these */
	uint32_t	nlines;			/* in the list of line pointers */
	uint32_t	nbytes;			/* of texts, behind the constants' */
	uint32_t	text_capacity;	/* bytes of texts of column batches */
	DevicePtr	counters;		/* Counters: what the kernels tell */
	Counters   *results;		/* page-locked: the same, downloaded */
	uint64_t	first;			/* rows of the buffers before */
	uint64_t	values_missed;	/* of its launches: Counters.values_missed */
	uint64_t	passed;			/* rows that the filter has let pass */
	bool		listed;			/* their values have been added to lists */
	uint32_t	growths;		/* of the table, before the last launch */
	DeviceEvent *begun;
	DeviceEvent *uploaded;
	DeviceEvent *deformed;		/* columns are there, the strategy is chosen */
	DeviceEvent *done;
} InputBuffer;

/*
 * Open the buffer of that number.  Whatever a failure leaves, input_buffer_close
 * takes.
 */
extern EngineStatus input_buffer_open(RunCore *run, const InputLayout *input, int number,
									  InputBuffer *buffer);

/*
 * One that has no memory for columns, since its rows are in segments already: so many at
 * once at most.  bytes: of their texts, which the caller puts behind the constants.  copied: bytes
 * of their columns that are copied to the device.  number: of such buffers.
 */
extern EngineStatus input_buffer_open_segments(RunCore *run, uint32_t rows, uint64_t bytes,
											   uint64_t copied, int number, InputBuffer *buffer);

/*
 * Have room in the list for the next launch for so many rows as the last one has left
 * undone.  Before a launch over all rows the list with room for them comes first.
 */
extern EngineStatus input_buffer_need_undone(RunCore *run, uint32_t undone,
											 InputBuffer *buffer);
extern void input_buffer_order_undone(InputBuffer *buffer);
extern void input_buffer_close(RunCore *run, InputBuffer *buffer);

/* Begin to fill it, with pages or with column batches. */
extern void input_buffer_begin(InputBuffer *buffer, bool pages);

/* Make room in it, which has no rows, for texts of column batches of that size. */
extern EngineStatus input_buffer_grow_texts(RunCore *run, const InputLayout *input,
											uint64_t size, InputBuffer *buffer);

/* Its rows as kernels see them. */
extern void input_buffer_batch(const InputLayout *input, const InputBuffer *buffer,
							   RowBatch *batch);

#endif							/* GPUAGG_INPUT_BUFFER_H */
