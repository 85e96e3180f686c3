/*
 * test_page_spans.c
 *	  Of pages that several processes give in turns, each process's own are counted.
 */
#include <string.h>

#include "random.h"
#include "service/device/page_spans.h"
#include "tap.h"

#define PROCESSES 3
#define TURNS 100000

static PageSpans spans[PROCESSES];
static uint8_t owner[TURNS * 40];	/* of each page */

/* Pages of a process among the first n. */
static uint64_t
count(int process, uint64_t n)
{
	static uint64_t counted[PROCESSES];
	static uint64_t up_to[PROCESSES];

	for (; up_to[process] < n; up_to[process]++)
		counted[process] += owner[up_to[process]] == process;
	return counted[process];
}

/* Random turns, and random numbers of pages released since. */
static void
check_turns(void)
{
	uint64_t	given = 0;
	uint64_t	released = 0;
	bool		good = true;
	int			full = 0;

	for (int turn = 0; turn < TURNS && good; turn++)
	{
		int			process = (int) (random_u64() % PROCESSES);
		uint64_t	n = 1 + random_u64() % 39;

		if (page_spans_full(&spans[process]))
		{
			full++;
			released = given - random_u64() % 100;
		}
		for (int p = 0; p < PROCESSES; p++)
			good &= page_spans_released(&spans[p], released) == count(p, released);
		memset(owner + given, process, n);
		page_spans_add(&spans[process], given, n);
		given += n;
		if (random_u64() % 1000 == 0)
			released += random_u64() % (given - released + 1);
	}
	for (int p = 0; p < PROCESSES; p++)
		good &= page_spans_released(&spans[p], given) == spans[p].given && spans[p].n == 0;
	ok(good && full > 0, "%llu pages of %d processes, whose spans were full %d times",
	   (unsigned long long) given, PROCESSES, full);
}

/* One process alone is never full. */
static void
check_alone(void)
{
	static PageSpans alone;
	bool		good = true;

	for (uint64_t i = 0; i < 10 * PAGE_SPANS; i++)
	{
		good &= !page_spans_full(&alone);
		page_spans_add(&alone, i, 1);
	}
	ok(good && page_spans_released(&alone, 77) == 77, "one process alone");
}

int
main(void)
{
	check_turns();
	check_alone();
	return done_testing();
}
