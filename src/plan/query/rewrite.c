/*
 * rewrite.c
 *	  Other queries with the same rows.
 *
 * The query and those that it is made of are rewritten from below.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "plan/query/decorrelate.h"
#include "plan/query/eager_aggregation.h"
#include "plan/query/rewrite.h"

/* In place.  context: bool, set if a query was rewritten. */
static bool
rewrite_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, rewrite_walker, context);
	(void) query_tree_walker((Query *) node, rewrite_walker, context, 0);
	if (decorrelate((Query *) node))
		*(bool *) context = true;
	if (may_aggregate_before_join((Query *) node) && aggregate_before_join((Query *) node))
		*(bool *) context = true;
	return false;
}

/* Is there anything that may be rewritten? */
static bool
candidate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) && has_correlated_aggregate((const SubLink *) node))
		return true;
	if (IsA(node, Query))
		return may_aggregate_before_join((Query *) node) ||
			query_tree_walker((Query *) node, candidate_walker, context, 0);
	return expression_tree_walker(node, candidate_walker, context);
}

Query *
rewrite_query(Query *query)
{
	bool		rewritten = false;
	Query	   *copy;

	/* no query is copied in vain */
	if (!candidate_walker((Node *) query, NULL))
		return NULL;
	copy = copyObject(query);
	(void) rewrite_walker((Node *) copy, &rewritten);
	return rewritten ? copy : NULL;
}
