/*
 * block.cuh
 *	  Strategy `block`: a table of the block's own in shared memory.
 *
 * Rows update a private table of few slots, which is merged into the group
 * table at the end: the histogram technique.  Atomics on shared memory cost a
 * tenth of those on L2, and do not meet those of other blocks.
 *
 * What is left to meet are lanes of one warp with one key.  So each state has
 * `block_replicas` copies, a lane's own one chosen by its number, for as long as
 * there is room; and a single key that has many of the rows, as a sample found, has
 * a copy for each lane (args->block_hot).  Where equal keys that stand near each other
 * would meet nevertheless, a warp's lanes take rows from several places of the block's
 * (args->block_places); else from one, for the caches' sake.
 *
 * The private table never grows.  It takes the keys that come first, or, where
 * there are far more groups than slots, those that a sample found to be
 * frequent (args->frequent); rows of other keys update the group table directly.
 * A key is only taken in together with its slot of the group table, so merging
 * cannot fail.  A group table that is addressed directly and small enough has a
 * private table of the same form, without keys.
 *
 * Slots with keys are in buckets of 16 bytes of keys, which one load reads.  A key is
 * looked for from its bucket's first slot on, and taken in by the first one that is
 * empty.  So a bucket whose last slot is empty has all of its keys, and with slots for
 * four times as many groups hardly a key is in another bucket than its own.
 *
 * Rows go two ways.  A thread takes BLOCK_ROWS neighbouring rows at once by loads of
 * up to 16 bytes, and those whose keys have private slots and whose values are as
 * nearly all are, as they come.  The others, and what is no whole tile, are computed
 * again row by row, by one piece of code that can find slots and groups.
 *
 * Where conditions are evaluated first, a thread takes one row at once, for which these are
 * true (prefilter.cuh).
 *
 * Extremes that are kept by reference have no copies in private tables: nearly
 * all rows only compare a word with the group's, which any cache has.
 *
 * Strategy `scatter` has private tables of the same form, but for BLOCK_CLAIMS: a key
 * gets a private slot without one of the group table, and what is missed goes to that
 * directly (scatter.cuh).
 *
 * Dynamic shared memory: the arrays of words (block_words.cuh), each of the slots'
 * copies, then the hot key's, one for each lane, then others for rows that are missed,
 * then of nothing; keys; slots of the group table.  See choose_block_size.
 */
#ifndef GPUAGG_BLOCK_CUH
#define GPUAGG_BLOCK_CUH

#define BLOCK_MAX_BUCKETS 4

/* With keys, a slot behind the others: see block_home. */
#define BLOCK_NULL_SLOT (BLOCK_DIRECT ? 0 : 1)
#define BLOCK_KEYS(slots) ((slots) + BLOCK_BUCKET)	/* its bucket is whole, too */

/*
 * What stands for a key: of 32 bits the key itself, or, of a larger one, itself if
 * it is one word, and key_word's of a tag and one word; else a part of its hash, with the
 * group's slot in the low half.  A key that looks like BLOCK_EMPTY, as hardly any does,
 * has no private slot.  NULL, where a value has all 32 bits, has a slot of its own, in
 * which BLOCK_NULL stands; a value may look like that.
 */
#if BLOCK_KEY32
typedef uint32_t BlockKey;
#define BLOCK_EMPTY (TABLE_DIRECT ? UINT32_MAX : 0x9e3779b9u)
#define BLOCK_NULL 0x9e3779bau
#define block_cas atomic_cas_u32
#define block_load load_volatile_u32
#define block_load_bucket shared_load_u32x4
#else
typedef uint64_t BlockKey;
#define BLOCK_EMPTY UINT64_MAX
#define block_cas atomic_cas_u64
#define block_load load_volatile_u64
#define block_load_bucket shared_load_u64x2
#endif

/* Do equal entries tell that keys are equal? */
#define BLOCK_WORD_KEYS (KEY_WORDS == 1 || BLOCK_KEY64)

/* Keys of a bucket; see choose.c, too. */
#define BLOCK_BUCKET (16 / (int) sizeof(BlockKey))

