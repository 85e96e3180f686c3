/*
 * joined_first_rows.h
 *	  The first rows of a join, found by the places of one table's.
 */
#ifndef GPUAGG_JOINED_FIRST_ROWS_H
#define GPUAGG_JOINED_FIRST_ROWS_H

#include "nodes/parsenodes.h"

/* Does the query take the first rows of a join?  A look at the query alone. */
extern bool may_find_first_rows(const Query *query);

/* Let it read the rows of one table only that are among them.  False: it stays as it is. */
extern bool find_first_rows(Query *query);

#endif							/* GPUAGG_JOINED_FIRST_ROWS_H */
