/*
 * choose.h
 *	  The strategy, from what a sample tells.
 */
#ifndef GPUAGG_CHOOSE_H
#define GPUAGG_CHOOSE_H

#include "engine/cuda/strategy/sample.h"

/*
 * What to do: for a Program with keys.  forced: a Strategy, or -1; one that
 * cannot be used is passed over.  table_bytes: of a table addressed directly, at
 * most; shared_limit: of a block, in bytes.
 */
extern StrategyChoice choose_from_facts(const Program *program, const KernelLayout *layouts,
								const SampleFacts *facts, const EngineHints *hints,
								uint64_t table_bytes, int forced, uint32_t shared_limit);

/*
 * Slots and copies of strategy `block` for so many groups; false if no table of
 * use fits.
 */
extern bool block_dimensions(const KernelLayout *layout, uint64_t groups,
							 uint64_t direct_slots, uint32_t shared_limit,
							 uint32_t *slots, uint32_t *replicas);

#endif							/* GPUAGG_CHOOSE_H */
