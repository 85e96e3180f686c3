/*
 * lower_moments.c
 *	  Variances, covariances and regressions of floats.
 *
 * All of them are made of exact sums of values and of products of two.  Those of
 * two arguments take the rows in which neither is NULL; PostgreSQL calls them Y
 * and X, in this order.
 *
 * Floats that are cast from int2 or int4 are exactly these integers.  If all
 * arguments are, the sums are those of integers of 128 bits: the same numbers for
 * less work.
 *
 * PostgreSQL keeps the squares of deviations of both arguments whatever is asked
 * for, and raises an error if they overflow; so the sums of both values are
 * always there, whose limit (EXACT_LIMIT_SQUARES) excludes values that are too large
 * for that.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgroids.h"

#include "plan/lower/lower_parts.h"

/* The int2 or int4 that a float8 is cast from, if that is not done already; or NULL. */
static Expr *
integer_of(Lowering *l, const TargetEntry *arg)
{
	const FuncExpr *cast = (const FuncExpr *) arg->expr;

	if (!IsA(cast, FuncExpr) || lower_input_number(l, arg->expr) != 0 ||
		(cast->funcid != F_FLOAT8_INT2 && cast->funcid != F_FLOAT8_INT4))
		return NULL;
	return linitial(cast->args);
}

static bool
are_integers(Lowering *l, List *args)
{
	ListCell   *lc;

	foreach(lc, args)
	{
		if (integer_of(l, lfirst_node(TargetEntry, lc)) == NULL)
			return false;
	}
	return true;
}

/* An argument as a float, or as the int4 that it is cast from. */
static int
lower_value(Lowering *l, const TargetEntry *arg, bool integer)
{
	int			reg;

	if (!integer)
		return lower_expr(l, arg->expr);
	reg = lower_expr(l, integer_of(l, arg));
	if (reg >= 0 && l->builder->insns[reg].type == VT_INT2)
		reg = program_add_op(l->builder, OP_int2_to_int4, reg, -1);
	return reg;
}

/* x where the other argument is NULL: NULL, or its own error. */
static int
null_of_pair(Lowering *l, int x)
{
	ProgramBuilder *b = l->builder;
	int			null = lower_null(l, b->insns[x].type == VT_INT4 ? INT4OID : FLOAT8OID);

	if (null < 0 || !b->insns[x].fallible)
		return null;
	return program_add_select(b, program_add_op(b, OP_isnotnull, x, -1), null, null);
}

/* x where the other argument is not NULL; both are evaluated in any case. */
static int
value_of_pair(Lowering *l, int x, int other)
{
	ProgramBuilder *b = l->builder;
	int			otherwise;

	if (!b->insns[other].nullable && !b->insns[other].fallible)
		return x;
	otherwise = null_of_pair(l, x);
	if (otherwise < 0)
		return -1;
	return program_add_select(b, program_add_op(b, OP_isnotnull, other, -1), x, otherwise);
}

/* The sum of a's values, or of their products with b's. */
static int
add_sum(Lowering *l, int a, int b, int filter)
{
	ProgramBuilder *builder = l->builder;

	if (builder->insns[a].type != VT_INT4)
		return program_add_float_acc(builder, a, b, filter, EXACT_LIMIT_SQUARES);
	return program_add_acc(builder, ACC_SUM_INT128,
						   b < 0 ? program_add_op(builder, OP_int4_to_int8, a, -1) :
						   program_add_op(builder, OP_int4_product, a, b), filter);
}

static bool
needs(FinalKind final, FloatMoment moment)
{
	switch (final)
	{
		case FINAL_FLOAT_VAR_POP:
		case FINAL_FLOAT_VAR_SAMP:
		case FINAL_FLOAT_STDDEV_POP:
		case FINAL_FLOAT_STDDEV_SAMP:
		case FINAL_REGR_SXX:
			return moment == MOMENT_XX;
		case FINAL_REGR_SYY:
			return moment == MOMENT_YY;
		case FINAL_REGR_SXY:
		case FINAL_COVAR_POP:
		case FINAL_COVAR_SAMP:
			return moment == MOMENT_XY;
		case FINAL_CORR:
		case FINAL_REGR_R2:
			return true;
		case FINAL_REGR_SLOPE:
		case FINAL_REGR_INTERCEPT:
			return moment == MOMENT_XX || moment == MOMENT_XY;
		default:
			return false;
	}
}

/* Over registers; y is -1 if there is one argument. */
static void
add_moments(Lowering *l, FinalKind final, int y, int x, int filter)
{
	ProgramBuilder *b = l->builder;
	int16_t		sums[MOMENT_COUNT] = {-1, -1, -1, -1, -1};
	int			count = program_add_acc(b, ACC_COUNT,
										b->insns[x].nullable || b->insns[x].fallible ? x : -1,
										filter);

	if (final == FINAL_COUNT)
	{
		program_add_agg(b, final, count, count);
		return;
	}
	sums[MOMENT_X] = add_sum(l, x, -1, filter);
	if (y >= 0)
		sums[MOMENT_Y] = add_sum(l, y, -1, filter);
	if (needs(final, MOMENT_XX))
		sums[MOMENT_XX] = add_sum(l, x, x, filter);
	if (needs(final, MOMENT_YY))
		sums[MOMENT_YY] = add_sum(l, y, y, filter);
	if (needs(final, MOMENT_XY))
		sums[MOMENT_XY] = add_sum(l, x, y, filter);
	program_add_moments(b, final, count, sums);
}

bool
lower_moments(Lowering *l, FinalKind final, List *args, int filter)
{
	bool		two = list_length(args) > 1;
	bool		integers = are_integers(l, args);
	int			y = -1;
	int			x;
	int			other;

	if (two)
	{
		y = lower_value(l, linitial_node(TargetEntry, args), integers);
		if (y < 0)
			return lower_succeeded(l);
	}
	x = lower_value(l, llast_node(TargetEntry, args), integers);
	if (x < 0)
		return lower_succeeded(l);
	if (two)
	{
		other = x;
		x = value_of_pair(l, x, y);
		y = value_of_pair(l, y, other);
		if (x < 0 || y < 0)
			return lower_succeeded(l);
	}
	add_moments(l, final, y, x, filter);
	return lower_succeeded(l);
}

bool
lower_distinct_moments(Lowering *l, FinalKind final, int x)
{
	add_moments(l, final, -1, x, -1);
	return lower_succeeded(l);
}
