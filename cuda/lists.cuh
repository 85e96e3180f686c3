/*
 * lists.cuh
 *	  The values of a batch's rows, each with its group's slot, into lists.
 *
 * Statistics such as percentiles and counts of distinct values need all of a group's values in
 * their order.  So once the groups of a batch are all there, its rows are computed once more, and
 * each that counts adds a pair to the Program's list of these values: the group's slot, and the
 * value as an unsigned integer of the same order.  The host has made room for all rows of the
 * batch.  At the end pairs are sorted (sort.cuh) and read (statistics.cuh, distinct.cuh).
 *
 * The generated code gives NLISTS, and a row's list_takes and list_values.
 */
#ifndef GPUAGG_LISTS_CUH
#define GPUAGG_LISTS_CUH

/* What a thread adds of the rows of a tile. */
typedef struct TilePairs
{
	uint32_t	slots[ROWS_AT_ONCE];
	bool		takes[ROWS_AT_ONCE][NLISTS];
	uint64_t	values[ROWS_AT_ONCE][NLISTS];
} TilePairs;

/* A row's slot, and which lists it goes into. */
DEVICE_FN void
pairs_of_row(const AggregateArgs *args, const Row *row, int step, TilePairs *pairs)
{
	uint32_t	slot = row->passes ? group_find(args, row->key) : 0;

	/* all groups are there */
	if (slot == GROUP_NONE)
		atomic_or_u32(&args->counters->errors, ERROR_INEXACT);
	pairs->slots[step] = slot;
	PRAGMA_UNROLL
	for (int i = 0; i < NLISTS; i++)
	{
		pairs->takes[step][i] = row->passes && slot != GROUP_NONE && row->list_takes[i];
		pairs->values[step][i] = row->list_values[i];
	}
}

/* A warp's pairs into a list, behind those that are there. */
DEVICE_FN void
pairs_add(const DeviceList *list, uint64_t *top, const TilePairs *pairs, int number)
{
	uint32_t	masks[ROWS_AT_ONCE];
	uint32_t	total = 0;
	uint64_t	place = 0;

	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
	{
		masks[i] = warp_ballot(FULL_MASK, pairs->takes[i][number]);
		total += bits_count_u32(masks[i]);
	}
	if (total == 0)
		return;
	if (lane_index() == 0)
		place = atomic_add_u64(top, total);
	place = warp_shfl_u64(FULL_MASK, place, 0);
	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
	{
		uint64_t	own = place + bits_count_u32(masks[i] & lanes_below());

		if (pairs->takes[i][number] && own < list->room)
		{
			list->slots[own] = pairs->slots[i];
			list->values[own] = pairs->values[i][number];
		}
		place += bits_count_u32(masks[i]);
	}
}

KERNEL(list_values, ListArgs, args)
{
	RowCursor	cursor = rows_begin(&args.rows, 1);
	Tile		tile;

	while (rows_tile(&args.rows, &cursor, &tile))
	{
		TilePairs	pairs;

		PRAGMA_UNROLL
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;

			rows_step(&args.rows, &cursor, &tile, step, &row);
			pairs_of_row(&args.rows, &row, step, &pairs);
		}
		PRAGMA_UNROLL
		for (int i = 0; i < NLISTS; i++)
			pairs_add(&args.lists[i], &args.tops[i], &pairs, i);
	}
}

#endif							/* GPUAGG_LISTS_CUH */
