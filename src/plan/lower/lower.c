/*
 * lower.c
 *	  From PostgreSQL's expressions to a Program: its filter, its keys.
 *
 * The first rejection ends a lowering: its reason is kept, the instructions
 * added so far are of no use, and the caller drops them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/plan_info.h"
#include "plan/value_type.h"

bool
lower_filter(Lowering *l, List *clauses)
{
	int			reg;

	if (!lower_succeeded(l))
		return false;
	if (clauses == NIL)
		return true;
	reg = lower_conditions(l, clauses);
	if (reg >= 0)
		program_set_filter(l->builder, reg);
	return lower_succeeded(l);
}

/*
 * Groups differ by the bytes of a text.  For char(n), whose trailing
 * blanks do not count, this is right if all values are padded to one length.
 */
static bool
check_text_key(Lowering *l, Expr *expr)
{
	int32		typmod = exprTypmod((Node *) expr);
	Oid			type = getBaseTypeAndTypmod(exprType((Node *) expr), &typmod);

	if (type == BPCHAROID && (typmod < 0 || IsA(expr, RelabelType)))
	{
		lower_reject(l, REJECTED_TYPE, _("a key of type character has no fixed length"));
		return false;
	}
	return check_collation(l, type, exprCollation((Node *) expr));
}

bool
lower_key(Lowering *l, Expr *expr)
{
	NumericInfo info = {.scale = KEY_NOT_NUMERIC};
	int			reg;

	if (!lower_succeeded(l))
		return false;
	/* grouping sets have them for what a subquery computes */
	while (IsA(expr, PlaceHolderVar) && is_of_table(l, (PlaceHolderVar *) expr))
		expr = ((PlaceHolderVar *) expr)->phexpr;
	reg = is_numeric(expr) ? lower_numeric(l, expr, &info) : lower_expr(l, expr);
	if (reg >= 0 && is_numeric(expr))
		reg = lower_uniform(l, reg, &info);
	if (reg < 0)
		return lower_succeeded(l);
	if (l->builder->insns[reg].type == VT_TEXT && !check_text_key(l, expr))
		return false;
	if (!value_is_key((ValueType) l->builder->insns[reg].type))
	{
		lower_reject(l, REJECTED_TYPE, _("keys of type %s are not supported"),
					 value_type_name((ValueType) l->builder->insns[reg].type));
		return false;
	}

	program_add_numeric_key(l->builder, reg, info.scale);
	return lower_succeeded(l);
}

bool
lower_checked(Lowering *l, Expr *expr)
{
	int			reg = lower_succeeded(l) ? lower_expr(l, expr) : -1;

	/* counting looks at it, and may be what an aggregate over it does anyway */
	if (reg >= 0 && l->builder->insns[reg].fallible)
		program_add_acc(l->builder, ACC_COUNT, reg, -1);
	return lower_succeeded(l);
}

bool
lower_can_input(PlannerInfo *root, const Aggref *aggref, Expr *expr)
{
	NumericGuess guess;
	const char *reason;

	/* it is only asked whether it is NULL */
	if (aggref->aggfnoid == F_COUNT_ANY && aggref->aggdistinct == NIL)
		return true;
	if (is_numeric(expr))
		return numeric_guess(root, expr, &guess, &reason);
	return value_type_of(exprType((const Node *) expr)) >= 0;
}

Program *
lower_finish(Lowering *l)
{
	return lower_succeeded(l) ? make_program(l->builder) : NULL;
}
