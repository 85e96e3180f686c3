/*
 * selected_rows.h
 *	  Rows of a table that meet conditions, found before others are joined to them.
 */
#ifndef GPUAGG_SELECTED_ROWS_H
#define GPUAGG_SELECTED_ROWS_H

#include "nodes/parsenodes.h"

/* May a query, or a part of it, take rows of a table that meet conditions?  A look at it alone. */
extern bool may_select_rows(Query *query);

/*
 * Let a query that has not been planned, and those that it is made of, read such rows by their
 * places, which a subquery gives.  False: it stays as it is.
 */
extern bool select_rows(Query *query);

#endif							/* GPUAGG_SELECTED_ROWS_H */
