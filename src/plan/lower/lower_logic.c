/*
 * lower_logic.c
 *	  AND, OR, NOT, IS NULL, IS TRUE and the like.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"

#include "plan/lower/lower_parts.h"

int
lower_chain(Lowering *l, OpCode op, List *args)
{
	int			result = -1;
	ListCell   *lc;

	foreach(lc, args)
	{
		int			reg = lower_expr(l, lfirst(lc));

		if (reg < 0)
			return -1;
		result = result < 0 ? reg : program_add_op(l->builder, op, result, reg);
	}
	return result;
}

/*
 * A condition that is NULL keeps the row from those behind it, and from their
 * errors, unlike an operand of AND.
 */
int
lower_conditions(Lowering *l, List *clauses)
{
	int			result = -1;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		int			reg = lower_expr(l, lfirst(lc));

		if (reg < 0)
			return -1;
		if (result < 0)
			result = reg;
		else if (l->builder->insns[reg].fallible)
			result = program_add_select(l->builder, result, reg,
										lower_param_ref(l, (Expr *) makeBoolConst(false, false)));
		else
			result = program_add_op(l->builder, OP_and, result, reg);
	}
	return result;
}

int
lower_bool_expr(Lowering *l, const BoolExpr *expr)
{
	int			reg;

	switch (expr->boolop)
	{
		case AND_EXPR:
			return lower_chain(l, OP_and, expr->args);
		case OR_EXPR:
			return lower_chain(l, OP_or, expr->args);
		case NOT_EXPR:
			break;
	}
	reg = lower_expr(l, linitial(expr->args));
	return reg < 0 ? -1 : program_add_op(l->builder, OP_bool_not, reg, -1);
}

int
lower_null_test(Lowering *l, const NullTest *test)
{
	int			reg;

	if (test->argisrow)
		return lower_reject(l, REJECTED_TYPE, _("IS NULL of a row is not supported"));
	reg = lower_presence(l, test->arg);
	if (reg < 0)
		return -1;
	return program_add_op(l->builder,
						  test->nulltesttype == IS_NULL ? OP_isnull : OP_isnotnull,
						  reg, -1);
}

/* x IS TRUE is x AND x IS NOT NULL, and so on; an error in x stays one. */
int
lower_boolean_test(Lowering *l, const BooleanTest *test)
{
	ProgramBuilder *b = l->builder;
	BoolTestType type = test->booltesttype;
	int			reg = lower_expr(l, test->arg);
	int			known;

	if (reg < 0)
		return -1;
	if (type == IS_UNKNOWN)
		return program_add_op(b, OP_isnull, reg, -1);
	known = program_add_op(b, OP_isnotnull, reg, -1);
	if (type == IS_NOT_UNKNOWN)
		return known;
	if (type == IS_FALSE || type == IS_NOT_FALSE)
		reg = program_add_op(b, OP_bool_not, reg, -1);
	reg = program_add_op(b, OP_and, reg, known);
	if (type == IS_NOT_TRUE || type == IS_NOT_FALSE)
		reg = program_add_op(b, OP_bool_not, reg, -1);
	return reg;
}
