/*
 * block.cuh
 *	  Strategy `block`: a table of the block's own in shared memory.
 *
 * Rows update a private table of few slots, which is merged into the group
 * table at the end: the histogram technique.  Atomics on shared memory cost a
 * tenth of those on L2, and do not meet those of other blocks.
 *
 * What is left to meet are lanes of one block with one key: so each state has
 * `block_replicas` copies, a lane's own one chosen by its number, for as long as
 * there is room; a warp's lanes then find different banks, too.
 *
 * The private table never grows.  It takes the keys that come first, or, where
 * there are far more groups than slots, those that a sample found to be
 * frequent (args->frequent); rows of other keys update the group table directly.
 * A key is only taken in together with its slot of the group table, so merging
 * cannot fail.  A group table that is addressed directly and small enough has a
 * private table of the same form, without keys.
 *
 * Rows go two ways.  Those whose keys have private slots, nearly all, are taken in
 * as they come, by code that is written out for each step of a tile; the others
 * are computed again behind the tile, by one piece of code that can find slots and
 * groups.
 *
 * Extremes that are kept by reference have no copies in private tables: nearly
 * all rows only compare a word with the group's, which any cache has.
 *
 * Dynamic shared memory: states, word by word, slot by slot, copy by copy; then
 * keys; then slots of the group table.  See choose_block_size in choose.c.
 */
#ifndef GPUAGG_BLOCK_CUH
#define GPUAGG_BLOCK_CUH

#define BLOCK_MAX_PROBES 8

typedef struct BlockTable
{
	uint64_t   *states;
	uint64_t   *keys;			/* KEY_WORDS == 1: keys; else a part of the hash,
								 * and the group's slot in the low half */
	uint32_t   *groups;			/* KEY_WORDS == 1: the group's slot */
	uint32_t	slots;
	uint32_t	replicas;
} BlockTable;

DEVICE_FN BlockTable
block_table(const AggregateArgs *args, uint64_t *shared)
{
	BlockTable	table;

	table.slots = args->block_slots;
	table.replicas = args->block_replicas;
	table.states = shared;
	table.keys = shared + (uint64_t) NWORDS * table.slots * table.replicas;
	table.groups = (uint32_t *) (table.keys + table.slots);
	return table;
}

/* All threads of the block. */
DEVICE_FN void
block_table_init(const BlockTable *table)
{
	uint32_t	copies = table->slots * table->replicas;

	for (uint32_t i = threadIdx.x; i < copies; i += blockDim.x)
		for (int word = 0; word < NWORDS; word++)
			table->states[(uint32_t) word * copies + i] = word_start(word);
	for (uint32_t i = threadIdx.x; i < table->slots && !BLOCK_DIRECT; i += blockDim.x)
	{
		table->keys[i] = SLOT_EMPTY;
#if KEY_WORDS == 1
		table->groups[i] = GROUP_NONE;
#endif
	}
	block_sync();
}

/* May a key have a place in private tables? */
DEVICE_FN bool
block_admits(const AggregateArgs *args, const uint64_t *key)
{
#if TABLE_DIRECT
	uint32_t	bit = FREQUENT_BIT(key[0]);
#else
	uint32_t	bit = FREQUENT_BIT(key_hash(key));
#endif

	return args->frequent == NULL || ((args->frequent[bit / 32] >> (bit % 32)) & 1);
}

/* What stands in the private table for a key with that slot of the group table. */
DEVICE_FN uint64_t
block_entry(const uint64_t *key, uint32_t group)
{
#if KEY_WORDS == 1
	return key[0];
#else
	return (key_hash(key) >> 22 << 32) | group;
#endif
}

DEVICE_FN bool
block_entry_is(const AggregateArgs *args, uint64_t entry, const uint64_t *key)
{
#if KEY_WORDS == 1
	return entry == key[0];
#else
	return entry != SLOT_EMPTY && (entry >> 32) == (uint32_t) (key_hash(key) >> 22) &&
		key_is(args, key, group_slot(&args->table, (uint32_t) entry));
#endif
}

