/*
 * rewrite.h
 *	  Other queries with the same rows.
 */
#ifndef GPUAGG_REWRITE_H
#define GPUAGG_REWRITE_H

#include "nodes/parsenodes.h"

/* May there be another query with the same rows?  A look at the query alone. */
extern bool may_rewrite_query(Query *query);

/*
 * Let a query that has not been planned be another one with the same rows, that raises no error
 * which it did not, in which engines can make groups where it aggregates row by row, or of a join's
 * rows.  False: there is none, and it stays as it is.
 */
extern bool rewrite_query(Query *query);

/*
 * The same for queries of which engines can find the rows of one table that are among the first ones
 * (joined_first_rows.h, joined_ranked_rows.h).
 */
extern bool may_rewrite_to_places(Query *query);
extern bool rewrite_to_places(Query *query);

/* What is around a query that is rewritten. */
typedef struct Surroundings
{
	bool		nested;			/* it is a part of another query */
	bool		fail;			/* conditions there, or what they can be of, can raise errors */
} Surroundings;

#endif							/* GPUAGG_REWRITE_H */
