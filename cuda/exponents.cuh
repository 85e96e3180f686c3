/*
 * exponents.cuh
 *	  The largest exponents of float sums' first values, from which their units
 *	  are chosen (exact.h).
 */
#ifndef GPUAGG_EXPONENTS_CUH
#define GPUAGG_EXPONENTS_CUH

DEVICE_FN void
find_exponents(const AggregateArgs *args)
{
	uint32_t	largest[SUMS_ROOM];

	for (int i = 0; i < NSUMS; i++)
		largest[i] = 0;
	for (uint64_t row = grid_index(); row < args->batch.nrows; row += grid_size())
	{
		Raw			raw;

		row_load(&args->batch, row, &raw);
		row_exponents(args, &raw, (uint32_t) row, largest);
	}
	for (int i = 0; i < NSUMS; i++)
	{
		for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
		{
			uint32_t	other = warp_shfl_xor_u32(FULL_MASK, largest[i], lanes);

			largest[i] = other > largest[i] ? other : largest[i];
		}
		if (lane_index() == 0 && largest[i] > 0)
			atomic_max_u32(&args->exponents[i], largest[i]);
	}
}

#if !INTERPRETED
KERNEL(exponents, AggregateArgs, args)
{
	find_exponents(&args);
}
#endif

#endif							/* GPUAGG_EXPONENTS_CUH */
