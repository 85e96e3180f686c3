/*
 * test_first_rows.c
 *	  The first rows of a group in an order: a state has the first of all entries that it has taken
 *	  in, directly or by merging, in their order.
 */
#include <stdlib.h>

#include "program/first_rows.h"
#include "random.h"
#include "tap.h"

#define ENTRIES 200
#define PARTS 5

static int	nkeys;				/* for compare */

static int
compare(const void *a, const void *b)
{
	return first_row_is_before(a, b, nkeys) ? -1 : first_row_is_before(b, a, nkeys);
}

/* Of few values, so that many are equal; NULLs first or last.  Places are all different. */
static void
fill(uint64_t *entry, uint32_t number)
{
	entry[0] = place_make(number % 3, number, 1 + number % 200);
	for (int n = 0; n < nkeys; n++)
	{
		uint64_t	rank = random_u64() >> 62;

		rank = rank > RANK_NULL_LAST ? RANK_VALUE : rank;
		entry[0] |= mark_rank(rank, n);
		entry[n + 1] = rank == RANK_VALUE ? (random_u64() >> 62) * (UINT64_MAX / 3) : 0;
	}
}

/* Are the first `count` entries, of so many, what is in the words? */
static bool
has_first(const uint64_t *words, const uint64_t *sorted, int count, int nentries)
{
	int			size = nkeys + 1;
	int			n = count < nentries ? count : nentries;

	return memcmp(words, sorted, (size_t) (n * size) * sizeof(uint64_t)) == 0 &&
		(n == count || words[n * size] == NO_FIRST_ROW);
}

static void
test(int count, int nentries)
{
	int			size = nkeys + 1;
	int			nwords = count * size;
	uint64_t	entries[ENTRIES * FIRST_ROWS_MAX_WORDS];
	uint64_t	whole[FIRST_ROWS_MAX * FIRST_ROWS_MAX_WORDS];
	uint64_t	parts[PARTS][FIRST_ROWS_MAX * FIRST_ROWS_MAX_WORDS];
	uint64_t	merged[FIRST_ROWS_MAX * FIRST_ROWS_MAX_WORDS];

	memset(whole, 0xff, sizeof(whole));
	memset(parts, 0xff, sizeof(parts));
	memset(merged, 0xff, sizeof(merged));
	for (int i = 0; i < nentries; i++)
	{
		fill(&entries[i * size], (uint32_t) i);
		first_rows_take(whole, nwords, nkeys, &entries[i * size]);
		first_rows_take(parts[random_u64() % PARTS], nwords, nkeys, &entries[i * size]);
	}
	for (int i = 0; i < PARTS; i++)
		first_rows_merge(merged, nwords, nkeys, parts[i]);
	qsort(entries, (size_t) nentries, (size_t) size * sizeof(uint64_t), compare);
	ok(has_first(whole, entries, count, nentries) && has_first(merged, entries, count, nentries),
	   "the first %d of %d rows by %d keys", count, nentries, nkeys);
}

int
main(void)
{
	const int	counts[] = {1, 2, 7, FIRST_ROWS_MAX};
	const int	sizes[] = {0, 1, 5, ENTRIES};
	uint64_t	place = place_make(PLACE_MAX_TABLES - 1, UINT32_MAX - 1, 291);

	for (nkeys = 0; nkeys <= FIRST_ROWS_MAX_KEYS; nkeys++)
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++)
				test(counts[i], sizes[j]);
	ok(place >> PLACE_BITS == 0 && place_table(place) == PLACE_MAX_TABLES - 1 &&
	   place_block(place) == UINT32_MAX - 1 && place_line(place) == 291,
	   "a place is taken apart");
	place |= mark_rank(RANK_NULL_LAST, 0) | mark_rank(RANK_VALUE, 1);
	ok(place_table(place) == PLACE_MAX_TABLES - 1, "the same of a mark");
	return done_testing();
}
