/*
 * value_list.h
 *	  The values of a group, for statistics that need all of them.
 *
 * A list is two words of a group's state: where the next value goes, and how many there are.
 * In a table it lies in chunks of its arena.  Where a chunk ends follows from the number of
 * values alone: after 4 of them, 8, 16, and so on, and from 1024 on after every 1024; so
 * that adding one reads no more than these words.  In front of a chunk's values stands the
 * address of the first value of the chunk before it.
 *
 * In a record that has been read (records.h), the values are one piece, and the lowest bit of
 * their address is set.  A list that has been read from, or whose values are left in the
 * store, has no address.
 */
#ifndef GPUAGG_VALUE_LIST_H
#define GPUAGG_VALUE_LIST_H

#include "engine/cpu/table.h"

#define LIST_FIRST 4
#define LIST_MOST 1024			/* values in one chunk */

#define LIST_PACKED UINT64_C(1)

/* Does a chunk end behind n values? */
static inline bool
list_chunk_ends(uint64_t n)
{
	if (n >= LIST_MOST)
		return n % LIST_MOST == 0;
	return n == 0 || (n >= LIST_FIRST && (n & (n - 1)) == 0);
}

/* Begin a chunk; false: no memory. */
extern bool list_begin_chunk(GroupTable *table, uint64_t *words);

/* Add a value; false: no memory. */
static inline bool
list_add(GroupTable *table, uint64_t *words, uint64_t value)
{
	if (list_chunk_ends(words[1]) && !list_begin_chunk(table, words))
		return false;
	*(uint64_t *) (uintptr_t) words[0] = value;
	words[0] += sizeof(value);
	words[1]++;
	return true;
}

/*
 * Room for n values behind one another, at most LIST_MOST, which are the list's from now on.
 * Zeros are added before them, up to a chunk that has as much.  NULL: no memory.
 */
extern uint64_t *list_room(GroupTable *table, uint64_t *words, uint64_t n);

/* Values of a list that lie behind one another. */
typedef struct ListPiece
{
	const uint64_t *values;
	uint64_t	n;				/* 0: there are no more */
} ListPiece;

/* A list, and how many of its values are in pieces that have not been given. */
typedef struct ListWalk
{
	const uint64_t *next;		/* where the last of them ends */
	uint64_t	left;
	bool		packed;
} ListWalk;

extern void list_walk(ListWalk *walk, const uint64_t *words);

/* The next piece: chunks from the last to the first. */
extern ListPiece list_next(ListWalk *walk);

/* Copy all values of a list, in the order in which they were added to it; returns where they end. */
extern uint64_t *list_gather(const uint64_t *words, uint64_t *to);

/* The words of a list that is one piece. */
static inline void
list_pack(uint64_t *words, ListPiece piece)
{
	words[0] = piece.n == 0 ? 0 : (uint64_t) (uintptr_t) piece.values | LIST_PACKED;
	words[1] = piece.n;
}

#endif							/* GPUAGG_VALUE_LIST_H */
