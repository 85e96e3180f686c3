/*
 * sorted_groups.h
 *	  The first rows of an order that says all of them, as groups.
 */
#ifndef GPUAGG_SORTED_GROUPS_H
#define GPUAGG_SORTED_GROUPS_H

#include "nodes/parsenodes.h"

/* Does the query take the first rows of an order?  A look at the query alone. */
extern bool may_group_sorted_rows(Query *query);

/* Let it group the rows that are equal in the order.  False: it stays as it is. */
extern bool group_sorted_rows(Query *query);

#endif							/* GPUAGG_SORTED_GROUPS_H */
