/*
 * row_places.h
 *	  Rows of a query's tables by their places.
 */
#ifndef GPUAGG_ROW_PLACES_H
#define GPUAGG_ROW_PLACES_H

#include "nodes/parsenodes.h"

/*
 * Does a place tell the rows of this relation apart, and is each of them, if conditions let it pass,
 * in a row of the query's FROM?
 */
extern bool relation_has_places(const Query *query, Index rti);

/* The largest such relation; 0: there is none. */
extern Index largest_relation_with_places(const Query *query);

/* Is it a relation's, and not 0, which says that there is none? */
static inline bool
rti_is_valid(Index rti)
{
	return rti != 0;
}

/* Does the query put out columns of others than this one, of which engines give the rows? */
extern bool puts_out_others(const Query *query, Index rti);

/* The place of a row of the relation. */
extern Var *place_of_row(Index rti);

/*
 * Conjuncts of the query's WHERE that are of this relation's rows alone, and raise no errors; and to
 * take such ones out.
 */
extern List *conditions_of_rows(const Query *query, Index rti);
extern void drop_conditions(Query *query, const List *conditions);

/* The condition that a row of the relation is at one of a subquery's places, which may repeat. */
extern Node *is_at_places(Index rti, Query *places);

/*
 * The entries of a target list that what is sorted or grouped by refers to, behind others: columns
 * that are not the query's.
 */
extern List *add_junk_targets(List *targets, const List *from);

/*
 * Has no entry a window function, and can those that nothing is sorted or grouped by raise no error?
 * But for what is equal to number, unless that is NULL.
 */
extern bool other_targets_cannot_fail(const List *targets, const Expr *number);

#endif							/* GPUAGG_ROW_PLACES_H */
