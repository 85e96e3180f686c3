/*
 * value_lists.h
 *	  The lists of values of a run, on the device, and what is read from them.
 */
#ifndef GPUAGG_VALUE_LISTS_H
#define GPUAGG_VALUE_LISTS_H

#include "engine/cuda/core/run_kernels.h"

/* Pairs of a group's slot and a value, and the device memory they lie in. */
typedef struct PairList
{
	DeviceBuffer slots;
	DeviceBuffer values;
	uint64_t	room;			/* pairs */
} PairList;

/* Begins as zeros, and stays so if the Program has no lists. */
typedef struct ValueLists
{
	bool		open;
	LoadedModule *module;
	StatisticKernels kernels;
	PairList	lists[ARGS_MAX_LISTS];
	DeviceBuffer tops;			/* of each list: how many pairs there are; then what its values are; errors */
	Stage		told;			/* page-locked: the same, downloaded */
	uint64_t	most;			/* pairs that a list can have so far */
	DeviceBuffer results;		/* words of statistics, by slots, once all rows are there */
} ValueLists;

/*
 * Add the values of a batch's rows, whose groups are all in the table, in the work stream.
 * args: with what a launch over these rows is told; passed: rows that the filter lets pass.
 */
extern EngineStatus value_lists_add(RunCore *run, const Kernels *kernels, ValueLists *lists,
									ListArgs *args, uint64_t passed);

/* The groups have moved to a larger table; moved: TableArgs.moved. */
extern EngineStatus value_lists_move(RunCore *run, ValueLists *lists, DevicePtr moved);

/*
 * All rows have been added: sort the lists and read the statistics of the table's groups, and
 * wait for them.  layout: the table's.  INEXACT: one is ambiguous, or has a fraction that is none.
 */
extern EngineStatus value_lists_read(RunCore *run, ValueLists *lists, const DeviceTable *table,
									 const KernelLayout *layout);

/* Free them; nothing is left that works on the device. */
extern void value_lists_close(RunCore *run, ValueLists *lists);

#endif							/* GPUAGG_VALUE_LISTS_H */
