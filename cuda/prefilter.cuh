/*
 * prefilter.cuh
 *	  A warp's rows for which the filter's first conditions are true.
 *
 * Where few rows pass, most of what a kernel does for each row would be done for rows that are
 * out, and a warp does it as long as one of its lanes has a row that is left.  So a thread
 * evaluates some conditions of PREFILTER_ROWS neighbouring rows at once, of which it loads
 * no other columns (prefilter_tile, which is generated).  Rows that are left are queued
 * in shared memory, and once there are as many as a warp has lanes, each lane takes one:
 * it loads its columns and evaluates all of it, the filter too, as any other row.
 *
 * Conditions that are evaluated first cannot be errors, and none that can be stands before them
 * in the filter.  So a row that is left out here neither passes nor is an error.  Rows of which
 * not all neighbours are there, and those of a list, are queued as they are.
 *
 * A block's rows stand behind one another, and in each round it takes PREFILTER_ROWS a thread.
 */
#ifndef GPUAGG_PREFILTER_CUH
#define GPUAGG_PREFILTER_CUH

#define PREFILTER_ROWS PACKED_ROWS
#define PREFILTER_ALL ((1u << PREFILTER_ROWS) - 1)

/* Rows that a warp has queued at most: less than it has lanes, and one for each lane. */
#define PREFILTER_QUEUE (2 * WARP_SIZE)

typedef struct PrefilterCursor
{
	uint32_t   *queue;			/* the warp's, of rows' places in the batch */
	uint32_t	queued;
	uint32_t	rounds;			/* that are yet to come */
	uint32_t	first;			/* row of the thread's in this round, */
	uint32_t	left;			/* and which of them are yet to be queued */
	TilePlace	tile;			/* of the next round */
} PrefilterCursor;

/* Are a thread's rows neighbours, all of which the batch has? */
DEVICE_FN bool
prefilter_asked(const RowBatch *batch, const TilePlace *tile)
{
	return SEGMENTS && batch->rows == NULL &&
		tile_first(batch, tile) + PREFILTER_ROWS <= batch->nrows;
}

/* Of which nothing is asked: those that are there. */
DEVICE_FN uint32_t
prefilter_unasked(const RowBatch *batch, const TilePlace *tile)
{
	uint64_t	first = tile_first(batch, tile);

	if (first >= batch->nrows)
		return 0;
	return PREFILTER_ALL >> (batch->nrows - first < PREFILTER_ROWS ?
							 PREFILTER_ROWS - (uint32_t) (batch->nrows - first) : 0);
}

DEVICE_FN PrefilterCursor
prefilter_begin(const AggregateArgs *args)
{
	SHARED uint32_t queue[PREFILTER_WARPS * PREFILTER_QUEUE];
	PrefilterCursor prefilter;
	uint32_t	round_rows = blockDim.x * PREFILTER_ROWS;
	uint64_t	rounds = (args->batch.nrows + round_rows - 1) / round_rows;
	uint32_t	begin = (uint32_t) (rounds * blockIdx.x / gridDim.x);

	prefilter.queue = queue + warp_index() * PREFILTER_QUEUE;
	prefilter.queued = 0;
	prefilter.rounds = (uint32_t) (rounds * (blockIdx.x + 1) / gridDim.x) - begin;
	prefilter.first = 0;
	prefilter.left = 0;
	prefilter.tile = tile_place(&args->batch, (uint64_t) begin * round_rows +
								threadIdx.x * PREFILTER_ROWS);
	return prefilter;
}

/* On to the next round's rows. */
DEVICE_FN void
prefilter_round(const AggregateArgs *args, PrefilterCursor *prefilter)
{
	prefilter->first = (uint32_t) tile_first(&args->batch, &prefilter->tile);
	prefilter->left = prefilter_tile(args, &prefilter->tile);
	tile_move(&args->batch, &prefilter->tile, blockDim.x * PREFILTER_ROWS);
	prefilter->rounds--;
}

/*
 * The place in the batch of a row of the lane's, if *valid.  False, for all lanes of a warp
 * alike: there are no more.
 */
DEVICE_FN bool
prefilter_next(const AggregateArgs *args, PrefilterCursor *prefilter, uint32_t *place, bool *valid)
{
	uint32_t	taken;

	PRAGMA_NO_UNROLL
	while (prefilter->queued < WARP_SIZE)
	{
		uint32_t	lanes = warp_ballot(FULL_MASK, prefilter->left != 0);

		if (lanes == 0 && prefilter->rounds == 0)
			break;
		if (lanes == 0)
		{
			prefilter_round(args, prefilter);
			continue;
		}
		if (prefilter->left != 0)
		{
			prefilter->queue[prefilter->queued + bits_count_u32(lanes & lanes_below())] =
				prefilter->first + bits_first_u32(prefilter->left) - 1;
			prefilter->left &= prefilter->left - 1;
		}
		prefilter->queued += bits_count_u32(lanes);
	}
	warp_sync(FULL_MASK);
	taken = prefilter->queued < WARP_SIZE ? prefilter->queued : WARP_SIZE;
	prefilter->queued -= taken;
	*valid = lane_index() < taken;
	*place = *valid ? prefilter->queue[prefilter->queued + lane_index()] : 0;
	/* what is queued next comes in their place */
	warp_sync(FULL_MASK);
	return taken > 0;
}

#endif							/* GPUAGG_PREFILTER_CUH */
