/*
 * top.h
 *	  Groups that need not leave the node: by ORDER BY with LIMIT, and by HAVING.
 */
#ifndef GPUAGG_TOP_H
#define GPUAGG_TOP_H

#include "plan/path/grouping.h"
#include "plan/plan_info.h"

/*
 * How the query orders the step's groups, if it takes a constant number of the first
 * ones only; else NULL.  So the others need not leave the node, if no aggregate can fail
 * (final_can_fail).
 */
extern TopInfo *top_groups_wanted(const Grouping *grouping);

/* How many of the step's groups, in any order, the query takes at most; 0: it may take all. */
extern int	top_limit(const Grouping *grouping);

/* How many rows the query takes, if these are few; -1: all, or nobody knows. */
extern double top_rows_taken(const Query *parse);

/* The number of a node's column that has this value, or -1. */
extern int	top_column_number(const Grouping *grouping, const Node *expr);

/*
 * Comparisons in HAVING by which an engine may leave out groups, with the values that they
 * compare with appended to *values; NULL: there are none, or a group that is left out could
 * have raised an error, or had another effect.
 */
extern HavingInfo *top_having(const Grouping *grouping, const Program *results, List **values);

/*
 * Could the node raise an error for a group, by computing an aggregate, HAVING or an
 * output?
 */
extern bool groups_can_fail(const Grouping *grouping, const Program *results);

/* How many of so many groups leave the node, in random order. */
extern double top_groups_leaving(const TopInfo *top, double groups);

#endif							/* GPUAGG_TOP_H */
