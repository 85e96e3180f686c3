/*
 * lower_choice.c
 *	  CASE, COALESCE, NULLIF, GREATEST, LEAST and IS DISTINCT FROM.
 *
 * All of them are made of selections (OP_select), whose result does not depend on
 * the side that is not taken, even if that is an error: so each gives a row the
 * error that PostgreSQL would raise, and no other.  The alternatives are lowered
 * in the order of the text, and then selected from, from the last to the first.
 *
 * Numerics need one scale, the largest of all alternatives, so they come to
 * their registers when all have been lowered.  The display scale stays that of
 * the alternative which is chosen.  What a value becomes at a larger scale may
 * not fit 64 bits.  That is an error of the value at that scale only, so that it
 * matters where the value is chosen and nowhere else.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_operand.h"

typedef struct Alternative
{
	int			when;			/* register of its condition; the last one's does
								 * not matter */
	NumericOperand value;		/* if that is no numeric, its register only */
} Alternative;

/* Alternatives of one type. */
typedef struct Choice
{
	Oid			type;
	bool		numeric;
	int			n;
	Alternative *alternatives;
	NumericInfo info;			/* of numerics: what all can have */
	bool		wide;			/* of numerics: 128 bits */
} Choice;

static void
begin_choice(Choice *choice, Oid type, int room)
{
	choice->type = type;
	choice->numeric = getBaseType(type) == NUMERICOID;
	choice->n = 0;
	choice->alternatives = palloc(sizeof(Alternative) * room);
}

/* The next alternative; without an expression, NULL. */
static bool
add_alternative(Lowering *l, Choice *choice, int when, Expr *expr)
{
	Alternative *alternative = &choice->alternatives[choice->n++];

	if (expr == NULL)
		expr = (Expr *) makeNullConst(choice->type, -1, get_typcollation(choice->type));
	alternative->when = when;
	if (choice->numeric)
		return numeric_operand(l, expr, false, &alternative->value);
	alternative->value.reg = lower_expr(l, expr);
	return alternative->value.reg >= 0;
}

/*
 * The scale that all numerics can have, and whether it takes 128 bits; false:
 * there is none.
 */
static bool
find_common_scale(Lowering *l, Choice *choice)
{
	NumericInfo *info = &choice->info;

	choice->wide = false;
	fixed_scale(info, 0, 0);
	for (int i = 0; i < choice->n; i++)
		info->scale = Max(info->scale, choice->alternatives[i].value.info.scale);
	for (int i = 0; i < choice->n; i++)
	{
		const NumericOperand *value = &choice->alternatives[i].value;

		info->most = Max(info->most,
						  value->info.most * pow(10, info->scale - value->info.scale));
		choice->wide |= numeric_operand_is_wide(l, value, info->scale);
	}
	return check_size(l, info);
}

/* An alternative's register, with the common scale; -1: there is none. */
static int
alternative_register(Lowering *l, const Choice *choice, int i)
{
	const NumericOperand *value = &choice->alternatives[i].value;

	return choice->numeric ?
		numeric_operand_at(l, value, choice->info.scale, choice->wide) : value->reg;
}

/*
 * Alternative i where a condition is true, else the register that was selected
 * so far.
 */
static int
select_alternative(Lowering *l, Choice *choice, int when, int i, int reg, int otherwise)
{
	const Insn *insns = l->builder->insns;

	if (when < 0 || reg < 0 || otherwise < 0)
		return -1;
	if (insns[reg].type != insns[otherwise].type)
		return lower_reject(l, REJECTED_TYPE, _("alternatives of different types are not supported"));
	if (choice->numeric)
		choice->info.shown =
			display_scale_selected(when, choice->alternatives[i].value.info.shown,
								   choice->info.shown);
	return program_add_select(l->builder, when, reg, otherwise);
}

/*
 * The register of the alternative from which selecting begins; its scale, if
 * numeric.
 */
static int
begin_selecting(Lowering *l, Choice *choice, int i)
{
	if (choice->numeric)
	{
		if (!find_common_scale(l, choice))
			return -1;
		choice->info.shown = choice->alternatives[i].value.info.shown;
	}
	return alternative_register(l, choice, i);
}

