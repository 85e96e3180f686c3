/*
 * dictionary.h
 *	  The dictionary of a column of texts that is kept: its memory, and what is in it.
 *
 * The chunks of such a column have codes of the dictionary's entries (dictionary.cuh).  Entries
 * stay what they are for as long as there is a dictionary.  It is the cache's, and is there
 * as long as a chunk has the column or a run has pinned it.
 *
 * One run at a time fills a dictionary, by launches in its own stream.  It says beforehand what
 * its rows may add at most, so that there is room whatever they have.  If it moves a
 * dictionary, other runs' streams wait for that before they read what it has.
 */
#ifndef GPUAGG_DICTIONARY_H
#define GPUAGG_DICTIONARY_H

#include <stdbool.h>

#include "engine/cuda/device/device_memory.h"
#include "engine/cuda/kernels/kernel_args.h"

/* Memory that a dictionary has grown out of, and that work on the device may still read. */
typedef struct OldMemory
{
	struct OldMemory *next;
	DevicePtr	ptr;
	uint64_t	size;
} OldMemory;

/* How much there is room for. */
typedef struct DictionaryRoom
{
	uint32_t	nslots;
	uint32_t	entries;
	uint64_t	bytes;
	uint64_t	size;			/* of the memory that takes */
} DictionaryRoom;

/* Begins as zeros. */
typedef struct Dictionary
{
	DevicePtr	memory;			/* 0: none yet */
	DictionaryRoom room;
	OldMemory  *old;
	uint32_t	entries;		/* as last told: no chunk has codes of others */
	uint64_t	bytes;
	uint32_t	entries_coming; /* what rows on their way may add at most */
	uint64_t	bytes_coming;
	uint64_t	rows;			/* that codes were found for */
	uint64_t	judged_rows;	/* as they were when it was judged last */
	uint64_t	judged_entries;
	const void *filler;			/* the run that fills it, or NULL */
	DeviceEvent *moved;			/* the filler's, behind its last move; or NULL */
	uint32_t	pins;
	bool		spoilt;			/* a text found no room, or a launch failed */
} Dictionary;

/* Is there room for so many more, beside what is on its way? */
extern bool dictionary_has_room(const Dictionary *dictionary, uint32_t entries, uint64_t bytes);

/* What it is to grow to, to have that; false: no dictionary may be that large. */
extern bool dictionary_room(const Dictionary *dictionary, uint32_t entries, uint64_t bytes,
							DictionaryRoom *room);

/*
 * What it is to shrink to, now that no rows are on their way; false: it has not much more room
 * than it needs.
 */
extern bool dictionary_spare(const Dictionary *dictionary, DictionaryRoom *room);

/* The memory that it needs for what it was told to have. */
extern uint64_t dictionary_least_size(const Dictionary *dictionary);

/* The dictionary for kernels. */
extern void dictionary_tell(const Dictionary *dictionary, DeviceDictionary *device);

/* Bytes at the beginning of its memory that begin as zeros; the others need not. */
extern uint64_t dictionary_zeros(const Dictionary *dictionary);

/*
 * Take memory of that room, which the cache has given, as the dictionary's own; the old one
 * stays for as long as a run has pinned the dictionary.
 */
extern bool dictionary_grow(Dictionary *dictionary, DevicePtr memory,
							const DictionaryRoom *room);

/* Note rows on their way; and what the device has told when they got there. */
extern void dictionary_expect(Dictionary *dictionary, uint32_t rows, uint64_t bytes);
extern void dictionary_told(Dictionary *dictionary, uint32_t rows, uint64_t bytes,
							const DictionaryCounters *counters);

/*
 * The same of rows that are not kept, and may come again.  The counters are zeros if the device
 * has not looked for their codes.
 */
extern void dictionary_dropped(Dictionary *dictionary, uint32_t rows, uint64_t bytes,
							   const DictionaryCounters *counters);

/*
 * Once rows have been told: is it not worth its memory, for a table of so many rows?  Are more
 * than half of the texts to be expected different, or too many for codes?
 */
extern bool dictionary_is_useless(Dictionary *dictionary, double table_rows);

/* Bytes of device memory, with that of `old`. */
extern uint64_t dictionary_size(const Dictionary *dictionary);

#endif							/* GPUAGG_DICTIONARY_H */
