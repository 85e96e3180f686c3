/*
 * joined_ranked_rows.h
 *	  The first rows of each group of a join, found by the places of one table's.
 */
#ifndef GPUAGG_JOINED_RANKED_ROWS_H
#define GPUAGG_JOINED_RANKED_ROWS_H

#include "nodes/parsenodes.h"

/* May the query take the first rows of each group of a join?  A look at the query alone. */
extern bool may_find_ranked_rows(const Query *query);

/* Let it read the rows of one table only that are among them.  False: it stays as it is. */
extern bool find_ranked_rows(Query *query);

#endif							/* GPUAGG_JOINED_RANKED_ROWS_H */
