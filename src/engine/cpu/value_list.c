/*
 * value_list.c
 *	  The values of a group, for statistics that need all of them.
 */
#include <string.h>

#include "engine/cpu/value_list.h"

/* The number of values before the chunk in which the last of n is; n is not 0. */
static uint64_t
chunk_start(uint64_t n)
{
	uint64_t	last = n - 1;

	if (last < LIST_FIRST)
		return 0;
	if (last >= LIST_MOST)
		return last - last % LIST_MOST;
	return UINT64_C(1) << (63 - __builtin_clzll(last));
}

/* How many values the chunk behind n has room for. */
static uint64_t
chunk_room(uint64_t n)
{
	return n == 0 ? LIST_FIRST : n < LIST_MOST ? n : LIST_MOST;
}

bool
list_begin_chunk(GroupTable *table, uint64_t *words)
{
	uint64_t   *chunk = table_words_room(table, 1 + chunk_room(words[1]));

	if (chunk == NULL)
		return false;
	chunk[0] = words[1] == 0 ? 0 :
		words[0] - (words[1] - chunk_start(words[1])) * sizeof(uint64_t);
	words[0] = (uint64_t) (uintptr_t) (chunk + 1);
	return true;
}

/* How many more values the chunk has room for in which the one behind n is. */
static uint64_t
chunk_left(uint64_t n)
{
	uint64_t	start = chunk_start(n + 1);

	return start + chunk_room(start) - n;
}

uint64_t *
list_room(GroupTable *table, uint64_t *words, uint64_t n)
{
	uint64_t   *room;

	for (;;)
	{
		uint64_t	left;

		if (list_chunk_ends(words[1]) && !list_begin_chunk(table, words))
			return NULL;
		room = (uint64_t *) (uintptr_t) words[0];
		left = chunk_left(words[1]);
		if (n <= left)
			break;
		memset(room, 0, left * sizeof(*room));
		words[0] += left * sizeof(*room);
		words[1] += left;
	}
	words[0] += n * sizeof(*room);
	words[1] += n;
	return room;
}

void
list_walk(ListWalk *walk, const uint64_t *words)
{
	walk->packed = (words[0] & LIST_PACKED) != 0;
	walk->next = (const uint64_t *) (uintptr_t) (words[0] & ~LIST_PACKED);
	walk->left = words[0] == 0 ? 0 : words[1];
}

ListPiece
list_next(ListWalk *walk)
{
	ListPiece	piece = {NULL, walk->left};
	uint64_t	start;

	if (walk->left == 0)
		return piece;
	if (walk->packed)
	{
		piece.values = walk->next;
		walk->left = 0;
		return piece;
	}
	start = chunk_start(walk->left);
	piece.n = walk->left - start;
	piece.values = walk->next - piece.n;
	walk->left = start;
	if (start > 0)
		walk->next = (const uint64_t *) (uintptr_t) piece.values[-1] +
			(start - chunk_start(start));
	return piece;
}

uint64_t *
list_gather(const uint64_t *words, uint64_t *to)
{
	ListWalk	walk;
	ListPiece	piece;
	uint64_t   *end;

	list_walk(&walk, words);
	end = to + walk.left;
	for (to = end; (piece = list_next(&walk)).n > 0;)
	{
		to -= piece.n;
		memcpy(to, piece.values, piece.n * sizeof(*to));
	}
	return end;
}
