/*
 * numeric_parts.h
 *	  What the files of lowering numerics give each other and the rest of lowering.
 */
#ifndef GPUAGG_NUMERIC_PARTS_H
#define GPUAGG_NUMERIC_PARTS_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/*
 * lower_numeric_column.c: numerics that tables, and child plans, have.
 */

extern int	lower_numeric_var(Lowering *l, const Var *var, NumericInfo *info);

/* The column of the child plan that has the expression's value; -1: none has. */
extern int	lower_numeric_input(Lowering *l, Expr *expr, NumericInfo *info);

/*
 * lower_shown.c: where the display scale of a numeric shows.
 */

/*
 * The register for a value whose display scale must be its own, for one row's
 * decides what is shown.
 */
extern int	lower_uniform(Lowering *l, int reg, const NumericInfo *info);

/*
 * The accumulator of the display scales of an aggregate's values, *acc (-1: all are
 * the unit).
 */
extern bool lower_shown_acc(Lowering *l, int reg, const NumericInfo *info, int filter,
							int *acc);

/*
 * numeric_arith.c: sums, differences, remainders and products of numerics.
 */

/*
 * An operation of int8 over two operands at the smaller one of their units;
 * compare: it yields no numeric.  function: what to call it in a reason.
 */
extern int	lower_aligned(Lowering *l, Oid function, OpCode op, bool compare, List *args,
						  NumericInfo *info);
extern int	lower_product(Lowering *l, List *args, NumericInfo *info);

/*
 * numeric_division.c: quotients with what is behind the point.
 */
extern int	lower_division(Lowering *l, List *args, NumericInfo *info);

/*
 * numeric_compare.c: comparisons of numerics.
 */

/* x op y, where op is one of the six comparisons of int8. */
extern int	lower_numeric_comparison(Lowering *l, Oid function, OpCode op, List *args);

/*
 * numeric_digits.c: how many digits a numeric has at most.
 */

/*
 * Is the expression's value, a sum of it over any rows, and each value that it is computed from
 * by arithmetic, far below what a numeric can hold, by the types of columns?
 */
extern bool numeric_has_few_digits(const Node *node);

#endif							/* GPUAGG_NUMERIC_PARTS_H */