typedef struct BlockTable
{
	uint32_t   *states;
	BlockKey   *keys;
	uint32_t   *groups;			/* BLOCK_WORD_KEYS: the group's slot */
	uint32_t	slots;
	uint32_t	base;			/* without keys: of the group table, what comes before
								 * slot 1; NULL's slot is 0 if it is 0 */
	uint32_t	replicas;
	uint32_t	lane;			/* the lane's among a slot's copies */
	uint32_t	hot;			/* the lane's place for the hot key */
	BlockKey	hot_key;
} BlockTable;

/* And for rows that are missed. */
#define BLOCK_MISSED(table) ((table)->hot + WARP_SIZE)

/* For rows that do not pass: where another lane's missed rows go, which nobody reads either. */
#define BLOCK_NONE(table) \
	((table)->hot - lane_index() + WARP_SIZE + (lane_index() + 1) % WARP_SIZE)

DEVICE_FN BlockTable
block_table(const AggregateArgs *args, uint32_t *shared)
{
	BlockTable	table;

	table.slots = args->block_slots;
	table.base = 0;
	table.replicas = args->block_replicas;
	table.hot = (table.slots + BLOCK_NULL_SLOT) * table.replicas + lane_index();
	table.lane = lane_index() & (table.replicas - 1);
	table.states = shared;
	table.keys = (BlockKey *) (shared + (BLOCK_WORDS * BLOCK_COPIES + 3) / 4 * 4);
	table.groups = (uint32_t *) (table.keys + BLOCK_KEYS(table.slots));
	return table;
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
DEVICE_FN BlockKey
block_entry(const AggregateArgs *args, const uint64_t *key, uint32_t group)
{
#if TABLE_DIRECT
	return key[0] < args->table.capacity ? (uint32_t) key[0] : BLOCK_EMPTY;
#elif BLOCK_KEY32
	return key[0] >> 32 != 0 ? BLOCK_NULL : (uint32_t) key[0];
#elif KEY_WORDS == 1
	return (BlockKey) key[0];
#elif BLOCK_KEY64
	return key_word(key);
#else
	return (key_hash(key) >> 22 << 32) | group;
#endif
}

/* Is an entry that of the key, which would have `own` itself? */
DEVICE_FN bool
block_entry_is(const AggregateArgs *args, BlockKey entry, BlockKey own, const uint64_t *key)
{
#if BLOCK_WORD_KEYS
	return entry == own;
#else
	return entry != BLOCK_EMPTY && entry >> 32 == own >> 32 &&
		key_is(args, key, group_slot(&args->table, (uint32_t) entry));
#endif
}

/*
 * The first slot of the bucket where a key is looked for first.  NULL, of a lone 32-bit
 * key, has a slot of its own.
 */
DEVICE_FN uint32_t
block_home(const BlockTable *table, const uint64_t *key)
{
#if BLOCK_KEY32
	uint32_t	hash = (uint32_t) key[0];

	if (key[0] >> 32 != 0)
		return table->slots;
	hash = (hash ^ hash >> 16) * 0x7feb352du;
	hash = (hash ^ hash >> 15) * 0x846ca68bu;
#else
	/* of a word not the bits that tell a slot of the group table; a tag has but 54 bits */
	uint32_t	hash = (uint32_t) (key_hash(key) >> (KEY_WORDS == 1 ? 32 : BLOCK_KEY64 ? 22 : 0));
#endif
	return (uint32_t) ((uint64_t) hash * (table->slots / BLOCK_BUCKET) >> 32) * BLOCK_BUCKET;
}

DEVICE_FN uint32_t
block_next(const BlockTable *table, uint32_t slot)
{
	return slot + 1 >= table->slots ? 0 : slot + 1;
}

/* The first slot of the bucket behind that of slot `slot`. */
DEVICE_FN uint32_t
block_next_bucket(const BlockTable *table, uint32_t slot)
{
	return slot + BLOCK_BUCKET < table->slots ? slot + BLOCK_BUCKET : 0;
}

/* Without keys: has a key a slot, that of its number?  0 is NULL. */
DEVICE_FN bool
block_has(const BlockTable *table, const uint64_t *key)
{
	return key[0] - 1 - table->base < (uint64_t) (table->slots - 1) ||
		(DIRECT_NULLS && key[0] == 0 && table->base == 0);
}

/*
 * The private slot of a key, or GROUP_NONE.  group: its slot of the group table; then
 * the key gets a private slot if it may, and there is room.
 */
DEVICE_FN uint32_t
block_find(const AggregateArgs *args, const BlockTable *table, const uint64_t *key,
		   uint32_t group)
{
	BlockKey	own = block_entry(args, key, group);
	uint32_t	slot = block_home(table, key);
	bool		takes = group != GROUP_NONE && block_admits(args, key);

	if (BLOCK_DIRECT)
		return block_has(table, key) ? (uint32_t) key[0] - table->base : GROUP_NONE;
	PRAGMA_NO_UNROLL
	for (int probe = 0; probe < BLOCK_MAX_BUCKETS * BLOCK_BUCKET && own != BLOCK_EMPTY; probe++)
	{
		BlockKey	entry = block_load(&table->keys[slot]);

		if (entry == BLOCK_EMPTY && !takes)
			return GROUP_NONE;
		if (entry == BLOCK_EMPTY)
			entry = block_cas(&table->keys[slot], BLOCK_EMPTY, own);
		if (entry == BLOCK_EMPTY)
		{
#if BLOCK_WORD_KEYS
			table->groups[slot] = group;
#endif
			return slot;
		}
		if (block_entry_is(args, entry, own, key))
			return slot;
		slot = block_next(table, slot);
	}
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
		return slot + table->base;
#if BLOCK_WORD_KEYS
	return load_volatile_u32(&table->groups[slot]);
#else
	return (uint32_t) block_load(&table->keys[slot]);
#endif
}

/* A key of the sample as rows have it. */
DEVICE_FN void
block_sampled_key(const AggregateArgs *args, const SampledRow *sampled, uint64_t *key)
{
#if TABLE_DIRECT && DIRECT_POSSIBLE
	key[0] = sampled->isnull ? 0 : direct_key(args, sampled->value);
#elif DIRECT_POSSIBLE
	key_from_direct(sampled->value, sampled->isnull, key);
#else
	key[0] = SLOT_EMPTY;
#endif
}

/* The hot key, or BLOCK_EMPTY: there is none. */
DEVICE_FN BlockKey
block_hot_key(const AggregateArgs *args)
{
	uint64_t	key[KEY_WORDS];
	BlockKey	own;

	if (!args->block_hot || !BLOCK_WORD_KEYS)
		return BLOCK_EMPTY;
	block_sampled_key(args, args->sampled, key);
	own = block_entry(args, key, 0);
#if BLOCK_KEY32
	/* it may stand for two keys */
	if (!TABLE_DIRECT && own == BLOCK_NULL)
		return BLOCK_EMPTY;
#endif
	return own;
}

/* All threads of the block. */
DEVICE_FN void
block_table_init(const AggregateArgs *args, BlockTable *table)
{
	for (uint32_t i = threadIdx.x; i < BLOCK_WORDS * BLOCK_COPIES; i += blockDim.x)
		table->states[i] = block_start(i / BLOCK_COPIES, i % 2);
	for (uint32_t i = threadIdx.x; i < BLOCK_KEYS(table->slots) && !BLOCK_DIRECT;
		 i += blockDim.x)
	{
		table->keys[i] = BLOCK_EMPTY;
#if BLOCK_WORD_KEYS && !BLOCK_CLAIMS
		table->groups[i] = GROUP_NONE;
#endif
	}
	table->hot_key = block_hot_key(args);
	block_sync();
}

/*
 * Look for a key in a bucket, whose first slot `slot` is: then its slot.  more: the key may be
 * in the next bucket.
 */
DEVICE_FN bool
block_bucket_has(const AggregateArgs *args, const BlockKey *entries, BlockKey own,
				 const uint64_t *key, uint32_t *slot, bool *more)
{
	BlockKey	entry = BLOCK_EMPTY;
	uint32_t	at = 0;

	PRAGMA_UNROLL
	for (int i = BLOCK_BUCKET - 1; i >= 0; i--)
	{
#if BLOCK_WORD_KEYS
		bool		same = entries[i] == own;
#else
		bool		same = entries[i] != BLOCK_EMPTY && entries[i] >> 32 == own >> 32;
#endif

		at = same ? (uint32_t) i : at;
		entry = same ? entries[i] : entry;
	}
	*more = entry == BLOCK_EMPTY && entries[BLOCK_BUCKET - 1] != BLOCK_EMPTY;
	*slot += at;
	return entry != BLOCK_EMPTY && block_entry_is(args, entry, own, key);
}

/*
 * A private slot for a key, which a word tells, in a bucket that did not have it: an empty one,
 * or the one that another thread gave it meanwhile.  GROUP_NONE: the bucket is full.
 */
DEVICE_FN uint32_t
block_claim(const BlockTable *table, BlockKey own, uint32_t bucket)
{
	PRAGMA_NO_UNROLL
	for (uint32_t slot = bucket; slot < bucket + BLOCK_BUCKET; slot++)
	{
		BlockKey	entry = block_load(&table->keys[slot]);

		if (entry == BLOCK_EMPTY)
			entry = block_cas(&table->keys[slot], BLOCK_EMPTY, own);
		if (entry == BLOCK_EMPTY || entry == own)
			return slot;
	}
	return GROUP_NONE;
}

/*
 * Look for a key in some buckets, from that of slot `slot` on, and, BLOCK_CLAIMS, take it in if
 * there is room.  Its slot, or GROUP_NONE.  Entries are never removed; so a key that has found no
 * room never gets any later.
 */
DEVICE_FN uint32_t
block_look_further(const AggregateArgs *args, const BlockTable *table, const uint64_t *key,
				   uint32_t slot, int buckets)
{
	BlockKey	own = block_entry(args, key, 0);
	bool		more = true;

	PRAGMA_NO_UNROLL
	for (; buckets > 0 && more; buckets--)
	{
		BlockKey	entries[BLOCK_BUCKET];
		uint32_t	claimed = GROUP_NONE;

		block_load_bucket(&table->keys[slot], entries);
		if (block_bucket_has(args, entries, own, key, &slot, &more))
			return slot;
		if (BLOCK_CLAIMS && !more)
			claimed = block_claim(table, own, slot);
		if (claimed != GROUP_NONE)
			return claimed;
		more |= BLOCK_CLAIMS;
		slot = block_next_bucket(table, slot);
	}
	return GROUP_NONE;
}

/* The thread's rows in `further`, one by one: see block_lookup. */
DEVICE_FN void
block_lookup_further(const AggregateArgs *args, const BlockTable *table, const Row *rows,
					 uint32_t further, uint32_t full, uint32_t *slots, bool *found)
{
	PRAGMA_NO_UNROLL
	while (warp_any(FULL_MASK, further != 0))
	{
		uint32_t	first = further & (0 - further);
		bool		skip = (full & first) != 0;
		uint64_t	key[KEY_WORDS] = {0};
		uint32_t	slot = 0;

		PRAGMA_UNROLL
		for (int i = 0; i < BLOCK_ROWS; i++)
		{
			slot = first == 1u << i ? slots[i] : slot;
			PRAGMA_UNROLL
			for (int j = 0; j < KEY_WORDS; j++)
				key[j] = first == 1u << i ? rows[i].key[j] : key[j];
		}
		if (skip)
			slot = block_next_bucket(table, slot);
		if (first != 0)
			slot = block_look_further(args, table, key, slot, BLOCK_MAX_BUCKETS - skip);
		PRAGMA_UNROLL
		for (int i = 0; i < BLOCK_ROWS; i++)
		{
			slots[i] = first == 1u << i ? slot : slots[i];
			found[i] = first == 1u << i ? slot != GROUP_NONE : found[i];
		}
		further ^= first;
	}
}

/*
 * Do a thread's rows have private slots, and which?  Most are in their first buckets.  The
 * others are looked for one by one: a warp takes as many turns as any of its lanes has such rows.
 */
DEVICE_FN void
block_lookup(const AggregateArgs *args, const BlockTable *table, const Row *rows,
			 uint32_t *slots, bool *found)
{
	uint32_t	further = 0;	/* rows that are to be looked for, */
	uint32_t	full = 0;		/* and whose first bucket is full */

	PRAGMA_UNROLL
	for (int i = 0; i < BLOCK_ROWS; i++)
	{
		BlockKey	own = block_entry(args, rows[i].key, 0);
		BlockKey	entries[BLOCK_BUCKET];
		bool		more;

		slots[i] = BLOCK_DIRECT ? (uint32_t) rows[i].key[0] - table->base :
			block_home(table, rows[i].key);
		found[i] = BLOCK_DIRECT && block_has(table, rows[i].key);
		if (BLOCK_DIRECT || !rows[i].passes || own == BLOCK_EMPTY)
			continue;
		block_load_bucket(&table->keys[slots[i]], entries);
		found[i] = block_bucket_has(args, entries, own, rows[i].key, &slots[i], &more);
		further |= (uint32_t) (!found[i] && (more || BLOCK_CLAIMS)) << i;
		full |= (uint32_t) more << i;
	}
	if (!BLOCK_DIRECT)
		block_lookup_further(args, table, rows, further, full, slots, found);
}

/* The place of a row with that private slot, in arrays. */
DEVICE_FN uint32_t
block_place(const AggregateArgs *args, const BlockTable *table, uint32_t slot,
			const Row *row)
{
	uint32_t	place = slot * table->replicas + table->lane;
	BlockKey	own = BLOCK_DIRECT ? slot : block_entry(args, row->key, 0);

	return BLOCK_WORD_KEYS && own == table->hot_key ? table->hot : place;
}

/* The places of a thread's rows; those without private slots are missed. */
DEVICE_FN void
block_places(const AggregateArgs *args, const BlockTable *table, const Row *rows,
			 uint32_t *place, uint32_t *groups)
{
	uint32_t	slots[BLOCK_ROWS];
	bool		found[BLOCK_ROWS];

	block_lookup(args, table, rows, slots, found);
	PRAGMA_UNROLL
	for (int i = 0; i < BLOCK_ROWS; i++)
	{
		groups[i] = NVALUES > 0 && found[i] && rows[i].passes ?
			block_group(table, slots[i]) : GROUP_NONE;
		if (NVALUES > 0 && groups[i] == GROUP_NONE)
			found[i] = false;
		place[i] = block_place(args, table, slots[i], &rows[i]);
		place[i] = found[i] ? place[i] : BLOCK_MISSED(table);
		place[i] = rows[i].passes ? place[i] : BLOCK_NONE(table);
	}
}

/*
 * Take in a thread's rows, which have been loaded, from that number on; their places, and
 * whether one is missed.
 *
 * Rows that are left out, those in `left`, are computed like others, and then get places that
 * nobody reads.  They are few: so those that are not cost one branch for all of a thread's rows.
 */
DEVICE_FN bool
block_take(const AggregateArgs *args, const BlockTable *table, RowCursor *cursor,
		   const Raw *raw, uint32_t first, uint32_t left, uint32_t *place)
{
	Row			rows[BLOCK_ROWS];
	uint32_t	groups[BLOCK_ROWS];
	uint32_t	rests[BLOCK_ROWS] = {0};
	uint32_t	passing = 0;
	uint32_t	errors = 0;
	uint32_t	widen = 0;
	bool		missed = false;

	PRAGMA_UNROLL
	for (int i = 0; i < BLOCK_ROWS; i++)
	{
		row_eval_fixed(args, &raw[i], first + (uint32_t) i, &rows[i]);
		if (!BLOCK_FLAT)
			rows_clear(&rows[i]);
		passing |= (uint32_t) rows[i].passes << i;
		errors |= (uint32_t) rows[i].error << i;
		widen |= (uint32_t) rows[i].widen << i;
	}
	passing &= ~left;
	cursor->passed += bits_count_u32(passing);
	cursor->error |= errors & ~left;
	cursor->widen |= widen & ~left;
	block_places(args, table, rows, place, groups);
	if (left != 0)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < BLOCK_ROWS; i++)
			place[i] = (left & 1u << i) != 0 ? BLOCK_NONE(table) : place[i];
	}
	rows_fix(args, rows, place, BLOCK_MISSED(table), rests);
	block_add(args, table->states, BLOCK_ROWS, place, rows, rests);
	PRAGMA_UNROLL
	for (int i = 0; i < BLOCK_ROWS; i++)
	{
		missed |= place[i] == BLOCK_MISSED(table);
		if (NVALUES > 0 && rows[i].passes && place[i] != BLOCK_MISSED(table))
			row_values(args, groups[i], &rows[i]);
	}
	return missed;
}

