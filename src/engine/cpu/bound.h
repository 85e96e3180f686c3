/*
 * bound.h
 *	  How many groups a table may hold whose groups are merged with others' anyway.
 *
 * Where several runs aggregate one input, a group may leave a run's table at any time:
 * what is left of it here and there is merged in the end.  A table of few groups
 * stays in the processor's cache, but each group that leaves has to be written and
 * merged.  A table of many groups spares that for every row that finds its group there,
 * but waits for memory.
 */
#ifndef GPUAGG_BOUND_H
#define GPUAGG_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TableBound
{
	uint32_t	first;			/* groups, in the cache; 0: no bound but the memory */
	uint32_t	most;			/* groups that the table may hold now */
	double		expected;		/* rows of this run */
	double		room;			/* records that may leave */
	double		before;			/* rows taken before the table was last emptied */
	double		rows;			/* and since */
} TableBound;

/*
 * A run of so many rows, each of whose groups is `stride` words; `memory`: bytes that groups
 * may take which have left the table.  If those of all rows could take more, there is no
 * bound.
 */
extern void bound_begin(TableBound *bound, double expected, size_t stride, uint64_t memory);

/* All groups may stay from now on, as far as memory allows. */
extern void bound_lift(TableBound *bound);

/*
 * A table of `groups` groups has reached its bound.  True: they must leave, and it begins
 * without any; false: it may hold more now.
 */
extern bool bound_reached(TableBound *bound, uint32_t groups);

/* The table is empty. */
extern void bound_empty(TableBound *bound);

#endif							/* GPUAGG_BOUND_H */
