/*
 * prefix.cuh
 *	  Prefix sums of a block's threads: of a warp by shuffles, then of its warps.
 */
#ifndef GPUAGG_PREFIX_CUH
#define GPUAGG_PREFIX_CUH

/* The sum of the lane's value and those of the lanes below; all lanes of the warp. */
DEVICE_FN uint32_t
warp_prefix_sum(uint32_t value)
{
	for (uint32_t delta = 1; delta < WARP_SIZE; delta *= 2)
	{
		uint32_t	other = warp_shfl_up_u32(FULL_MASK, value, delta);

		value += lane_index() >= delta ? other : 0;
	}
	return value;
}

/*
 * The sum of the values of the threads before; *total: of all threads.  All threads of
 * the block.
 */
DEVICE_FN uint32_t
block_prefix_sum(uint32_t value, uint32_t *total)
{
	SHARED uint32_t sums[WARP_SIZE];
	uint32_t	inclusive = warp_prefix_sum(value);
	uint32_t	warps = blockDim.x / WARP_SIZE;
	uint32_t	before = 0;

	block_sync();
	if (lane_index() == WARP_SIZE - 1)
		sums[warp_index()] = inclusive;
	block_sync();
	if (warp_index() == 0)
	{
		uint32_t	sum = warp_prefix_sum(lane_index() < warps ? sums[lane_index()] : 0);

		sums[lane_index()] = sum;
	}
	block_sync();
	if (warp_index() > 0)
		before = sums[warp_index() - 1];
	*total = sums[warps - 1];
	return before + inclusive - value;
}

#endif							/* GPUAGG_PREFIX_CUH */
