/*
 * bound.c
 *	  How many groups a table may hold whose groups are merged with others' anyway.
 *
 * A table begins with as many groups as stay in the cache.  When it is full, the rows
 * that it has seen tell how many groups there are: of n rows of G groups that are drawn
 * at random, about n^2 / 2G find their group there (the birthday problem).  If each
 * group will have so many of this run's rows that meeting them in one table is worth
 * its memory, the table may hold twice as many groups, and is asked again when it has
 * them.  Else its groups leave.
 *
 * Where some keys have most rows, rows find their groups sooner, G comes out small, and the
 * table grows; in the order of the keys likewise, as long as each has several rows.
 */
#include "engine/cpu/bound.h"

/*
 * Half of what a core's own cache often has, for records and slots: pages and columns
 * need some of it, too.
 */
#define CACHE_BYTES ((size_t) 1 << 20)
#define FEWEST_GROUPS 4096		/* several batches of rows */
#define SLOT_BYTES 16			/* a group's share of the hash table, at least */

/*
 * Rows of a group, of those that this run takes in, from which on it stays.  By hand:
 * 10^7 rows of 10^6 groups take as long either way with 16 processes, which have 0.6 of
 * each group's rows, and longer with fewer if groups leave; 10^7 rows of 6,300,000 groups take
 * 0.8 of the time with two processes if they leave.
 */
#define WORTHWHILE_ROWS 1

void
bound_begin(TableBound *bound, double expected, size_t stride, uint64_t memory)
{
	size_t		size = stride * sizeof(uint64_t);

	*bound = (TableBound)
	{
		.first = FEWEST_GROUPS,.expected = expected,.room = (double) memory / size
	};
	while (2 * bound->first * (size + SLOT_BYTES) <= CACHE_BYTES)
		bound->first *= 2;
	bound->most = bound->first;
	if (expected > bound->room)
		bound_lift(bound);
}

void
bound_lift(TableBound *bound)
{
	bound->first = 0;
	bound->most = UINT32_MAX;
}

bool
bound_reached(TableBound *bound, uint32_t groups)
{
	double		met = bound->rows - groups; /* rows that found their group */
	double		rest = bound->expected - bound->before;

	if (bound->before + bound->rows > bound->room)
	{
		bound_lift(bound);
		return false;
	}
	/* more rows than expected: as many again, as often as need be */
	if (rest < bound->before + bound->rows)
		rest = bound->before + bound->rows;
	if (rest * 2 * met < WORTHWHILE_ROWS * bound->rows * bound->rows)
		return true;
	bound->most = bound->most > UINT32_MAX / 2 ? UINT32_MAX : bound->most * 2;
	return false;
}

void
bound_empty(TableBound *bound)
{
	bound->before += bound->rows;
	bound->rows = 0;
	if (bound->first > 0)
		bound->most = bound->first;
}
