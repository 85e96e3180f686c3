/*
 * guarded.c
 *	  Subqueries whose values are needed in some rows only.
 *
 * The value of a subquery that no row changes, an InitPlan, goes into a slot and
 * is computed before the first row (slots.c).  PostgreSQL computes it once a row
 * needs it, and never if CASE, COALESCE or the FILTER of an aggregate keep all
 * rows from it; an error of the subquery is then not raised, and what its
 * functions do is not done.  AND and OR guarantee no such order, and PostgreSQL's
 * index scans, too, compute it before the first row.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "plan/path/guarded.h"

typedef struct GuardContext
{
	const Bitmapset *params;	/* of InitPlans */
	bool		guarded;		/* not all rows come to where the walk is */
} GuardContext;

/* The parameters that InitPlans set, whichever level of the query they are of. */
static Bitmapset *
initplan_params(const PlannerInfo *root)
{
	Bitmapset  *params = NULL;
	ListCell   *lc;
	ListCell   *param;

	for (; root != NULL; root = root->parent_root)
		foreach(lc, root->init_plans)
			foreach(param, lfirst_node(SubPlan, lc)->setParam)
				params = bms_add_member(params, lfirst_int(param));
	return params;
}

static bool guarded_walker(Node *node, GuardContext *context);

static bool
walk_guarded(void *node, const GuardContext *context)
{
	GuardContext inner = {context->params, true};

	return guarded_walker(node, &inner);
}

/* All rows come to what is tested first. */
static bool
walk_case(CaseExpr *expr, GuardContext *context)
{
	CaseWhen   *first = linitial_node(CaseWhen, expr->args);

	return guarded_walker((Node *) expr->arg, context) ||
		guarded_walker((Node *) first->expr, context) ||
		walk_guarded(first->result, context) ||
		walk_guarded(list_copy_tail(expr->args, 1), context) ||
		walk_guarded(expr->defresult, context);
}

static bool
guarded_walker(Node *node, GuardContext *context)
{
	List	   *args;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Param:
			return context->guarded &&
				((Param *) node)->paramkind == PARAM_EXEC &&
				bms_is_member(((Param *) node)->paramid, context->params);
		case T_CaseExpr:
			return walk_case((CaseExpr *) node, context);
		case T_CaseWhen:		/* which expression_tree_walker does not know */
			return guarded_walker((Node *) ((CaseWhen *) node)->expr, context) ||
				guarded_walker((Node *) ((CaseWhen *) node)->result, context);
		case T_CoalesceExpr:
			args = ((CoalesceExpr *) node)->args;
			return guarded_walker(linitial(args), context) ||
				walk_guarded(list_copy_tail(args, 1), context);
		case T_Aggref:
			if (((Aggref *) node)->aggfilter == NULL)
				break;
			return guarded_walker((Node *) ((Aggref *) node)->aggfilter, context) ||
				walk_guarded(((Aggref *) node)->args, context);
		default:
			break;
	}
	return expression_tree_walker(node, guarded_walker, (void *) context);
}

bool
has_guarded_subquery(PlannerInfo *root, List *exprs)
{
	GuardContext context = {initplan_params(root), false};

	return !bms_is_empty(context.params) && guarded_walker((Node *) exprs, &context);
}