#if !PREFILTER

/* Take in a thread's rows, which are all there. */
DEVICE_FN bool
block_tile(const AggregateArgs *args, const BlockTable *table, RowCursor *cursor,
		   const TilePlace *tile, uint32_t *place)
{
	Raw			raw[BLOCK_ROWS];
	uint32_t	left = rows_load_tile(&args->batch, tile, raw);

	return block_take(args, table, cursor, raw, (uint32_t) tile_first(&args->batch, tile), left,
					  place);
}

#endif							/* !PREFILTER */

#if !BLOCK_CLAIMS

/* What stands above fixed-point numbers' 64 bits at most, lest their sums run over. */
DEVICE_FN uint32_t
block_most_above(const AggregateArgs *args)
{
	uint64_t	rows = args->batch.nrows / gridDim.x + blockDim.x * BLOCK_ROWS;

	return rows < 1u << 30 ? (1u << 30) / (uint32_t) rows : 1;
}

/* Take in the warp's rows that pass, wherever their groups are. */
DEVICE_FN void
block_row(const AggregateArgs *args, const BlockTable *table, Row *row, uint32_t index)
{
	uint32_t	group = GROUP_NONE;
	uint32_t	slot = GROUP_NONE;

	if (row->passes)
		slot = block_find(args, table, row->key, GROUP_NONE);
	if (row->passes)
		group = group_find(args, row->key);
	if (slot == GROUP_NONE && group != GROUP_NONE)
		slot = block_find(args, table, row->key, group);
	if (!BLOCK_DIRECT)
		warp_sync(FULL_MASK);
	if (!row->passes)
		return;
	if (group == GROUP_NONE)
		row_undone(args, index);
	else if (slot != GROUP_NONE && words_fix(row->words, block_most_above(args)))
	{
		uint32_t	place = block_place(args, table, slot, row);

		block_add(args, table->states, 1, &place, row, NULL);
		row_values(args, group, row);
	}
	else
	{
		group_update(args, group, row->words);
		row_values(args, group, row);
	}
}

