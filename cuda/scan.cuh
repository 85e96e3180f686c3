/*
 * scan.cuh
 *	  Strategy `scan`: for sorted or clustered keys.
 *
 * G-Atom's atomicSR: a segmented scan over neighbouring lanes with equal keys
 * leaves each run's sum in its last lane, which alone updates the table.
 *
 * Runs are often longer than a warp.  So the warp keeps the key of its last
 * run, and as long as all rows have it, each lane merges into a state of its
 * own, in registers, without shuffles; only where the run ends are the lanes'
 * states merged and the table updated.
 */
#ifndef GPUAGG_SCAN_CUH
#define GPUAGG_SCAN_CUH

/* Tiles of a warp's chunk: long runs stay in one warp. */
#define SCAN_CHUNK_TILES 64

/* Small rows with small keys: look at a tile as a whole first. */
#define SCAN_WHOLE_TILES (ROWS_AT_ONCE == 4 && KEY_WORDS == 1)

/* The run that a warp is in; all but words is the same in all lanes. */
typedef struct Run
{
	uint64_t	key[KEY_WORDS];
	uint64_t	words[NWORDS];	/* of this lane */
	uint32_t	slot;			/* GROUP_NONE: no run */
} Run;

/* Merge the lanes' states and update the run's group. */
DEVICE_FN void
run_flush(const AggregateArgs *args, Run *run)
{
	if (run->slot == GROUP_NONE)
		return;
	words_reduce_warp(run->words);
	if (lane_index() == 0)
		group_update(args, run->slot, run->words);
	words_identity(run->words);
	run->slot = GROUP_NONE;
}

/*
 * Give lanes whose row does not pass the key of the nearest one below that
 * does, or above if there is none: they then interrupt no run.
 */
DEVICE_FN void
scan_fill_keys(uint32_t active, uint64_t *key)
{
	uint32_t	below = active & (lanes_below() | (1u << lane_index()));
	uint32_t	from = below ? 31 - bits_leading_zeros_u32(below) : bits_first_u32(active) - 1;

	for (int i = 0; i < KEY_WORDS; i++)
		key[i] = warp_shfl_u64(FULL_MASK, key[i], from);
}

/* The lanes at which a run of equal keys begins. */
DEVICE_FN uint32_t
scan_heads(const AggregateArgs *args, const uint64_t *key)
{
	uint64_t	before[KEY_WORDS];

	for (int i = 0; i < KEY_WORDS; i++)
		before[i] = warp_shfl_up_u64(FULL_MASK, key[i], 1);
	return warp_ballot(FULL_MASK, lane_index() == 0 || !key_same(args, before, key));
}

/* Inclusive scan of states within segments that begin at the heads. */
DEVICE_FN void
scan_segments(uint32_t heads, uint64_t *words)
{
	uint32_t	lane = lane_index();
	uint32_t	start = 31 - bits_leading_zeros_u32(heads & (lanes_below() | (1u << lane)));

	for (uint32_t delta = 1; delta < WARP_SIZE; delta *= 2)
	{
		uint64_t	other[NWORDS];

		PRAGMA_UNROLL
		for (int i = 0; i < NWORDS; i++)
			other[i] = warp_shfl_up_u64(FULL_MASK, words[i], delta);
		if (lane >= start + delta)
			words_merge(words, other);
	}
}

/*
 * Where the run ends and the next one begins: all rows are of the run's key, or
 * of that of the last row.  The usual case of scan_step in sorted rows, without
 * a scan.  False if there are other rows.
 */
DEVICE_FN bool
scan_next_run(const AggregateArgs *args, Run *run, const Row *row, uint32_t active,
			  uint32_t index)
{
	uint32_t	last = 31 - bits_leading_zeros_u32(active);
	uint64_t	key[KEY_WORDS];
	uint32_t	slot = GROUP_NONE;
	bool		old;
	bool		next;

	for (int i = 0; i < KEY_WORDS; i++)
		key[i] = warp_shfl_u64(FULL_MASK, row->key[i], last);
	old = row->passes && run->slot != GROUP_NONE && key_same(args, row->key, run->key);
	next = row->passes && !old && key_same(args, row->key, key);
	if (!warp_all(FULL_MASK, !row->passes || old || next))
		return false;
	if (old)
	{
		words_merge(run->words, row->words);
		row_values(args, run->slot, row);
	}
	run_flush(args, run);
	if (lane_index() == last)
		slot = group_find(args, key);
	run->slot = warp_shfl_u32(FULL_MASK, slot, last);
	for (int i = 0; i < KEY_WORDS; i++)
		run->key[i] = key[i];
	if (!next)
		return true;
	if (run->slot == GROUP_NONE)
		row_undone(args, index);
	else
	{
		words_merge(run->words, row->words);
		row_values(args, run->slot, row);
	}
	return true;
}

/*
 * Rows of several keys, or of another than the run's: all segments but the last
 * update the table, the last one becomes the warp's run.
 */
