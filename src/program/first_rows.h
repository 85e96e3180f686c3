/*
 * first_rows.h
 *	  The first rows of a group in an order, and where they lie.
 *
 * A state has room for some entries of the same number of words each, the first rows'
 * before others'.  An entry is a mark and an integer for each key of the order, of which
 * there are two at most: in ascending order, floats as float_to_ordered has them, but for -0,
 * which is 0.  The mark has, from its highest bits on, whether the keys are NULL and where
 * these are, two bits each, and the row's place; UINT64_MAX: there is no such row.  Of rows
 * that are equal in the order, the first is the one whose place is less.  So an answer does
 * not depend on which process or piece of a run meets a row.
 *
 * A place is a row's table, block and line pointer.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_FIRST_ROWS_H
#define GPUAGG_FIRST_ROWS_H

#include "fn.h"

#define FIRST_ROWS_MAX 128		/* entries */
#define FIRST_ROWS_MAX_KEYS 2
#define FIRST_ROWS_MAX_WORDS (FIRST_ROWS_MAX_KEYS + 1)	/* of an entry */

/* Bits of Accumulator.order, for the first key; the second one's are higher by ORDER_BITS. */
#define ORDER_DESCENDING 1
#define ORDER_NULLS_FIRST 2
#define ORDER_BITS 2

#define NO_FIRST_ROW UINT64_MAX

/* The two bits of a key in the mark. */
#define RANK_NULL_FIRST 0
#define RANK_VALUE 1
#define RANK_NULL_LAST 2

#define PLACE_MAX_TABLES 4096
#define PLACE_BITS 60

GA_FN uint64_t
place_make(uint32_t table, uint32_t block, uint32_t line)
{
	return (uint64_t) table << 48 | (uint64_t) block << 16 | line;
}

/* Of a place, or a mark. */
GA_FN uint32_t
place_table(uint64_t place)
{
	return (uint32_t) (place >> 48) % PLACE_MAX_TABLES;
}

GA_FN uint32_t
place_block(uint64_t place)
{
	return (uint32_t) (place >> 16);
}

GA_FN uint16_t
place_line(uint64_t place)
{
	return (uint16_t) place;
}

/* The bits of key n, from 0, in a mark. */
GA_FN uint64_t
mark_rank(uint64_t rank, int n)
{
	return rank << (62 - 2 * n);
}

GA_FN uint64_t
mark_rank_of(uint64_t mark, int n)
{
	return mark >> (62 - 2 * n) & 3;
}

GA_FN uint64_t
rank_of_null(int order, int n)
{
	return (order >> (n * ORDER_BITS)) & ORDER_NULLS_FIRST ? RANK_NULL_FIRST : RANK_NULL_LAST;
}

GA_FN bool
key_is_descending(int order, int n)
{
	return (order >> (n * ORDER_BITS)) & ORDER_DESCENDING;
}

/* Is entry a before entry b, whose keys are so many? */
GA_FN bool
first_row_is_before(const uint64_t *a, const uint64_t *b, int nkeys)
{
	if (a[0] >> 62 != b[0] >> 62)
		return a[0] >> 62 < b[0] >> 62;
	if (nkeys > 0 && a[1] != b[1])
		return a[1] < b[1];
	if (a[0] >> PLACE_BITS != b[0] >> PLACE_BITS)
		return a[0] >> PLACE_BITS < b[0] >> PLACE_BITS;
	if (nkeys > 1 && a[2] != b[2])
		return a[2] < b[2];
	return a[0] < b[0];
}

#ifndef __CUDACC_RTC__

/* Are two entries equal in the order? */
GA_FN bool
first_rows_are_equal(const uint64_t *a, const uint64_t *b, int nkeys)
{
	return a[0] >> PLACE_BITS == b[0] >> PLACE_BITS &&
		memcmp(a + 1, b + 1, (size_t) nkeys * sizeof(uint64_t)) == 0;
}

/* Let a state of so many words have the entry, if it is before one of those it has. */
GA_FN void
first_rows_take(uint64_t *words, int nwords, int nkeys, const uint64_t *entry)
{
	int			size = nkeys + 1;
	int			at = 0;
	int			end = nwords / size - 1;

	if (!first_row_is_before(entry, words + end * size, nkeys))
		return;
	while (at < end)
	{
		int			middle = (at + end) / 2;

		if (first_row_is_before(entry, words + middle * size, nkeys))
			end = middle;
		else
			at = middle + 1;
	}
	words += at * size;
	memmove(words + size, words, (size_t) (nwords - (at + 1) * size) * sizeof(uint64_t));
	memcpy(words, entry, (size_t) size * sizeof(uint64_t));
}

/* The same with all entries of another state. */
GA_FN void
first_rows_merge(uint64_t *into, int nwords, int nkeys, const uint64_t *from)
{
	for (int at = 0; at < nwords && from[at] != NO_FIRST_ROW; at += nkeys + 1)
		first_rows_take(into, nwords, nkeys, from + at);
}

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_FIRST_ROWS_H */
