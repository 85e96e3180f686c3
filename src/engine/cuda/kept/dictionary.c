/*
 * dictionary.c
 *	  The dictionary of a column of texts that is kept: its memory, and what is in it.
 *
 * The memory is one piece: counters, hash table, entries, bytes.  It grows by half at least,
 * into a new piece, by the kernel dictionary_move.
 *
 * Whether it is worth its memory is told by how many texts all rows of the table will have.
 * Of n rows with texts chosen at random out of d, the next one has a new text with a chance of
 * exp(-n / d), and in the end there are d * (1 - exp(-rows / d)).  So d is told by the share of
 * new texts in the middle of some rows.  Of texts that are sorted, or come near each other, that
 * share stays what it is, and what is expected grows with the rows.  Texts in turns are
 * all new at first; so nothing is told by few rows.  Each time the rows have doubled, those
 * that have come since are looked at.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/cuda/kept/dictionary.h"

/* Places begin at multiples of that. */
#define ALIGN 256
#define ALIGNED(size) (((size) + ALIGN - 1) / ALIGN * ALIGN)

/* Entries at most: codes of more would be as long as most texts. */
#define MAX_ENTRIES (UINT32_C(1) << 24)

/* Entries have places of 32 bits, in a run's bytes behind others. */
#define MAX_BYTES (UINT64_C(1) << 30)

/* One text for so many rows at least, as is expected of the whole table, */
#define USEFUL_ROWS 2

/* once codes were found for so many rows, or that share of the table's, */
#define LEAST_ROWS (UINT64_C(1) << 15)
#define LEAST_SHARE 8

/* but no more rows than that. */
#define ENOUGH_ROWS (UINT64_C(1) << 21)

#define SMALLEST_ENTRIES 1024
#define SMALLEST_BYTES (64 * 1024)

bool
dictionary_has_room(const Dictionary *dictionary, uint32_t entries, uint64_t bytes)
{
	return dictionary->memory != 0 &&
		(uint64_t) dictionary->entries + dictionary->entries_coming + entries <=
		dictionary->room.entries &&
		dictionary->bytes + dictionary->bytes_coming + bytes <= dictionary->room.bytes;
}

/* Room for so many in all. */
static void
make_room(uint64_t entries, uint64_t bytes, DictionaryRoom *room)
{
	*room = (DictionaryRoom) {.nslots = 2 * SMALLEST_ENTRIES};
	while (room->nslots / 2 < entries)
		room->nslots *= 2;
	room->entries = room->nslots / 2;
	room->bytes = ALIGNED(bytes < SMALLEST_BYTES ? SMALLEST_BYTES : bytes);
	room->size = ALIGN + ALIGNED(room->nslots * sizeof(uint64_t)) +
		ALIGNED(room->entries * sizeof(TextRef)) + room->bytes;
}

bool
dictionary_room(const Dictionary *dictionary, uint32_t entries, uint64_t bytes,
				DictionaryRoom *room)
{
	uint64_t	all_entries = (uint64_t) dictionary->entries + dictionary->entries_coming +
		entries;
	uint64_t	all_bytes = dictionary->bytes + dictionary->bytes_coming + bytes;

	if (all_entries > 2 * MAX_ENTRIES || all_bytes > 2 * MAX_BYTES)
		return false;
	if (all_entries < dictionary->room.entries)
		all_entries = dictionary->room.entries;
	if (all_bytes <= dictionary->room.bytes)
		all_bytes = dictionary->room.bytes;
	else
		all_bytes += dictionary->bytes / 2;
	make_room(all_entries, all_bytes, room);
	return true;
}

bool
dictionary_spare(const Dictionary *dictionary, DictionaryRoom *room)
{
	make_room(dictionary->entries, dictionary->bytes, room);
	return dictionary->memory != 0 && dictionary->entries_coming == 0 &&
		room->size <= dictionary->room.size / 2;
}

uint64_t
dictionary_least_size(const Dictionary *dictionary)
{
	DictionaryRoom room;

	make_room(dictionary->entries, dictionary->bytes, &room);
	return room.size;
}