/* The first alternative whose condition is true, or the last one. */
static int
choose(Lowering *l, Choice *choice, NumericInfo *info)
{
	int			last = choice->n - 1;
	int			result = begin_selecting(l, choice, last);

	for (int i = last - 1; i >= 0 && result >= 0; i--)
		result = select_alternative(l, choice, choice->alternatives[i].when, i,
									alternative_register(l, choice, i), result);
	if (choice->numeric)
		*info = choice->info;
	return result;
}

/* WHEN clauses, and what follows them. */
static int
lower_when(Lowering *l, const CaseExpr *expr, NumericInfo *info)
{
	Choice		choice;
	ListCell   *lc;

	begin_choice(&choice, expr->casetype, list_length(expr->args) + 1);
	foreach(lc, expr->args)
	{
		CaseWhen   *clause = lfirst_node(CaseWhen, lc);
		int			when = lower_expr(l, clause->expr);

		if (when < 0 || !add_alternative(l, &choice, when, clause->result))
			return -1;
	}
	return add_alternative(l, &choice, -1, expr->defresult) ? choose(l, &choice, info) : -1;
}

/*
 * CASE x WHEN y: the clauses compare a CaseTestExpr, which stands for x.  x is
 * evaluated first, and the first comparison looks at it, so that its error is
 * the result; where the first condition is something else it must have none.
 * x's register, or -1.
 */
static int
lower_case_value(Lowering *l, const CaseExpr *expr, NumericInfo *info)
{
	int			reg = is_numeric(expr->arg) ? lower_numeric(l, expr->arg, info) :
		lower_expr(l, expr->arg);

	if (reg >= 0 && l->builder->insns[reg].fallible &&
		!IsA(linitial_node(CaseWhen, expr->args)->expr, OpExpr))
		return lower_reject(l, REJECTED_EXPRESSION, _("a CASE over a value that can raise an error is not supported"));
	return reg;
}

static int
lower_case(Lowering *l, const CaseExpr *expr, NumericInfo *info)
{
	int			outer = l->case_value;
	const NumericInfo *outer_info = l->case_info;
	NumericInfo tested;
	int			reg;

	if (expr->arg != NULL)
	{
		reg = lower_case_value(l, expr, &tested);
		if (reg < 0)
			return -1;
		l->case_value = reg;
		l->case_info = is_numeric(expr->arg) ? &tested : NULL;
	}
	reg = lower_when(l, expr, info);
	l->case_value = outer;
	l->case_info = outer_info;
	return reg;
}

/* A value's register for a test whether it is NULL. */
static int
own_register(Lowering *l, const Choice *choice, const NumericOperand *value)
{
	if (!choice->numeric)
		return value->reg;
	return numeric_operand_at(l, value, value->info.scale,
							  numeric_operand_is_wide(l, value, value->info.scale));
}

/* The first argument that is not NULL; the later ones are then not evaluated. */
static int
lower_coalesce(Lowering *l, const CoalesceExpr *expr, NumericInfo *info)
{
	Choice		choice;
	ListCell   *lc;

	begin_choice(&choice, expr->coalescetype, list_length(expr->args));
	foreach(lc, expr->args)
	{
		Alternative *alternative = &choice.alternatives[choice.n];
		int			reg;

		if (!add_alternative(l, &choice, -1, lfirst(lc)))
			return -1;
		if (lnext(expr->args, lc) == NULL)
			break;
		reg = own_register(l, &choice, &alternative->value);
		if (reg < 0)
			return -1;
		alternative->when = program_add_op(l->builder, OP_isnotnull, reg, -1);
	}
	return choose(l, &choice, info);
}

/* NULL if both are equal, else, and if one of them is NULL, the first. */
static int
lower_nullif(Lowering *l, const NullIfExpr *expr, NumericInfo *info)
{
	Choice		choice;
	int			equal = lower_function(l, get_opcode(expr->opno), expr->args, expr->inputcollid);

	begin_choice(&choice, exprType(linitial(expr->args)), 2);
	if (equal < 0 || !add_alternative(l, &choice, equal, NULL) ||
		!add_alternative(l, &choice, -1, linitial(expr->args)))
		return -1;
	return choose(l, &choice, info);
}

/* "Less than" of a type, and the operation that promotes to its operands, or -1. */
typedef struct LessOp
{
	int			less;
	int			promotion;
} LessOp;

