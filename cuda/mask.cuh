/*
 * mask.cuh
 *	  Marks of rows that a segment has, and a run must not take from it.
 */
#ifndef GPUAGG_MASK_CUH
#define GPUAGG_MASK_CUH

/* A warp marks a range. */
KERNEL(mask_rows, MaskArgs, args)
{
	for (uint64_t i = grid_index() / WARP_SIZE; i < args.nranges; i += grid_size() / WARP_SIZE)
	{
		MaskRange	range = args.ranges[i];

		for (uint32_t row = lane_index(); row < range.nrows; row += WARP_SIZE)
			args.masks[range.first + row] = 1;
	}
}

#endif							/* GPUAGG_MASK_CUH */
