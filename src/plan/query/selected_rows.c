/*
 * selected_rows.c
 *	  Rows of a table that meet conditions, found before others are joined to them.
 *
 * Where few rows of the largest table meet its own conditions,
 *
 *	  SELECT ... FROM f JOIN d ON ... WHERE f.x = 3 AND ...
 *
 * has the rows of
 *
 *	  SELECT ... FROM f JOIN d ON ... WHERE ... AND
 *		f.ctid IN (SELECT f.ctid FROM f WHERE f.x = 3)
 *
 * of which the subquery is an engine's (plan/path/selection_step.c).  Likewise with windows.  No
 * condition of the query may raise errors: it may be evaluated for other rows then.  The table's own
 * are in the subquery only, so that rows are not estimated to be left out twice.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "compat.h"
#include "plan/query/conditions.h"
#include "plan/query/dependence.h"
#include "plan/query/rewrite.h"
#include "plan/query/row_places.h"
#include "plan/query/takes_rows.h"

/* Does it group rows?  An engine then does so with what it reads, and with its subqueries' joins. */
static bool
groups_rows(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
		query->havingQual != NULL || query->distinctClause != NIL;
}

/* Has the query rows of FROM that WHERE lets pass, and neither locks nor groups them? */
static bool
has_conditions(const Query *query)
{
	return query->commandType == CMD_SELECT && query->jointree != NULL &&
		query->jointree->quals != NULL && !groups_rows(query) && query->setOperations == NULL &&
		query->rowMarks == NIL;
}

/* Are the query's rows those of a single table, taken as they are?  Then its scan can be an engine's. */
static bool
is_selection(const Query *query)
{
	return list_length(query->rtable) == 1 && !query->hasWindowFuncs;
}

/*
 * SELECT ctid FROM the table WHERE these.  OFFSET 0 keeps the planner from making it a part of the
 * query.
 */
static Query *
selected_places(const Query *query, Index rti, List *conditions)
{
	Query	   *places = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Node	   *where = (Node *) make_ands_explicit(copyObject(conditions));

	ChangeVarNodes(where, (int) rti, 1, 0);
	ref->rtindex = 1;
	places->commandType = CMD_SELECT;
	places->canSetTag = true;
	compat_copy_relation(places, query, rti);
	places->jointree = makeFromExpr(list_make1(ref), where);
	places->targetList = list_make1(makeTargetEntry((Expr *) place_of_row(1), 1, "ctid", false));
	places->limitOffset = (Node *) make_count(0);
	return places;
}

/* In place. */
static bool
select_in_query(Query *query, bool nested)
{
	Index		rti = largest_relation_with_places(query);
	List	   *conditions = rti_is_valid(rti) ? conditions_of_rows(query, rti) : NIL;
	Query	   *places;

	if (conditions == NIL || (!nested && is_selection(query)) ||
		rt_fetch(rti, query->rtable)->securityQuals != NIL || !query_can_be_copied(query) ||
		!join_conditions_cannot_fail(query->jointree, SUBQUERIES_FAIL))
		return false;
	places = selected_places(query, rti, conditions);
	drop_conditions(query, conditions);
	query->jointree->quals = make_and_qual(query->jointree->quals, is_at_places(rti, places));
	query->hasSubLinks = true;
	return true;
}

typedef struct SelectContext
{
	bool		nested;			/* the walk is within a query */
	bool		rewritten;
} SelectContext;

static bool
select_walker(Node *node, void *context)
{
	SelectContext *select = context;
	bool		nested = select->nested;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, select_walker, context);
	if (groups_rows((Query *) node))
		return false;
	select->nested = true;
	(void) query_tree_walker((Query *) node, select_walker, context, 0);
	select->nested = nested;
	if (has_conditions((Query *) node))
		select->rewritten |= select_in_query((Query *) node, nested);
	return false;
}

bool
select_rows(Query *query)
{
	SelectContext context = {0};

	(void) select_walker((Node *) query, &context);
	return context.rewritten;
}

static bool
candidate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return has_conditions((Query *) node) ||
			(!groups_rows((Query *) node) &&
			 query_tree_walker((Query *) node, candidate_walker, context, 0));
	return expression_tree_walker(node, candidate_walker, context);
}

bool
may_select_rows(Query *query)
{
	return !groups_rows(query) &&
		((has_conditions(query) && !is_selection(query)) ||
		 query_tree_walker(query, candidate_walker, NULL, 0));
}
