/*
 * choose.h
 *	  The strategy, from what a sample tells.
 *
 * Pure functions: nothing here knows a run or a device that is open.
 */
#ifndef GPUAGG_CHOOSE_H
#define GPUAGG_CHOOSE_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/strategy.h"
#include "engine/cuda/device/device.h"
#include "engine/cuda/strategy/sample_facts.h"
#include "engine/engine.h"

/* How rows meet their groups. */
typedef struct StrategyChoice
{
	Strategy	strategy;
	TableKind	table;
	uint64_t	groups;			/* expected */
	int64_t		direct_min;
	uint64_t	direct_range;	/* values, without NULL */
	uint32_t	block_copies;	/* of states, that private tables have room for */
	uint32_t	block_slots;
	uint32_t	scatter_rows;	/* of a tile that a thread of scatter_move has */
	uint32_t	block_replicas;
	uint32_t	block_places;	/* where a warp takes rows from */
	bool		block_direct;	/* private tables without keys */
	bool		only_frequent;	/* private tables for frequent keys only */
	bool		block_hot;		/* the sample's first key has copies of its own */
} StrategyChoice;

/* Rows that are worth another block of strategy `block`: small batches take few. */
#define BLOCK_STRATEGY_ROWS 8192

/*
 * In all of these, layouts: by TableKind; forced: a Strategy, or -1, and one that
 * cannot be used is passed over; shared_limit: of a block, in bytes.
 */

/*
 * What is known before the first row: with keys how to sample, else all there is to
 * choose.
 */
extern StrategyChoice choose_first(const Program *program, const KernelLayout *layouts,
								   int forced);

/*
 * For a Program with keys, from a sample.  memory_limit: of the run, in bytes; batch_rows:
 * of the batch that was sampled, 0: not known.
 */
extern StrategyChoice choose_from_facts(const Program *program, const KernelLayout *layouts,
										const SampleFacts *facts, const EngineHints *hints,
										uint64_t memory_limit, uint64_t batch_rows,
										int forced, uint32_t shared_limit);

/*
 * What a sample would lead to, on such a device, if the planner's number of groups
 * were right; false if it has told none, or there will be no sample.
 */
extern bool choose_expected(const Program *program, const KernelLayout *layouts,
							const EngineHints *hints, int forced, const DeviceInfo *info,
							StrategyChoice *choice);

/*
 * Change a choice of direct addressing to one of hashing that many groups, by the
 * same strategy if it can.
 */
extern void choose_hashing(const KernelLayout *layouts, uint64_t groups,
						   uint32_t shared_limit, StrategyChoice *choice);

/* Bytes of shared memory that strategies `block` and `scatter` need for a private table. */
extern uint32_t choose_block_size(const KernelLayout *layout, const StrategyChoice *choice);

/* Bytes of shared memory that a block of scatter_move takes for a tile of so many rows. */
extern uint32_t scatter_tile_size(const KernelLayout *layout, uint32_t rows);

#endif							/* GPUAGG_CHOOSE_H */
