/*
 * lower_choice.c
 *	  CASE, COALESCE, NULLIF, GREATEST and LEAST that yield a numeric.
 *
 * As in lower_select.c, all are made of selections.  These need one scale, so
 * all values are lowered first, and then taken to the largest of their scales.
 * The display scale stays that of the value which is chosen.
 *
 * What a value becomes at a larger scale may not fit 64 bits.  That is an error
 * of the value at that scale only, so that it matters where the value is chosen
 * and nowhere else.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_internal.h"

/* Values to choose from, and the conditions of all but the last. */
typedef struct Choice
{
	int			n;
	int		   *when;			/* registers */
	NumericOperand *values;
} Choice;

static void
begin_choice(Choice *choice, int room)
{
	choice->n = 0;
	choice->when = palloc(sizeof(int) * room);
	choice->values = palloc(sizeof(NumericOperand) * room);
}

/* The next value; without an expression, NULL. */
static bool
add_value(Lowering *l, Choice *choice, int when, Expr *expr)
{
	if (expr == NULL)
		expr = (Expr *) makeNullConst(NUMERICOID, -1, InvalidOid);
	choice->when[choice->n] = when;
	return numeric_operand(l, expr, false, &choice->values[choice->n++]);
}

/* The scale that all can have, and whether it takes 128 bits; false: there is none. */
static bool
common_scale(Lowering *l, const Choice *choice, NumericScale *scale, bool *wide)
{
	*wide = false;

	fixed_scale(scale, 0, 0);
	for (int i = 0; i < choice->n; i++)
		scale->unit = Max(scale->unit, choice->values[i].scale.unit);
	for (int i = 0; i < choice->n; i++)
	{
		const NumericScale *own = &choice->values[i].scale;

		scale->most = Max(scale->most, own->most * pow(10, scale->unit - own->unit));
		*wide |= numeric_operand_is_wide(l, &choice->values[i], scale->unit);
	}
	return check_size(l, scale);
}

/* The first value whose condition is true, or the last one. */
static int
choose(Lowering *l, const Choice *choice, NumericScale *scale)
{
	int			last = choice->n - 1;
	bool		wide;
	int			result;

	if (!common_scale(l, choice, scale, &wide))
		return -1;
	result = numeric_operand_at(l, &choice->values[last], scale->unit, wide);
	scale->shown = choice->values[last].scale.shown;
	for (int i = last - 1; i >= 0 && result >= 0; i--)
	{
		int			reg = numeric_operand_at(l, &choice->values[i], scale->unit, wide);

		if (reg < 0)
			return -1;
		result = program_add_select(l->builder, choice->when[i], reg, result);
		scale->shown = display_scale_selected(choice->when[i], choice->values[i].scale.shown,
											  scale->shown);
	}
	return result;
}

/* WHEN clauses, and what follows them. */
int
lower_numeric_when(Lowering *l, const CaseExpr *expr, NumericScale *scale)
{
	Choice		choice;
	ListCell   *lc;

	begin_choice(&choice, list_length(expr->args) + 1);
	foreach(lc, expr->args)
	{
		CaseWhen   *clause = lfirst_node(CaseWhen, lc);
		int			when = lower_expr(l, clause->expr);

		if (when < 0 || !add_value(l, &choice, when, clause->result))
			return -1;
	}
	return add_value(l, &choice, -1, expr->defresult) ? choose(l, &choice, scale) : -1;
}

/* The first argument that is not NULL; the later ones are then not evaluated. */
int
lower_numeric_coalesce(Lowering *l, const CoalesceExpr *expr, NumericScale *scale)
{
	Choice		choice;
	ListCell   *lc;

	begin_choice(&choice, list_length(expr->args));
	foreach(lc, expr->args)
	{
		NumericOperand *value = &choice.values[choice.n];
		int			reg;

		if (!add_value(l, &choice, -1, lfirst(lc)))
			return -1;
		if (lnext(expr->args, lc) == NULL)
			break;
		reg = numeric_operand_at(l, value, value->scale.unit,
								 numeric_operand_is_wide(l, value, value->scale.unit));
		if (reg < 0)
			return -1;
		choice.when[choice.n - 1] = program_add_op(l->builder, OP_isnotnull, reg, -1);
	}
	return choose(l, &choice, scale);
}

/* NULL if both are equal, else, and if one of them is NULL, the first. */
int
lower_numeric_nullif(Lowering *l, const NullIfExpr *expr, NumericScale *scale)
{
	Choice		choice;
	int			equal = lower_function(l, get_opcode(expr->opno), expr->args, expr->inputcollid);

	begin_choice(&choice, 2);
	if (equal < 0 || !add_value(l, &choice, equal, NULL) ||
		!add_value(l, &choice, -1, linitial(expr->args)))
		return -1;
	return choose(l, &choice, scale);
}

/*
 * All arguments are evaluated, NULLs do not count, and of equal ones the first is
 * kept: see lower_minmax.
 */
int
lower_numeric_minmax(Lowering *l, const MinMaxExpr *expr, NumericScale *scale)
{
	ProgramBuilder *b = l->builder;
	bool		greatest = expr->op == IS_GREATEST;
	Choice		choice;
	ListCell   *lc;
	int			best = -1;
	bool		wide;

	begin_choice(&choice, list_length(expr->args));
	foreach(lc, expr->args)
	{
		if (!add_value(l, &choice, -1, lfirst(lc)))
			return -1;
	}
	if (!common_scale(l, &choice, scale, &wide))
		return -1;
	for (int i = 0; i < choice.n; i++)
	{
		int			reg = numeric_operand_at(l, &choice.values[i], scale->unit, wide);
		const DisplayScale *shown = choice.values[i].scale.shown;
		int			when;

		if (reg < 0)
			return -1;
		if (best >= 0)
		{
			when = program_add_op(b, wide ? OP_wide_lt : OP_int8_lt, greatest ? best : reg, greatest ? reg : best);
			when = program_add_op(b, OP_or, program_add_op(b, OP_isnull, best, -1), when);
			reg = program_add_select(b, when, reg, best);
			shown = display_scale_selected(when, shown, scale->shown);
		}
		best = reg;
		scale->shown = shown;
	}
	return best;
}
