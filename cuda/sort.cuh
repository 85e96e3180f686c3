/*
 * sort.cuh
 *	  Pairs of a slot and a value into their order.
 *
 * A radix sort from the lowest byte on (Knuth, The Art of Computer Programming, volume 3,
 * section 5.2.5): bytes of the values first, but for those that are the same in all, then
 * those of the slots.  Each block has a part of the pairs.  A pass counts a block's pairs by
 * the byte (sort_count), finds where those of each byte and block begin (sort_starts), and
 * moves the pairs there by tiles, without changing the order of those with the same byte
 * (sort_move).  Within a tile, a warp's lanes with the same byte find each other by a match,
 * as in Merrill and Grimshaw, "High Performance and Scalable Radix Sorting" (2011), ranks are
 * by warps first.
 */
#ifndef GPUAGG_SORT_CUH
#define GPUAGG_SORT_CUH

#define SORT_WARPS (SORT_THREADS / WARP_SIZE)

/* No byte: behind the last pair. */
#define SORT_NONE SORT_BINS

DEVICE_FN uint32_t
sort_byte(const SortArgs *args, uint64_t place)
{
	uint64_t	word = args->by_slot ? args->from.slots[place] : args->from.values[place];

	return (uint32_t) (word >> args->shift) & (SORT_BINS - 1);
}

/* Where the block's part of the pairs ends. */
DEVICE_FN uint64_t
sort_part_end(const SortArgs *args)
{
	uint64_t	end = (blockIdx.x + UINT64_C(1)) * args->part;

	return end < args->n ? end : args->n;
}

KERNEL_BOUNDS(sort_count, SortArgs, args, SORT_THREADS, 2)
{
	SHARED uint32_t counts[SORT_BINS];
	uint64_t	end = sort_part_end(&args);

	for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
		counts[i] = 0;
	block_sync();
	for (uint64_t i = blockIdx.x * args.part + threadIdx.x; i < end; i += SORT_THREADS)
		atomic_add_u32_noreturn(&counts[sort_byte(&args, i)], 1);
	block_sync();
	for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
		args.starts[i * gridDim.x + blockIdx.x] = counts[i];
}

/* By one block of SORT_BINS threads: counts become places.  parts: blocks that have counted. */
KERNEL_BOUNDS(sort_starts, SortArgs, args, SORT_BINS, 1)
{
	SHARED uint32_t sums[SORT_BINS];
	uint32_t   *starts = args.starts + threadIdx.x * args.parts;
	uint32_t	place = 0;

	for (uint32_t i = 0; i < args.parts; i++)
		place += starts[i];
	sums[threadIdx.x] = place;
	block_sync();
	place = 0;
	for (uint32_t i = 0; i < threadIdx.x; i++)
		place += sums[i];
	for (uint32_t i = 0; i < args.parts; i++)
	{
		uint32_t	count = starts[i];

		starts[i] = place;
		place += count;
	}
}

/* What a block knows of a tile. */
typedef struct SortTile
{
	uint32_t	next[SORT_BINS];	/* where the next pair of each byte goes */
	uint32_t	counts[SORT_WARPS][SORT_BINS];	/* pairs by warp; then those of the warps before */
	uint32_t	totals[SORT_BINS];
} SortTile;

/* The rank of each of the thread's pairs among its warp's with the same byte. */
DEVICE_FN void
sort_rank(uint32_t *counts, const uint32_t *bytes, uint32_t *ranks)
{
	for (int i = 0; i < SORT_ITEMS; i++)
	{
		uint32_t	same = warp_match_u32(FULL_MASK, bytes[i]);
		uint32_t	below = bits_count_u32(same & lanes_below());
		uint32_t	before = bytes[i] == SORT_NONE ? 0 : counts[bytes[i]];

		warp_sync(FULL_MASK);
		if (below == 0 && bytes[i] != SORT_NONE)
			counts[bytes[i]] = before + bits_count_u32(same);
		warp_sync(FULL_MASK);
		ranks[i] = before + below;
	}
}

/* Let counts be those of the warps before, and totals those of all. */
DEVICE_FN void
sort_add_warps(SortTile *tile)
{
	for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
	{
		uint32_t	sum = 0;

		for (int warp = 0; warp < SORT_WARPS; warp++)
		{
			uint32_t	count = tile->counts[warp][i];

			tile->counts[warp][i] = sum;
			sum += count;
		}
		tile->totals[i] = sum;
	}
}

KERNEL_BOUNDS(sort_move, SortArgs, args, SORT_THREADS, 2)
{
	SHARED SortTile tile;
	uint32_t	warp = threadIdx.x / WARP_SIZE;
	uint64_t	end = sort_part_end(&args);

	for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
		tile.next[i] = args.starts[i * gridDim.x + blockIdx.x];
	for (uint64_t first = blockIdx.x * args.part; first < end; first += SORT_TILE)
	{
		uint64_t	own = first + warp * (SORT_ITEMS * WARP_SIZE) + lane_index();
		uint32_t	bytes[SORT_ITEMS];
		uint32_t	ranks[SORT_ITEMS];

		for (uint32_t i = threadIdx.x; i < SORT_WARPS * SORT_BINS; i += SORT_THREADS)
			(&tile.counts[0][0])[i] = 0;
		block_sync();
		for (int i = 0; i < SORT_ITEMS; i++)
			bytes[i] = own + i * WARP_SIZE < end ? sort_byte(&args, own + i * WARP_SIZE) : SORT_NONE;
		sort_rank(tile.counts[warp], bytes, ranks);
		block_sync();
		sort_add_warps(&tile);
		block_sync();
		for (int i = 0; i < SORT_ITEMS; i++)
			if (bytes[i] != SORT_NONE)
			{
				uint32_t	place = tile.next[bytes[i]] + tile.counts[warp][bytes[i]] + ranks[i];

				args.to.slots[place] = args.from.slots[own + i * WARP_SIZE];
				args.to.values[place] = args.from.values[own + i * WARP_SIZE];
			}
		block_sync();
		for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
			tile.next[i] += tile.totals[i];
		block_sync();
	}
}

#endif							/* GPUAGG_SORT_CUH */
