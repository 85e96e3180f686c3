/*
 * lower_choice.h
 *	  CASE, COALESCE, NULLIF, GREATEST, LEAST and IS DISTINCT FROM.
 */
#ifndef GPUAGG_LOWER_CHOICE_H
#define GPUAGG_LOWER_CHOICE_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/* *info is set if the value is a numeric; it may be NULL if not. */
extern int	lower_choice(Lowering *l, Expr *expr, NumericInfo *info);

#endif							/* GPUAGG_LOWER_CHOICE_H */
