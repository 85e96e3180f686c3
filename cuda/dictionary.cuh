/*
 * dictionary.cuh
 *	  The different texts of a column that is kept, and the codes of its rows.
 *
 * An entry is a text in the dictionary's bytes; a row's code is its entry's number.  A hash
 * table leads from a text to its entry.  Texts are the same if their bytes are.
 *
 * Rows that are kept find their codes in three launches:
 *
 * dictionary_find gives each row a slot of the hash table.  A slot that is empty is taken by
 * compare-and-swap with the row's number.  Until there is an entry, that row's text, which
 * lies on its page, is what others compare theirs with.  So nobody waits, and equal
 * texts take one slot.
 *
 * dictionary_add makes an entry of each row whose number stands in its slot, and puts the
 * entry's number there.
 *
 * dictionary_codes writes each row's code, out of its slot, in the place of its text.  Of
 * rows that are not kept, but aggregated by their codes, dictionary_row_codes does so.
 *
 * A slot is empty as 0.  Else its upper half is a part of the text's hash, its lower half 1
 * more than the entry's number, or a row's number with the highest bit set.
 *
 * The host gives as much room as the rows can need, and the table twice as many slots as
 * entries.  A text that finds no room all the same, or no slot in DICTIONARY_MAX_PROBES, is
 * counted; the host then gives up the dictionary.
 *
 * One stream at a time fills a dictionary.  Others may copy entries meanwhile that were there
 * before.
 */
#ifndef GPUAGG_DICTIONARY_CUH
#define GPUAGG_DICTIONARY_CUH

#define DICTIONARY_MAX_PROBES 1024

/* Of a slot's lower half: it is a row's number. */
#define DICTIONARY_ROW 0x80000000u

/* Of a row that has no slot. */
#define DICTIONARY_NONE UINT32_MAX

/* Tests define another one, under which different texts have the same hash. */
#ifndef DICTIONARY_HASH
#define DICTIONARY_HASH(bytes, length) hash_bytes(0, bytes, length)
#endif

DEVICE_FN bool
dictionary_is_null(const DictionaryArgs *args, uint64_t row)
{
	return args->nulls != NULL && args->nulls[row] != 0;
}

/* Has a slot the text?  It is not empty. */
DEVICE_FN bool
dictionary_slot_is(const DictionaryArgs *args, uint64_t slot, uint64_t hash, TextRef text)
{
	const DeviceDictionary *dictionary = &args->dictionary;
	uint32_t	low = (uint32_t) slot;
	bool		is_row = (low & DICTIONARY_ROW) != 0;
	TextRef		other;

	if ((slot ^ hash) >> 32 != 0)
		return false;
	other = is_row ? args->texts[low & ~DICTIONARY_ROW] : dictionary->entries[low - 1];
	return other.length == text.length &&
		bytes_same(args->from + text.start,
				   (is_row ? args->from : dictionary->bytes) + other.start, text.length);
}

/* The slot of a row's text, or DICTIONARY_NONE. */
DEVICE_FN uint32_t
dictionary_slot(const DictionaryArgs *args, uint32_t row)
{
	const DeviceDictionary *dictionary = &args->dictionary;
	TextRef		text = args->texts[row];
	uint64_t	hash = DICTIONARY_HASH(args->from + text.start, text.length);
	uint64_t	own = (hash >> 32 << 32) | DICTIONARY_ROW | row;
	uint32_t	slot = (uint32_t) hash & (dictionary->nslots - 1);

	for (uint32_t probe = 0; probe < DICTIONARY_MAX_PROBES; probe++)
	{
		uint64_t   *word = &dictionary->slots[slot];
		uint64_t	seen = load_volatile_u64(word);

		if (seen == 0)
			seen = atomic_cas_u64(word, 0, own);
		if (seen == 0 || dictionary_slot_is(args, seen, hash, text))
			return slot;
		slot = (slot + 1) & (dictionary->nslots - 1);
	}
	atomic_add_u32_noreturn(&dictionary->counters->lost, 1);
	return DICTIONARY_NONE;
}

KERNEL(dictionary_find, DictionaryArgs, args)
{
	for (uint64_t row = grid_index(); row < args.nrows; row += grid_size())
		args.found[row] = dictionary_is_null(&args, row) ? DICTIONARY_NONE :
			dictionary_slot(&args, (uint32_t) row);
}

/* Make an entry of a text; what the slot's lower half is then. */
DEVICE_FN uint32_t
dictionary_entry(const DictionaryArgs *args, TextRef text)
{
	const DeviceDictionary *dictionary = &args->dictionary;
	DictionaryCounters *counters = dictionary->counters;
	uint32_t	entry = atomic_add_u32(&counters->entries, 1);
	uint64_t	at = atomic_add_u64(&counters->bytes, text.length);

	if (entry >= dictionary->entries_room || at + text.length > dictionary->bytes_room)
	{
		atomic_add_u32_noreturn(&counters->lost, 1);
		return 1;
	}
	for (uint32_t i = 0; i < text.length; i++)
		dictionary->bytes[at + i] = args->from[text.start + i];
	dictionary->entries[entry].start = (uint32_t) at;
	dictionary->entries[entry].length = text.length;
	return entry + 1;
}

