/*
 * top_list.h
 *	  The slots of those groups that may leave.
 */
#ifndef GPUAGG_TOP_LIST_H
#define GPUAGG_TOP_LIST_H

#include "engine/cuda/aggregate/run_table.h"

/* Begins as zeros. */
typedef struct TopList
{
	LoadedModule *module;
	TopKernels	kernels;
	DeviceBuffer selection;		/* TopSelection, and bins behind it */
	DeviceBuffer list;			/* uint32_t; empty: all groups leave */
	uint32_t	nslots;			/* in the list */
} TopList;

/*
 * If EngineHints.top asks for it and the words of layout's states can tell, list the
 * groups that may leave, and count all.  units: of float sums, by accumulators.  No order is
 * made of more than `room` groups, and no list of a table that is small.  Waits for all that has been launched.  Whatever
 * a failure leaves, top_list_free takes.
 */
extern EngineStatus top_list_make(RunCore *run, const KernelLayout *layout,
								  const RunTable *table, const int32_t *units, uint32_t room,
								  TopList *top);

/* Work on the device may go on to use it. */
extern void top_list_free(RunCore *run, TopList *top);

#endif							/* GPUAGG_TOP_LIST_H */
