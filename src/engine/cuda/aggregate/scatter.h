/*
 * scatter.h
 *	  Strategy `scatter`: a batch's rows are partitioned, then aggregated.
 */
#ifndef GPUAGG_SCATTER_H
#define GPUAGG_SCATTER_H

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/strategy/scatter_plan.h"

/* A batch's rows once more, in order of partitions.  Begins as zeros. */
typedef struct Scattered
{
	DeviceBuffer columns[2];	/* each pass's */
	DeviceBuffer work;			/* counts, places, units */
	bool		used;			/* undone rows of the batch are numbers of these */
	DevicePtr	rows;			/* as RowBatch.columns */
	uint64_t	capacity;
} Scattered;

/*
 * Partition a batch's rows and aggregate them, in the work stream.  args: of a launch of
 * `aggregate`.  scattered->used: it has been done; else there are too many groups, or there is no
 * memory, and nothing has been launched.
 */
extern EngineStatus scatter_launch(RunCore *run, const Kernels *kernels,
								   const AggregateArgs *args, Scattered *scattered);

extern void scattered_free(RunCore *run, Scattered *scattered);

#endif							/* GPUAGG_SCATTER_H */