DEVICE_FN void
scan_step(const AggregateArgs *args, Run *run, Row *row, uint32_t active, uint32_t index)
{
	uint32_t	lane = lane_index();
	uint64_t	own[NWORDS];
	uint32_t	heads;
	uint32_t	behind;
	uint32_t	last;
	uint32_t	slot = GROUP_NONE;

	if (scan_next_run(args, run, row, active, index))
		return;
	run_flush(args, run);
	scan_fill_keys(active, row->key);
	heads = scan_heads(args, row->key);
	behind = heads & ~lanes_below() & ~(1u << lane);
	last = behind ? bits_first_u32(behind) - 2 : WARP_SIZE - 1;
	for (int i = 0; i < NWORDS; i++)
		own[i] = row->words[i];
	scan_segments(heads, row->words);
	if (lane == last)
	{
		slot = group_find(args, row->key);
		if (slot != GROUP_NONE && behind != 0)
			group_update(args, slot, row->words);
	}
	slot = warp_shfl_u32(FULL_MASK, slot, last);
	if (row->passes && slot == GROUP_NONE)
		row_undone(args, index);
	else if (row->passes)
		row_values(args, slot, row);
	run->slot = warp_shfl_u32(FULL_MASK, slot, WARP_SIZE - 1);
	for (int i = 0; i < KEY_WORDS; i++)
		run->key[i] = warp_shfl_u64(FULL_MASK, row->key[i], WARP_SIZE - 1);
	if (behind == 0 && run->slot != GROUP_NONE)
		for (int i = 0; i < NWORDS; i++)
			run->words[i] = own[i];
}

/*
 * Merge the rows of a tile into the run, if all lanes' rows belong to it.  Keys
 * are looked at first, with one vote for all steps; of rows whose keys or values
 * are long to compute that would be more work than it saves.
 */
DEVICE_FN bool
scan_tile(const AggregateArgs *args, RowCursor *cursor, const Tile *tile, Run *run)
{
	bool		same = true;
	Row			row;

	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
	{
		row_eval(args, &tile->raw[i], tile->index[i], &row);
		same = same && (!row.passes || key_same(args, row.key, run->key));
	}
	if (!warp_all(FULL_MASK, same))
		return false;
	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
	{
		rows_eval(args, cursor, &tile->raw[i], tile->index[i], true, &row);
		words_merge(run->words, row.words);
		if (row.passes)
			row_values(args, run->slot, &row);
	}
	return true;
}

/*
 * Merge the rows of a step into the run, if all lanes' rows belong to it.  False:
 * they do not; *active are the lanes whose rows pass.
 */
DEVICE_FN bool
scan_merge(const AggregateArgs *args, Run *run, const Row *row, uint32_t *active)
{
	if (run->slot != GROUP_NONE &&
		warp_all(FULL_MASK, !row->passes || key_same(args, row->key, run->key)))
	{
		words_merge(run->words, row->words);
		if (row->passes)
			row_values(args, run->slot, row);
		return true;
	}
	*active = warp_ballot(FULL_MASK, row->passes);
	return *active == 0;
}

/*
 * The steps of a whole tile, from `step` on, as long as all lanes' rows belong to
 * the run.  Gives the step at which they do not, its rows in *row, their numbers
 * in *index, or ROWS_AT_ONCE.
 */
DEVICE_FN int
scan_whole(const AggregateArgs *args, RowCursor *cursor, const Tile *tile, int step,
		   Run *run, Row *row, uint32_t *index, uint32_t *active)
{
	int			stop = ROWS_AT_ONCE;

	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
	{
		if (i < step || stop < ROWS_AT_ONCE)
			continue;
		rows_eval(args, cursor, &tile->raw[i], tile->index[i], true, row);
		if (!scan_merge(args, run, row, active))
		{
			*index = tile->index[i];
			stop = i;
		}
	}
	return stop;
}

/* The same of a tile of which not all rows are there: there are few such tiles. */
DEVICE_FN int
scan_partial(const AggregateArgs *args, RowCursor *cursor, int step, Run *run, Row *row,
			 uint32_t *index, uint32_t *active)
{
	PRAGMA_NO_UNROLL
	for (; step < ROWS_AT_ONCE; step++)
	{
		Raw			raw;
		bool		valid = rows_load_step(args, cursor, step, &raw, index);

		rows_eval(args, cursor, &raw, *index, valid, row);
		if (!scan_merge(args, run, row, active))
			break;
	}
	return step;
}

/* There is one copy of scan_step: it is long, and rarely needed. */
DEVICE_FN void
aggregate_scan(const AggregateArgs *args)
{
	RowCursor	cursor = rows_begin(args, SCAN_CHUNK_TILES);
	Tile		tile;
	Run			run;

	run.slot = GROUP_NONE;
	words_identity(run.words);
	while (rows_more(args, &cursor))
	{
		bool		whole = rows_whole(args, &cursor);

		if (whole)
			rows_load_whole(args, &cursor, &tile);
		else
			cursor.next += TILE_ROWS;
		if (SCAN_WHOLE_TILES && whole && run.slot != GROUP_NONE &&
			scan_tile(args, &cursor, &tile, &run))
			continue;
		for (int step = 0;; step++)
		{
			Row			row;
			uint32_t	active;
			uint32_t	index = 0;

			step = whole ?
				scan_whole(args, &cursor, &tile, step, &run, &row, &index, &active) :
				scan_partial(args, &cursor, step, &run, &row, &index, &active);
			if (step == ROWS_AT_ONCE)
				break;
			scan_step(args, &run, &row, active, index);
		}
	}
	run_flush(args, &run);
	rows_end(args, &cursor);
}

#endif							/* GPUAGG_SCAN_CUH */
