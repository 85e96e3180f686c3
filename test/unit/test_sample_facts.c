/*
 * test_sample_facts.c
 *	  Facts of samples, against a plain count over all pairs of rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/cuda/strategy/sample_facts.h"

#include "tap.h"

#define MOST_ROWS 3000

static uint32_t random_state = 1;

static uint32_t
random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t) ((uint64_t) (random_state >> 8) * n >> 24);
}

/* Rows of so many keys, each repeated for a while, or in turns, of which a share passes. */
static void
make_rows(SampledRow *rows, uint32_t n, uint32_t nkeys, uint32_t repeat, uint32_t percent)
{
	uint32_t	key = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		if (repeat == 0)
			key = i % nkeys;
		else if (random_below(repeat) == 0)
			key = random_below(2) ? random_below(nkeys) : random_below(nkeys / 8 + 1);
		rows[i] = (SampledRow) {.passes = random_below(100) < percent,.isnull = key == 3};
		rows[i].value = (int64_t) key - 5;
		/* the same tag and slot for some keys of different hashes */
		rows[i].hash = (uint64_t) (key / 2) * UINT64_C(0x9e3779b97f4a7c15) ^
			(uint64_t) (key & 1) << 40;
	}
}

/* Has a row from `from` on, before `to`, passed with that hash? */
static bool
is_met(const SampledRow *rows, uint32_t from, uint32_t to, uint64_t hash)
{
	for (uint32_t i = from; i < to; i++)
		if (rows[i].passes && rows[i].hash == hash)
			return true;
	return false;
}

static uint32_t
rows_with(const SampledRow *rows, uint32_t n, uint64_t hash)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += rows[i].passes && rows[i].hash == hash;
	return count;
}

/* The keys' frequencies in rank order: of equally frequent keys, the first first. */
static void
plain_frequent(const SampledRow *rows, uint32_t n, const uint32_t *counts, SampleFacts *facts)
{
	bool		taken[MOST_ROWS] = {false};
	uint64_t	covered = 0;

	for (facts->nfrequent = 0; facts->nfrequent < SAMPLE_FREQUENT; facts->nfrequent++)
	{
		uint32_t	best = n;

		for (uint32_t i = 0; i < n; i++)
			if (counts[i] >= SAMPLE_FREQUENT_ROWS && !taken[i] &&
				(best == n || counts[i] > counts[best]))
				best = i;
		if (best == n)
			break;
		taken[best] = true;
		covered += counts[best];
		facts->frequent[facts->nfrequent] = rows[best];
	}
	facts->covered = (double) covered / facts->rows;
}

/* counts: rows of the key that is first met in a row; 0 for other rows. */
static void
plain_keys(const SampledRow *rows, uint32_t n, uint32_t *counts, SampleFacts *facts)
{
	uint32_t	most = 0;
	uint32_t	second = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		counts[i] = rows[i].passes && !is_met(rows, 0, i, rows[i].hash) ?
			rows_with(rows, n, rows[i].hash) : 0;
		facts->distinct += counts[i] > 0;
		if (counts[i] > most)
			second = most, most = counts[i];
		else if (counts[i] > second)
			second = counts[i];
	}
	facts->heaviest = (double) most / facts->rows;
	facts->second = (double) second / facts->rows;
}

static void
plain_neighbours(const SampledRow *rows, uint32_t n, uint64_t block_rows, SampleFacts *facts)
{
	static SampledRow passed[MOST_ROWS];
	uint32_t	runs = 0;
	uint32_t	windows = 0;
	double		keys = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	begin = i / SAMPLE_CHUNK * SAMPLE_CHUNK;
		uint32_t	end = begin + SAMPLE_CHUNK < n ? begin + SAMPLE_CHUNK : n;

		if (!rows[i].passes)
			continue;
		if (!is_met(rows, begin, i, rows[i].hash))
			keys += i < begin + (end - begin) / 2 ? 1 : 2.0 * block_rows / SAMPLE_CHUNK;
		passed[facts->rows++] = rows[i];
	}
	for (uint32_t i = 0; i < facts->rows; i++)
	{
		runs += i == 0 || passed[i].hash != passed[i - 1].hash;
		windows += !is_met(passed, i / 32 * 32, i, passed[i].hash);
		if (passed[i].isnull)
			continue;
		facts->min = passed[i].value < facts->min ? passed[i].value : facts->min;
		facts->max = passed[i].value > facts->max ? passed[i].value : facts->max;
	}
	facts->run_length = (double) facts->rows / runs;
	facts->peers = (double) facts->rows / windows;
	facts->block_keys = keys / ((double) n / SAMPLE_CHUNK);
}

