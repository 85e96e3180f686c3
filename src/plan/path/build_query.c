/*
 * build_query.c
 *	  Subqueries, CTEs, functions and VALUES whose rows are looked up.
 *
 * Plans are made of their paths twice, for the look-up and for the native plan.  Both have
 * subqueries' PlannerInfos in common.  So values that a subquery computes before its first
 * row (init plans) would be in both, though the executor has one state of each; such
 * subqueries are not taken.  A CTE's plan is there once, and each scan reads from the same
 * rows.
 *
 * PostgreSQL need not come to all rows of a relation, nor to any.  So all that a query
 * computes, and what it is made of, is looked at for errors.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"

#include "plan/lower/lower.h"
#include "plan/path/build_side.h"

/* A negative LIMIT or OFFSET is an error. */
static bool
limit_can_fail(const Node *limit)
{
	const Const *constant = (const Const *) limit;

	return limit != NULL &&
		!(IsA(limit, Const) && (constant->constisnull || DatumGetInt64(constant->constvalue) >= 0));
}

static bool
windows_can_fail(List *windows)
{
	ListCell   *lc;

	foreach(lc, windows)
		if (lfirst_node(WindowClause, lc)->startOffset != NULL ||
			lfirst_node(WindowClause, lc)->endOffset != NULL)
			return true;
	return false;
}

static bool
functions_can_fail(List *functions)
{
	ListCell   *lc;

	foreach(lc, functions)
		if (!cannot_fail(lfirst_node(RangeTblFunction, lc)->funcexpr))
			return true;
	return false;
}

/* Can a relation raise an error while it is read, beside those of conditions? */
static bool
relation_can_fail(PlannerInfo *root, Index rti)
{
	const RangeTblEntry *rte = planner_rt_fetch(rti, root);
	PlannerInfo *query;

	if (!cannot_fail((Node *) rte->securityQuals))
		return true;
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return rte->tablesample != NULL;
		case RTE_FUNCTION:
			return functions_can_fail(rte->functions);
		case RTE_VALUES:
			return !cannot_fail((Node *) rte->values_lists);
		case RTE_SUBQUERY:
		case RTE_CTE:
			query = subquery_root(root, rti);
			return query == NULL ? !rte->inh && !rte->self_reference : build_query_can_fail(query);
		case RTE_JOIN:
		case RTE_RESULT:
			return false;
		default:
			return true;
	}
}

/* The relations of a query that are planned by themselves: from 1 on, as rti says; 0: no more. */
static int
next_relation(const PlannerInfo *root, int rti)
{
	while (++rti < root->simple_rel_array_size)
		if (root->simple_rel_array[rti] != NULL)
			return rti;
	return 0;
}

/* Columns of UNION ALL's parts, and of partitions. */
static bool
children_can_fail(const PlannerInfo *root, Index rti)
{
	ListCell   *lc;

	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *child = lfirst_node(AppendRelInfo, lc);

		if ((rti == 0 || child->parent_relid == rti) && !cannot_fail((Node *) child->translated_vars))
			return true;
	}
	return false;
}

bool
build_query_can_fail(PlannerInfo *root)
{
	const Query *query = root->parse;

	check_stack_depth();
	if (query->commandType != CMD_SELECT || !cannot_fail((Node *) query->targetList) ||
		!cannot_fail(query->havingQual) || !conditions_cannot_fail((Node *) query->jointree) ||
		limit_can_fail(query->limitOffset) || limit_can_fail(query->limitCount) ||
		windows_can_fail(query->windowClause) || children_can_fail(root, 0))
		return true;
	for (int rti = next_relation(root, 0); rti > 0; rti = next_relation(root, rti))
		if (relation_can_fail(root, rti))
			return true;
	return false;
}

/* Has the query an extreme that is found by an index?  It would be an init plan. */
static bool
has_index_extreme(PlannerInfo *root)
{
	ListCell   *lc;

	if (!root->parse->hasAggs)
		return false;
	foreach(lc, fetch_upper_rel(root, UPPERREL_GROUP_AGG, NULL)->pathlist)
		if (IsA(lfirst(lc), MinMaxAggPath))
			return true;
	return false;
}

/* Why a query cannot be in two places of a plan, or NULL. */
static const char *
examine_twice(PlannerInfo *root)
{
	if (root->init_plans != NIL || has_index_extreme(root))
		return "a joined subquery has a subquery of its own";
	if (root->rowMarks != NIL)
		return "a joined subquery locks rows";
	for (int rti = next_relation(root, 0); rti > 0; rti = next_relation(root, rti))
	{
		PlannerInfo *query = planner_rt_fetch(rti, root)->rtekind == RTE_SUBQUERY ?
			subquery_root(root, rti) : NULL;
		const char *reason = query == NULL ? NULL : examine_twice(query);

		if (reason != NULL)
			return reason;
	}
	return NULL;
}

static const char *
examine_subquery(PlannerInfo *root, Index rti)
{
	PlannerInfo *query = subquery_root(root, rti);
	ListCell   *lc;

	if (query != NULL)
		return examine_twice(query);
	/* parts of UNION ALL */
	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *child = lfirst_node(AppendRelInfo, lc);
		const char *reason;

		if (child->parent_relid != rti)
			continue;
		reason = build_query_examine(root, child->child_relid);
		if (reason != NULL)
			return reason;
		if (!cannot_fail((Node *) root->simple_rel_array[child->child_relid]->baserestrictinfo))
			return "a condition of a joined relation can raise errors";
	}
	return NULL;
}

const char *
build_query_examine(PlannerInfo *root, Index rti)
{
	const RangeTblEntry *rte = planner_rt_fetch(rti, root);
	const char *reason = NULL;

	switch (rte->rtekind)
	{
		case RTE_RELATION:
			if (rte->tablesample != NULL)
				return "TABLESAMPLE is not supported";
			break;
		case RTE_CTE:
			if (rte->self_reference)
				return "a recursive query joins its own rows";
			break;
		case RTE_SUBQUERY:
			reason = examine_subquery(root, rti);
			break;
		case RTE_FUNCTION:
		case RTE_VALUES:
			break;
		default:
			return "a joined relation is no table, query or function";
	}
	if (reason == NULL && (relation_can_fail(root, rti) || children_can_fail(root, rti)))
		reason = "a joined relation can raise errors";
	return reason;
}

/*
 * setrefs adds offsets to the members of append_rel_list, and would add two.  They only tell
 * EXPLAIN by which names to show columns of partitions.
 */
static void
set_query_apart(PlannerInfo *root)
{
	root->append_rel_list = NIL;
	for (int rti = next_relation(root, 0); rti > 0; rti = next_relation(root, rti))
		build_query_set_apart(root, rti);
}

void
build_query_set_apart(PlannerInfo *root, Index rti)
{
	PlannerInfo *query = planner_rt_fetch(rti, root)->rtekind == RTE_SUBQUERY ?
		subquery_root(root, rti) : NULL;
	ListCell   *lc;

	if (query != NULL)
		set_query_apart(query);
	foreach(lc, root->append_rel_list)
		if (lfirst_node(AppendRelInfo, lc)->parent_relid == rti)
			build_query_set_apart(root, lfirst_node(AppendRelInfo, lc)->child_relid);
}
