/*
 * conditions.c
 *	  Which conditions with subqueries raise no error.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "plan/query/conditions.h"
#include "plan/query/grouped_subquery.h"

typedef struct ConditionContext
{
	bool		values;			/* as condition_cannot_fail has it */
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

/* The condition with what is compared with subqueries in their places, or what stands for a value. */
static Node *
comparisons_mutator(Node *node, void *context)
{
	ConditionContext *condition = context;
	SubLink    *sublink = (SubLink *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, SubLink))
		return expression_tree_mutator(node, comparisons_mutator, context);
	switch (sublink->subLinkType)
	{
		case EXPR_SUBLINK:
			condition->fails |= !condition->values;
			return unknown_value(node);
		case ANY_SUBLINK:
			condition->fails |= !table_query_cannot_fail(castNode(Query, sublink->subselect));
			return comparisons_mutator(sublink->testexpr, context);
		case EXISTS_SUBLINK:
			condition->fails |= !table_query_cannot_fail(castNode(Query, sublink->subselect));
			return makeBoolConst(true, false);
		default:
			condition->fails = true;
			return NULL;
	}
}

bool
condition_cannot_fail(Node *condition, bool values)
{
	ConditionContext context = {.values = values};
	Node	   *comparisons = comparisons_mutator(condition, &context);

	return !context.fails && folded_cannot_fail(comparisons);
}
