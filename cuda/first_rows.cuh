/*
 * first_rows.cuh
 *	  The rows that come first in each group, in an order (first_rows.h).
 *
 * Once the groups of a batch are all there, its rows are computed once more.  A group has NFIRST
 * numbers of entries, in their order.  An entry of a row goes from place to place: where it is
 * before the entry that is there, it takes its place by compare-and-swap, and goes on as the
 * other one.  What is at a place only comes to be before what was there.  So an entry that has
 * gone by a place has one before it there for ever, and in the end the first place has the
 * first entry of all, the second one the first of the others, and so on, whatever the order in
 * which threads come.  An entry that is not before the last one need not go in.  Nearly all
 * rows end there: by the group's bound, an old view of which only lets more of them go on.
 *
 * An entry is written once, before its number is in any place.  Entries that no place has are
 * garbage.  A row for which there is no room is told by a counter; the host has the entries that
 * are in use copied to where there is room (group_rows_copy), and runs the batch again.  A row
 * that comes a second time finds its own entry on its way, and ends there, or finds others
 * before it at all places.
 *
 * The generated code gives NFIRST, FIRST_WORDS and Row.entry.
 */
#ifndef GPUAGG_FIRST_ROWS_CUH
#define GPUAGG_FIRST_ROWS_CUH

#define FIRST_KEYS (FIRST_WORDS - 1)

DEVICE_FN uint64_t *
first_entry(const DeviceFirstRows *first, uint32_t ref)
{
	return first->entries + (uint64_t) ref * FIRST_WORDS;
}

DEVICE_FN uint32_t *
first_refs(const DeviceFirstRows *first, uint32_t slot)
{
	return first->refs + (uint64_t) slot * NFIRST;
}

/* What can be said of an entry in 64 bits, in an order in which none before it has more. */
DEVICE_FN uint64_t
first_bound(const uint64_t *entry)
{
#if FIRST_KEYS == 0
	return entry[0];
#else
	uint64_t	rank = entry[0] >> 62;

	return rank == RANK_VALUE ? entry[1] : rank < RANK_VALUE ? 0 : UINT64_MAX;
#endif
}

/* Is it before the last of its group's entries? */
DEVICE_FN bool
first_is_wanted(const DeviceFirstRows *first, uint32_t slot, const uint64_t *entry)
{
	uint32_t	last;

	if (first_bound(entry) > first->bounds[slot])
		return false;
	last = load_volatile_u32(&first_refs(first, slot)[NFIRST - 1]);
	if (last == FIRST_NONE)
		return true;
	fence_device();
	return first_row_is_before(entry, first_entry(first, last), FIRST_KEYS);
}

/* An entry into its group. */
DEVICE_FN void
first_insert(const DeviceFirstRows *first, uint32_t slot, uint32_t own)
{
	uint32_t   *refs = first_refs(first, slot);
	int			place = 0;

	while (place < NFIRST)
	{
		const uint64_t *entry = first_entry(first, own);
		uint32_t	seen = load_volatile_u32(&refs[place]);

		if (seen != FIRST_NONE)
		{
			const uint64_t *other = first_entry(first, seen);

			fence_device();
			/* places differ between rows */
			if (entry[0] == other[0])
				return;
			if (!first_row_is_before(entry, other, FIRST_KEYS))
			{
				place++;
				continue;
			}
		}
		if (atomic_cas_u32(&refs[place], seen, own) != seen)
			continue;
		if (place == NFIRST - 1)
			(void) atomic_min_u64(&first->bounds[slot], first_bound(entry));
		if (seen == FIRST_NONE)
			return;
		own = seen;
		place++;
	}
}

/* Numbers of entries for the lanes that want one; all lanes of a warp together. */
DEVICE_FN uint64_t
first_room(const DeviceFirstRows *first, bool wanted)
{
	uint32_t	mask = warp_ballot(FULL_MASK, wanted);
	uint64_t	number = first->room;

	if (mask == 0)
		return number;
	if (lane_index() == 0 && load_volatile_u64(first->top) < first->room)
		number = atomic_add_u64(first->top, bits_count_u32(mask));
	return warp_shfl_u64(FULL_MASK, number, 0) + bits_count_u32(mask & lanes_below());
}

/* The entries of those lanes that take one into their groups. */
DEVICE_FN void
first_take(const FirstRowsArgs *args, uint32_t slot, const uint64_t *entry, bool takes)
{
	uint64_t	number = first_room(&args->first, takes);

	if (!takes)
		return;
	if (number >= args->first.room)
	{
		args->rows.counters->first_missed = 1;
		return;
	}
	for (int i = 0; i < FIRST_WORDS; i++)
		first_entry(&args->first, (uint32_t) number)[i] = entry[i];
	fence_device();
	first_insert(&args->first, slot, (uint32_t) number);
}

KERNEL(group_rows_take, FirstRowsArgs, args)
{
	RowCursor	cursor = rows_begin(&args.rows, 1);
	Tile		tile;

	while (rows_tile(&args.rows, &cursor, &tile))
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;
			uint32_t	slot;

			rows_step(&args.rows, &cursor, &tile, step, &row);
			slot = row.passes ? group_find(&args.rows, row.key) : GROUP_NONE;
			/* all groups are there */
			if (row.passes && slot == GROUP_NONE)
				atomic_or_u32(&args.rows.counters->errors, ERROR_INEXACT);
			warp_sync(FULL_MASK);
			first_take(&args, slot, row.entry,
					   slot != GROUP_NONE && first_is_wanted(&args.first, slot, row.entry));
			warp_sync(FULL_MASK);
		}
}

/* The entries that are in use, to where there is room for them. */
KERNEL(group_rows_copy, FirstRowsArgs, args)
{
	uint64_t	n = args.capacity * NFIRST;
	uint64_t	rounds = (n + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;

	/* whole warps, since they take numbers together */
	for (uint64_t i = grid_index(); i < rounds; i += grid_size())
	{
		uint32_t	ref = i < n ? args.first.refs[i] : FIRST_NONE;
		uint64_t	number = first_room(&args.first, ref != FIRST_NONE);

		if (ref == FIRST_NONE)
			continue;
		for (int j = 0; j < FIRST_WORDS; j++)
			first_entry(&args.first, (uint32_t) number)[j] = first_entry(&args.old, ref)[j];
		args.first.refs[i] = (uint32_t) number;
	}
}

/* The groups have moved to a larger table: moved[slot] is each one's new slot. */
KERNEL(group_rows_move, FirstRowsArgs, args)
{
	for (uint64_t slot = grid_index(); slot < args.capacity; slot += grid_size())
	{
		const uint32_t *from = first_refs(&args.old, (uint32_t) slot);

		if (from[0] == FIRST_NONE)
			continue;
		for (int i = 0; i < NFIRST; i++)
			first_refs(&args.first, args.moved[slot])[i] = from[i];
		args.first.bounds[args.moved[slot]] = args.old.bounds[slot];
	}
}

#endif							/* GPUAGG_FIRST_ROWS_CUH */
