/*
 * compact.cuh
 *	  Places in a list for those lanes of a warp that have something to add.
 *
 * The warp-aggregated counter of Adinetz, "CUDA Pro Tip: Optimized Filtering
 * with Warp-Aggregated Atomics" (NVIDIA, 2014): the lanes that keep something
 * are counted by a vote, one lane adds their number to the counter, and each
 * lane's place is the counter's old value and the number of such lanes below.
 */
#ifndef GPUAGG_COMPACT_CUH
#define GPUAGG_COMPACT_CUH

/* All lanes of the warp must call it; the result counts for those that keep. */
DEVICE_FN uint32_t
compact_place(bool keep, uint32_t *counter)
{
	uint32_t	kept = warp_ballot(FULL_MASK, keep);
	uint32_t	leader = kept ? bits_first_u32(kept) - 1 : 0;
	uint32_t	first = 0;

	if (kept != 0 && lane_index() == leader)
		first = atomic_add_u32(counter, bits_count_u32(kept));
	first = warp_shfl_u32(FULL_MASK, first, leader);
	return first + bits_count_u32(kept & lanes_below());
}

#endif							/* GPUAGG_COMPACT_CUH */
