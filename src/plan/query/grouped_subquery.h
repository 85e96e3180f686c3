/*
 * grouped_subquery.h
 *	  A correlated subquery of aggregates as a grouping of its rows.
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
	Query	   *query;			/* it puts out the keys, then the aggregates */
	List	   *correlations;	/* Correlation, one a key */
	Expr	   *value;			/* the subquery's, in the query around it, of the group that its
								 * correlations find, or of NULLs if there is none */
} GroupedSubquery;

/*
 * The grouping of a subquery, with the number that it will have in the range table of the query
 * around it.  NULL: it cannot be one, or can raise errors that the subquery does not.  The
 * subquery stays as it is.
 */
extern GroupedSubquery *group_subquery(Query *subquery, Index rti);

/*
 * Can a query raise no error, whichever of its rows are computed?  True only of queries of
 * plain tables without groups.
 */
extern bool table_query_cannot_fail(const Query *query);

#endif							/* GPUAGG_GROUPED_SUBQUERY_H */
