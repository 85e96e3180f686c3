/*
 * lower_numeric_column.h
 *	  Numerics that tables, and child plans, have.
 */
#ifndef GPUAGG_LOWER_NUMERIC_COLUMN_H
#define GPUAGG_LOWER_NUMERIC_COLUMN_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

extern int	lower_numeric_var(Lowering *l, const Var *var, NumericInfo *info);

/* The column of the child plan that has the expression's value; -1: none has. */
extern int	lower_numeric_input(Lowering *l, Expr *expr, NumericInfo *info);

#endif							/* GPUAGG_LOWER_NUMERIC_COLUMN_H */
