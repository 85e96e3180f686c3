/*
 * scans.cuh
 *	  Inclusive prefix sums from a warp to the device (Armour, "Course on CUDA
 *	  Programming", lecture 4).
 *
 * A tile is SCAN_TILE values of a block.  A warp takes rows of 128 values, a lane four
 * neighbouring ones of each, so that all loads are of 16 bytes and coalesced.  The
 * prefix sums of warps and blocks are the engine's (prefix.cuh).
 *
 * In a single pass a block takes the next tile, tells its sum, and looks back at the tiles
 * before, 32 at once, until one tells the sum of all up to it (Merrill and Garland's
 * decoupled look-back).  A tile is taken only after all before it have been taken, by
 * blocks that run; so nobody waits forever.
 */
#ifndef GPUAGG_SCANS_CUH
#define GPUAGG_SCANS_CUH

#define SCAN_THREADS 256
#define SCAN_ROWS 4				/* of 128 values, of a warp */
#define SCAN_TILE (SCAN_THREADS * 4 * SCAN_ROWS)

typedef struct ScanArgs
{
	POINTER(const uint32_t) values;	/* as many as whole tiles have */
	POINTER(uint32_t) sums;
	POINTER(uint64_t) tiles;	/* single_pass: what is known; else sums */
	POINTER(uint32_t) next;		/* single_pass: the next tile */
	uint64_t	n;				/* a multiple of SCAN_TILE */
} ScanArgs;

#ifdef GPUAGG_PRELUDE_CUH

#include "prefix.cuh"

#define ALIGN_16 __attribute__((aligned(16)))

/* What is known of a tile: nothing, its sum, or that of all up to it. */
#define TILE_SUM UINT64_C(0x100000000)
#define TILE_ALL UINT64_C(0x200000000)

/* Each warp's 32 values. */
KERNEL(warps, ScanArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
		args.sums[i] = warp_prefix_sum(args.values[i]);
}

/* Each block's values, in shared memory (Hillis and Steele). */
KERNEL(blocks_shared, ScanArgs, args)
{
	SHARED uint32_t sums[SCAN_THREADS];

	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint32_t	sum = args.values[i];

		for (uint32_t delta = 1; delta < SCAN_THREADS; delta *= 2)
		{
			sums[threadIdx.x] = sum;
			block_sync();
			sum += threadIdx.x >= delta ? sums[threadIdx.x - delta] : 0;
			block_sync();
		}
		args.sums[i] = sum;
	}
}

/* The same by shuffles. */
KERNEL(blocks_shuffles, ScanArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint32_t	value = args.values[i];
		uint32_t	total;

		args.sums[i] = value + block_prefix_sum(value, &total);
	}
}

/* The first of a lane's values in a row of its warp. */
DEVICE_FN uint64_t
tile_place(uint64_t tile, int row)
{
	return tile * SCAN_TILE + warp_index() * (128 * SCAN_ROWS) + (uint32_t) row * 128 +
		lane_index() * 4;
}

/*
 * A tile's values become prefix sums within the warp's; the sum of the warps before, and
 * *total of all.
 */
DEVICE_FN uint32_t
tile_scan(const ScanArgs *args, uint64_t tile, uint32_t values[SCAN_ROWS][4], uint32_t *total)
{
	uint32_t	carry = 0;

	PRAGMA_UNROLL
	for (int row = 0; row < SCAN_ROWS; row++)
		load_stream(values[row], &args->values[tile_place(tile, row)], 16);
	PRAGMA_UNROLL
	for (int row = 0; row < SCAN_ROWS; row++)
	{
		uint32_t	sum = values[row][0] + values[row][1] + values[row][2] + values[row][3];
		uint32_t	inclusive = warp_prefix_sum(sum);
		uint32_t	before = carry + inclusive - sum;

		for (int i = 0; i < 4; i++)
			values[row][i] = before += values[row][i];
		carry += warp_shfl_u32(FULL_MASK, inclusive, WARP_SIZE - 1);
	}
	return warp_shfl_u32(FULL_MASK, block_prefix_sum(lane_index() == 0 ? carry : 0, total), 0);
}

/* 16 bytes at once. */
DEVICE_FN void
store_16(void *to, const void *from)
{
#ifdef __CUDACC__
	*(uint4 *) to = *(const uint4 *) from;
#else
	memcpy(to, from, 16);
#endif
}

