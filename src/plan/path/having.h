/*
 * having.h
 *	  HAVING's clauses that an engine may know.
 */
#ifndef GPUAGG_HAVING_H
#define GPUAGG_HAVING_H

#include "plan/path/grouping.h"

/* A comparison of an aggregate with a value that is the same for all groups. */
typedef struct HavingClause
{
	Expr	   *aggregate;
	Expr	   *value;			/* a Const or a Param, not of more than its type */
	int			strategy;		/* of a B-tree: where the aggregate is to the value */
} HavingClause;

/* Is the clause such a comparison?  None can raise an error. */
extern bool having_is_comparison(const Grouping *grouping, Node *clause, HavingClause *result);

/* The clauses that are not. */
extern List *having_other_clauses(const Grouping *grouping);

#endif							/* GPUAGG_HAVING_H */
