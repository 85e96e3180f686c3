/*
 * merge.cuh
 *	  Groups of another device's table into the run's own.
 */
#ifndef GPUAGG_MERGE_CUH
#define GPUAGG_MERGE_CUH

/* A group of the copy. */
typedef struct MergedGroup
{
	uint64_t	key[KEY_ROOM];	/* as rows have it */
	const uint64_t *hot;		/* words of its state */
	const uint64_t *cold;
	uint64_t   *mark;			/* tells that there is a group */
} MergedGroup;

#if DIRECT_POSSIBLE

/* The group of a slot of a copy that is addressed directly; false: it has none. */
DEVICE_FN bool
merge_direct(const MergeArgs *args, uint32_t slot, MergedGroup *group)
{
	const DeviceTable *from = &args->from;
	uint64_t   *state = from->slots + (uint64_t) slot * DIRECT_STRIDE;
	int64_t		value;
	uint64_t	place;

	group->hot = state;
	group->cold = from->slots + (uint64_t) from->capacity * DIRECT_STRIDE +
		(uint64_t) slot * (NWORDS - NHOT);
	group->mark = state + DIRECT_PRESENCE;
	if (*group->mark == 0)
		return false;
	value = slot == 0 ? 0 : from->direct_min + ((int64_t) slot - 1);
#if HAS_WORD_KEYS || HAS_TAGGED_KEYS
	if (!TABLE_DIRECT)
	{
		key_from_direct(value, slot == 0, group->key);
		return true;
	}
#endif
	/* as rows' keys, of which the farthest must not become NULL's */
	place = (uint64_t) value - (uint64_t) args->rows.table.direct_min;
	if (slot == 0)
		group->key[0] = 0;
	else
		group->key[0] = value < args->rows.table.direct_min || place >= UINT64_MAX - 1 ?
			UINT64_MAX : place + 1;
	return true;
}

#endif

/* The same of any copy. */
DEVICE_FN bool
merge_group(const MergeArgs *args, uint32_t slot, MergedGroup *group)
{
	uint64_t   *words = group_slot(&args->from, slot);

#if DIRECT_POSSIBLE
	if (args->from_direct)
		return merge_direct(args, slot, group);
#endif
	group->hot = words + STATE;
	group->cold = group_cold(&args->from, slot);
	group->mark = words;
	if (!group_exists(&args->from, slot))
		return false;
	for (int i = 0; i < KEY_WORDS; i++)
		group->key[i] = words[i];
	if (KEY_WORDS > 1)
		group->key[0] &= ~TAG_STATES;
	return true;
}

/*
 * Take the groups of a copy of the table, in whose keys there are no texts; it has hashed keys
 * only if the run's own has.  Groups that find no room are counted as undone and stay in the copy;
 * the others' slots there become empty.
 */
KERNEL(table_merge, MergeArgs, args)
{
	KERNEL_BEGIN(&args.rows.table);
	for (uint64_t i = grid_index(); i < args.from.capacity; i += grid_size())
	{
		MergedGroup group;
		uint64_t	words[STATE_ROOM];
		uint32_t	slot;

		if (!merge_group(&args, (uint32_t) i, &group))
			continue;
		slot = group_find(&args.rows, group.key);
		if (slot == GROUP_NONE)
		{
			atomic_add_u32_noreturn(&args.rows.counters->undone, 1);
			continue;
		}
		for (int word = 0; word < NWORDS; word++)
			words[word] = word < NHOT ? group.hot[word] : group.cold[word - NHOT];
		group_update(&args.rows, slot, words);
		*group.mark = args.from_direct ? 0 : KEY_WORDS == 1 ? SLOT_EMPTY : TAG_EMPTY;
	}
}

#endif							/* GPUAGG_MERGE_CUH */
