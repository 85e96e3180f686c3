/*
 * conditions.c
 *	  Which conditions with subqueries raise no error.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/query/conditions.h"
#include "plan/query/grouped_subquery.h"

typedef struct ConditionContext
{
	SubqueryErrors subqueries;
	bool		fails;			/* a subquery can raise an error */
} ConditionContext;

/* What is not computed beforehand, as a value that nobody knows. */
static Node *
unknown_value(const Node *expr)
{
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_EXEC;
	param->paramid = -1;
	param->paramtype = exprType(expr);
	param->paramtypmod = exprTypmod(expr);
	param->paramcollid = exprCollation(expr);
	param->location = -1;
	return (Node *) param;
}

/* The condition with comparisons, or values that nobody knows, in the places of subqueries. */
static Node *
comparisons_mutator(Node *node, void *context)
{
	ConditionContext *condition = context;
	SubLink    *sublink = (SubLink *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, SubLink))
		return expression_tree_mutator(node, comparisons_mutator, context);
	if (condition->subqueries == SUBQUERIES_FAIL &&
		!((sublink->subLinkType == ANY_SUBLINK || sublink->subLinkType == EXISTS_SUBLINK) &&
		  table_query_cannot_fail(castNode(Query, sublink->subselect))))
		condition->fails = true;
	if (sublink->subLinkType == ANY_SUBLINK || sublink->subLinkType == ALL_SUBLINK)
		return comparisons_mutator(sublink->testexpr, context);
	return unknown_value(node);
}

bool
condition_cannot_fail(Node *condition, SubqueryErrors subqueries)
{
	ConditionContext context = {.subqueries = subqueries};
	Node	   *comparisons = comparisons_mutator(condition, &context);

	return !context.fails && folded_cannot_fail(comparisons);
}

/* Is it a value that nobody knows, or a constant? */
static bool
is_value(const Node *node)
{
	return IsA(node, Const) || (IsA(node, Param) && ((const Param *) node)->paramid == -1);
}

static bool
is_arithmetic(const Node *node)
{
	if (!IsA(node, OpExpr))
		return false;
	switch (get_opcode(((const OpExpr *) node)->opno))
	{
		case F_NUMERIC_ADD:
		case F_NUMERIC_SUB:
		case F_NUMERIC_MUL:
		case F_NUMERIC_UMINUS:
			return true;
		default:
			return false;
	}
}

/*
 * The expression with values that nobody knows in the places of what cannot fail.  context: the
 * number.
 */
static Node *
values_mutator(Node *node, void *context)
{
	Node	   *result;
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((const Var *) node)->varlevelsup == 0 &&
		(Index) ((const Var *) node)->varno >= *(const Index *) context)
		return unknown_value(node);
	result = expression_tree_mutator(node, values_mutator, context);
	if (!is_arithmetic(result))
		return result;
	foreach(lc, ((OpExpr *) result)->args)
		if (!is_value(lfirst(lc)))
			return result;
	return unknown_value(result);
}

bool
values_cannot_fail(Node *expr, Index first)
{
	return folded_cannot_fail(values_mutator(expr, &first));
}

bool
join_conditions_cannot_fail(FromExpr *jointree, SubqueryErrors subqueries)
{
	ConditionContext context = {.subqueries = subqueries};
	Node	   *comparisons = comparisons_mutator((Node *) jointree, &context);

	return !context.fails && folded_conditions_cannot_fail((FromExpr *) comparisons);
}
