/*
 * peers.cuh
 *	  Strategy `peers`: lanes with the same key are merged before the table.
 *
 * Westphal, "Voting and Shuffling to Optimize Atomic Operations" (NVIDIA, 2015;
 * GTC session S5151): the lanes of a warp that have the same key are peers; a
 * tree over the ranks of peers, made of shuffles, merges their states into that
 * of the first one, which updates the table.  Best where rows with the same key
 * are near each other.
 *
 * Peers are found by __match_any_sync, or, for comparison, by Westphal's loop of
 * ballots over the distinct keys: on an H200 it is hardly ever faster
 * (bench/results/h200-kernels.md).
 */
#ifndef GPUAGG_PEERS_CUH
#define GPUAGG_PEERS_CUH

/* The lanes of the mask with the same word, found one word after another. */
DEVICE_FN uint32_t
peers_by_ballot(uint32_t mask, uint64_t word)
{
	uint32_t	unclaimed = mask;
	uint32_t	peers = 0;

	while (unclaimed != 0)
	{
		uint64_t	first = warp_shfl_u64(mask, word, bits_first_u32(unclaimed) - 1);
		uint32_t	same = warp_ballot(mask, word == first);

		if (word == first)
			peers = same;
		unclaimed &= ~same;
	}
	return peers;
}

/*
 * One round of the reduction: the lanes whose rank among their peers is even
 * take in the next peer, the others are done.  *peers: those behind the lane
 * that are not done; *rank: the lane's.  False once no lane has peers left.
 */
DEVICE_FN bool
peers_reduce_round(uint32_t mask, uint32_t *peers, uint32_t *rank, uint64_t *words)
{
	uint32_t	next = bits_first_u32(*peers);
	uint64_t	other[STATE_ROOM];

	if (!warp_any(mask, *peers != 0))
		return false;
	PRAGMA_UNROLL
	for (int i = 0; i < NWORDS; i++)
		other[i] = warp_shfl_u64(mask, words[i], next ? next - 1 : lane_index());
	if (next != 0)
		words_merge(words, other);
	*peers &= warp_ballot(mask, !(*rank & 1));
	*rank >>= 1;
	return true;
}

/* Merge the states of peers into that of the first of them. */
DEVICE_FN void
peers_reduce(uint32_t mask, uint32_t peers, uint64_t *words)
{
	uint32_t	rank = bits_count_u32(peers & lanes_below());
	uint32_t	behind = peers & ~lanes_below() & ~(1u << lane_index());

	while (peers_reduce_round(mask, &behind, &rank, words))
		;
}

/*
 * The lanes with the same key.  Tags of equal keys are equal, but not always
 * the other way round: a lane whose key differs from its first peer's stays
 * alone.
 */
DEVICE_FN uint32_t
peers_of_key(const AggregateArgs *args, const Row *row, uint32_t active, bool by_ballot)
{
	uint32_t	self = 1u << lane_index();
	uint32_t	peers = by_ballot ? peers_by_ballot(FULL_MASK, row->key[0]) :
		warp_match_u64(FULL_MASK, row->key[0]);

	peers = row->passes ? peers & active : self;
#if HAS_TAGGED_KEYS
	if (KEY_WORDS > 1)
	{
		uint32_t	first = bits_first_u32(peers) - 1;
		uint64_t	key[KEY_ROOM];
		bool		same;

		for (int i = 0; i < KEY_WORDS; i++)
			key[i] = warp_shfl_u64(FULL_MASK, row->key[i], first);
		same = !row->passes || key_same(args, key, row->key);
		peers &= warp_ballot(FULL_MASK, same);
		if (!same)
			peers = self;
	}
#endif
	return peers;
}

#if INTERPRETED
#define peers_update block_states_update
#define peers_merge block_states_merge
#else
#define peers_update group_update
#define peers_merge(peers) true
#endif

DEVICE_FN void
aggregate_by_peers(const AggregateArgs *args, bool by_ballot)
{
	RowCursor	cursor = rows_begin(args, 1);
	Tile		tile;

	while (rows_tile(args, &cursor, &tile))
	{
		PRAGMA_UNROLL
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;
			uint32_t	active;
			uint32_t	peers;
			uint32_t	first;
			uint32_t	slot = GROUP_NONE;

			rows_step(args, &cursor, &tile, step, &row);
			active = warp_ballot(FULL_MASK, row.passes);
			if (active == 0)
				continue;
			peers = peers_of_key(args, &row, active, by_ballot);
			if (!peers_merge(peers))
				peers = 1u << lane_index();
			peers_reduce(FULL_MASK, peers, row.words);
			first = bits_first_u32(peers) - 1;
			if (row.passes && lane_index() == first)
			{
				slot = group_find(args, row.key);
				if (slot != GROUP_NONE)
					peers_update(args, slot, row.words);
			}
			slot = warp_shfl_u32(FULL_MASK, slot, first);
			if (row.passes && slot == GROUP_NONE)
				row_undone(args, tile.index[step]);
			else if (row.passes)
				row_values(args, slot, &row);
		}
	}
	rows_end(args, &cursor);
}

DEVICE_FN void
aggregate_peers(const AggregateArgs *args)
{
	aggregate_by_peers(args, false);
}

DEVICE_FN void
aggregate_peers_ballot(const AggregateArgs *args)
{
	aggregate_by_peers(args, true);
}

#endif							/* GPUAGG_PEERS_CUH */