/* The private slot of a key that has one already, or GROUP_NONE. */
DEVICE_FN uint32_t
block_lookup(const AggregateArgs *args, const BlockTable *table, const uint64_t *key)
{
	uint32_t	slot = (uint32_t) (key_hash(key) >> 8) & (table->slots - 1);

	if (BLOCK_DIRECT)
		return key[0] < table->slots ? (uint32_t) key[0] : GROUP_NONE;
	if (!block_admits(args, key))
		return GROUP_NONE;
	for (uint32_t probe = 0; probe < BLOCK_MAX_PROBES; probe++)
	{
		uint64_t	entry = load_volatile_u64(&table->keys[slot]);

		/* a key out of a direct table's range may look like an empty slot */
		if (entry == SLOT_EMPTY)
			return GROUP_NONE;
		if (block_entry_is(args, entry, key))
			return slot;
		slot = (slot + 1) & (table->slots - 1);
	}
	return GROUP_NONE;
}

/*
 * The private slot of a key, which now gets one if it may, or GROUP_NONE.  *group:
 * its slot of the group table, if that had to be looked for.
 */
DEVICE_FN uint32_t
block_find(const AggregateArgs *args, const BlockTable *table, const uint64_t *key,
		   uint32_t *group)
{
	uint32_t	slot = (uint32_t) (key_hash(key) >> 8) & (table->slots - 1);

	*group = GROUP_NONE;
#if TABLE_DIRECT
	if (key[0] >= args->table.capacity || BLOCK_DIRECT)
		return GROUP_NONE;
#endif
	if (!block_admits(args, key))
	{
		*group = group_find(args, key);
		return GROUP_NONE;
	}
	for (uint32_t probe = 0; probe < BLOCK_MAX_PROBES; probe++)
	{
		uint64_t	entry = load_volatile_u64(&table->keys[slot]);

		if (entry == SLOT_EMPTY)
		{
			if (*group == GROUP_NONE)
				*group = group_find(args, key);
			if (*group == GROUP_NONE)
				return GROUP_NONE;
			entry = atomic_cas_u64(&table->keys[slot], SLOT_EMPTY,
								   block_entry(key, *group));
			if (entry == SLOT_EMPTY)
			{
#if KEY_WORDS == 1
				table->groups[slot] = *group;
#endif
				return slot;
			}
		}
		if (block_entry_is(args, entry, key))
			return slot;
		slot = (slot + 1) & (table->slots - 1);
	}
	if (*group == GROUP_NONE)
		*group = group_find(args, key);
	return GROUP_NONE;
}

/*
 * The group of a private slot, or GROUP_NONE if it has none, or whoever claimed
 * it has not said yet.
 */
DEVICE_FN uint32_t
block_group(const BlockTable *table, uint32_t slot)
{
	if (BLOCK_DIRECT)
		return slot;
#if KEY_WORDS == 1
	return load_volatile_u32(&table->groups[slot]);
#else
	return (uint32_t) load_volatile_u64(&table->keys[slot]);
#endif
}

/* Take a row into a private slot's state, and its values into those of its group. */
DEVICE_FN void
block_update(const AggregateArgs *args, const BlockTable *table, uint32_t slot,
			 uint32_t group, const Row *row)
{
	words_add_shared(table->states + slot * table->replicas +
					 (lane_index() & (table->replicas - 1)),
					 table->slots * table->replicas, row->words);
	row_values(args, group, row);
}

/*
 * Take in the warp's rows whose keys are in the private table, all lanes
 * together.  False: the lane's row passes, and has not been taken in.
 */
DEVICE_FN bool
block_take(const AggregateArgs *args, const BlockTable *table, const Row *row)
{
	uint32_t	slot = GROUP_NONE;
	uint32_t	group = GROUP_NONE;

	if (row->passes)
		slot = block_lookup(args, table, row->key);
	/* some have looked at more slots than others */
	if (!BLOCK_DIRECT)
		warp_sync(FULL_MASK);
	if (slot == GROUP_NONE)
		return !row->passes;
	if (NVALUES > 0)
	{
		group = block_group(table, slot);
		if (group == GROUP_NONE)
			return false;
	}
	block_update(args, table, slot, group, row);
	return true;
}

/* Take in the warp's rows that pass, wherever their groups are. */
DEVICE_FN void
block_place(const AggregateArgs *args, const BlockTable *table, const Row *row,
			uint32_t index)
{
	uint32_t	group = GROUP_NONE;
	uint32_t	slot = GROUP_NONE;

	if (row->passes)
		slot = block_find(args, table, row->key, &group);
	if (!BLOCK_DIRECT)
		warp_sync(FULL_MASK);
	if (!row->passes)
		return;
	if (slot != GROUP_NONE)
	{
		if (NVALUES > 0 && group == GROUP_NONE)
			group = group_find(args, row->key);
		block_update(args, table, slot, group, row);
	}
	else if (group != GROUP_NONE)
	{
		group_update(args, group, row->words);
		row_values(args, group, row);
	}
	else
		row_undone(args, index);
}

