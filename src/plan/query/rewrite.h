/*
 * rewrite.h
 *	  Other queries with the same rows.
 */
#ifndef GPUAGG_REWRITE_H
#define GPUAGG_REWRITE_H

#include "nodes/parsenodes.h"

/*
 * A query that has the rows of one that has not been planned, and raises no error that this does
 * not, in which engines can make groups where this one aggregates row by row, or of a join's rows.
 * NULL: there is none.
 */
extern Query *rewrite_query(Query *query);

/* What is around a query that is rewritten. */
typedef struct Surroundings
{
	bool		nested;			/* it is a part of another query */
	bool		fail;			/* conditions there, or what they can be of, can raise errors */
} Surroundings;

#endif							/* GPUAGG_REWRITE_H */
