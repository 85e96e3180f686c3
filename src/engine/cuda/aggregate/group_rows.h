/*
 * group_rows.h
 *	  The first rows of a run's groups, on the device.
 */
#ifndef GPUAGG_GROUP_ROWS_H
#define GPUAGG_GROUP_ROWS_H

#include "engine/cuda/core/run_kernels.h"

/* Begins as zeros, and stays so if the Program has none, or no row has passed yet. */
typedef struct GroupRows
{
	DeviceBuffer refs;			/* by slots: DeviceFirstRows */
	DeviceBuffer bounds;
	DeviceBuffer entries;
	DeviceBuffer top;
	uint64_t	room;			/* entries */
} GroupRows;

/* As kernels see them. */
extern DeviceFirstRows group_rows_device(const GroupRows *rows);

/*
 * Take the rows of a batch, whose groups are all in a table of so many slots, in the work stream.
 * args: with what a launch over these rows is told; passed: rows that the filter lets pass;
 * again: some of them have found no room.
 */
extern EngineStatus group_rows_add(RunCore *run, const Kernels *kernels, GroupRows *rows,
								   uint64_t capacity, FirstRowsArgs *args, uint64_t passed, bool again);

/*
 * The groups have moved from a table of so many slots to a larger one; moved: TableArgs.moved.
 */
extern EngineStatus group_rows_move(RunCore *run, const Kernels *kernels, GroupRows *rows,
									uint64_t old_capacity, uint64_t capacity, DevicePtr moved);

/* Free them; nothing is left that works on the device. */
extern void group_rows_close(RunCore *run, GroupRows *rows);

#endif							/* GPUAGG_GROUP_ROWS_H */
