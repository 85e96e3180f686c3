/*
 * interpret_states.cuh
 *	  The interpreter: states of groups that a block has of its own.
 *
 * Rows of few groups wait for one another at the groups' states in device memory.  So a
 * block has some states in its shared memory, behind the registers.  A group has the one whose
 * number is that of its slot, modulo how many there are, if it is the first that comes
 * for it; rows of other groups update the group table.  At its end the block takes
 * its states into the table's, as it would rows.
 */
#ifndef GPUAGG_INTERPRET_STATES_CUH
#define GPUAGG_INTERPRET_STATES_CUH

/* Of a group, or of none, which is the start of all words. */
DEVICE_FN uint64_t *
block_state(uint32_t place)
{
	DYNAMIC_SHARED(uint8_t, memory);
	uint32_t	bytes = (script.nconstants + script.nregisters * blockDim.x) * SCRIPT_VALUE_BYTES;

	return (uint64_t *) (memory + (bytes + 7) / 8 * 8) + place * NWORDS;
}

/* The slot of the group that has the state, or GROUP_NONE. */
DEVICE_FN uint32_t *
block_state_slot(uint32_t place)
{
	return (uint32_t *) block_state(script.nstates) + place;
}

/* All threads of the block. */
DEVICE_FN void
block_states_begin(void)
{
	for (uint32_t i = threadIdx.x; i < script.nstates; i += blockDim.x)
	{
		words_identity(block_state(i));
		*block_state_slot(i) = GROUP_NONE;
	}
	block_sync();
}

/* Take contributions into a group's state, the block's own or that in the table. */
DEVICE_FN void
block_states_update(const AggregateArgs *args, uint32_t slot, const uint64_t *words)
{
	uint32_t	place = slot & (script.nstates - 1);
	uint32_t	has = GROUP_NONE;

	if (script.nstates > 0)
		has = load_volatile_u32(block_state_slot(place));
	if (script.nstates > 0 && has == GROUP_NONE)
	{
		has = atomic_cas_u32(block_state_slot(place), GROUP_NONE, slot);
		has = has == GROUP_NONE ? slot : has;
	}
	if (has == slot)
		words_add(block_state(place), block_state(place) + NHOT, words);
	else
		group_update(args, slot, words);
}

/*
 * Are peers to be merged before they update a state?  Following the script for each word takes
 * longer in a round of merging than in atomics that wait for some others (on an NVIDIA H200,
 * TPC-H's Q1: 10.8 and 6.4 ms), unless these are nearly all of a warp.
 */
#define FEW_WORDS 4
#define MANY_PEERS 24

DEVICE_FN bool
block_states_merge(uint32_t peers)
{
	return NWORDS <= FEW_WORDS || warp_any(FULL_MASK, bits_count_u32(peers) >= MANY_PEERS);
}

/* All threads of the block. */
DEVICE_FN void
block_states_end(const AggregateArgs *args)
{
	block_sync();
	for (uint32_t i = threadIdx.x; i < script.nstates; i += blockDim.x)
		if (*block_state_slot(i) != GROUP_NONE)
			group_update(args, *block_state_slot(i), block_state(i));
}

#endif							/* GPUAGG_INTERPRET_STATES_CUH */
