/*
 * dependence.c
 *	  What a query's rows depend on beside its tables.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "plan/query/dependence.h"

/*
 * Is a part of a query a value of a query around it, or what an execution sets?  context: how many
 * levels below the query the part is.
 */
static bool
is_given_walker(Node *node, void *context)
{
	int		   *level = context;
	bool		result;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return (int) ((const Var *) node)->varlevelsup > *level;
	if (IsA(node, Param))
		return ((const Param *) node)->paramkind == PARAM_EXEC;
	if (!IsA(node, Query))
		return expression_tree_walker(node, is_given_walker, context);
	(*level)++;
	result = query_tree_walker((Query *) node, is_given_walker, context, 0);
	(*level)--;
	return result;
}

bool
query_depends_on_values(Query *query)
{
	int			level = 0;

	return query_tree_walker(query, is_given_walker, &level, 0);
}
