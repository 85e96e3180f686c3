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

#include "access/tupdesc_details.h"
#include "catalog/pg_attribute.h"

#include "plan/lower/numeric/display_scale.h"
#include "plan/lower/lower.h"

/* A numeric in a register: it counts units of 10^-unit, as INT8 or WIDE. */
typedef struct NumericScale
{
	int			unit;
	double		most;			/* units expected at most; 0: not known */
	const DisplayScale *shown;	/* its display scale */
} NumericScale;

/*
 * A numeric operand.  Constants are not lowered before the unit is known at
 * which they are wanted.
 */
typedef struct NumericOperand
{
	const Const *constant;		/* or NULL */
	int			reg;
	NumericScale scale;
} NumericOperand;

/* lower.c: any expression; one of type boolean. */
extern int	lower_expr(Lowering *l, Expr *expr);
extern bool lower_succeeded(Lowering *l);
extern int	lower_reject(Lowering *l, const char *format,...) pg_attribute_printf(2, 3);

/* lower_column.c: what expressions end in. */
extern int	lower_var(Lowering *l, const Var *var);
extern int	lower_input(Lowering *l, Expr *expr);
extern int	lower_presence(Lowering *l, Expr *expr);
extern int	lower_slot(Lowering *l, Expr *expr);
extern int	lower_made_slot(Lowering *l, Expr *expr);
extern int	lower_add_slot(Lowering *l, Expr *expr, ValueType type);
extern int	lower_new_input(Lowering *l, Expr *expr);
extern int	lower_input_number(Lowering *l, const Expr *expr);
extern Form_pg_attribute lower_attribute(Lowering *l, const Var *var);
extern const AttrMissing *lower_missing_value(Lowering *l, Form_pg_attribute attr);

/* lower_numeric_column.c: numerics that tables and child plans have. */
extern int	lower_numeric_var(Lowering *l, const Var *var, NumericScale *scale);
extern int	lower_numeric_input(Lowering *l, Expr *expr, NumericScale *scale);

/* lower_numeric.c: expressions of type numeric, and functions over them. */
extern bool is_numeric(const Expr *expr);
extern bool is_numeric_function(Oid function);
extern bool known_scale(const Expr *expr, int *scale);
extern bool known_precision(const Expr *expr, int *precision);
extern void fixed_scale(NumericScale *scale, int unit, double most);
extern bool check_size(Lowering *l, const NumericScale *scale);
extern int	lower_numeric(Lowering *l, Expr *expr, NumericScale *scale);
extern int	lower_numeric_node(Lowering *l, Expr *expr, NumericScale *scale);
extern int	lower_numeric_function(Lowering *l, Oid function, List *args,
								   NumericScale *scale);
extern Const *scaled_const(Datum value, bool isnull, int scale);
extern Const *int8_const(int64 value, bool isnull);
extern int	power_slot(Lowering *l, int exponent);

/*
 * An operand; trim: a constant's zeros at the end do not matter.  Does it need
 * 128 bits, or is it expected to, at a unit that is not above its own?  Its
 * register there.
 */
extern bool numeric_operand(Lowering *l, Expr *expr, bool trim, NumericOperand *operand);
extern bool numeric_operand_is_wide(Lowering *l, const NumericOperand *operand, int unit);
extern int	numeric_operand_at(Lowering *l, const NumericOperand *operand, int unit, bool wide);

/*
 * lower_wide.c: numerics in 128 bits.  Constants; registers made wide, or narrow
 * (an error if they do not fit); at a larger scale; the operation for one of
 * int8.
 */
extern bool is_wide(Lowering *l, int reg);
extern int	widen(Lowering *l, int reg);
extern int	narrow(Lowering *l, int reg);
extern int	wide_const(Lowering *l, const Const *constant, int unit);
extern int	wide_power(Lowering *l, int exponent);
extern int	wide_raised(Lowering *l, int reg, int digits);
extern int	wide_op(OpCode op);

/*
 * lower_shown.c: where a display scale shows.  The register for a value whose
 * display scale must be its unit, for one row's decides what is shown; the
 * accumulator of the display scales of an aggregate's values, *acc (-1: all are
 * the unit).
 */
extern int	lower_uniform(Lowering *l, int reg, const NumericScale *scale);
extern bool lower_shown_acc(Lowering *l, int reg, const NumericScale *scale, int filter,
							int *acc);

/* lower_agg.c: an aggregate over distinct values, which are a register's. */
extern bool lower_distinct_aggref(Lowering *l, const Aggref *aggref, int arg, int scale);

#endif							/* GPUAGG_LOWER_INTERNAL_H */
