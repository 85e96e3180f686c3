/*
 * rewrite.c
 *	  Other queries with the same rows.
 *
 * The query and those that it is made of are rewritten from below.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "plan/query/conditions.h"
#include "plan/query/rewrite.h"

typedef struct RewriteContext
{
	bool		rewritten;		/* a query was */
	Surroundings around;		/* of the query that is walked */
} RewriteContext;

/* What is around the parts of a query. */
static Surroundings
surroundings_within(Query *query, const Surroundings *around)
{
	Surroundings result = {.nested = true};

	result.fail = around->fail ||
		!condition_cannot_fail(query->havingQual, SUBQUERIES_DO_NOT_FAIL) ||
		!join_conditions_cannot_fail(query->jointree, SUBQUERIES_DO_NOT_FAIL) ||
		(around->nested &&
		 !condition_cannot_fail((Node *) query->targetList, SUBQUERIES_DO_NOT_FAIL));
	return result;
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
	rewrite->around = surroundings_within(query, &around);
	(void) query_tree_walker(query, rewrite_walker, context, 0);
	rewrite->around = around;
	rewrite->rewritten |= decorrelate(query, &around);
	if (may_aggregate_before_join(query))
		rewrite->rewritten |= aggregate_before_join(query, &around);
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
		return may_aggregate_before_join((Query *) node) ||
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
