/*
 * conditions.h
 *	  Which conditions with subqueries raise no error.
 */
#ifndef GPUAGG_CONDITIONS_H
#define GPUAGG_CONDITIONS_H

#include "nodes/parsenodes.h"

/* What is supposed of subqueries in conditions. */
typedef enum SubqueryErrors
{
	SUBQUERIES_FAIL,			/* they can raise errors, but for IN and EXISTS of plain tables that
								 * cannot */
	SUBQUERIES_DO_NOT_FAIL
} SubqueryErrors;

/* Is evaluating the condition, or list of expressions, for any row sure to raise no error? */
extern bool condition_cannot_fail(Node *condition, SubqueryErrors subqueries);

/*
 * The same of an expression over aggregates' values, which are columns of relations from this number
 * of the range table on.  Sums, differences and products of numerics of these and of constants
 * have far fewer digits than numerics can have.
 */
extern bool values_cannot_fail(Node *expr, Index first);

/* The same of all conditions of a join tree. */
extern bool join_conditions_cannot_fail(FromExpr *jointree, SubqueryErrors subqueries);

#endif							/* GPUAGG_CONDITIONS_H */