static LessOp
less_op(Oid type)
{
	switch (getBaseType(type))
	{
		case BOOLOID:
			return (LessOp) {OP_bool_lt, -1};
		case INT2OID:
			return (LessOp) {OP_int4_lt, OP_int2_to_int4};
		case INT4OID:
		case DATEOID:
			return (LessOp) {OP_int4_lt, -1};
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case MONEYOID:
		case NUMERICOID:
			return (LessOp) {OP_int8_lt, -1};
		case FLOAT4OID:
			return (LessOp) {OP_float8_lt, OP_float4_to_float8};
		case FLOAT8OID:
			return (LessOp) {OP_float8_lt, -1};
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
			return (LessOp) {OP_text_lt, -1};
		case BPCHAROID:
			return (LessOp) {OP_bpchar_lt, -1};
		default:
			return (LessOp) {-1, -1};
	}
}

/*
 * The condition for taking the next argument of GREATEST or LEAST.  It looks at
 * the best so far first: if that is NULL the next one is taken, and with it its
 * error.
 */
static int
add_is_better(ProgramBuilder *b, LessOp op, bool greatest, int best, int next)
{
	int			low = greatest ? best : next;
	int			high = greatest ? next : best;
	int			better;

	if (op.promotion >= 0)
	{
		low = program_add_op(b, (OpCode) op.promotion, low, -1);
		high = program_add_op(b, (OpCode) op.promotion, high, -1);
	}
	better = program_add_op(b, (OpCode) op.less, low, high);
	return program_add_op(b, OP_or, program_add_op(b, OP_isnull, best, -1), better);
}

/*
 * GREATEST and LEAST: all arguments are evaluated, NULLs do not count, and of
 * equal ones the first is kept.
 */
static int
lower_minmax(Lowering *l, const MinMaxExpr *expr, NumericInfo *info)
{
	bool		greatest = expr->op == IS_GREATEST;
	LessOp		op = less_op(expr->minmaxtype);
	Choice		choice;
	ListCell   *lc;
	int			best;

	if (op.less < 0)
		return lower_reject(l, REJECTED_TYPE, _("%s over type %s is not supported"),
							greatest ? "GREATEST" : "LEAST", format_type_be(expr->minmaxtype));
	if (op_arg((OpCode) op.less, 0) == VT_TEXT &&
		!check_order(l, expr->minmaxtype, expr->inputcollid))
		return -1;
	begin_choice(&choice, expr->minmaxtype, list_length(expr->args));
	foreach(lc, expr->args)
	{
		if (!add_alternative(l, &choice, -1, lfirst(lc)))
			return -1;
	}
	best = begin_selecting(l, &choice, 0);
	if (choice.numeric && choice.wide)
		op.less = OP_wide_lt;
	for (int i = 1; i < choice.n && best >= 0; i++)
	{
		int			next = alternative_register(l, &choice, i);

		best = next < 0 ? -1 :
			select_alternative(l, &choice, add_is_better(l->builder, op, greatest, best, next),
							   i, next, best);
	}
	if (choice.numeric)
		*info = choice.info;
	return best;
}

/* Equal or not, but two NULLs are equal, and NULL is distinct from all else. */
static int
lower_distinct(Lowering *l, const DistinctExpr *expr)
{
	ProgramBuilder *b = l->builder;
	int			equal = lower_function(l, get_opcode(expr->opno), expr->args,
									   expr->inputcollid);
	int			first = equal < 0 ? -1 : lower_expr(l, linitial(expr->args));
	int			second = first < 0 ? -1 : lower_expr(l, lsecond(expr->args));

	if (second < 0)
		return -1;
	first = program_add_op(b, OP_isnull, first, -1);
	second = program_add_op(b, OP_isnull, second, -1);
	return program_add_select(b, program_add_op(b, OP_isnotnull, equal, -1),
							  program_add_op(b, OP_bool_not, equal, -1),
							  program_add_op(b, OP_bool_ne, first, second));
}

int
lower_choice(Lowering *l, Expr *expr, NumericInfo *info)
{
	switch (nodeTag(expr))
	{
		case T_CaseExpr:
			return lower_case(l, (CaseExpr *) expr, info);
		case T_CoalesceExpr:
			return lower_coalesce(l, (CoalesceExpr *) expr, info);
		case T_NullIfExpr:
			return lower_nullif(l, (NullIfExpr *) expr, info);
		case T_MinMaxExpr:
			return lower_minmax(l, (MinMaxExpr *) expr, info);
		default:
			return lower_distinct(l, castNode(DistinctExpr, expr));
	}
}
