/*
 * merge_sort.cuh
 *	  A merge sort in which atomics give places.
 *
 * Blocks sort tiles in shared memory.  All tiles are then merged at once: an element's
 * place is the first one of its key, known from counts, and the number of elements of
 * that key that have come before, a counter's old value.  The four ways to ask the
 * counter are G-Atom's, with results.
 */
#ifndef GPUAGG_MERGE_SORT_CUH
#define GPUAGG_MERGE_SORT_CUH

#define MERGE_THREADS 256
#define MERGE_TILE 1024

typedef struct MergeSortArgs
{
	POINTER(uint32_t) keys;		/* sorted in each tile */
	POINTER(uint64_t) elements; /* the same: a key, and below it the number of its row */
	POINTER(const uint64_t) counts;	/* of each key */
	POINTER(uint32_t) padded;	/* the same, zeros behind them; then prefix sums */
	POINTER(uint32_t) cursors;	/* of each key: the next place */
	POINTER(uint64_t) sorted;
	uint64_t	n;
	uint32_t	nkeys;
	uint32_t	npadded;
} MergeSortArgs;

#ifdef GPUAGG_PRELUDE_CUH

/* One step of a bitonic merge in shared memory. */
DEVICE_FN void
sort_step(uint64_t *elements, uint32_t size, uint32_t stride)
{
	for (uint32_t i = threadIdx.x; i < MERGE_TILE / 2; i += MERGE_THREADS)
	{
		uint32_t	low = i / stride * 2 * stride + i % stride;
		uint32_t	high = low + stride;
		bool		up = (low & size) == 0;
		uint64_t	a = elements[low];
		uint64_t	b = elements[high];

		if ((a > b) == up)
		{
			elements[low] = b;
			elements[high] = a;
		}
	}
	block_sync();
}

/* Sort each tile, and give its keys back in that order. */
KERNEL(sort_tiles, MergeSortArgs, args)
{
	SHARED uint64_t elements[MERGE_TILE];

	for (uint64_t first = (uint64_t) blockIdx.x * MERGE_TILE; first < args.n;
		 first += (uint64_t) gridDim.x * MERGE_TILE)
	{
		for (uint32_t i = threadIdx.x; i < MERGE_TILE; i += MERGE_THREADS)
			elements[i] = first + i < args.n ?
				(uint64_t) args.keys[first + i] << 32 | (first + i) : UINT64_MAX;
		block_sync();
		for (uint32_t size = 2; size <= MERGE_TILE; size *= 2)
			for (uint32_t stride = size / 2; stride > 0; stride /= 2)
				sort_step(elements, size, stride);
		for (uint32_t i = threadIdx.x; i < MERGE_TILE; i += MERGE_THREADS)
			if (first + i < args.n)
			{
				args.elements[first + i] = elements[i];
				args.keys[first + i] = (uint32_t) (elements[i] >> 32);
			}
		block_sync();
	}
}

KERNEL(sort_pad, MergeSortArgs, args)
{
	for (uint64_t i = grid_index(); i < args.npadded; i += grid_size())
		args.padded[i] = i < args.nkeys ? (uint32_t) args.counts[i] : 0;
}

KERNEL(sort_cursors, MergeSortArgs, args)
{
	for (uint64_t i = grid_index(); i < args.nkeys; i += grid_size())
		args.cursors[i] = i > 0 ? args.padded[i - 1] : 0;
}

KERNEL(place_plain, MergeSortArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	element = args.elements[i];

		args.sorted[atomic_add_u32(&args.cursors[element >> 32], 1)] = element;
	}
}

/* Neighbours with one key ask once, for all of them. */
KERNEL(place_atomic_sr, MergeSortArgs, args)
{
	uint64_t	rounds = (args.n + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;

	for (uint64_t i = grid_index(); i < rounds; i += grid_size())
	{
		uint64_t	element = i < args.n ? args.elements[i] : UINT64_MAX;
		uint64_t	key[KEY_WORDS] = {element >> 32};
		uint32_t	self = 1u << lane_index();
		uint32_t	heads = scan_heads(NULL, key);
		uint32_t	start = 31 - bits_leading_zeros_u32(heads & (lanes_below() | self));
		uint32_t	behind = heads & ~lanes_below() & ~self;
		uint32_t	end = behind ? bits_first_u32(behind) - 1 : WARP_SIZE;
		uint32_t	place = 0;

		if (lane_index() == start && i < args.n)
			place = atomic_add_u32(&args.cursors[key[0]], end - start);
		place = warp_shfl_u32(FULL_MASK, place, start) + lane_index() - start;
		if (i < args.n)
			args.sorted[place] = element;
	}
}

/* Lanes with a sampled key ask once, if they are many. */
KERNEL(place_atomic_vr, MergeSortArgs, args)
{
	uint64_t	rounds = (args.n + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;
	uint32_t	turn = warp_index();

	for (uint64_t i = grid_index(); i < rounds; i += grid_size())
	{
		uint64_t	element = i < args.n ? args.elements[i] : UINT64_MAX;
		uint32_t	key = (uint32_t) (element >> 32);
		uint32_t	sampled = warp_shfl_u32(FULL_MASK, key, (turn += 7) % WARP_SIZE);
		uint32_t	active = warp_ballot(FULL_MASK, i < args.n);
		uint32_t	same = warp_ballot(FULL_MASK, i < args.n && key == sampled);
		uint32_t	leader = same ? bits_first_u32(same) - 1 : 0;
		bool		pays = same != 0 &&
			vote_pays(bits_count_u32(active), bits_count_u32(same));
		bool		together = pays && key == sampled && i < args.n;
		uint32_t	place = 0;

		if (i < args.n && (!together || lane_index() == leader))
			place = atomic_add_u32(&args.cursors[key], together ? bits_count_u32(same) : 1);
		if (pays)
		{
			uint32_t	first = warp_shfl_u32(FULL_MASK, place, leader);

			if (together)
				place = first + bits_count_u32(same & lanes_below());
		}
		if (i < args.n)
			args.sorted[place] = element;
	}
}

/* A tile's elements are exchanged, so that neighbours ask far from each other. */
KERNEL(place_atomic_ss, MergeSortArgs, args)
{
	SHARED uint64_t elements[ATOMS_ROOM];

	for (uint64_t first = (uint64_t) blockIdx.x * ATOMS_TILE; first < args.n;
		 first += (uint64_t) gridDim.x * ATOMS_TILE)
	{
		for (uint32_t i = threadIdx.x; i < ATOMS_TILE; i += ATOMS_THREADS)
			elements[ATOMS_PLACE(i)] = first + i < args.n ? args.elements[first + i] : UINT64_MAX;
		block_sync();
		for (uint32_t step = 0; step < ROWS_AT_ONCE; step++)
		{
			uint64_t	element = elements[atoms_scattered(step)];

			if (element != UINT64_MAX)
				args.sorted[atomic_add_u32(&args.cursors[element >> 32], 1)] = element;
		}
		block_sync();
	}
}

#endif							/* GPUAGG_PRELUDE_CUH */

#endif							/* GPUAGG_MERGE_SORT_CUH */
