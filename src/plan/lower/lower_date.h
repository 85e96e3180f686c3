/*
 * lower_date.h
 *	  Functions of dates and timestamps whose fields and intervals are constants.
 */
#ifndef GPUAGG_LOWER_DATE_H
#define GPUAGG_LOWER_DATE_H

#include "plan/lower/lowering.h"

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_date_function(Lowering *l, Oid function, List *args, int *reg);

/* extract(), which returns a numeric: of *scale. */
extern bool is_extract(Oid function);
extern int	lower_extract(Lowering *l, Oid function, List *args, int *scale);

/* The scale of an extract() that only a child plan computes. */
extern bool scale_of_extract(const FuncExpr *call, int *scale);

#endif							/* GPUAGG_LOWER_DATE_H */
