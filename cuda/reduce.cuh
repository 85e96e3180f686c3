/*
 * reduce.cuh
 *	  Strategy `reduce`: no GROUP BY, one state.
 *
 * Every thread keeps a state in registers; a warp's are merged by shuffles, a
 * block's in shared memory by its first warp, and one thread of the block
 * updates the state in device memory (Armour, "Course on CUDA Programming",
 * lecture 4).
 */
#ifndef GPUAGG_REDUCE_CUH
#define GPUAGG_REDUCE_CUH

#define REDUCE_WARPS 8			/* of a block */

/* Merge the block's states and update the group; all threads of the block. */
DEVICE_FN void
reduce_block(const AggregateArgs *args, uint64_t *words)
{
	SHARED uint64_t partial[REDUCE_WARPS * STATE_ROOM];
	uint32_t	nwarps = blockDim.x / WARP_SIZE;

	words_reduce_warp(words);
	if (lane_index() == 0)
		for (int i = 0; i < NWORDS; i++)
			partial[warp_index() * NWORDS + i] = words[i];
	block_sync();
	if (warp_index() != 0)
		return;
	words_identity(words);
	if (lane_index() < nwarps)
		for (int i = 0; i < NWORDS; i++)
			words[i] = partial[lane_index() * NWORDS + i];
	words_reduce_warp(words);
	if (lane_index() == 0)
		group_update(args, 0, words);
}

DEVICE_FN void
aggregate_reduce(const AggregateArgs *args)
{
	RowCursor	cursor = rows_begin(args, 1);
	uint64_t	words[STATE_ROOM];
	Tile		tile;

	words_identity(words);
	while (rows_tile(args, &cursor, &tile))
	{
		PRAGMA_UNROLL
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;

			rows_step(args, &cursor, &tile, step, &row);
			words_merge(words, row.words);
			if (row.passes)
				row_values(args, 0, &row);
		}
	}
	rows_end(args, &cursor);
	reduce_block(args, words);
}

#endif							/* GPUAGG_REDUCE_CUH */
