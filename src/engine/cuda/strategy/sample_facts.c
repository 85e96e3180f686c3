/*
 * sample_facts.c
 *	  What a sample of rows tells of their keys, and of the filter's conditions.
 *
 * One pass over the rows finds each row's key in a hash table, which knows where the
 * key was met last: in the same chunk or window of neighbouring rows, or before.  The
 * keys stand in the order in which they are first met, and of equally frequent ones
 * the first is taken.
 *
 * The table is freed before its facts are given.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/cuda/strategy/sample_facts.h"

/* Neighbouring rows among which peers are counted, as a warp would meet them. */
#define WINDOW_ROWS 32

/* A key of the sample. */
typedef struct SampledKey
{
	uint64_t	hash;
	uint32_t	count;			/* its rows */
	uint32_t	first;			/* of them */
	uint32_t	chunk;			/* where it was met last */
	uint32_t	window;
} SampledKey;

/*
 * A slot of the index is 0 if it is free, else 16 bits of the hash and behind them
 * the key's number, from 1: most other keys are told apart without a look at them.
 * The low bits of a hash say which slot; its upper ten are 0 where a key has more than a word.
 */
#define SLOT_NUMBER 0xffff
#define SLOT_TAG(hash) ((uint32_t) (hash) & 0xffff0000)

typedef struct KeyTable
{
	uint32_t   *index;
	uint32_t	mask;			/* slots less one */
	SampledKey *keys;
	uint32_t	nkeys;
} KeyTable;

/* Sums over the rows that pass. */
typedef struct RowCounts
{
	uint32_t	rows;
	uint32_t	runs;			/* of equal neighbours */
	uint32_t	windows;		/* keys of each window, */
	uint32_t	distinct;		/* of the first half of each chunk, */
	uint32_t	fresh;			/* and those that only its second half has */
} RowCounts;

static bool
table_create(uint32_t nrows, KeyTable *table)
{
	uint32_t	slots = 64;

	while (slots < 2 * nrows)
		slots *= 2;
	table->mask = slots - 1;
	table->nkeys = 0;
	table->index = calloc(slots, sizeof(*table->index));
	table->keys = malloc((nrows + 1) * sizeof(*table->keys));
	return table->index != NULL && table->keys != NULL;
}

static void
table_free(KeyTable *table)
{
	free(table->index);
	free(table->keys);
}

/* The key with this hash, a new one without rows if there is none. */
static SampledKey *
find_key(KeyTable *table, uint64_t hash)
{
	uint32_t	at = (uint32_t) hash & table->mask;
	SampledKey *key;

	for (; table->index[at] != 0; at = (at + 1) & table->mask)
	{
		if ((table->index[at] & ~SLOT_NUMBER) != SLOT_TAG(hash))
			continue;
		key = &table->keys[(table->index[at] & SLOT_NUMBER) - 1];
		if (key->hash == hash)
			return key;
	}
	key = &table->keys[table->nkeys++];
	key->hash = hash;
	key->count = 0;
	table->index[at] = SLOT_TAG(hash) | table->nkeys;
	return key;
}

/* Count a row that passes: it is the window's, and in the first half of its chunk or not. */
static void
count_row(KeyTable *table, uint64_t hash, uint32_t row, bool first_half, RowCounts *counts)
{
	uint32_t	chunk = row / SAMPLE_CHUNK;
	uint32_t	window = counts->rows / WINDOW_ROWS;
	SampledKey *key = find_key(table, hash);
	bool		new = key->count == 0;

	if (new)
		key->first = row;
	if (new || key->chunk != chunk)
	{
		counts->distinct += first_half;
		counts->fresh += !first_half;
	}
	counts->windows += new || key->window != window;
	counts->rows++;
	key->count++;
	key->chunk = chunk;
	key->window = window;
}

/* Count all rows that pass, and find their keys. */
static RowCounts
count_rows(const SampledRow *rows, uint32_t nrows, KeyTable *table, SampleFacts *facts)
{
	RowCounts	counts = {0};
	uint64_t	last = 0;

	for (uint32_t i = 0; i < nrows; i++)
	{
		uint32_t	begin = i - i % SAMPLE_CHUNK;
		uint32_t	chunk = nrows - begin < SAMPLE_CHUNK ? nrows - begin : SAMPLE_CHUNK;

		if (!rows[i].passes)
			continue;
		counts.runs += counts.rows == 0 || rows[i].hash != last;
		last = rows[i].hash;
		count_row(table, last, i, i - begin < chunk / 2, &counts);
		if (rows[i].isnull)
			continue;
		facts->min = rows[i].value < facts->min ? rows[i].value : facts->min;
		facts->max = rows[i].value > facts->max ? rows[i].value : facts->max;
	}
	return counts;
}

double
keys_met(double groups, double n)
{
	return -groups * expm1(-n / groups);
}

/*
 * Keys in all rows, if all were as frequent.  A sample that has nearly only new
 * keys tells nothing but that there are many.
 */
static double
estimate_groups(double n, double distinct)
{
	double		low = distinct;
	double		high = n * 1000;

	if (distinct >= n * 0.999)
		return high;
	for (int i = 0; i < 60; i++)
	{
		double		g = (low + high) / 2;

		if (keys_met(g, n) < distinct)
			low = g;
		else
			high = g;
	}
	return low;
}

/*
 * Keys that the sample has not met, at least, however frequent others are: from those
 * that it has met once and twice (Chao, Scandinavian Journal of Statistics, 1984).  Of
 * the latter a few more than that, since chance may have left them out.
 */
