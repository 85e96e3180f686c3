/*
 * sample_facts.c
 *	  What a sample of rows tells of their keys.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/cuda/strategy/sample_facts.h"

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	x = ((const SampledRow *) a)->hash;
	uint64_t	y = ((const SampledRow *) b)->hash;

	return (x > y) - (x < y);
}

/* A key of the sample: its rows stand behind one another. */
typedef struct SampledKey
{
	uint32_t	first;
	uint32_t	count;
} SampledKey;

static int
compare_counts(const void *a, const void *b)
{
	uint32_t	x = ((const SampledKey *) a)->count;
	uint32_t	y = ((const SampledKey *) b)->count;

	return (x < y) - (x > y);
}

/*
 * How a chunk's keys follow each other: *distinct keys in its first half, *fresh
 * ones in the second.
 */
static void
chunk_keys(const SampledRow *rows, uint32_t n, uint32_t *distinct, uint32_t *fresh)
{
	uint64_t	seen[2 * SAMPLE_CHUNK];
	bool		used[2 * SAMPLE_CHUNK] = {0};

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = (uint32_t) (rows[i].hash >> 32) % (2 * SAMPLE_CHUNK);

		if (!rows[i].passes)
			continue;
		while (used[at] && seen[at] != rows[i].hash)
			at = (at + 1) % (2 * SAMPLE_CHUNK);
		if (used[at])
			continue;
		used[at] = true;
		seen[at] = rows[i].hash;
		if (i < n / 2)
			(*distinct)++;
		else
			(*fresh)++;
	}
}

/* Keys that so many neighbouring rows have. */
static double
keys_of_rows(const SampledRow *rows, uint32_t nrows, uint64_t neighbours)
{
	uint32_t	distinct = 0;
	uint32_t	fresh = 0;
	double		chunks = (double) nrows / SAMPLE_CHUNK;

	for (uint32_t i = 0; i < nrows; i += SAMPLE_CHUNK)
		chunk_keys(rows + i, nrows - i < SAMPLE_CHUNK ? nrows - i : SAMPLE_CHUNK,
				   &distinct, &fresh);
	return (distinct + fresh * 2.0 * neighbours / SAMPLE_CHUNK) / chunks;
}

/* Rows of one window of 32 that have no equal row before them there. */
static uint32_t
window_distinct(const SampledRow *rows, uint32_t n)
{
	uint32_t	distinct = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = 0;

		while (j < i && rows[j].hash != rows[i].hash)
			j++;
		distinct += j == i;
	}
	return distinct;
}

/* Leave the rows that pass; how they follow each other. */
static uint32_t
neighbour_facts(SampledRow *rows, uint32_t nrows, SampleFacts *facts)
{
	uint32_t	n = 0;
	uint32_t	runs = 0;
	uint32_t	distinct = 0;

	for (uint32_t i = 0; i < nrows; i++)
		if (rows[i].passes)
			rows[n++] = rows[i];
	for (uint32_t i = 0; i < n; i++)
		runs += i == 0 || rows[i].hash != rows[i - 1].hash;
	for (uint32_t i = 0; i < n; i += 32)
		distinct += window_distinct(rows + i, n - i < 32 ? n - i : 32);
	facts->run_length = runs ? (double) n / runs : 1;
	facts->peers = distinct ? (double) n / distinct : 1;
	facts->min = INT64_MAX;
	facts->max = INT64_MIN;
	for (uint32_t i = 0; i < n; i++)
		if (!rows[i].isnull)
		{
			facts->min = rows[i].value < facts->min ? rows[i].value : facts->min;
			facts->max = rows[i].value > facts->max ? rows[i].value : facts->max;
		}
	return n;
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

/* What is known from the keys, the most frequent ones first. */
static void
key_facts(const SampledRow *rows, uint32_t n, const SampledKey *keys, uint32_t nkeys,
		  SampleFacts *facts)
{
	uint64_t	covered = 0;

	facts->distinct = nkeys;
	facts->groups = estimate_groups(n, nkeys);
	facts->heaviest = (double) keys[0].count / n;
	facts->second = nkeys > 1 ? (double) keys[1].count / n : 0;
	for (uint32_t i = 0; i < nkeys && i < SAMPLE_FREQUENT &&
		 keys[i].count >= SAMPLE_FREQUENT_ROWS; i++)
	{
		facts->frequent[facts->nfrequent++] = rows[keys[i].first];
		covered += keys[i].count;
	}
	facts->covered = (double) covered / n;
}

void
sample_facts(SampledRow *rows, uint32_t nrows, uint64_t block_rows, SampleFacts *facts)
{
	double		block_keys = keys_of_rows(rows, nrows, block_rows);
	uint32_t	n = neighbour_facts(rows, nrows, facts);
	SampledKey *keys = calloc(n + 1, sizeof(*keys));
	uint32_t	nkeys = 0;

	facts->rows = n;
	facts->block_keys = block_keys;
	facts->distinct = 0;
	facts->groups = 0;
	facts->heaviest = facts->second = facts->covered = 0;
	facts->nfrequent = 0;
	if (n > 0 && keys != NULL)
	{
		qsort(rows, n, sizeof(*rows), compare_hashes);
		for (uint32_t i = 0; i < n; i++)
		{
			if (i == 0 || rows[i].hash != rows[i - 1].hash)
				keys[nkeys++].first = i;
			keys[nkeys - 1].count++;
		}
		qsort(keys, nkeys, sizeof(*keys), compare_counts);
		key_facts(rows, n, keys, nkeys, facts);
	}
	free(keys);
}

void
expected_facts(double groups, SampleFacts *facts)
{
	groups = groups > 1 ? groups : 1;
	*facts = (SampleFacts) {0};
	facts->rows = SAMPLE_ROWS;
	facts->distinct = (uint32_t) keys_met(groups, SAMPLE_ROWS);
	facts->groups = groups;
	facts->run_length = groups > 1 ? groups / (groups - 1) : SAMPLE_ROWS;
	facts->peers = 32 / keys_met(groups, 32);
	facts->heaviest = facts->second = 1 / groups;
	if (SAMPLE_ROWS / groups >= SAMPLE_FREQUENT_ROWS)
		facts->covered = groups > SAMPLE_FREQUENT ? SAMPLE_FREQUENT / groups : 1;
	facts->max = groups < INT32_MAX ? (int64_t) groups : INT32_MAX;
	facts->block_keys = groups;
}
