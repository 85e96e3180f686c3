/*
 * grouped_subquery.h
 *	  A correlated subquery that gives one value as a relation that can be joined.
 */
#ifndef GPUAGG_GROUPED_SUBQUERY_H
#define GPUAGG_GROUPED_SUBQUERY_H

#include "nodes/parsenodes.h"

/* An equality of the subquery that refers to the query around it. */
typedef struct Correlation
{
	Expr	   *inner;			/* over the subquery's own rows: a key of the groups */
	Expr	   *outer;			/* over the rows of the query around it, whose level it has */
	OpExpr	   *clause;			/* the equality, in the query around it */
	Oid			operator;		/* inner = outer */
	Oid			collation;		/* that it compares by */
} Correlation;

typedef struct GroupedSubquery
{
	Query	   *query;			/* it puts out the keys, then the aggregates, or the value */
	List	   *correlations;	/* Correlation, one a key */
	Expr	   *value;			/* the subquery's, in the query around it, of the group that its
								 * correlations find, or of NULLs if there is none */
	bool		has_groups;		/* the rows are those of groups, not the table's */
} GroupedSubquery;

/*
 * The grouping of a subquery, with the number that it will have in the range table of the query
 * around it.  guarded: the value is made of a group's only where that is the row's own.
 * NULL: it cannot be one, or can raise errors that the subquery does not.  The subquery stays as it
 * is.
 */
extern GroupedSubquery *group_subquery(Query *subquery, Index rti, bool guarded);

/*
 * The same of a subquery without aggregates, which has one row at most, since it refers to the query
 * around it by a key of its only table.
 */
extern GroupedSubquery *row_subquery(Query *subquery, Index rti, bool guarded);

/* The equalities that it is joined by. */
extern List *correlation_clauses(const GroupedSubquery *grouped);

/*
 * Can a query raise no error, whichever of its rows are computed?  True only of queries of
 * plain tables without groups.
 */
extern bool table_query_cannot_fail(const Query *query);

/*
 * Parts of groupings that are made before a join.
 */

/*
 * The expression with what is constant computed; NULL if it is, or if that raises an error, which
 * PostgreSQL may never come to: it drops what nobody asks for before it computes it.
 */
extern Node *folded_safely(const void *expr);

/* Can an expression raise no error?  What the planner computes beforehand it has computed then. */
extern bool folded_cannot_fail(const void *expr);

/* The same of the conditions of a join tree; */
extern bool folded_conditions_cannot_fail(const FromExpr *jointree);

/* and of a query's, with the tables that it joins. */
extern bool join_tree_cannot_fail(const Query *query);

/*
 * Has each group of an expression's values all that the operator finds equal to another value?
 * Sets what `group` groups by.
 */
extern bool groups_agree(Node *expr, Oid operator, Oid collation, SortGroupClause *group);

/* Can an aggregate be made for groups that nobody may ask for, in any order of their rows? */
extern bool can_be_made_before(const Aggref *aggref);

/* Make an expression the next key of a query's groups, and its next column. */
extern TargetEntry *group_by_key(Query *query, Expr *key, SortGroupClause *group);

/*
 * An aggregate's value, from a column that is NULL where there is no group: NULL, or, where it
 * counts, so many as are missing there.
 */
extern Node *value_of_group(const Aggref *aggref, Node *column, int64 missing);

/*
 * The value of a group, NULL unless these clauses hold.  The planner may evaluate a condition on
 * groups alone before it joins them to the rows that ask for them; one on such an expression cannot
 * be, so that groups that nobody asks for raise no error in it.
 */
extern Node *guarded_value(List *clauses, Expr *value);

#endif							/* GPUAGG_GROUPED_SUBQUERY_H */
