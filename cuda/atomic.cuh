/*
 * atomic.cuh
 *	  Strategy `atomic`: each row updates its group's state in the table.
 *
 * Plain reductions on L2 and device memory.  Best for random keys in large
 * numbers of groups; slow where many rows meet in one group.
 */
#ifndef GPUAGG_ATOMIC_CUH
#define GPUAGG_ATOMIC_CUH

#include "values.cuh"

/*
 * Take the rows of those lanes that have one into their groups, or leave them
 * undone; all lanes of a warp together.
 */
DEVICE_FN void
rows_aggregate(const AggregateArgs *args, const Row *row, bool takes, uint32_t index)
{
	uint32_t	slot = GROUP_NONE;

	if (takes)
		slot = group_find(args, row->key);
#if !TABLE_DIRECT
	/* some have looked at more slots than others */
	warp_sync(FULL_MASK);
#endif
	if (!takes)
		return;
	if (slot != GROUP_NONE)
	{
		group_update(args, slot, row->words);
		row_values(args, slot, row);
	}
	else
		row_undone(args, index);
}

DEVICE_FN void
aggregate_atomic(const AggregateArgs *args)
{
	RowCursor	cursor = rows_begin(args, 1);
	Tile		tile;

	while (rows_tile(args, &cursor, &tile))
	{
		PRAGMA_UNROLL
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;

			rows_step(args, &cursor, &tile, step, &row);
			rows_aggregate(args, &row, row.passes, tile.index[step]);
		}
	}
	rows_end(args, &cursor);
}

#endif							/* GPUAGG_ATOMIC_CUH */