void
dictionary_tell(const Dictionary *dictionary, DeviceDictionary *device)
{
	const DictionaryRoom *room = &dictionary->room;

	*device = (DeviceDictionary)
	{
		.counters = dictionary->memory,
			.slots = dictionary->memory + ALIGN,
			.bytes_room = room->bytes,
			.nslots = room->nslots,
			.entries_room = room->entries
	};
	device->entries = device->slots + ALIGNED(room->nslots * sizeof(uint64_t));
	device->bytes = device->entries + ALIGNED(room->entries * sizeof(TextRef));
}

uint64_t
dictionary_zeros(const Dictionary *dictionary)
{
	DeviceDictionary device;

	dictionary_tell(dictionary, &device);
	return device.bytes - dictionary->memory;
}

bool
dictionary_grow(Dictionary *dictionary, DevicePtr memory, const DictionaryRoom *room)
{
	if (dictionary->memory != 0)
	{
		OldMemory  *old = malloc(sizeof(*old));

		if (old == NULL)
			return false;
		*old = (OldMemory) {dictionary->old, dictionary->memory, dictionary->room.size};
		dictionary->old = old;
	}
	dictionary->memory = memory;
	dictionary->room = *room;
	return true;
}

void
dictionary_expect(Dictionary *dictionary, uint32_t rows, uint64_t bytes)
{
	dictionary->entries_coming += rows;
	dictionary->bytes_coming += bytes;
}

/* They are on their way no longer.  Entries only get more: the most that was told is there. */
static void
note_counters(Dictionary *dictionary, uint32_t rows, uint64_t bytes,
			  const DictionaryCounters *counters)
{
	dictionary->entries_coming -= rows;
	dictionary->bytes_coming -= bytes;
	if (counters->entries > dictionary->entries)
		dictionary->entries = counters->entries;
	if (counters->bytes > dictionary->bytes)
		dictionary->bytes = counters->bytes;
	if (counters->lost > 0)
		dictionary->spoilt = true;
}

void
dictionary_told(Dictionary *dictionary, uint32_t rows, uint64_t bytes,
				const DictionaryCounters *counters)
{
	note_counters(dictionary, rows, bytes, counters);
	dictionary->rows += rows;
}

void
dictionary_dropped(Dictionary *dictionary, uint32_t rows, uint64_t bytes,
				   const DictionaryCounters *counters)
{
	note_counters(dictionary, rows, bytes, counters);
}

/* The entries of all rows, as those tell that have come since the dictionary was judged. */
static double
expected_entries(const Dictionary *dictionary, double all_rows)
{
	double		rows = (double) (dictionary->rows - dictionary->judged_rows);
	double		added = (double) dictionary->entries - (double) dictionary->judged_entries;
	double		middle = (double) dictionary->judged_rows + rows / 2;
	double		texts;

	if (added <= 0)
		return dictionary->entries;
	if (added >= rows)
		return dictionary->entries + all_rows - (double) dictionary->rows;
	texts = -middle / log(added / rows);
	return dictionary->entries +
		texts * (exp(-(double) dictionary->rows / texts) - exp(-all_rows / texts));
}

bool
dictionary_is_useless(Dictionary *dictionary, double table_rows)
{
	double		rows = (double) dictionary->rows;
	double		all_rows = fmax(table_rows, rows);
	bool		useless = dictionary->entries > MAX_ENTRIES || dictionary->bytes > MAX_BYTES;

	if (useless || dictionary->rows < LEAST_ROWS ||
		dictionary->rows < 2 * dictionary->judged_rows)
		return useless;
	if (rows >= fmin(all_rows / LEAST_SHARE, ENOUGH_ROWS))
		useless = expected_entries(dictionary, all_rows) >
			fmin(all_rows / USEFUL_ROWS, MAX_ENTRIES);
	dictionary->judged_rows = dictionary->rows;
	dictionary->judged_entries = dictionary->entries;
	return useless;
}

uint64_t
dictionary_size(const Dictionary *dictionary)
{
	uint64_t	size = dictionary->memory != 0 ? dictionary->room.size : 0;

	for (const OldMemory *old = dictionary->old; old != NULL; old = old->next)
		size += old->size;
	return size;
}