#endif							/* !BLOCK_CLAIMS */

/*
 * Compute a row, if `again`, and take it in; all lanes of a warp together.  counted: it has been
 * computed before.
 */
DEVICE_FN void
block_again(const AggregateArgs *args, const BlockTable *table, RowCursor *cursor,
			uint32_t index, bool again, bool counted)
{
	Raw			raw;
	Row			row;

	row.passes = false;
	if (again)
	{
		row_load(&args->batch, index, &raw);
		row_eval(args, &raw, index, &row);
		cursor->widen |= row.widen;
		if (!counted)
			rows_count(cursor, &row);
	}
#if BLOCK_CLAIMS
	rows_aggregate(args, &row, row.passes, index);
#else
	block_row(args, table, &row, index);
#endif
}

#if !PREFILTER

/*
 * Compute those of a thread's rows, before `end`, that were missed, and take them in: few,
 * and one piece of code for all.  counted: they have been computed before.
 */
DEVICE_FN void
block_missed(const AggregateArgs *args, const BlockTable *table, RowCursor *cursor,
			 const TilePlace *tile, uint64_t end, const uint32_t *place, bool counted)
{
	uint64_t	first = tile_first(&args->batch, tile);
	uint32_t	missed = 0;

	PRAGMA_UNROLL
	for (uint32_t i = 0; i < BLOCK_ROWS; i++)
		missed |= (uint32_t) (!counted || place[i] == BLOCK_MISSED(table)) << i;
	PRAGMA_NO_UNROLL
	for (uint32_t i = 0; i < BLOCK_ROWS; i++)
	{
		bool		again = ((missed >> i) & 1) != 0 && first + i < end;
		uint32_t	index = (uint32_t) first + i;

		if (!warp_any(FULL_MASK, again))
			continue;
		if (again && args->batch.rows)
			index = args->batch.rows[first + i];
		block_again(args, table, cursor, index, again, counted);
	}
}

