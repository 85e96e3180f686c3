/*
 * describe.c
 *	  A grouping in the words of SQL, and where in the query it stands.
 *
 * ruleutils.c shows expressions of queries and of finished plans.  Those of a
 * query that is being planned are brought into a form that it can show as a
 * finished plan's, over the query's range table; what only the plan itself could
 * tell is named by a phrase.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

#include "plan/path/describe.h"
#include "plan/path/top.h"

/* Does showing the expression take the plan that it belongs to? */
static bool
needs_plan(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || IsA(node, WindowFunc) ||
		(IsA(node, Param) && ((Param *) node)->paramkind != PARAM_EXTERN))
		return true;
	return expression_tree_walker(node, needs_plan, context);
}

/* Without placeholders, and with columns as they are numbered in the plan. */
static Node *
plain_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, PlaceHolderVar))
		return plain_mutator((Node *) ((PlaceHolderVar *) node)->phexpr, context);
	if (IsA(node, Var))
	{
		Var		   *var = copyObject((Var *) node);

		var->varnosyn = 0;
		var->varattnosyn = 0;
		return (Node *) var;
	}
	return expression_tree_mutator(node, plain_mutator, context);
}

/* What ruleutils.c needs to know of the query's tables. */
static List *
query_context(const PlannerInfo *root)
{
	PlannedStmt *plan = makeNode(PlannedStmt);
	int			n = list_length(root->parse->rtable);

	plan->rtable = root->parse->rtable;
	return deparse_context_for_plan_tree(plan,
										 select_rtable_names_for_explain(plan->rtable,
																		 bms_add_range(NULL, 1, n)));
}

static const char *
describe_exprs(const PlannerInfo *root, List *exprs)
{
	List	   *context = query_context(root);
	bool		prefix = bms_num_members(root->all_baserels) > 1;
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	foreach(lc, exprs)
	{
		Node	   *expr = lfirst(lc);

		if (foreach_current_index(lc) > 0)
			appendStringInfoString(&text, ", ");
		if (needs_plan(expr, NULL))
			appendStringInfoString(&text, "(expression over a subquery, an outer query or a window)");
		else
			appendStringInfoString(&text, deparse_expression(plain_mutator(expr, NULL),
															 context, prefix, false));
	}
	return text.data;
}

/* The only relation of a query. */
static const char *
table_alias(PlannerInfo *root)
{
	int			rti;

	if (!bms_get_singleton_member(root->all_baserels, &rti))
		return "several relations";
	return quote_identifier(planner_rt_fetch(rti, root)->eref->aliasname);
}

const char *
describe_step(PlannerInfo *root, UpperRelationKind stage)
{
	const Query *parse = root->parse;
	bool		distinct = stage == UPPERREL_DISTINCT;
	bool		ordered = stage == UPPERREL_ORDERED;
	List	   *clause = distinct ? parse->distinctClause :
		ordered ? parse->sortClause : parse->groupClause;
	const char *keys;

	if (stage == UPPERREL_FINAL)
		return psprintf("rows of %s", table_alias(root));
	keys = describe_exprs(root, get_sortgrouplist_exprs(clause, root->processed_tlist));
	if (distinct)
		return psprintf(parse->hasDistinctOn ? "DISTINCT ON (%s)" : "DISTINCT %s", keys);
	if (ordered)
		return top_rows_taken(parse) < 0 ? psprintf("ORDER BY %s", keys) :
			psprintf("ORDER BY %s LIMIT %.0f", keys, top_rows_taken(parse));
	if (list_length(parse->groupingSets) > 1)
		return psprintf("GROUP BY %s in %d grouping sets", keys,
						list_length(parse->groupingSets));
	return psprintf("GROUP BY %s", clause == NIL ? "()" : keys);
}

const char *
describe_window(PlannerInfo *root, const WindowClause *window)
{
	List	   *keys = get_sortgrouplist_exprs(window->partitionClause, root->processed_tlist);
	List	   *order = get_sortgrouplist_exprs(window->orderClause, root->processed_tlist);

	return psprintf("OVER (%s%s%s%s%s)", keys != NIL ? "PARTITION BY " : "",
					describe_exprs(root, keys), keys != NIL && order != NIL ? " " : "",
					order != NIL ? "ORDER BY " : "", describe_exprs(root, order));
}

const char *
describe_aggregates(PlannerInfo *root, RelOptInfo *grouped_rel, List *having)
{
	List	   *exprs = list_concat_copy(grouped_rel->reltarget->exprs, having);
	List	   *aggrefs = NIL;
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) exprs, PVC_INCLUDE_AGGREGATES |
								PVC_INCLUDE_PLACEHOLDERS))
	{
		if (IsA(lfirst(lc), Aggref))
			aggrefs = list_append_unique(aggrefs, lfirst(lc));
	}
	return aggrefs == NIL ? NULL : describe_exprs(root, aggrefs);
}

/* Is it PostgreSQL's name of a subquery that has none, in any version? */
static bool
stands_for_no_name(const char *name)
{
	return name[0] == '*' || strcmp(name, "unnamed_subquery") == 0;
}

/* The subquery in FROM, or of a set operation, that has been planned so, or NULL. */
static const char *
subquery_alias(const PlannerInfo *parent, const PlannerInfo *root)
{
	for (int i = 1; i < parent->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = parent->simple_rel_array[i];

		if (rel != NULL && rel->subroot == root)
			return planner_rt_fetch(i, parent)->eref->aliasname;
	}
	return NULL;
}

static const char *
cte_name(const PlannerInfo *parent, const PlannerInfo *root)
{
	ListCell   *lc;

	foreach(lc, parent->cte_plan_ids)
	{
		int			plan_id = lfirst_int(lc);

		if (plan_id > 0 && list_nth(parent->glob->subroots, plan_id - 1) == root)
			return list_nth_node(CommonTableExpr, parent->parse->cteList,
								 foreach_current_index(lc))->ctename;
	}
	return NULL;
}

const char *
describe_place(const PlannerInfo *root)
{
	const PlannerInfo *parent = root->parent_root;
	const char *name;

	if (parent == NULL)
		return "query";
	if ((name = subquery_alias(parent, root)) != NULL)
		return stands_for_no_name(name) ? "subquery" :
			psprintf("subquery %s", quote_identifier(name));
	if ((name = cte_name(parent, root)) != NULL)
		return psprintf("CTE %s", quote_identifier(name));
	return "subquery of an expression";
}
