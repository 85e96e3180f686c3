/*
 * lower.c
 *	  From PostgreSQL's expressions to a Program.
 *
 * A walk down the expression tree, one function per kind of node, that adds
 * instructions to a ProgramBuilder on its way up.  Constants, parameters and
 * everything else that no row changes become slots (lower_column.c), functions
 * and operators become operations (lower_call.c; lower_date.c and lower_text.c if
 * their meaning depends on constants, lower_zone.c if on a time zone), CASE and
 * the like selections (lower_choice.c), ANY and ALL chains or searches
 * (lower_array.c).  The tree is only looked at.
 *
 * The first rejection ends a lowering: its reason is kept, the instructions
 * added so far are of no use, and the caller drops them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "plan/lower/collation.h"
#include "plan/lower/function_op.h"
#include "plan/lower/lower_array.h"
#include "plan/lower/lower_call.h"
#include "plan/lower/lower_choice.h"
#include "plan/lower/lower_internal.h"
#include "plan/make_program.h"
#include "plan/value_type.h"

/* Keep the first reason.  Always -1, for callers to return. */
int
lower_reject(Lowering *l, const char *format,...)
{
	if (l->reason == NULL)
	{
		StringInfoData buf;
		va_list		args;
		int			needed;

		initStringInfo(&buf);
		for (;;)
		{
			va_start(args, format);
			needed = appendStringInfoVA(&buf, format, args);
			va_end(args);
			if (needed == 0)
				break;
			enlargeStringInfo(&buf, needed);
		}
		l->reason = buf.data;
	}
	return -1;
}

/* True unless something was rejected, which a full program is too. */
bool
lower_succeeded(Lowering *l)
{
	if (l->builder->overflow)
		lower_reject(l, _("the query has too many columns, constants or expressions"));
	return l->reason == NULL;
}

/* AND or OR of a list, from its first member to its last. */
static int
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

static int
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

static int
lower_null_test(Lowering *l, const NullTest *test)
{
	int			reg;

	if (test->argisrow)
		return lower_reject(l, _("IS NULL of a row is not supported"));
	reg = lower_presence(l, test->arg);
	if (reg < 0)
		return -1;
	return program_add_op(l->builder,
						  test->nulltesttype == IS_NULL ? OP_isnull : OP_isnotnull,
						  reg, -1);
}

/* x IS TRUE is x AND x IS NOT NULL, and so on; an error in x stays one. */
static int
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

/* A cast that leaves the bits as they are. */
static int
lower_relabel(Lowering *l, const RelabelType *relabel)
{
	int			reg = lower_expr(l, relabel->arg);

	if (reg < 0)
		return -1;
	if (l->builder->insns[reg].type != value_type_of(relabel->resulttype))
		return lower_reject(l, _("a cast from type %s to type %s is not supported"),
							format_type_be(exprType((Node *) relabel->arg)),
							format_type_be(relabel->resulttype));
	return reg;
}

/* What an expression that is never lowered is called. */
static const char *
expression_kind(const Expr *expr)
{
	switch (nodeTag(expr))
	{
		case T_SubLink:
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return _("a subquery in an expression");
		case T_CoerceToDomain:
			return _("a cast to a domain");
		case T_CoerceViaIO:
			return _("a cast through text");
		case T_PlaceHolderVar:
			return _("an expression from below an outer join");
		default:
			return _("an expression of this kind");
	}
}

static bool
is_lowered(Oid function)
{
	return function_op(function) >= 0 || is_numeric_function(function);
}

/*
 * Can the expression's outermost part be an operation?  Then it is one even if
 * no row changes its value, so that its error, if it raises one, is only raised
 * if a row needs the value.
 */
static bool
is_operation(const Expr *expr)
{
	switch (nodeTag(expr))
	{
		case T_BoolExpr:
			return true;
		case T_OpExpr:
			return is_lowered(get_opcode(((const OpExpr *) expr)->opno));
		case T_FuncExpr:
			return is_lowered(((const FuncExpr *) expr)->funcid);
		default:
			return false;
	}
}

