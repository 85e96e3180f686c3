/*
 * table.cuh
 *	  The group table: one slot for each group, open addressing, no lock.
 *
 * A slot is STRIDE words of 8 bytes, STATE of them before the group's state, so
 * that key and state of small groups share one sector of 32 bytes.  Of the NWORDS
 * words of a state NHOT are in the slot; the others, which are rarely touched,
 * stand behind all slots.  Three kinds of slots:
 *
 * TABLE_DIRECT: the key is the slot's number; STATE is 0.  One word of the
 * state counts rows, and tells by 0 that the group does not exist.
 *
 * KEY_WORDS == 1: the packed key is one word, claimed by compare-and-swap.  Its
 * highest bit is 0, so that SLOT_EMPTY is no key.
 *
 * KEY_WORDS > 1: the first word is a tag: a state in the lowest two bits, then
 * up to 8 NULL bits, then 54 bits of the key's hash.  A thread that finds an
 * empty tag claims it by compare-and-swap, writes the other words and then the
 * tag as ready.  One that finds a claimed tag with its own hash looks again: in
 * the same loop, so that the claiming lane of its own warp gets on.
 *
 * What a thread reads here may be older than what others have written.  An old
 * "empty" is found out by the compare-and-swap.  An old key behind a ready tag
 * can only differ by mistake, so before two keys with the same tag are taken
 * for different ones, they are compared again behind a fence.
 *
 * A table never gets full: beyond `limit` groups, or after GROUP_MAX_PROBES
 * slots, group_find refuses, the row goes to the batch's list of undone rows,
 * and the host moves the groups to a larger table and runs these rows again.
 *
 * The generated code gives KEY_WORDS, STATE, STRIDE, NWORDS, NHOT, TABLE_DIRECT,
 * PRESENCE_WORD, key_is, key_store, key_text_size and words_add; the interpreter has
 * them as variables.  HAS_WORD_KEYS and HAS_TAGGED_KEYS tell which kinds of keys
 * there can be, and the sizes of arrays have names of their own: KEY_ROOM, STATE_ROOM.
 */
#ifndef GPUAGG_TABLE_CUH
#define GPUAGG_TABLE_CUH

#define GROUP_NONE UINT32_MAX
#define GROUP_MAX_PROBES 256

#define SLOT_EMPTY UINT64_MAX

/* States in the lowest bits of a tag. */
#define TAG_EMPTY 0
#define TAG_CLAIMED 1
#define TAG_READY 2
#define TAG_STATES UINT64_C(3)
#define TAG_HASH_SHIFT 10

/* The hash of a key: for its place in a table and for samples. */
DEVICE_FN uint64_t
key_hash(const uint64_t *key)
{
	return KEY_WORDS > 1 ? key[0] >> TAG_HASH_SHIFT : hash_mix(key[0]);
}

DEVICE_FN uint64_t *
group_slot(const DeviceTable *table, uint32_t slot)
{
	return table->slots + (uint64_t) slot * STRIDE;
}

/* A group's cold words, and any word of its state. */
DEVICE_FN uint64_t *
group_cold(const DeviceTable *table, uint32_t slot)
{
	return group_slot(table, table->capacity) + (uint64_t) slot * (NWORDS - NHOT);
}

DEVICE_FN uint64_t *
group_word(const DeviceTable *table, uint32_t slot, int word)
{
	return word < NHOT ? group_slot(table, slot) + STATE + word :
		group_cold(table, slot) + (word - NHOT);
}

DEVICE_FN bool
table_has_room(const DeviceTable *table)
{
	return load_volatile_u32(&table->counters->groups) < table->limit;
}

#if HAS_WORD_KEYS

/*
 * The slot of a key that is one word.  roomy: the table had room for many groups a moment
 * ago.  *made: the group is new, and has not been counted.
 */
DEVICE_FN uint32_t
group_claim_word(const AggregateArgs *args, const uint64_t *key, bool roomy, bool *made)
{
	const DeviceTable *table = &args->table;
	uint32_t	mask = table->capacity - 1;
	uint32_t	slot = (uint32_t) key_hash(key) & mask;

	*made = false;
	for (uint32_t probe = 0; probe < GROUP_MAX_PROBES; probe++)
	{
		uint64_t   *word = group_slot(table, slot);
		/* an atomic tells as much as a load, and a new key needs one anyway */
		uint64_t	seen = roomy ? SLOT_EMPTY : *word;

		if (seen == key[0])
			return slot;
		if (seen == SLOT_EMPTY)
		{
			if (!roomy && !table_has_room(table))
			{
				/* it may be an old view of our own key */
				if (load_volatile_u64(word) == key[0])
					return slot;
				if (load_volatile_u64(word) == SLOT_EMPTY)
					return GROUP_NONE;
			}
			else
			{
				seen = atomic_cas_u64(word, SLOT_EMPTY, key[0]);
				*made = seen == SLOT_EMPTY;
				if (*made || seen == key[0])
					return slot;
			}
		}
		slot = (slot + 1) & mask;
	}
	return GROUP_NONE;
}

