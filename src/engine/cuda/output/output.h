/*
 * output.h
 *	  Groups out of the table, by batches.
 */
#ifndef GPUAGG_OUTPUT_H
#define GPUAGG_OUTPUT_H

#include "engine/cuda/aggregate/aggregation.h"
#include "engine/cuda/output/kept_groups.h"
#include "engine/cuda/output/top_list.h"

#define OUTPUT_BUFFERS 2

/* A window of the table's slots on its way to the host. */
typedef struct OutputBuffer
{
	DeviceBuffer vectors;
	DeviceBuffer text;
	Stage		stage;			/* of the vectors, then of the texts */
	DevicePtr	counters;
	Counters   *results;		/* page-locked: the same, downloaded */
	uint32_t	from;			/* slots it stands for, or places in the list */
	uint32_t	to;
	bool		launched;
	DeviceEvent *done;
} OutputBuffer;

/* Begins as zeros. */
typedef struct Output
{
	OutputBuffer buffers[OUTPUT_BUFFERS];
	TopList		top;
	uint32_t	nslots;			/* of the table, or of the list if there is one */
	uint32_t	next_slot;		/* the first one that no window stands for yet */
	int			turn;			/* the buffer that is fetched next */
	uint32_t	capacity;		/* slots of a window, a multiple of 256 */
	bool		begun;
	bool		negative_zero;	/* the float key 0 is -0 */
	ColumnVector keys[PROGRAM_MAX_KEYS];	/* of a window that is given where it is */
	bool		given;			/* the window whose turn it is */
	KeptGroups *kept;			/* all groups; of a stream of copies, those given last */
	bool		giving;			/* they are complete */
	KeptGroups *give_next;
} Output;

/*
 * As EngineOps.groups, once all rows are in the table, and EngineOps.rewind.  What
 * is given belongs to the output.
 */
extern EngineStatus output_next(RunCore *run, const Aggregation *aggregation,
								Output *output, GroupBatch *batch);
extern void output_restart(Output *output);

/* Free it; nothing is left that works on the device. */
extern void output_close(RunCore *run, Output *output);

#endif							/* GPUAGG_OUTPUT_H */
