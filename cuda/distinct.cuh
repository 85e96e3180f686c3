/*
 * distinct.cuh
 *	  Counts and sums of the different values of groups, from pairs of slots and values in
 *	  their order.
 *
 * Of equal values of a group the first is taken: the one before it is another value, or of
 * another group.  A warp goes over neighbouring pairs.  While they are of one group, each lane
 * adds up what it takes, and the warp adds that to the group's words once.  Where a group ends
 * among the warp's pairs, the lanes of each group add up theirs by themselves.
 */
#ifndef GPUAGG_DISTINCT_CUH
#define GPUAGG_DISTINCT_CUH

/* Pairs that a warp goes over before it looks for others. */
#define DISTINCT_PAIRS (32 * WARP_SIZE)

/* Sums of the addends of a group's values. */
typedef struct DistinctSums
{
	uint64_t	w[2];
} DistinctSums;

/* What the pair at a place adds to its group's words: nothing if its value is there already. */
DEVICE_FN DistinctSums
distinct_of_pair(const StatisticArgs *args, uint64_t place)
{
	uint64_t	value = order_of_equal(args->list.values[place], args->is_float);
	DistinctSums sums;

	sums.w[0] = sums.w[1] = 0;
	if (place == 0 || args->list.slots[place - 1] != args->list.slots[place] ||
		order_of_equal(args->list.values[place - 1], args->is_float) != value)
		distinct_addends((AccKind) args->kind, value, sums.w);
	return sums;
}

DEVICE_FN void
distinct_store(const StatisticArgs *args, uint32_t slot, DistinctSums sums)
{
	uint64_t   *words = args->results + (uint64_t) slot * args->nwords + args->word;

	if (sums.w[0] != 0)
		atomic_add_u64_noreturn(&words[0], sums.w[0]);
	if (args->kind == ACC_SUM_DISTINCT128 && sums.w[1] != 0)
		atomic_add_u64_noreturn(&words[1], sums.w[1]);
}

/* The lanes' sums, all of one slot. */
DEVICE_FN void
distinct_store_warp(const StatisticArgs *args, uint32_t slot, DistinctSums sums)
{
	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
	{
		sums.w[0] += warp_shfl_xor_u64(FULL_MASK, sums.w[0], lanes);
		sums.w[1] += warp_shfl_xor_u64(FULL_MASK, sums.w[1], lanes);
	}
	if (lane_index() == 0)
		distinct_store(args, slot, sums);
}

/* The lanes' sums, of slots that ascend: the first lane of each adds up and stores. */
DEVICE_FN void
distinct_store_mixed(const StatisticArgs *args, uint32_t slot, DistinctSums sums)
{
	uint32_t	before = warp_shfl_up_u32(FULL_MASK, slot, 1);

	for (uint32_t delta = 1; delta < WARP_SIZE; delta *= 2)
	{
		uint32_t	other = warp_shfl_down_u32(FULL_MASK, slot, delta);
		uint64_t	low = warp_shfl_down_u64(FULL_MASK, sums.w[0], delta);
		uint64_t	high = warp_shfl_down_u64(FULL_MASK, sums.w[1], delta);

		if (lane_index() + delta < WARP_SIZE && other == slot)
		{
			sums.w[0] += low;
			sums.w[1] += high;
		}
	}
	if (lane_index() == 0 || before != slot)
		distinct_store(args, slot, sums);
}

/* The pairs from a place on, by a warp. */
DEVICE_FN void
distinct_pairs(const StatisticArgs *args, uint64_t from, uint64_t to)
{
	uint32_t	current = args->list.slots[from];
	DistinctSums sums;

	sums.w[0] = sums.w[1] = 0;
	for (uint64_t first = from; first < to; first += WARP_SIZE)
	{
		uint64_t	place = first + lane_index();
		/* a lane behind the end has the last pair's slot, and adds nothing */
		uint32_t	slot = args->list.slots[place < to ? place : to - 1];
		DistinctSums own;

		own.w[0] = own.w[1] = 0;
		if (place < to)
			own = distinct_of_pair(args, place);
		if (warp_all(FULL_MASK, slot == current))
		{
			sums.w[0] += own.w[0];
			sums.w[1] += own.w[1];
			continue;
		}
		distinct_store_warp(args, current, sums);
		distinct_store_mixed(args, slot, own);
		current = warp_shfl_u32(FULL_MASK, slot, WARP_SIZE - 1);
		sums.w[0] = sums.w[1] = 0;
	}
	distinct_store_warp(args, current, sums);
}

KERNEL(read_distinct, StatisticArgs, args)
{
	uint64_t	step = grid_size() / WARP_SIZE * DISTINCT_PAIRS;

	for (uint64_t from = grid_index() / WARP_SIZE * DISTINCT_PAIRS; from < args.n; from += step)
		distinct_pairs(&args, from, from + DISTINCT_PAIRS < args.n ? from + DISTINCT_PAIRS : args.n);
}

#endif							/* GPUAGG_DISTINCT_CUH */
