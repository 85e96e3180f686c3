/*
 * lower_expr.c
 *	  The recursion: any expression.
 *
 * A walk down the expression tree, one function for each kind of node, that adds
 * instructions to a ProgramBuilder on its way up.  Constants, PostgreSQL's Params and
 * everything else that no row changes become parameters (lower_param.c), functions and
 * operators become operations (lower_call.c, and numeric/lower_numeric_call.c for
 * numerics), CASE and the like selections (lower_choice.c), ANY and ALL chains or
 * searches (lower_array.c).  The tree is only looked at.
 *
 * These files call the functions of lower_expr.c for what is nested in their nodes;
 * that is the only circle among the files of lowering.  Below them, and calling
 * nothing here, are lowering.c, lower_param.c, lower_column.c, function_op.c,
 * collation.c, and in numeric/ numeric_scale.c, numeric_stats.c, display_scale.c,
 * lower_shown.c and lower_wide.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_lookup.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_numeric_call.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/value_type.h"

/* A cast that leaves the bits as they are. */
static int
lower_relabel(Lowering *l, const RelabelType *relabel)
{
	int			reg = lower_expr(l, relabel->arg);

	if (reg < 0)
		return -1;
	if (l->builder->insns[reg].type != value_type_of(relabel->resulttype))
		return lower_reject(l, REJECTED_TYPE, _("a cast from type %s to type %s is not supported"),
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

bool
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

bool
is_of_table(const Lowering *l, const PlaceHolderVar *var)
{
	return l->builder->head.source == SOURCE_PAGES &&
		(l->lookups == NIL ||
		 (bms_is_member(l->rti, var->phrels) &&
		  bms_is_subset(pull_varnos(l->root, (Node *) var->phexpr), bms_make_singleton(l->rti))));
}

static int
lower_node(Lowering *l, Expr *expr)
{
	int			reg;

	switch (nodeTag(expr))
	{
		case T_Var:
			if (l->builder->head.source == SOURCE_PAGES)
				return lower_var(l, (Var *) expr);
			return lower_reject(l, REJECTED_INPUT, _("a column is not among the input's"));
		case T_PlaceHolderVar:
			/* no outer join could make a table's NULL */
			if (is_of_table(l, (PlaceHolderVar *) expr))
				return lower_expr(l, ((PlaceHolderVar *) expr)->phexpr);
			return lower_reject(l, REJECTED_EXPRESSION, _("%s is not supported"), expression_kind(expr));
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
				lower_reject(l, REJECTED_EXPRESSION, _("%s is not supported"), expression_kind(expr));
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_NullIfExpr:
		case T_DistinctExpr:
		case T_MinMaxExpr:
			return lower_choice(l, expr, NULL);
		case T_ScalarArrayOpExpr:
			return lower_array_op(l, (ScalarArrayOpExpr *) expr);
		case T_CoerceViaIO:
			return lower_number_text(l, (CoerceViaIO *) expr, &reg) ? reg :
				lower_cast_through_text(l, (CoerceViaIO *) expr);
		default:
			return lower_reject(l, REJECTED_EXPRESSION, _("%s is not supported"), expression_kind(expr));
	}
}

int
lower_expr(Lowering *l, Expr *expr)
{
	int			reg;
	NumericInfo info;

	check_stack_depth();
	if (is_numeric(expr))
		return lower_numeric(l, expr, &info);
	if (l->scale_search != NULL)
		return lower_new_input(l, expr);
	if (!IsA(expr, Const))
	{
		reg = l->lookups != NIL ? lower_looked_up(l, expr) : lower_input(l, expr);
		if (reg >= 0 || !lower_succeeded(l))
			return reg;
	}
	/* an operation's error is only raised if a row needs the value */
	if (same_for_all_rows(expr) && !is_operation(expr))
		return lower_param_ref(l, expr);
	return lower_node(l, expr);
}

/* The value of the CASE around. */
static int
lower_case_test(Lowering *l, NumericInfo *info)
{
	if (l->case_value < 0 || l->case_info == NULL)
		return lower_reject(l, REJECTED_NUMERIC, _("this kind of expression of type numeric is not supported"));
	*info = *l->case_info;
	return l->case_value;
}

int
lower_numeric_node(Lowering *l, Expr *expr, NumericInfo *info)
{
	switch (nodeTag(expr))
	{
		case T_Const:
			return lower_numeric_const(l, expr, info);
		case T_Var:
			if (l->builder->head.source == SOURCE_PAGES)
				return lower_numeric_var(l, (Var *) expr, info);
			return lower_reject(l, REJECTED_INPUT, _("a column is not among the input's"));
		case T_PlaceHolderVar:
			/* no outer join could make a table's NULL */
			if (is_of_table(l, (PlaceHolderVar *) expr))
				return lower_numeric(l, ((PlaceHolderVar *) expr)->phexpr, info);
			return lower_reject(l, REJECTED_NUMERIC, _("this kind of expression of type numeric is not supported"));
		case T_RelabelType:
			return lower_numeric(l, ((RelabelType *) expr)->arg, info);
		case T_FuncExpr:
			return lower_numeric_call(l, ((FuncExpr *) expr)->funcid,
									  ((FuncExpr *) expr)->args, info);
		case T_OpExpr:
			return lower_numeric_call(l, get_opcode(((OpExpr *) expr)->opno),
									  ((OpExpr *) expr)->args, info);
		case T_CaseTestExpr:
			return lower_case_test(l, info);
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_NullIfExpr:
		case T_MinMaxExpr:
			return lower_choice(l, expr, info);
		case T_Param:
			return lower_reject(l, REJECTED_NUMERIC, _("a numeric parameter is only supported in comparisons"));
		default:
			return lower_reject(l, REJECTED_NUMERIC, _("this kind of expression of type numeric is not supported"));
	}
}

int
lower_numeric(Lowering *l, Expr *expr, NumericInfo *info)
{
	int			reg;

	check_stack_depth();
	if (!IsA(expr, Const))
	{
		reg = l->lookups != NIL ? lower_looked_up_numeric(l, expr, info) :
			lower_numeric_input(l, expr, info);
		if (reg >= 0 || !lower_succeeded(l))
			return reg;
	}
	return lower_numeric_node(l, expr, info);
}
