/*
 * test_bound.c
 *	  How many groups a table may hold whose groups are merged with others' anyway.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/bound.h"
#include "random.h"
#include "tap.h"

#define STRIDE 5				/* words of a group */
#define MEMORY (UINT64_C(1) << 32)

/* How often groups have left, and how many there were at most. */
typedef struct Outcome
{
	uint32_t	left;
	uint32_t	most;
} Outcome;

/* Row `row`'s group. */
typedef uint32_t (*Draw) (uint32_t row, uint32_t ngroups);

static uint32_t
uniform(uint32_t row, uint32_t ngroups)
{
	return (uint32_t) ((random_u64() >> 20) % ngroups);
}

static uint32_t
heavy(uint32_t row, uint32_t ngroups)
{
	return random_u64() >> 60 > 3 ? 0 : uniform(row, ngroups);
}

static uint32_t
in_order(uint32_t row, uint32_t ngroups)
{
	return row % ngroups;
}

static uint32_t
ten_in_a_row(uint32_t row, uint32_t ngroups)
{
	return row / 10 % ngroups;
}

/* Rows by batches, like the engine's, into a table that is a bit for each group. */
static Outcome
fill(TableBound *bound, Draw draw, uint32_t nrows, uint32_t ngroups)
{
	enum
	{
		BATCH = 1000
	};
	uint8_t    *table = calloc(ngroups, 1);
	uint32_t	groups = 0;
	Outcome		outcome = {0};

	for (uint32_t first = 0; first < nrows; first += BATCH)
	{
		while (groups + (uint64_t) BATCH > bound->most)
			if (bound_reached(bound, groups))
			{
				memset(table, 0, ngroups);
				bound_empty(bound);
				groups = 0;
				outcome.left++;
			}
		for (uint32_t row = first; row < first + BATCH; row++)
		{
			uint8_t    *group = &table[draw(row, ngroups)];

			groups += *group == 0;
			*group = 1;
		}
		bound->rows += BATCH;
		if (groups > outcome.most)
			outcome.most = groups;
	}
	free(table);
	return outcome;
}

static Outcome
fill_expecting(double expected, uint64_t memory, Draw draw, uint32_t nrows, uint32_t ngroups)
{
	TableBound	bound;

	bound_begin(&bound, expected, STRIDE, memory);
	return fill(&bound, draw, nrows, ngroups);
}

static void
test_groups(void)
{
	Outcome		few = fill_expecting(1e6, MEMORY, uniform, 1000000, 10000);
	Outcome		some = fill_expecting(2e6, MEMORY, uniform, 2000000, 400000);
	Outcome		many = fill_expecting(1e6, MEMORY, uniform, 1000000, 2000000);
	Outcome		unique = fill_expecting(1e6, MEMORY, in_order, 1000000, 2000000);

	ok(few.left == 0 && few.most == 10000, "groups that fit the cache stay");
	ok(some.left == 0 && some.most > 390000, "groups of five rows stay: %u, %u left",
	   some.most, some.left);
	ok(many.left > 50 && many.most <= 20000, "groups of half a row leave: %u times, %u at most",
	   many.left, many.most);
	ok(unique.left > 50 && unique.most <= 20000, "groups of one row leave: %u times", unique.left);
}

static void
test_orders(void)
{
	Outcome		skewed = fill_expecting(1e6, MEMORY, heavy, 1000000, 2000000);
	Outcome		sorted = fill_expecting(1e6, MEMORY, ten_in_a_row, 1000000, 2000000);

	ok(skewed.left < 20, "where most rows are of one group, others may stay: %u left", skewed.left);
	ok(sorted.most >= 50000, "those of ten rows in a row stay: %u", sorted.most);
}

static void
test_expectations(void)
{
	Outcome		unknown = fill_expecting(0, MEMORY, uniform, 1000000, 2000000);
	Outcome		more = fill_expecting(1000, MEMORY, uniform, 2000000, 20000);
	Outcome		little = fill_expecting(1e6, 1000000, in_order, 1000000, 2000000);
	Outcome		surprise = fill_expecting(1000, 1000000, in_order, 1000000, 2000000);

	ok(unknown.left > 50, "nobody knows how many rows there are: groups leave, %u times",
	   unknown.left);
	ok(more.left <= 4, "more rows than expected: the table grows after %u times", more.left);
	ok(little.left == 0 && little.most == 1000000, "there is no bound if all could not leave");
	ok(surprise.left > 0 && surprise.left < 4 && surprise.most > 900000,
	   "nor once so many have left: %u times", surprise.left);
}

static void
test_lifted(void)
{
	TableBound	bound;

	bound_begin(&bound, 1e6, STRIDE, MEMORY);
	bound_lift(&bound);
	bound_empty(&bound);
	ok(bound.most == UINT32_MAX, "a bound that is lifted stays so");
	bound_begin(&bound, 1000, 100000, MEMORY);
	ok(bound.most == 4096, "the largest groups leave by batches, too: %u", bound.most);
}

int
main(void)
{
	test_groups();
	test_orders();
	test_expectations();
	test_lifted();
	return done_testing();
}
