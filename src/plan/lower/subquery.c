/*
 * subquery.c
 *	  Queries that relations of another query stand for.
 *
 * The query below has been planned when the one above it is.
 */
#include "postgres.h"

#include "parser/parsetree.h"

#include "plan/lower/lower.h"

/* The PlannerInfo of a CTE that has been planned, or NULL. */
static PlannerInfo *
cte_root(PlannerInfo *root, const RangeTblEntry *rte)
{
	PlannerInfo *owner = root;
	ListCell   *lc;

	if (rte->self_reference)
		return NULL;
	for (Index level = 0; level < rte->ctelevelsup && owner != NULL; level++)
		owner = owner->parent_root;
	if (owner == NULL)
		return NULL;
	foreach(lc, owner->parse->cteList)
	{
		int			n = foreach_current_index(lc);
		int			plan;

		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, rte->ctename) != 0)
			continue;
		plan = n < list_length(owner->cte_plan_ids) ? list_nth_int(owner->cte_plan_ids, n) : 0;
		return plan > 0 ? list_nth(root->glob->subroots, plan - 1) : NULL;
	}
	return NULL;
}

PlannerInfo *
subquery_root(PlannerInfo *root, Index rti)
{
	const RangeTblEntry *rte = planner_rt_fetch(rti, root);
	const RelOptInfo *rel = root->simple_rel_array[rti];

	if (rte->rtekind == RTE_CTE)
		return cte_root(root, rte);
	return rte->rtekind == RTE_SUBQUERY && rel != NULL ? rel->subroot : NULL;
}
