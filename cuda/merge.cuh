/*
 * merge.cuh
 *	  Groups of another device's table into the run's own.
 */
#ifndef GPUAGG_MERGE_CUH
#define GPUAGG_MERGE_CUH

/* The key of a slot of a table, as rows have it. */
DEVICE_FN void
merge_key(const DeviceTable *from, uint32_t slot, uint64_t *key)
{
	const uint64_t *words = group_slot(from, slot);

	if (TABLE_DIRECT)
	{
		key[0] = slot;
		return;
	}
	for (int i = 0; i < KEY_WORDS; i++)
		key[i] = words[i];
	if (KEY_WORDS > 1)
		key[0] &= ~TAG_STATES;
}

/*
 * Take the groups of a copy of the table: keys have no texts there, and with direct addressing
 * both tables have the same range.  Groups that find no room are counted as undone and stay in
 * the copy; the others' slots there become empty.
 */
KERNEL(table_merge, MergeArgs, args)
{
	KERNEL_BEGIN(&args.rows.table);
	for (uint64_t i = grid_index(); i < args.from.capacity; i += grid_size())
	{
		uint32_t	from = (uint32_t) i;
		uint64_t	key[KEY_ROOM];
		uint64_t	words[STATE_ROOM];
		uint32_t	slot;

		if (!group_exists(&args.from, from))
			continue;
		merge_key(&args.from, from, key);
		slot = group_find(&args.rows, key);
		if (slot == GROUP_NONE)
		{
			atomic_add_u32_noreturn(&args.rows.counters->undone, 1);
			continue;
		}
		for (int word = 0; word < NWORDS; word++)
			words[word] = *group_word(&args.from, from, word);
		group_update(&args.rows, slot, words);
		if (TABLE_DIRECT)
			group_slot(&args.from, from)[PRESENCE_WORD] = 0;
		else
			group_slot(&args.from, from)[0] = KEY_WORDS == 1 ? SLOT_EMPTY : TAG_EMPTY;
	}
}

#endif							/* GPUAGG_MERGE_CUH */