/*
 * Compute the rows of the last tile's missed steps once more, and place them:
 * few, and one piece of code for all steps.
 */
DEVICE_FN void
block_missed(const AggregateArgs *args, const BlockTable *table, const RowCursor *cursor,
			 uint32_t missed)
{
	PRAGMA_NO_UNROLL
	for (int step = 0; step < ROWS_AT_ONCE; step++)
	{
		bool		again = ((missed >> step) & 1) != 0;
		uint32_t	index = 0;
		Raw			raw;
		Row			row;

		if (!warp_any(FULL_MASK, again))
			continue;
		row.passes = false;
		if (again && rows_load_step(args, cursor, step, &raw, &index))
			row_eval(args, &raw, index, &row);
		block_place(args, table, &row, index);
	}
}

/* All threads of the block: merge the copies of each state, update its group. */
DEVICE_FN void
block_table_merge(const AggregateArgs *args, const BlockTable *table)
{
	uint32_t	copies = table->slots * table->replicas;

	block_sync();
	for (uint32_t slot = threadIdx.x; slot < table->slots; slot += blockDim.x)
	{
		uint32_t	group = block_group(table, slot);
		uint64_t	words[NWORDS];

		if (group == GROUP_NONE)
			continue;
		words_identity(words);
		for (uint32_t copy = 0; copy < table->replicas; copy++)
		{
			uint64_t	other[NWORDS];

			for (int word = 0; word < NWORDS; word++)
				other[word] = table->states[(uint32_t) word * copies +
											slot * table->replicas + copy];
			words_merge(words, other);
		}
		group_update(args, group, words);
	}
}

/* The bits of the sample's frequent keys, one thread a key. */
KERNEL(frequent_bits, AggregateArgs, args)
{
	uint64_t	i = grid_index();
	uint32_t	bit;

	if (i >= args.nfrequent)
		return;
#if TABLE_DIRECT
	bit = FREQUENT_BIT(args.sampled[i].isnull ? 0 : direct_key(&args, args.sampled[i].value));
#elif DIRECT_POSSIBLE
	{
		uint64_t	key[KEY_WORDS];

		key_from_direct(args.sampled[i].value, args.sampled[i].isnull, key);
		bit = FREQUENT_BIT(key_hash(key));
	}
#else
	bit = FREQUENT_BIT(args.sampled[i].hash);
#endif
	atomic_or_u32(&args.frequent[bit / 32], UINT32_C(1) << (bit % 32));
}

/*
 * A block's rows stand behind one another: of clustered keys it then meets few.
 * In each round its warps take a tile each.
 */
DEVICE_FN void
aggregate_block(const AggregateArgs *args)
{
	DYNAMIC_SHARED(uint64_t, shared);
	BlockTable	table = block_table(args, shared);
	uint32_t	round_rows = blockDim.x * ROWS_AT_ONCE;
	uint64_t	rounds = (args->batch.nrows + round_rows - 1) / round_rows;
	uint32_t	round = (uint32_t) (rounds * blockIdx.x / gridDim.x);
	uint32_t	end = (uint32_t) (rounds * (blockIdx.x + 1) / gridDim.x);
	RowCursor	cursor = rows_begin(1);
	Tile		tile;

	cursor.next = (uint64_t) round * round_rows + warp_index() * TILE_ROWS;
	block_table_init(&table);
	for (; round < end && cursor.next < args->batch.nrows; round++)
	{
		uint32_t	missed = 0;

		rows_load(args, &cursor, &tile);
		PRAGMA_UNROLL
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;

			rows_step(args, &cursor, &tile, step, &row);
			if (!block_take(args, &table, &row))
				missed |= 1u << step;
		}
		if (warp_any(FULL_MASK, missed != 0))
			block_missed(args, &table, &cursor, missed);
		cursor.next += round_rows - TILE_ROWS;
	}
	rows_end(args, &cursor);
	block_table_merge(args, &table);
}

#endif							/* GPUAGG_BLOCK_CUH */
