/*
 * lower_internal.h
 *	  What the files of lowering share.
 *
 * Functions that return int return a register of the program, or -1 if the
 * expression was rejected (Lowering.reason says why) or the program is full
 * (ProgramBuilder.overflow is set).
 */
#ifndef GPUAGG_LOWER_INTERNAL_H
#define GPUAGG_LOWER_INTERNAL_H

#include "plan/lower.h"

/* lower.c: any expression; one of type boolean. */
extern int	lower_expr(Lowering *l, Expr *expr);
extern bool lower_succeeded(Lowering *l);
extern int	lower_reject(Lowering *l, const char *format,...) pg_attribute_printf(2, 3);

/* lower_column.c: what expressions end in. */
extern int	lower_var(Lowering *l, const Var *var);
extern int	lower_input(Lowering *l, Expr *expr);
extern int	lower_slot(Lowering *l, Expr *expr);

/* lower_op.c: functions by Oid. */
extern int	function_op(Oid function);
extern int	lower_function(Lowering *l, Oid function, List *args, Oid collation);
extern bool check_collation(Lowering *l, Oid collation);

/* lower_select.c: what takes one of several values. */
extern int	lower_null(Lowering *l, Oid type);
extern int	lower_case(Lowering *l, const CaseExpr *expr);
extern int	lower_coalesce(Lowering *l, const CoalesceExpr *expr);
extern int	lower_nullif(Lowering *l, const NullIfExpr *expr);
extern int	lower_distinct(Lowering *l, const DistinctExpr *expr);
extern int	lower_minmax(Lowering *l, const MinMaxExpr *expr);

/* lower_date.c, lower_text.c: functions some of whose operands are constants. */
extern bool lower_date_function(Lowering *l, Oid function, List *args, int *reg);
extern bool lower_text_function(Lowering *l, Oid function, List *args, Oid collation,
								int *reg);

#endif							/* GPUAGG_LOWER_INTERNAL_H */
