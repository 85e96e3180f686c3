/*
 * hashed_subplans.c
 *	  Subqueries of expressions that PostgreSQL computes for distinct values of their inputs.
 *
 * An `x IN (SELECT ...)` that is no join, since it is below NOT, OR or CASE, is answered by a hash
 * table of the subquery's rows, which are the same for all x.  It may stand in several places of a
 * plan: each makes a hash table of its own, from the one state of the subquery's plan.
 *
 * Subqueries that depend on the row, or are not hashed, are computed row by row.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "plan/lower/lower.h"
#include "plan/path/build_side.h"
#include "plan/path/computed.h"
#include "plan/query/dependence.h"

static PlannerInfo *
subplan_root(const PlannerInfo *root, const SubPlan *subplan)
{
	return list_nth_node(PlannerInfo, root->glob->subroots, subplan->plan_id - 1);
}

/* Has the subquery the same rows wherever it is evaluated, and a hash table of them? */
static bool
is_hashed(const PlannerInfo *root, const SubPlan *subplan)
{
	Query	   *query = subplan_root(root, subplan)->parse;

	return subplan->subLinkType == ANY_SUBLINK && subplan->useHashTable && subplan->args == NIL &&
		subplan->parParam == NIL && subplan->setParam == NIL &&
		!contain_volatile_functions((Node *) query) && !query_depends_on_values(query);
}

/* True ends the walk: a subquery is another one. */
static bool
other_walker(Node *node, void *context)
{
	const PlannerInfo *root = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
		return !is_hashed(root, (const SubPlan *) node);
	if (IsA(node, SubLink) || IsA(node, AlternativeSubPlan))
		return true;
	return expression_tree_walker(node, other_walker, context);
}

bool
subplans_are_hashed(PlannerInfo *root, Node *expr)
{
	return !other_walker(expr, root);
}

/* The expression with comparisons in the places of hashed subqueries. */
static Node *
comparisons_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, SubPlan))
		return comparisons_mutator(((SubPlan *) node)->testexpr, context);
	return expression_tree_mutator(node, comparisons_mutator, context);
}

static bool
query_fails_walker(Node *node, void *context)
{
	const PlannerInfo *root = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) && build_query_can_fail(subplan_root(root, (const SubPlan *) node)))
		return true;
	return expression_tree_walker(node, query_fails_walker, context);
}

bool
subplans_cannot_fail(PlannerInfo *root, Node *expr)
{
	return cannot_fail(comparisons_mutator(expr, NULL)) && !query_fails_walker(expr, root);
}
