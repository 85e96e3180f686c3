/*
 * lower_select.c
 *	  CASE, COALESCE, NULLIF, GREATEST, LEAST and IS DISTINCT FROM.
 *
 * All of them are made of selections (OP_select), which take no notice of what
 * became of the side that is not taken, not even of its error: so each gives a
 * row the error that PostgreSQL would meet on its way, and no other.  Numerics
 * need one scale for all sides: lower_choice.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_internal.h"

/* A NULL of the type that an expression has. */
int
lower_null(Lowering *l, Oid type)
{
	return lower_slot(l, (Expr *) makeNullConst(type, -1, get_typcollation(type)));
}

/* A selection between registers, of which any may be -1. */
static int
add_select(Lowering *l, int when, int then, int otherwise)
{
	const Insn *insns = l->builder->insns;

	if (when < 0 || then < 0 || otherwise < 0)
		return -1;
	if (insns[then].type != insns[otherwise].type)
		return lower_reject(l, _("alternatives of different types are not supported"));
	return program_add_select(l->builder, when, then, otherwise);
}

/*
 * WHEN clauses from number i on, and what follows them.  The selections are
 * made from the last to the first, their operands in the order of the text.
 */
static int
lower_when(Lowering *l, const CaseExpr *expr, int i)
{
	CaseWhen   *clause;
	int			when;
	int			then;

	check_stack_depth();
	if (i == list_length(expr->args))
		return expr->defresult ? lower_expr(l, expr->defresult) :
			lower_null(l, expr->casetype);
	clause = list_nth_node(CaseWhen, expr->args, i);
	when = lower_expr(l, clause->expr);
	then = when < 0 ? -1 : lower_expr(l, clause->result);
	return then < 0 ? -1 : add_select(l, when, then, lower_when(l, expr, i + 1));
}

/*
 * CASE x WHEN y: the clauses compare a CaseTestExpr, which stands for x.  x is
 * evaluated first, and the first comparison looks at it, so that its error is
 * the result; where the first condition is something else it must have none.
 * x's register, or -1.
 */
static int
lower_case_value(Lowering *l, const CaseExpr *expr, NumericScale *scale)
{
	int			reg = is_numeric(expr->arg) ? lower_numeric(l, expr->arg, scale) :
		lower_expr(l, expr->arg);

	if (reg >= 0 && l->builder->insns[reg].fallible &&
		!IsA(linitial_node(CaseWhen, expr->args)->expr, OpExpr))
		return lower_reject(l, _("a CASE over a value that can raise an error is not supported"));
	return reg;
}

/* scale: of the result, or NULL if that is no numeric. */
int
lower_case(Lowering *l, const CaseExpr *expr, NumericScale *scale)
{
	int			outer = l->case_value;
	const NumericScale *outer_scale = l->case_scale;
	NumericScale tested;
	int			reg;

	if (expr->arg != NULL)
	{
		reg = lower_case_value(l, expr, &tested);
		if (reg < 0)
			return -1;
		l->case_value = reg;
		l->case_scale = is_numeric(expr->arg) ? &tested : NULL;
	}
	reg = scale != NULL ? lower_numeric_when(l, expr, scale) : lower_when(l, expr, 0);
	l->case_value = outer;
	l->case_scale = outer_scale;
	return reg;
}

/* The first argument that is not NULL; the later ones are then not evaluated. */
static int
lower_coalesce_from(Lowering *l, const CoalesceExpr *expr, int i)
{
	int			reg = lower_expr(l, list_nth(expr->args, i));

	check_stack_depth();
	if (reg < 0 || i == list_length(expr->args) - 1)
		return reg;
	return add_select(l, program_add_op(l->builder, OP_isnotnull, reg, -1), reg,
					  lower_coalesce_from(l, expr, i + 1));
}

int
lower_coalesce(Lowering *l, const CoalesceExpr *expr)
{
	return lower_coalesce_from(l, expr, 0);
}

/* NULL if both are equal, else, and if one of them is NULL, the first. */
int
lower_nullif(Lowering *l, const NullIfExpr *expr)
{
	int			equal = lower_function(l, get_opcode(expr->opno), expr->args,
									   expr->inputcollid);

	if (equal < 0)
		return -1;
	return add_select(l, equal, lower_null(l, exprType(linitial(expr->args))),
					  lower_expr(l, linitial(expr->args)));
}

/* Equal or not, but two NULLs are equal, and NULL is distinct from all else. */
int
lower_distinct(Lowering *l, const DistinctExpr *expr)
{
	ProgramBuilder *b = l->builder;
	int			equal = lower_function(l, get_opcode(expr->opno), expr->args,
									   expr->inputcollid);
	int			left;
	int			right;

	if (equal < 0)
		return -1;
	left = lower_expr(l, linitial(expr->args));
	right = left < 0 ? -1 : lower_expr(l, lsecond(expr->args));
	if (right < 0)
		return -1;
	left = program_add_op(b, OP_isnull, left, -1);
	right = program_add_op(b, OP_isnull, right, -1);
	return add_select(l, program_add_op(b, OP_isnotnull, equal, -1),
					  program_add_op(b, OP_bool_not, equal, -1),
					  program_add_op(b, OP_bool_ne, left, right));
}

/* "Less than" of a type, and the operation that widens to its operands or -1. */
static int
less_op(Oid type, int *widening)
{
	*widening = -1;
	switch (getBaseType(type))
	{
		case BOOLOID:
			return OP_bool_lt;
		case INT2OID:
			*widening = OP_int2_to_int4;
			return OP_int4_lt;
		case INT4OID:
		case DATEOID:
			return OP_int4_lt;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case MONEYOID:
			return OP_int8_lt;
		case FLOAT4OID:
			*widening = OP_float4_to_float8;
			return OP_float8_lt;
		case FLOAT8OID:
			return OP_float8_lt;
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
			return OP_text_lt;
		case BPCHAROID:
			return OP_bpchar_lt;
		default:
			return -1;
	}
}

/*
 * GREATEST and LEAST: all arguments are evaluated, NULLs do not count, and of
 * equal ones the first is kept.  The condition for taking the next argument
 * looks at the best so far first: if that is NULL the next one is taken, and
 * with it its error.
 */
int
lower_minmax(Lowering *l, const MinMaxExpr *expr)
{
	ProgramBuilder *b = l->builder;
	int			widening;
	int			less = less_op(expr->minmaxtype, &widening);
	int			best = -1;
	ListCell   *lc;

	if (less < 0)
		return lower_reject(l, _("%s over type %s is not supported"),
							expr->op == IS_GREATEST ? "GREATEST" : "LEAST",
							format_type_be(expr->minmaxtype));
	if (op_arg((OpCode) less, 0) == VT_TEXT && !check_order(l, expr->minmaxtype, expr->inputcollid))
		return -1;
	foreach(lc, expr->args)
	{
		int			reg = lower_expr(l, lfirst(lc));
		int			a = best;
		int			c = reg;
		int			when;

		if (reg < 0)
			return -1;
		if (best < 0)
		{
			best = reg;
			continue;
		}
		if (widening >= 0)
		{
			a = program_add_op(b, (OpCode) widening, a, -1);
			c = program_add_op(b, (OpCode) widening, c, -1);
		}
		when = program_add_op(b, (OpCode) less, expr->op == IS_GREATEST ? a : c,
							  expr->op == IS_GREATEST ? c : a);
		when = program_add_op(b, OP_or, program_add_op(b, OP_isnull, best, -1), when);
		best = add_select(l, when, reg, best);
		if (best < 0)
			return -1;
	}
	return best;
}
