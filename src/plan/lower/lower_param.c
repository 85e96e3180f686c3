/*
 * lower_param.c
 *	  Values that are the same for all rows: parameters, and their registers.
 *
 * Constants, PostgreSQL's Params and whatever else no row changes are not part of a
 * Program: they are its parameters, which PostgreSQL computes when execution begins
 * (exec/values/params.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"

/*
 * Whose value can differ between rows, or cannot be had before the first row.
 * context: not NULL inside of what gives a CaseTestExpr its value.
 */
static bool
varies_walker(Node *node, void *context)
{
	Node	   *tested = NULL;

	if (node == NULL)
		return false;
	if (IsA(node, CaseExpr))
		tested = (Node *) ((CaseExpr *) node)->arg;
	else if (IsA(node, ArrayCoerceExpr))
		tested = (Node *) ((ArrayCoerceExpr *) node)->arg;
	if (tested != NULL)
		return varies_walker(tested, context) ||
			expression_tree_walker(node, varies_walker, node);
	switch (nodeTag(node))
	{
		case T_CaseTestExpr:
			return context == NULL;
		case T_Var:
		case T_PlaceHolderVar:
		case T_CurrentOfExpr:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubLink:
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN &&
				((Param *) node)->paramkind != PARAM_EXEC;
		default:
			return expression_tree_walker(node, varies_walker, context);
	}
}

bool
same_for_all_rows(Expr *expr)
{
	return !varies_walker((Node *) expr, NULL) &&
		!contain_volatile_functions((Node *) expr) &&
		!expression_returns_set((Node *) expr);
}

int
lower_add_param(Lowering *l, Expr *expr, ValueType type)
{
	ListCell   *lc;
	int			param;

	foreach(lc, l->params)
	{
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc);
	}
	param = program_add_param(l->builder, type);
	if (param >= 0)
		l->params = lappend(l->params, expr);
	return param;
}

int
lower_param_ref(Lowering *l, Expr *expr)
{
	int			type = lower_type(l, exprType((Node *) expr));
	int			param;

	if (type < 0)
		return -1;
	param = lower_add_param(l, expr, type);
	return param < 0 ? -1 : program_add_param_ref(l->builder, param);
}

int
lower_made_param_ref(Lowering *l, Expr *expr)
{
	int			param = lower_add_param(l, expr, VT_TEXT);

	return param < 0 ? -1 : program_add_param_ref(l->builder, param);
}

int
lower_null(Lowering *l, Oid type)
{
	return lower_param_ref(l, (Expr *) makeNullConst(type, -1, get_typcollation(type)));
}

Const *
int8_const(int64 value, bool isnull)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
					 Int64GetDatum(value), isnull, FLOAT8PASSBYVAL);
}

Const *
int4_const(int32 value)
{
	return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true);
}

int
lower_int4(Lowering *l, int32 value)
{
	return lower_param_ref(l, (Expr *) int4_const(value));
}

int
lower_int8(Lowering *l, int64 value)
{
	return lower_param_ref(l, (Expr *) int8_const(value, false));
}