static double
unseen_keys(uint32_t once, uint32_t twice)
{
	return (double) once * once / (2.0 * (twice + 2 * sqrt(twice + 1.0)));
}

/* The more frequent one first, of equally frequent ones the first. */
static int
compare_keys(const void *a, const void *b)
{
	const SampledKey *x = a;
	const SampledKey *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* How many of the keys have so many rows. */
static uint32_t
keys_with(const SampledKey *keys, uint32_t nkeys, uint32_t count)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nkeys; i++)
		n += keys[i].count >= count;
	return n;
}

/* Leave the keys that have more rows, and the first ones that have so many, in their order. */
static uint32_t
keep_most_frequent(SampledKey *keys, uint32_t nkeys, uint32_t count)
{
	uint32_t	equal = SAMPLE_FREQUENT - keys_with(keys, nkeys, count + 1);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nkeys; i++)
	{
		if (keys[i].count < count || (keys[i].count == count && equal == 0))
			continue;
		equal -= keys[i].count == count;
		keys[n++] = keys[i];
	}
	return n;
}

/*
 * Leave the keys that count as frequent, the most frequent ones first: their number.
 * Of all, only those are sorted.
 */
static uint32_t
frequent_keys(SampledKey *keys, uint32_t nkeys, uint32_t most)
{
	uint32_t	low = SAMPLE_FREQUENT_ROWS;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nkeys; i++)
		if (keys[i].count >= low)
			keys[n++] = keys[i];
	/* more than SAMPLE_FREQUENT keys have `low` rows, or all are kept */
	while (n > SAMPLE_FREQUENT && low < most)
	{
		uint32_t	middle = low + (most - low + 1) / 2;

		if (keys_with(keys, n, middle) >= SAMPLE_FREQUENT)
			low = middle;
		else
			most = middle - 1;
	}
	n = keep_most_frequent(keys, n, low);
	qsort(keys, n, sizeof(*keys), compare_keys);
	return n;
}

/* What is known from the keys, of which only the frequent ones are left. */
static void
key_facts(const SampledRow *rows, KeyTable *table, SampleFacts *facts)
{
	double		n = facts->rows;
	uint32_t	most = 0;
	uint32_t	second = 0;
	uint64_t	covered = 0;
	uint32_t	with[3] = {0};	/* keys with so many rows */

	for (uint32_t i = 0; i < table->nkeys; i++)
	{
		uint32_t	count = table->keys[i].count;

		second = count > most ? most : count > second ? count : second;
		most = count > most ? count : most;
		if (count < 3)
			with[count]++;
	}
	facts->distinct = table->nkeys;
	facts->groups = estimate_groups(n, facts->distinct);
	facts->least_groups = unseen_keys(with[1], with[2]) + facts->distinct;
	facts->heaviest = most / n;
	facts->second = second / n;
	facts->nfrequent = frequent_keys(table->keys, table->nkeys, most);
	for (uint32_t i = 0; i < facts->nfrequent; i++)
	{
		facts->frequent[i] = rows[table->keys[i].first];
		covered += table->keys[i].count;
	}
	facts->covered = covered / n;
}

/* How rows follow each other; block_rows: see sample_facts. */
static void
neighbour_facts(const RowCounts *counts, uint32_t nrows, uint64_t block_rows,
				SampleFacts *facts)
{
	double		chunks = (double) nrows / SAMPLE_CHUNK;

	facts->rows = counts->rows;
	facts->run_length = (double) counts->rows / counts->runs;
	facts->peers = (double) counts->rows / counts->windows;
	facts->block_keys = (counts->distinct + counts->fresh * 2.0 * block_rows / SAMPLE_CHUNK) /
		chunks;
}

void
sample_facts(const SampledRow *rows, uint32_t nrows, uint64_t block_rows, SampleFacts *facts)
{
	KeyTable	table;
	RowCounts	counts;

	*facts = (SampleFacts) {.run_length = 1,.peers = 1,.min = INT64_MAX,.max = INT64_MIN};
	facts->sampled = nrows;
	for (uint32_t i = 0; i < nrows; i++)
		facts->conditions[rows[i].conditions % SAMPLE_CONDITIONS]++;
	if (table_create(nrows, &table))
	{
		counts = count_rows(rows, nrows, &table, facts);
		if (counts.rows > 0)
		{
			neighbour_facts(&counts, nrows, block_rows, facts);
			key_facts(rows, &table, facts);
		}
	}
	table_free(&table);
}

uint32_t
sample_size(double input_rows)
{
	double		rows = input_rows / SAMPLE_SHARE;

	if (input_rows <= 0 || rows >= SAMPLE_ROWS)
		return SAMPLE_ROWS;
	return rows > SAMPLE_LEAST_ROWS ? (uint32_t) rows : SAMPLE_LEAST_ROWS;
}

void
expected_facts(double groups, uint32_t nrows, SampleFacts *facts)
{
	groups = groups > 1 ? groups : 1;
	*facts = (SampleFacts) {0};
	facts->rows = nrows;
	facts->distinct = (uint32_t) keys_met(groups, nrows);
	facts->groups = facts->least_groups = groups;
	facts->run_length = groups > 1 ? groups / (groups - 1) : nrows;
	facts->peers = 32 / keys_met(groups, 32);
	facts->heaviest = facts->second = 1 / groups;
	if (nrows / groups >= SAMPLE_FREQUENT_ROWS)
		facts->covered = groups > SAMPLE_FREQUENT ? SAMPLE_FREQUENT / groups : 1;
	facts->max = groups < INT32_MAX ? (int64_t) groups : INT32_MAX;
	facts->block_keys = groups;
}