#endif							/* !PREFILTER */

#if !BLOCK_CLAIMS

/* A state from a place of the arrays into words. */
DEVICE_FN void
block_merge(const BlockTable *table, uint32_t place, uint64_t *words)
{
	uint64_t	other[NWORDS];

	block_words(table->states, place, other);
	words_merge(words, other);
}

/* All threads of the block: merge the copies of each state, update its group. */
DEVICE_FN void
block_table_merge(const AggregateArgs *args, const BlockTable *table)
{
	uint64_t	words[NWORDS];

	block_sync();
	PRAGMA_NO_UNROLL
	for (uint32_t slot = threadIdx.x; slot < table->slots + BLOCK_NULL_SLOT;
		 slot += blockDim.x)
	{
		uint32_t	group = block_group(table, slot);
		bool		hot = (BLOCK_DIRECT ? (BlockKey) slot : table->keys[slot]) == table->hot_key;
		uint32_t	copies = table->replicas + (hot ? WARP_SIZE : 0);

		if (group == GROUP_NONE)
			continue;
		words_identity(words);
		PRAGMA_NO_UNROLL
		for (uint32_t copy = 0; copy < copies; copy++)
			block_merge(table, copy < table->replicas ? slot * table->replicas + copy :
						table->hot - lane_index() + copy - table->replicas, words);
#if TABLE_DIRECT
		if (words[PRESENCE_WORD] == 0)
			continue;
#endif
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

#if PREFILTER

/* A thread takes one row at once. */
DEVICE_FN void
aggregate_block(const AggregateArgs *args)
{
	DYNAMIC_SHARED(uint32_t, shared);
	BlockTable	table = block_table(args, shared);
	RowCursor	cursor = rows_begin(args, 1);
	Tile		tile;

	block_table_init(args, &table);
	while (rows_tile(args, &cursor, &tile))
	{
		uint32_t	place;
		bool		missed = block_take(args, &table, &cursor, tile.raw, tile.index[0],
										!tile.valid[0], &place) && tile.valid[0];

		if (warp_any(FULL_MASK, missed))
			block_again(args, &table, &cursor, tile.index[0], missed, true);
	}
	rows_end(args, &cursor);
	block_table_merge(args, &table);
}

#else

/*
 * A block's rows stand behind one another: of clustered keys it then meets few.
 * The same number of lanes of each warp goes over each of `block_places` parts of them;
 * in each round the block takes BLOCK_ROWS rows a thread.
 */
DEVICE_FN void
aggregate_block(const AggregateArgs *args)
{
	DYNAMIC_SHARED(uint32_t, shared);
	BlockTable	table = block_table(args, shared);
	uint32_t	round_rows = blockDim.x * BLOCK_ROWS;
	uint64_t	rounds = (args->batch.nrows + round_rows - 1) / round_rows;
	uint32_t	begin = (uint32_t) (rounds * blockIdx.x / gridDim.x);
	uint32_t	round = (uint32_t) (rounds * (blockIdx.x + 1) / gridDim.x) - begin;
	uint32_t	step = round_rows / args->block_places;
	uint32_t	lanes = WARP_SIZE / args->block_places;
	RowCursor	cursor = rows_begin(args, 1);
	TilePlace	tile = tile_place(&args->batch, (uint64_t) begin * round_rows +
								  (uint64_t) (lane_index() / lanes) * round * step +
								  (warp_index() * lanes + lane_index() % lanes) * BLOCK_ROWS);

	block_table_init(args, &table);
	for (; round > 0; round--)
	{
		bool		whole = tile_whole(&args->batch, &tile, BLOCK_ROWS);
		uint32_t	place[BLOCK_ROWS] = {0};
		bool		missed = !whole || block_tile(args, &table, &cursor, &tile, place);

		if (warp_any(FULL_MASK, missed))
			block_missed(args, &table, &cursor, &tile, args->batch.nrows, place, whole);
		tile_move(&args->batch, &tile, step);
	}
	rows_end(args, &cursor);
	block_table_merge(args, &table);
}

#endif							/* PREFILTER */

#endif							/* !BLOCK_CLAIMS */

#endif							/* GPUAGG_BLOCK_CUH */