#endif

#if HAS_TAGGED_KEYS

/*
 * Room for the key's texts in the arena, that many 8-byte words, or UINT64_MAX.
 * What is taken and then not needed, because another thread was faster, is lost.
 */
DEVICE_FN uint64_t
arena_take(const DeviceTable *table, uint64_t size)
{
	uint64_t	at;

	if (size == 0)
		return 0;
	if (load_volatile_u64(&table->counters->arena_top) + size <= table->arena_size)
	{
		at = atomic_add_u64(&table->counters->arena_top, size);
		if (at + size <= table->arena_size)
			return at;
	}
	if (load_volatile_u64(&table->counters->arena_missed) < size)
		atomic_max_u64(&table->counters->arena_missed, size);
	return UINT64_MAX;
}

/* The same key behind the same tag, as described above? */
DEVICE_FN bool
key_is_surely(const AggregateArgs *args, const uint64_t *key, const uint64_t *word)
{
	if (key_is(args, key, word))
		return true;
	fence_device();
	return key_is(args, key, word);
}

/* As group_claim_word, of a key that is a tag and other words. */
DEVICE_FN uint32_t
group_claim_tagged(const AggregateArgs *args, const uint64_t *key, bool roomy, bool *made)
{
	const DeviceTable *table = &args->table;
	uint32_t	mask = table->capacity - 1;
	uint32_t	slot = (uint32_t) key_hash(key) & mask;
	uint32_t	probe = 0;
	uint64_t	arena = UINT64_MAX;

	*made = false;
	while (probe < GROUP_MAX_PROBES)
	{
		uint64_t   *word = group_slot(table, slot);
		uint64_t	seen = load_volatile_u64(word);

		if (seen == TAG_EMPTY)
		{
			if (arena == UINT64_MAX && (roomy || table_has_room(table)))
				arena = arena_take(table, key_text_size(key));
			if (arena == UINT64_MAX)
				return GROUP_NONE;
			seen = atomic_cas_u64(word, TAG_EMPTY, key[0] | TAG_CLAIMED);
			if (seen == TAG_EMPTY)
			{
				*made = true;
				key_store(args, key, word, arena);
				fence_device();
				atomic_exchange_u64(word, key[0] | TAG_READY);
				return slot;
			}
		}
		if (seen == (key[0] | TAG_READY) && key_is_surely(args, key, word))
			return slot;
		if (seen != (key[0] | TAG_CLAIMED))
		{
			slot = (slot + 1) & mask;
			probe++;
		}
		else
			gpu_relax();
	}
	return GROUP_NONE;
}

#endif

/*
 * The key's slot, or GROUP_NONE if it has none and can get none.  roomy, *made: see
 * group_claim_word.
 */
DEVICE_FN uint32_t
group_claim(const AggregateArgs *args, const uint64_t *key, bool roomy, bool *made)
{
#if HAS_WORD_KEYS
	if (!TABLE_DIRECT && KEY_WORDS == 1)
		return group_claim_word(args, key, roomy, made);
#endif
#if HAS_TAGGED_KEYS
	if (KEY_WORDS > 1)
		return group_claim_tagged(args, key, roomy, made);
#endif
	*made = false;
	return key[0] < args->table.capacity ? (uint32_t) key[0] : GROUP_NONE;
}

/* The same; a new group is counted. */
DEVICE_FN uint32_t
group_find(const AggregateArgs *args, const uint64_t *key)
{
	bool		made;
	uint32_t	slot = group_claim(args, key, false, &made);

	if (made)
		atomic_add_u32_noreturn(&args->table.counters->groups, 1);
	return slot;
}

DEVICE_FN bool
group_exists(const DeviceTable *table, uint32_t slot)
{
	if (TABLE_DIRECT)
		return group_slot(table, slot)[PRESENCE_WORD] != 0;
	return group_slot(table, slot)[0] != (KEY_WORDS == 1 ? SLOT_EMPTY : TAG_EMPTY);
}

/* Take contributions into a group's state. */
DEVICE_FN void
group_update(const AggregateArgs *args, uint32_t slot, const uint64_t *words)
{
	words_add(group_slot(&args->table, slot) + STATE, group_cold(&args->table, slot), words);
}

/* Remember a row whose group found no room. */
DEVICE_FN void
row_undone(const AggregateArgs *args, uint32_t row)
{
	args->batch.undone[atomic_add_u32(&args->counters->undone, 1)] = row;
}

#endif							/* GPUAGG_TABLE_CUH */
