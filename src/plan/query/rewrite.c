/*
 * rewrite.c
 *	  Other queries with the same rows.
 *
 * The query and those that it is made of are rewritten from below.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "plan/query/conditions.h"
#include "plan/query/rewrite.h"

typedef struct RewriteContext
{
	bool		rewritten;		/* a query was */
	Surroundings around;		/* of the query that is walked */
} RewriteContext;

/* Can a query's conditions, or what they can be of, raise errors?  nested: it is within another one. */
static bool
query_conditions_fail(Query *query, bool nested, SubqueryErrors subqueries)
{
	return !condition_cannot_fail(query->havingQual, subqueries) ||
		!join_conditions_cannot_fail(query->jointree, subqueries) ||
		!condition_cannot_fail(compat_merge_condition(query), subqueries) ||
		(nested && !condition_cannot_fail((Node *) query->targetList, subqueries));
}

static bool
has_lateral_relation(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->lateral)
			return true;
	return false;
}

/* Is a CTE of the query read elsewhere than in its own FROM? */
static bool
is_read_elsewhere(const Query *query, const CommonTableExpr *cte)
{
	int			reads = 0;
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst(lc);

		if (rte->rtekind == RTE_CTE && rte->ctelevelsup == 0 && strcmp(rte->ctename, cte->ctename) == 0)
			reads++;
	}
	return reads != cte->cterefcount;
}

static bool rewrite_walker(Node *node, void *context);

/*
 * The parts of a query.  Subqueries in its conditions and LATERAL ones may refer to columns of
 * relations.  So may what reads a CTE, which PostgreSQL may put there.
 */
static void
rewrite_parts(RewriteContext *rewrite, Query *query)
{
	Surroundings around = rewrite->around;
	Surroundings within = {
		.nested = true,
		.fail = around.fail || query_conditions_fail(query, around.nested, SUBQUERIES_DO_NOT_FAIL),
		.others_fail = around.others_fail
	};
	bool		others_fail = within.others_fail || has_lateral_relation(query) ||
		query_conditions_fail(query, around.nested, SUBQUERIES_FAIL);
	ListCell   *lc;

	rewrite->around = within;
	(void) query_tree_walker(query, rewrite_walker, rewrite,
							 QTW_IGNORE_RANGE_TABLE | QTW_IGNORE_CTE_SUBQUERIES);
	rewrite->around.others_fail = others_fail;
	(void) range_table_walker(query->rtable, rewrite_walker, rewrite, 0);
	foreach(lc, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, lc);

		rewrite->around.others_fail = others_fail || is_read_elsewhere(query, cte);
		(void) rewrite_walker(cte->ctequery, rewrite);
	}
	rewrite->around = around;
}

/* In place. */
static bool
rewrite_walker(Node *node, void *context)
{
	RewriteContext *rewrite = context;
	Query	   *query = (Query *) node;
	Surroundings around = rewrite->around;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, rewrite_walker, context);
	rewrite_parts(rewrite, query);
	rewrite->rewritten |= decorrelate(query, &around);
	if (may_aggregate_before_join(query))
		rewrite->rewritten |= aggregate_before_join(query, &around);
	if (may_group_windows(query))
		rewrite->rewritten |= group_windows(query, &around);
	return false;
}

/* Is there anything that may be rewritten? */
static bool
candidate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) && may_be_joined((const SubLink *) node))
		return true;
	if (IsA(node, Query))
		return may_aggregate_before_join((Query *) node) || may_group_windows((Query *) node) ||
			query_tree_walker((Query *) node, candidate_walker, context, 0);
	return expression_tree_walker(node, candidate_walker, context);
}

bool
may_rewrite_query(Query *query)
{
	return candidate_walker((Node *) query, NULL);
}

bool
rewrite_query(Query *query)
{
	RewriteContext context = {0};

	(void) rewrite_walker((Node *) query, &context);
	return context.rewritten;
}

/* In place.  context: a bool, whether a query was rewritten. */
static bool
place_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;
	bool	   *found = context;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, place_walker, context);
	(void) query_tree_walker(query, place_walker, context, 0);
	if (may_find_first_rows(query))
		*found |= find_first_rows(query);
	if (may_find_ranked_rows(query))
		*found |= find_ranked_rows(query);
	return false;
}

/* Is there a query of which places may be found? */
static bool
place_candidate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return may_find_first_rows((Query *) node) || may_find_ranked_rows((Query *) node) ||
			query_tree_walker((Query *) node, place_candidate_walker, context, 0);
	return expression_tree_walker(node, place_candidate_walker, context);
}

bool
may_rewrite_to_places(Query *query)
{
	return place_candidate_walker((Node *) query, NULL);
}

bool
rewrite_to_places(Query *query)
{
	bool		found = false;

	(void) place_walker((Node *) query, &found);
	return found;
}
