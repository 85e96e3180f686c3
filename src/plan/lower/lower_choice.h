/*
 * lower_choice.h
 *	  CASE, COALESCE, NULLIF, GREATEST, LEAST and IS DISTINCT FROM.
 */
#ifndef GPUAGG_LOWER_CHOICE_H
#define GPUAGG_LOWER_CHOICE_H

#include "plan/lower/lower_internal.h"

/* *scale is set if the value is a numeric; it may be NULL if not. */
extern int	lower_choice(Lowering *l, Expr *expr, NumericScale *scale);

#endif							/* GPUAGG_LOWER_CHOICE_H */
