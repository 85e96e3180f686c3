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
 * (joined_first_rows.c, joined_ranked_rows.c).
 */
extern bool may_rewrite_to_places(Query *query);
extern bool rewrite_to_places(Query *query);

/* What is around a query that is rewritten. */
typedef struct Surroundings
{
	bool		nested;			/* it is a part of another query */
	bool		fail;			/* conditions there, or what they can be of, can raise errors */
	bool		others_fail;	/* subqueries beside it can, which may refer to its columns */
} Surroundings;

/*
 * decorrelate.c: correlated subqueries that give one value as joins.
 */

/*
 * Rewrite a query that has not been planned, in place: correlated subqueries of aggregates, in its
 * conditions and in what it puts out, become joins of the groups of these, and those of the one row
 * with a key joins of their tables.  It has the same rows,
 * and raises no error that it did not.  False: it has none, and stays as it is.
 */
extern bool decorrelate(Query *query, const Surroundings *around);

/* Is it a subquery that decorrelate may replace? */
extern bool may_be_joined(const SubLink *sublink);

/*
 * eager_aggregation.c: aggregates of an outer join's right side, made before the join.
 */

/*
 * Rewrite a query that has not been planned, in place: groups by a unique key of the left side of
 * its outer join become rows of that side, joined to the groups of the right side.  It has the same
 * rows, and raises no error that it did not.  False: it is no such query, and stays as it is.
 */
extern bool aggregate_before_join(Query *query, const Surroundings *around);

/* Does the query look like one?  Without a look at catalogs. */
extern bool may_aggregate_before_join(const Query *query);

/*
 * window_groups.c: window functions over whole partitions as joins with groups.
 */

/* Are all windows of the query over a table such ones?  Without a look at catalogs. */
extern bool may_group_windows(const Query *query);

/* Let a query that has not been planned join groups in their place.  False: it stays as it is. */
extern bool group_windows(Query *query, const Surroundings *around);

/*
 * joined_first_rows.c: the first rows of a join, found by the places of one table's.
 */

/* Does the query take the first rows of a join?  A look at the query alone. */
extern bool may_find_first_rows(const Query *query);

/* Let it read the rows of one table only that are among them.  False: it stays as it is. */
extern bool find_first_rows(Query *query);

/*
 * joined_ranked_rows.c: the first rows of each group of a join, found by the places of one table's.
 */

/* May the query take the first rows of each group of a join?  A look at the query alone. */
extern bool may_find_ranked_rows(const Query *query);

/* Let it read the rows of one table only that are among them.  False: it stays as it is. */
extern bool find_ranked_rows(Query *query);

/*
 * selected_rows.c: rows of a table that meet conditions, found before others are joined to them.
 */

/* May a query, or a part of it, take rows of a table that meet conditions?  A look at it alone. */
extern bool may_select_rows(Query *query);

/*
 * Let a query that has not been planned, and those that it is made of, read such rows by their
 * places, which a subquery gives.  False: it stays as it is.
 */
extern bool select_rows(Query *query);

/*
 * sorted_groups.c: the first rows of an order that says all of them, as groups.
 */

/* Does the query take the first rows of an order?  A look at the query alone. */
extern bool may_group_sorted_rows(Query *query);

/* Let it group the rows that are equal in the order.  False: it stays as it is. */
extern bool group_sorted_rows(Query *query);

#endif							/* GPUAGG_REWRITE_H */
