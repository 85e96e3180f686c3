/*
 * scatter_plan.h
 *	  Strategy `scatter`: into how many partitions, by how many passes.
 */
#ifndef GPUAGG_SCATTER_PLAN_H
#define GPUAGG_SCATTER_PLAN_H

#include "engine/cuda/strategy/choose.h"

typedef struct ScatterPlan
{
	uint32_t	shift;			/* see ScatterArgs */
	uint32_t	npartitions;
	uint32_t	bin_shift;		/* a bin of the first pass has 2^bin_shift partitions;
								 * 0: there is one pass */
	uint32_t	nbins;			/* of the first pass */
	bool		counted_once;	/* two passes: partitions are counted before the first
								 * one; else each pass counts its bins */
	uint32_t	unit_rows;		/* of scatter_aggregate's units, at most */
	uint32_t	tile_rows;		/* of scatter_move's tiles, at most */
} ScatterPlan;

/*
 * For so many rows and a group table of so many slots; false: partitions would have too
 * many groups for private tables.  blocks: that the device
 * runs at once.
 */
extern bool scatter_plan(const StrategyChoice *choice, uint32_t capacity, uint64_t nrows,
						 uint32_t blocks, ScatterPlan *plan);

#endif							/* GPUAGG_SCATTER_PLAN_H */
