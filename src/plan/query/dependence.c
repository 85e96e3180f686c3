/*
 * dependence.c
 *	  What a query's rows depend on beside its tables.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
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

/* May two scans of a table differ, or a column of it be an expression that raises errors? */
static bool
table_is_not_copied(const RangeTblEntry *rte)
{
	ListCell   *lc;

	if (rte->relkind == RELKIND_FOREIGN_TABLE || compat_has_virtual_columns(rte->relid))
		return true;
	if (!rte->inh || !has_subclass(rte->relid))
		return false;
	foreach(lc, find_all_inheritors(rte->relid, AccessShareLock, NULL))
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_FOREIGN_TABLE)
			return true;
	return false;
}

/* Is a part of a query a relation that a copy of it cannot read?  context: as above. */
static bool
is_not_copied_walker(Node *node, void *context)
{
	int		   *level = context;
	bool		result;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		return rte->tablesample != NULL || rte->self_reference ||
			(rte->rtekind == RTE_CTE && (int) rte->ctelevelsup > *level) ||
			(rte->rtekind == RTE_RELATION && table_is_not_copied(rte));
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, is_not_copied_walker, context);
	(*level)++;
	result = query_tree_walker((Query *) node, is_not_copied_walker, context,
							   QTW_EXAMINE_RTES_BEFORE);
	(*level)--;
	return result;
}

bool
query_can_be_copied(Query *query)
{
	int			level = 0;

	return !query_depends_on_values(query) &&
		!query_tree_walker(query, is_not_copied_walker, &level, QTW_EXAMINE_RTES_BEFORE);
}
