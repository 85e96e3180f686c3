/*
 * reductions.cuh
 *	  Sums from a warp to the device (Armour, "Course on CUDA Programming", lecture 4).
 *
 * Threads go over the values; the ways differ in how many values become one before an
 * atomic addition to the sum in device memory.
 */
#ifndef GPUAGG_REDUCTIONS_CUH
#define GPUAGG_REDUCTIONS_CUH

#define REDUCTION_THREADS 256

typedef struct ReductionArgs
{
	POINTER(const uint32_t) values;
	POINTER(uint64_t) sum;
	POINTER(uint64_t) partial;	/* of blocks */
	uint64_t	n;				/* a multiple of 4 * REDUCTION_THREADS */
	uint64_t	npartial;
} ReductionArgs;

#ifdef GPUAGG_PRELUDE_CUH

DEVICE_FN uint64_t
warp_sum(uint64_t value)
{
	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
		value += warp_shfl_down_u64(FULL_MASK, value, lanes);
	return value;
}

/* Thread 0's result is that of the block: a tree in shared memory. */
DEVICE_FN uint64_t
block_sum_shared(uint64_t value)
{
	SHARED uint64_t sums[REDUCTION_THREADS];

	sums[threadIdx.x] = value;
	block_sync();
	for (uint32_t half = REDUCTION_THREADS / 2; half > 0; half /= 2)
	{
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		block_sync();
	}
	value = sums[0];
	block_sync();
	return value;
}

/* The same: warps by shuffles, then the first warp the warps' sums. */
DEVICE_FN uint64_t
block_sum(uint64_t value)
{
	SHARED uint64_t sums[WARP_SIZE];

	value = warp_sum(value);
	if (lane_index() == 0)
		sums[warp_index()] = value;
	block_sync();
	if (warp_index() == 0)
		value = warp_sum(lane_index() < REDUCTION_THREADS / WARP_SIZE ? sums[lane_index()] : 0);
	block_sync();
	return value;
}

KERNEL(each_value, ReductionArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
		atomic_add_u64_noreturn(args.sum, args.values[i]);
}

KERNEL(each_warp, ReductionArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	sum = warp_sum(args.values[i]);

		if (lane_index() == 0)
			atomic_add_u64_noreturn(args.sum, sum);
	}
}

/* Sums of 32 values fit 32 bits. */
KERNEL(each_warp_redux, ReductionArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint32_t	sum = warp_reduce_add_u32(FULL_MASK, args.values[i]);

		if (lane_index() == 0)
			atomic_add_u64_noreturn(args.sum, sum);
	}
}

KERNEL(each_block_shared, ReductionArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	sum = block_sum_shared(args.values[i]);

		if (threadIdx.x == 0)
			atomic_add_u64_noreturn(args.sum, sum);
	}
}

KERNEL(each_block, ReductionArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	sum = block_sum(args.values[i]);

		if (threadIdx.x == 0)
			atomic_add_u64_noreturn(args.sum, sum);
	}
}

/* The sum of a thread's values, by loads of 16 bytes. */
DEVICE_FN uint64_t
thread_sum(const ReductionArgs *args)
{
	uint64_t	sum = 0;

	for (uint64_t i = grid_index() * 4; i < args->n; i += grid_size() * 4)
	{
		__attribute__((aligned(16))) uint32_t values[4];

		load_stream(values, &args->values[i], 16);
		sum += (uint64_t) values[0] + values[1] + values[2] + values[3];
	}
	return sum;
}

/* Threads first add their values in registers. */
KERNEL(thread_first, ReductionArgs, args)
{
	uint64_t	sum = 0;

	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
		sum += args.values[i];
	sum = block_sum(sum);
	if (threadIdx.x == 0)
		atomic_add_u64_noreturn(args.sum, sum);
}

KERNEL(thread_first_16, ReductionArgs, args)
{
	uint64_t	sum = block_sum(thread_sum(&args));

	if (threadIdx.x == 0)
		atomic_add_u64_noreturn(args.sum, sum);
}

/* Without atomics: a second kernel, of one block, adds the blocks' sums. */
KERNEL(partial_sums, ReductionArgs, args)
{
	uint64_t	sum = block_sum(thread_sum(&args));

	if (threadIdx.x == 0)
		args.partial[blockIdx.x] = sum;
}

KERNEL(last_sum, ReductionArgs, args)
{
	uint64_t	sum = 0;

	for (uint64_t i = threadIdx.x; i < args.npartial; i += REDUCTION_THREADS)
		sum += args.partial[i];
	sum = block_sum(sum);
	if (threadIdx.x == 0)
		*args.sum = sum;
}

#endif							/* GPUAGG_PRELUDE_CUH */

#endif							/* GPUAGG_REDUCTIONS_CUH */