KERNEL(dictionary_add, DictionaryArgs, args)
{
	for (uint64_t row = grid_index(); row < args.nrows; row += grid_size())
	{
		uint32_t	slot = args.found[row];
		uint64_t	word;

		if (slot == DICTIONARY_NONE)
			continue;
		word = load_volatile_u64(&args.dictionary.slots[slot]);
		if ((uint32_t) word == (DICTIONARY_ROW | (uint32_t) row))
			atomic_exchange_u64(&args.dictionary.slots[slot],
								(word >> 32 << 32) | dictionary_entry(&args, args.texts[row]));
	}
}

/*
 * A code is a number of 8 bytes, in the place of the row's text.  NULLs, and rows that found
 * no slot, have the code 0.
 */
KERNEL(dictionary_codes, DictionaryArgs, args)
{
	for (uint64_t row = grid_index(); row < args.nrows; row += grid_size())
	{
		uint32_t	slot = args.found[row];

		((uint64_t *) args.texts)[row] = slot == DICTIONARY_NONE ? 0 :
			(uint32_t) args.dictionary.slots[slot] - 1;
	}
}

/*
 * The same for kernels that take codes: numbers of 4 bytes, from the place of the first
 * row's text on.  That a text has none is told as an error of the rows' buffer.
 */
KERNEL(dictionary_row_codes, DictionaryArgs, args)
{
	if (grid_index() == 0 && args.dictionary.counters->lost > 0)
		atomic_or_u32(&args.counters->errors, ERROR_CODES);
	for (uint64_t row = grid_index(); row < args.nrows; row += grid_size())
	{
		uint32_t	slot = args.found[row];

		((uint32_t *) args.texts)[row] = slot == DICTIONARY_NONE ? 0 :
			(uint32_t) args.dictionary.slots[slot] - 1;
	}
}

/* Bytes from one place to another, both at a multiple of 16. */
DEVICE_FN void
dictionary_copy_bytes(uint8_t *to, const uint8_t *from, uint64_t n)
{
	uint64_t	words = n / sizeof(uint64_t);

	for (uint64_t i = grid_index(); i < words; i += grid_size())
		((uint64_t *) to)[i] = ((const uint64_t *) from)[i];
	for (uint64_t i = words * sizeof(uint64_t) + grid_index(); i < n; i += grid_size())
		to[i] = from[i];
}

/* An entry's slot in a table that has no other entry of the same text. */
DEVICE_FN void
dictionary_settle(const DeviceDictionary *to, uint32_t entry, uint64_t hash)
{
	uint64_t	own = (hash >> 32 << 32) | (entry + 1);
	uint32_t	slot = (uint32_t) hash & (to->nslots - 1);

	for (uint32_t probe = 0; probe < DICTIONARY_MAX_PROBES; probe++)
	{
		if (atomic_cas_u64(&to->slots[slot], 0, own) == 0)
			return;
		slot = (slot + 1) & (to->nslots - 1);
	}
	atomic_add_u32_noreturn(&to->counters->lost, 1);
}

/* So many, but no more than there is room for in both. */
DEVICE_FN uint64_t
dictionary_within(uint64_t n, uint64_t from_room, uint64_t to_room)
{
	uint64_t	room = from_room < to_room ? from_room : to_room;

	return n < room ? n : room;
}

/*
 * All entries into another dictionary, which is all zeros.  If texts were lost, nothing is looked
 * up there any more, and counters are beyond the room.  But the entries from before have rows
 * that are served until the host gives up the dictionary.
 */
KERNEL(dictionary_move, DictionaryMoveArgs, args)
{
	DictionaryCounters counters = *args.from.counters;
	uint64_t	bytes = dictionary_within(counters.bytes, args.from.bytes_room, args.to.bytes_room);
	uint64_t	entries = dictionary_within(counters.entries, args.from.entries_room,
											args.to.entries_room);

	if (grid_index() == 0)
	{
		args.to.counters->bytes = counters.bytes;
		args.to.counters->entries = counters.entries;
		atomic_add_u32_noreturn(&args.to.counters->lost, counters.lost);
	}
	dictionary_copy_bytes(args.to.bytes, args.from.bytes, bytes);
	for (uint64_t i = grid_index(); i < entries; i += grid_size())
	{
		TextRef		text = args.from.entries[i];

		args.to.entries[i] = text;
		if (counters.lost == 0)
			dictionary_settle(&args.to, (uint32_t) i,
							  DICTIONARY_HASH(args.from.bytes + text.start, text.length));
	}
}

/* Entries and their bytes into a batch's: `start` is the bytes' place there. */
KERNEL(dictionary_copy, DictionaryCopyArgs, args)
{
	dictionary_copy_bytes(args.to_bytes, args.bytes, args.nbytes);
	for (uint64_t i = grid_index(); i < args.nentries; i += grid_size())
	{
		TextRef		text = args.entries[i];

		text.start += args.start;
		args.to_entries[i] = text;
	}
}

#endif							/* GPUAGG_DICTIONARY_CUH */
