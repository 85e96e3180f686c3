/*
 * move.cuh
 *	  Work on a whole group table: empty it, move its groups, carry its sums.
 */
#ifndef GPUAGG_MOVE_CUH
#define GPUAGG_MOVE_CUH

#include "values.cuh"

/* Make all slots empty, their states the start values. */
KERNEL(table_init, TableArgs, args)
{
	KERNEL_BEGIN(&args.table);
	uint64_t	nslots = (uint64_t) args.table.capacity * STRIDE;
	uint64_t	ncold = (uint64_t) args.table.capacity * (NWORDS - NHOT);

	for (uint64_t i = grid_index(); i < nslots + ncold; i += grid_size())
	{
		int			word = (int) (i % STRIDE);

		if (i >= nslots)
			args.table.slots[i] = 0;
		else if (word >= STATE && word < STATE + NHOT)
			args.table.slots[i] = word_start(word - STATE);
		else if (word >= STATE + NHOT && word < STATE + NHOT + VALUE_WORDS * NVALUES)
			args.table.slots[i] = (word - STATE - NHOT) % VALUE_WORDS == 0 ? VALUE_NONE : 0;
		else
			args.table.slots[i] = KEY_WORDS == 1 ? SLOT_EMPTY : TAG_EMPTY;
	}
}

#if HAS_WORD_KEYS || HAS_TAGGED_KEYS

/*
 * Put a group that is not there yet into the table: its key, its state, and what
 * its extremes refer to.  Returns its slot.
 */
DEVICE_FN uint32_t
move_group(const DeviceTable *table, const uint64_t *key, const uint64_t *hot,
		   const uint64_t *cold, const uint64_t *values)
{
	uint32_t	mask = table->capacity - 1;
	uint32_t	slot = (uint32_t) key_hash(key) & mask;
	uint64_t	empty = KEY_WORDS == 1 ? SLOT_EMPTY : TAG_EMPTY;
	uint64_t   *words;

	while (atomic_cas_u64(group_slot(table, slot), empty, key[0]) != empty)
		slot = (slot + 1) & mask;
	words = group_slot(table, slot);
	for (int i = 1; i < KEY_WORDS; i++)
		words[i] = key[i];
	for (int i = 0; i < NWORDS; i++)
		*group_word(table, slot, i) = i < NHOT ? hot[i] : cold[i - NHOT];
	for (int i = 0; i < VALUE_WORDS * NVALUES; i++)
		words[STATE + NHOT + i] = values[i];
	atomic_add_u32_noreturn(&table->counters->groups, 1);
	return slot;
}

DEVICE_FN void
note_moved(const TableArgs *args, uint32_t from, uint32_t to)
{
	if (args->moved != NULL)
		args->moved[from] = to;
}

#if DIRECT_POSSIBLE

/*
 * A group of a table that was addressed directly.  Its state has the same words
 * in the same order, but perhaps one more in the slot, that of its presence.
 */
DEVICE_FN void
move_direct_group(const TableArgs *args, uint32_t slot)
{
	const uint64_t *state = args->old.slots + (uint64_t) slot * DIRECT_STRIDE;
	uint64_t	key[KEY_ROOM];

	if (state[DIRECT_PRESENCE] == 0)
		return;
	key_from_direct(args->old.direct_min + (int64_t) slot - 1, slot == 0, key);
	if (KEY_WORDS > 1)
		key[0] |= TAG_READY;
	note_moved(args, slot,
			   move_group(&args->table, key, state, args->old.slots +
						  (uint64_t) args->old.capacity * DIRECT_STRIDE +
						  (uint64_t) slot * (NWORDS - NHOT), state + DIRECT_VALUES));
}

#endif

/*
 * Move the groups to a larger table, which is empty and has room for all.  The
 * arena, if there is a new one, gets the old one's bytes at the same places.
 */
KERNEL(table_move, TableArgs, args)
{
	KERNEL_BEGIN(&args.table);
	for (uint64_t i = grid_index(); i < args.old.capacity; i += grid_size())
	{
#if DIRECT_POSSIBLE
		if (args.old_direct)
		{
			move_direct_group(&args, (uint32_t) i);
			continue;
		}
#endif
		if (group_exists(&args.old, (uint32_t) i))
		{
			const uint64_t *words = group_slot(&args.old, (uint32_t) i);

			note_moved(&args, (uint32_t) i,
					   move_group(&args.table, words, words + STATE,
								  group_cold(&args.old, (uint32_t) i), words + STATE + NHOT));
		}
	}
	if (args.table.arena == args.old.arena)
		return;
	for (uint64_t i = grid_index(); i < args.old.arena_size; i += grid_size())
		((uint64_t *) args.table.arena)[i] = ((const uint64_t *) args.old.arena)[i];
}

#endif							/* HAS_WORD_KEYS || HAS_TAGGED_KEYS */

/* Before low words of 128-bit sums can run over; see state.h. */
KERNEL(table_normalize, TableArgs, args)
{
	KERNEL_BEGIN(&args.table);
	for (uint64_t i = grid_index(); i < args.table.capacity; i += grid_size())
		state_normalize(group_slot(&args.table, (uint32_t) i) + STATE);
}

#endif							/* GPUAGG_MOVE_CUH */