static int
lower_node(Lowering *l, Expr *expr)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			if (l->builder->head.source == SOURCE_PAGES)
				return lower_var(l, (Var *) expr);
			return lower_reject(l, _("a column is not among the input's"));
		case T_PlaceHolderVar:
			/* one table has no outer join that could make it NULL */
			if (l->builder->head.source == SOURCE_PAGES)
				return lower_expr(l, ((PlaceHolderVar *) expr)->phexpr);
			return lower_reject(l, _("%s is not supported"), expression_kind(expr));
		case T_RelabelType:
			return lower_relabel(l, (RelabelType *) expr);
		case T_FuncExpr:
			return lower_function(l, ((FuncExpr *) expr)->funcid,
								  ((FuncExpr *) expr)->args,
								  ((FuncExpr *) expr)->inputcollid);
		case T_OpExpr:
			return lower_function(l, get_opcode(((OpExpr *) expr)->opno),
								  ((OpExpr *) expr)->args,
								  ((OpExpr *) expr)->inputcollid);
		case T_BoolExpr:
			return lower_bool_expr(l, (BoolExpr *) expr);
		case T_NullTest:
			return lower_null_test(l, (NullTest *) expr);
		case T_BooleanTest:
			return lower_boolean_test(l, (BooleanTest *) expr);
		case T_CaseTestExpr:
			return l->case_value >= 0 ? l->case_value :
				lower_reject(l, _("%s is not supported"), expression_kind(expr));
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_NullIfExpr:
		case T_DistinctExpr:
		case T_MinMaxExpr:
			return lower_choice(l, expr, NULL);
		case T_ScalarArrayOpExpr:
			return lower_array_op(l, (ScalarArrayOpExpr *) expr);
		default:
			return lower_reject(l, _("%s is not supported"), expression_kind(expr));
	}
}

int
lower_expr(Lowering *l, Expr *expr)
{
	int			reg;
	NumericScale scale;

	check_stack_depth();
	if (is_numeric(expr))
		return lower_numeric(l, expr, &scale);
	if (l->scale_search != NULL)
		return lower_new_input(l, expr);
	if (!IsA(expr, Const))
	{
		reg = lower_input(l, expr);
		if (reg >= 0 || !lower_succeeded(l))
			return reg;
	}
	if (is_slot(expr) && !is_operation(expr))
		return lower_slot(l, expr);
	return lower_node(l, expr);
}

bool
lower_filter(Lowering *l, List *clauses)
{
	int			reg;

	if (!lower_succeeded(l))
		return false;
	if (clauses == NIL)
		return true;
	reg = lower_chain(l, OP_and, clauses);
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
		lower_reject(l, _("a key of type character has no fixed length"));
		return false;
	}
	return check_collation(l, type, exprCollation((Node *) expr));
}

bool
lower_key(Lowering *l, Expr *expr)
{
	NumericScale scale = {.unit = KEY_NOT_NUMERIC};
	int			reg;

	if (!lower_succeeded(l))
		return false;
	/* grouping sets have them for what a subquery computes */
	while (IsA(expr, PlaceHolderVar) && l->builder->head.source == SOURCE_PAGES)
		expr = ((PlaceHolderVar *) expr)->phexpr;
	reg = is_numeric(expr) ? lower_numeric(l, expr, &scale) : lower_expr(l, expr);
	if (reg >= 0 && is_numeric(expr))
		reg = lower_uniform(l, reg, &scale);
	if (reg < 0)
		return lower_succeeded(l);
	if (l->builder->insns[reg].type == VT_TEXT && !check_text_key(l, expr))
		return false;
	if (l->builder->insns[reg].type == VT_INTERVAL)
	{
		lower_reject(l, _("keys of type interval are not supported"));
		return false;
	}

	program_add_numeric_key(l->builder, reg, scale.unit);
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

Program *
lower_finish(Lowering *l)
{
	return lower_succeeded(l) ? make_program(l->builder) : NULL;
}
