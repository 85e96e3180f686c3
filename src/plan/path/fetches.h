/*
 * fetches.h
 *	  What index scans within nested loops take that the planner does not count.
 */
#ifndef GPUAGG_FETCHES_H
#define GPUAGG_FETCHES_H

#include "nodes/pathnodes.h"

typedef struct Fetches
{
	Cost		uncounted;		/* what pages of index scans within nested loops cost that the
								 * path's cost does not have in it */
	Cost		in_memory;		/* what the path costs if all tables are in memory that fit, less
								 * its cost */
} Fetches;

/* Of all scans below a path. */
extern Fetches path_fetches(PlannerInfo *root, const Path *path);

/* Of pages that are read in their order, at that cost. */
extern Fetches pages_in_order(double pages, Cost cost);

/* The sum goes to the first one. */
extern void fetches_add(Fetches *sum, Fetches more);

/*
 * To be added to what the first one's path costs more than the other's, so that pages cost what
 * they do in memory: where either has scans of which not all is counted.
 */
extern Cost fetches_difference(const Fetches *path, const Fetches *other);

/*
 * joined_rows.c: how many more rows joins have than the planner estimates.
 */

/* As a factor, of a join of these relations; 1: as many. */
extern double joined_rows_factor(PlannerInfo *root, Relids relids);

#endif							/* GPUAGG_FETCHES_H */