DEVICE_FN void
tile_store(const ScanArgs *args, uint64_t tile, uint32_t values[SCAN_ROWS][4], uint32_t before)
{
	PRAGMA_UNROLL
	for (int row = 0; row < SCAN_ROWS; row++)
	{
		for (int i = 0; i < 4; i++)
			values[row][i] += before;
		store_16(&args->sums[tile_place(tile, row)], values[row]);
	}
}

/* Three kernels: the tiles' sums, */
KERNEL(tile_sums, ScanArgs, args)
{
	for (uint64_t tile = blockIdx.x; tile < args.n / SCAN_TILE; tile += gridDim.x)
	{
		ALIGN_16 uint32_t values[SCAN_ROWS][4];
		uint32_t	total;

		tile_scan(&args, tile, values, &total);
		if (threadIdx.x == 0)
			args.tiles[tile] = total;
	}
}

/* their prefix sums, by one block, */
KERNEL(tile_starts, ScanArgs, args)
{
	uint64_t	ntiles = args.n / SCAN_TILE;
	uint32_t	before = 0;

	for (uint64_t first = 0; first < ntiles; first += blockDim.x)
	{
		uint64_t	tile = first + threadIdx.x;
		uint32_t	total;
		uint32_t	start = before +
			block_prefix_sum(tile < ntiles ? (uint32_t) args.tiles[tile] : 0, &total);

		if (tile < ntiles)
			args.tiles[tile] = start;
		before += total;
	}
}

/* and all sums. */
KERNEL(tile_add, ScanArgs, args)
{
	for (uint64_t tile = blockIdx.x; tile < args.n / SCAN_TILE; tile += gridDim.x)
	{
		ALIGN_16 uint32_t values[SCAN_ROWS][4];
		uint32_t	total;
		uint32_t	before = tile_scan(&args, tile, values, &total);

		tile_store(&args, tile, values, before + (uint32_t) args.tiles[tile]);
	}
}

/* What the 32 tiles before `tile` tell, a lane each, once all of them do. */
DEVICE_FN uint64_t
tiles_told(const ScanArgs *args, uint64_t tile)
{
	uint64_t	told = TILE_ALL;

	do
	{
		if (lane_index() < tile)
			told = load_volatile_u64(&args->tiles[tile - 1 - lane_index()]);
		if (told == 0)
			gpu_relax();
	} while (warp_any(FULL_MASK, told == 0));
	return told;
}

/* The sum of all tiles before; all lanes of a warp. */
DEVICE_FN uint32_t
tiles_before(const ScanArgs *args, uint64_t tile)
{
	uint32_t	sum = 0;

	for (;; tile -= WARP_SIZE)
	{
		uint64_t	told = tiles_told(args, tile);
		uint32_t	all = warp_ballot(FULL_MASK, told >= TILE_ALL);
		uint32_t	last = all ? bits_first_u32(all) - 1 : WARP_SIZE - 1;

		sum += warp_reduce_add_u32(FULL_MASK, lane_index() <= last ? (uint32_t) told : 0);
		if (all != 0)
			return sum;
	}
}

/* One kernel: each value is read once. */
KERNEL_BOUNDS(single_pass, ScanArgs, args, SCAN_THREADS, 6)
{
	SHARED uint32_t taken;
	SHARED uint32_t start;

	for (;;)
	{
		ALIGN_16 uint32_t values[SCAN_ROWS][4];
		uint32_t	before;
		uint32_t	total;
		uint32_t	tile;

		if (threadIdx.x == 0)
			taken = atomic_add_u32(args.next, 1);
		block_sync();
		tile = taken;
		if (tile >= args.n / SCAN_TILE)
			return;
		before = tile_scan(&args, tile, values, &total);
		if (warp_index() == 0)
		{
			uint32_t	sum;

			if (lane_index() == 0)
				atomic_exchange_u64(&args.tiles[tile], TILE_SUM | total);
			sum = tiles_before(&args, tile);
			if (lane_index() == 0)
			{
				atomic_exchange_u64(&args.tiles[tile], TILE_ALL | (uint32_t) (sum + total));
				start = sum;
			}
		}
		block_sync();
		tile_store(&args, tile, values, before + start);
	}
}

#endif							/* GPUAGG_PRELUDE_CUH */

#endif							/* GPUAGG_SCANS_CUH */
