/*
 * lower_numeric_call.c
 *	  Calls of functions that take or return numerics.
 *
 * A numeric is lowered as the number of units of 10^-scale that it is, with a
 * scale that is known here: a column's is that of its type modifier, or what
 * statistics say (numeric_guess.c), a constant's its own.  (Engines verify that
 * a column's values have it; see numeric_page.h.)  So functions over numerics are
 * operations over int8, with rules for the scales.  The display scale follows the
 * same rules, which are PostgreSQL's, but may be less, and another for each value
 * (display_scale.c).
 *
 * A number has 64 bits, or 128 where statistics say that it needs them
 * (lower_wide.c).  Whatever leaves these at run time is an error of the
 * operation, and then PostgreSQL's own plan answers.
 */
#include "postgres.h"

#include "utils/fmgroids.h"
#include "utils/regproc.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_numeric_call.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/lower/numeric/numeric_round.h"

/* What is done with a function's operands and their scales. */
typedef enum NumericForm
{
	FORM_COMPARE,				/* taken to one scale; a bool */
	FORM_SUM,					/* taken to one scale, the result's */
	FORM_PRODUCT,				/* scales add up */
	FORM_UNARY,					/* keeps the scale */
	FORM_IDENTITY,
	FORM_FROM_INT,				/* scale 0 */
	FORM_TO_INT,				/* rounded to scale 0, then the operation */
	FORM_TO_FLOAT8,
	FORM_CAST,					/* numeric(x, type modifier) */
	FORM_ROUND,					/* round(x, scale) */
	FORM_TRUNC,					/* trunc(x, scale) */
	FORM_WHOLE,					/* an integer, of scale 0 */
	FORM_QUOTIENT,				/* div(x, y) */
	FORM_DIVISION				/* x / y */
} NumericForm;

typedef struct NumericFunction
{
	Oid			function;
	NumericForm form;
	OpCode		op;				/* OP_column: none */
} NumericFunction;

static const NumericFunction numeric_functions[] = {
	{F_NUMERIC_EQ, FORM_COMPARE, OP_int8_eq},
	{F_NUMERIC_NE, FORM_COMPARE, OP_int8_ne},
	{F_NUMERIC_LT, FORM_COMPARE, OP_int8_lt},
	{F_NUMERIC_LE, FORM_COMPARE, OP_int8_le},
	{F_NUMERIC_GT, FORM_COMPARE, OP_int8_gt},
	{F_NUMERIC_GE, FORM_COMPARE, OP_int8_ge},
	{F_NUMERIC_ADD, FORM_SUM, OP_int8_add},
	{F_NUMERIC_SUB, FORM_SUM, OP_int8_sub},
	{F_NUMERIC_MOD, FORM_SUM, OP_int8_mod},
	{F_MOD_NUMERIC_NUMERIC, FORM_SUM, OP_int8_mod},
	{F_NUMERIC_MUL, FORM_PRODUCT, OP_int8_mul},
	{F_NUMERIC_UMINUS, FORM_UNARY, OP_int8_neg},
	{F_NUMERIC_ABS, FORM_UNARY, OP_int8_abs},
	{F_ABS_NUMERIC, FORM_UNARY, OP_int8_abs},
	{F_NUMERIC_UPLUS, FORM_IDENTITY, OP_column},
	{F_NUMERIC_INT2, FORM_FROM_INT, OP_column},
	{F_NUMERIC_INT4, FORM_FROM_INT, OP_column},
	{F_NUMERIC_INT8, FORM_FROM_INT, OP_column},
	{F_INT2_NUMERIC, FORM_TO_INT, OP_int8_to_int2},
	{F_INT4_NUMERIC, FORM_TO_INT, OP_int8_to_int4},
	{F_INT8_NUMERIC, FORM_TO_INT, OP_numeric_to_int8},
	{F_FLOAT8_NUMERIC, FORM_TO_FLOAT8, OP_column},
	{F_NUMERIC_NUMERIC_INT4, FORM_CAST, OP_column},
	{F_ROUND_NUMERIC_INT4, FORM_ROUND, OP_column},
	{F_TRUNC_NUMERIC_INT4, FORM_TRUNC, OP_column},
	{F_FLOOR_NUMERIC, FORM_WHOLE, OP_numeric_floor},
	{F_CEIL_NUMERIC, FORM_WHOLE, OP_numeric_ceil},
	{F_CEILING_NUMERIC, FORM_WHOLE, OP_numeric_ceil},
	{F_SIGN_NUMERIC, FORM_WHOLE, OP_numeric_sign},
	{F_DIV, FORM_QUOTIENT, OP_int8_div},
	{F_NUMERIC_DIV, FORM_DIVISION, OP_column},
};

static const NumericFunction *
find_function(Oid function)
{
	for (int i = 0; i < (int) lengthof(numeric_functions); i++)
		if (numeric_functions[i].function == function)
			return &numeric_functions[i];
	return NULL;
}

bool
is_numeric_function(Oid function)
{
	return find_function(function) != NULL;
}

static int
lower_unary(Lowering *l, OpCode op, Expr *arg, NumericInfo *info)
{
	int			reg = lower_numeric(l, arg, info);

	if (reg < 0)
		return -1;
	return program_add_op(l->builder, is_wide(l, reg) ? (OpCode) wide_op(op) : op, reg, -1);
}

int
lower_numeric_function(Lowering *l, Oid oid, List *args, NumericInfo *info)
{
	const NumericFunction *function = find_function(oid);

	fixed_scale(info, 0, 0);
	switch (function->form)
	{
		case FORM_COMPARE:
			return lower_numeric_comparison(l, oid, function->op, args);
		case FORM_SUM:
			return lower_aligned(l, oid, function->op, false, args, info);
		case FORM_PRODUCT:
			return lower_product(l, args, info);
		case FORM_IDENTITY:
			return lower_numeric(l, linitial(args), info);
		case FORM_UNARY:
			return lower_unary(l, function->op, linitial(args), info);
		case FORM_FROM_INT:
			return lower_operand(l, oid, linitial(args), VT_INT8);
		case FORM_TO_INT:
			return lower_to_int(l, function->op, args);
		case FORM_TO_FLOAT8:
			return lower_to_float8(l, args);
		case FORM_CAST:
			return lower_cast(l, args, info);
		case FORM_ROUND:
		case FORM_TRUNC:
			return lower_round(l, args, function->form == FORM_TRUNC, info);
		case FORM_WHOLE:
			return lower_whole(l, oid, function->op, args, info);
		case FORM_QUOTIENT:
			return lower_quotient(l, oid, args, info);
		case FORM_DIVISION:
			return lower_division(l, args, info);
	}
	return -1;
}

int
lower_numeric_call(Lowering *l, Oid function, List *args, NumericInfo *info)
{
	if (is_extract(function))
	{
		int			scale;
		int			reg = lower_extract(l, function, args, &scale);

		fixed_scale(info, scale, 0);
		return reg;
	}
	if (!is_numeric_function(function))
		return lower_reject(l, REJECTED_EXPRESSION, _("function %s is not supported"),
							format_procedure(function));
	return lower_numeric_function(l, function, args, info);
}