static bool
is_close(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static bool
same_facts(const SampleFacts *a, const SampleFacts *b)
{
	return a->rows == b->rows && a->distinct == b->distinct && a->min == b->min &&
		a->max == b->max && is_close(a->run_length, b->run_length) &&
		is_close(a->peers, b->peers) && is_close(a->heaviest, b->heaviest) &&
		is_close(a->second, b->second) && is_close(a->covered, b->covered) &&
		is_close(a->block_keys, b->block_keys) && a->nfrequent == b->nfrequent &&
		memcmp(a->frequent, b->frequent, a->nfrequent * sizeof(SampledRow)) == 0;
}

/* Samples of many sizes: false with the first whose facts are others. */
static void
test_random(uint32_t nkeys, uint32_t repeat, uint32_t percent)
{
	static SampledRow rows[MOST_ROWS];
	static uint32_t counts[MOST_ROWS];
	SampleFacts facts;
	SampleFacts plain;
	uint32_t	n = 0;
	bool		same = true;

	for (int turn = 0; turn < 4 && same; turn++)
	{
		n = turn == 0 ? MOST_ROWS : 1 + random_below(MOST_ROWS);
		make_rows(rows, n, nkeys, repeat, percent);
		rows[0].passes = 1;
		plain = (SampleFacts) {.min = INT64_MAX,.max = INT64_MIN};
		plain_neighbours(rows, n, 100000, &plain);
		plain_keys(rows, n, counts, &plain);
		plain_frequent(rows, n, counts, &plain);
		sample_facts(rows, n, 100000, &facts);
		same = same_facts(&facts, &plain);
	}
	ok(same, "%u keys, %u rows together, %u %% pass: %u of %u rows, %u keys, %u frequent",
	   nkeys, repeat, percent, facts.rows, n, facts.distinct, facts.nfrequent);
}

static void
test_none(void)
{
	SampledRow	rows[2] = {{.hash = 1},{.hash = 2}};
	SampleFacts facts;

	for (uint32_t n = 0; n <= 2; n += 2)
	{
		sample_facts(rows, n, 1000, &facts);
		ok(facts.rows == 0 && facts.distinct == 0 && facts.nfrequent == 0 &&
		   facts.run_length == 1 && facts.peers == 1 && facts.min > facts.max &&
		   facts.block_keys == 0, "no row of %u passes", n);
	}
}

/* As many keys as there is room for. */
static void
test_all_distinct(void)
{
	SampledRow *rows = calloc(SAMPLE_ROWS, sizeof(*rows));
	SampleFacts facts;

	for (uint32_t i = 0; i < SAMPLE_ROWS; i++)
		rows[i] = (SampledRow) {.hash = i * UINT64_C(0x9e3779b97f4a7c15),.passes = 1};
	sample_facts(rows, SAMPLE_ROWS, 1000, &facts);
	ok(facts.distinct == SAMPLE_ROWS && facts.nfrequent == 0 && facts.peers == 1 &&
	   facts.run_length == 1 && facts.heaviest == 1.0 / SAMPLE_ROWS, "all keys distinct");
	for (uint32_t i = 0; i < 1000; i++)
		rows[i].hash = (uint64_t) i << 32;
	sample_facts(rows, 1000, 1000, &facts);
	ok(facts.distinct == 1000, "all keys distinct, of one slot");
	free(rows);
}

/* The shortest time in which facts of distinct keys are found, whose hashes end there. */
static uint64_t
time_distinct(SampledRow *rows, int shift)
{
	SampleFacts facts;
	uint64_t	best = UINT64_MAX;

	for (uint32_t i = 0; i < SAMPLE_ROWS; i++)
		rows[i] = (SampledRow) {.hash = i * UINT64_C(0x9e3779b97f4a7c15) >> shift,.passes = 1};
	for (int turn = 0; turn < 5; turn++)
	{
		uint64_t	begin = now_ns();

		sample_facts(rows, SAMPLE_ROWS, 1000, &facts);
		begin = now_ns() - begin;
		best = begin < best ? begin : best;
	}
	return best;
}

/* Of hashes the upper bits are 0 where a key has more than a word (cuda/table.cuh). */
static void
test_short_hashes(void)
{
	SampledRow *rows = calloc(SAMPLE_ROWS, sizeof(*rows));
	uint64_t	whole = time_distinct(rows, 0);
	uint64_t	shorter = time_distinct(rows, 10);

	ok(shorter < 8 * whole, "hashes of 54 bits take as long as others: %.2f and %.2f ms",
	   shorter / 1e6, whole / 1e6);
	free(rows);
}

int
main(void)
{
	uint32_t	nkeys[] = {1, 2, 10, 100, 200, 1000, 100000};

	for (int i = 0; i < 7; i++)
		for (uint32_t repeat = 1; repeat <= 64; repeat *= 8)
			test_random(nkeys[i], repeat, repeat == 8 ? 40 : 100);
	/* of 128, 150 and 300 keys as frequent as each other, 128 at most are remembered */
	test_random(SAMPLE_FREQUENT, 0, 100);
	test_random(150, 0, 100);
	test_random(300, 0, 100);
	test_none();
	test_all_distinct();
	test_short_hashes();
	return done_testing();
}
