/*
 * vote.cuh
 *	  Strategy `vote`: random keys, some of which have many rows.
 *
 * G-Atom's atomicVR: one lane's key is sampled, a ballot counts the lanes that
 * have it, and if they are many, they are reduced and updated at once, while
 * the others go by plain atomics.  Of N lanes, x with the key: the reduction
 * pays unless (N - x) + log2 x + s >= N, s being what the vote costs.
 *
 * A key that won is likely to win again.  So the warp keeps it, and its rows are
 * merged in each lane's registers until another key wins: then the lanes'
 * states are reduced and the group updated.
 */
#ifndef GPUAGG_VOTE_CUH
#define GPUAGG_VOTE_CUH

#include "scan.cuh"

/* s: the ballot and the shuffles that a vote takes. */
#define VOTE_COST 3

/* Do that many of n lanes save more than the vote costs? */
DEVICE_FN bool
vote_pays(uint32_t n, uint32_t x)
{
	uint32_t	log2 = x > 0 ? 31 - bits_leading_zeros_u32(x) : 0;

	return n - x + log2 + VOTE_COST < n;
}

/* Sample a lane's key; if it wins, it is the warp's. */
DEVICE_FN void
vote_sample(const AggregateArgs *args, Run *run, const Row *row, uint32_t active,
			uint32_t turn)
{
	uint32_t	behind = active & (FULL_MASK << (turn % WARP_SIZE));
	uint32_t	lane = bits_first_u32(behind ? behind : active) - 1;
	uint64_t	key[KEY_WORDS];
	uint32_t	same;

	for (int i = 0; i < KEY_WORDS; i++)
		key[i] = warp_shfl_u64(FULL_MASK, row->key[i], lane);
	same = warp_ballot(FULL_MASK, row->passes && key_same(args, row->key, key));
	if (!vote_pays(bits_count_u32(active), bits_count_u32(same)))
		return;
	run_flush(args, run);
	for (int i = 0; i < KEY_WORDS; i++)
		run->key[i] = key[i];
	if (lane_index() == 0)
		run->slot = group_find(args, key);
	run->slot = warp_shfl_u32(FULL_MASK, run->slot, 0);
}

DEVICE_FN void
aggregate_vote(const AggregateArgs *args)
{
	RowCursor	cursor = rows_begin(args, 1);
	Tile		tile;
	Run			run;
	uint32_t	turn = warp_index();

	run.slot = GROUP_NONE;
	words_identity(run.words);
	while (rows_tile(args, &cursor, &tile))
	{
		PRAGMA_UNROLL
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;
			uint32_t	active;
			bool		same;

			rows_step(args, &cursor, &tile, step, &row);
			active = warp_ballot(FULL_MASK, row.passes);
			if (active == 0)
				continue;
			same = run.slot != GROUP_NONE && row.passes && key_same(args, row.key, run.key);
			if (!vote_pays(bits_count_u32(active), bits_count_u32(warp_ballot(FULL_MASK, same))))
			{
				/* the sampled lane moves on by a step that meets all lanes */
				vote_sample(args, &run, &row, active, turn += 7);
				same = run.slot != GROUP_NONE && row.passes &&
					key_same(args, row.key, run.key);
			}
			if (same)
			{
				words_merge(run.words, row.words);
				row_values(args, run.slot, &row);
			}
			rows_aggregate(args, &row, row.passes && !same, tile.index[step]);
		}
	}
	run_flush(args, &run);
	rows_end(args, &cursor);
}

#endif							/* GPUAGG_VOTE_CUH */
