/*
 * lower_expr.h
 *	  The recursion: any expression.
 *
 * All files of lowering that expressions can be nested in call back here, and only
 * here.
 */
#ifndef GPUAGG_LOWER_EXPR_H
#define GPUAGG_LOWER_EXPR_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/* An expression of any type. */
extern int	lower_expr(Lowering *l, Expr *expr);

/*
 * One of type numeric, with its scale; one that is to be computed even if the child
 * plan has it as a column.
 */
extern int	lower_numeric(Lowering *l, Expr *expr, NumericInfo *info);
extern int	lower_numeric_node(Lowering *l, Expr *expr, NumericInfo *info);

#endif							/* GPUAGG_LOWER_EXPR_H */
