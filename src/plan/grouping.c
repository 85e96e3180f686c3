/*
 * grouping.c
 *	  A query's grouping step, taken apart and lowered.
 *
 * The step's output mixes keys, aggregates and expressions over both.  A
 * GpuAgg node computes keys and aggregates, and lets the executor's own
 * projection and HAVING do the rest; so all that is needed from the output
 * are its Aggrefs and the Vars outside of them that are no keys themselves.
 * Such Vars are legal where a primary key is grouped by, and depend on it:
 * taking them as further keys makes the same groups.
 *
 * SELECT DISTINCT is a grouping step without aggregates, whose keys are what the
 * query selects.  They are whole columns of its input even if that has computed
 * aggregates or window functions, and are not looked into.  What else the input
 * puts out is there for the sake of its own GROUP BY, PARTITION BY or ORDER BY.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "plan/grouping.h"
#include "plan/lower.h"

typedef struct CollectContext
{
	Grouping   *grouping;
	const char *reason;
} CollectContext;

/* Collect Aggrefs, and further keys, from an expression of the output. */
static bool
collect_walker(Node *node, CollectContext *context)
{
	Grouping   *grouping = context->grouping;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		grouping->aggrefs = list_append_unique(grouping->aggrefs, node);
		return false;
	}
	if (list_member(grouping->keys, node))
		return false;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
	{
		grouping->keys = lappend(grouping->keys, node);
		return false;
	}
	if (IsA(node, GroupingFunc))
	{
		context->reason = "GROUPING is not supported";
		return true;
	}
	return expression_tree_walker(node, collect_walker, (void *) context);
}

const char *
grouping_examine(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
				 RelOptInfo *grouped_rel, List *having)
{
	Query	   *parse = root->parse;
	CollectContext context = {grouping, NULL};

	grouping->root = root;
	grouping->input_rel = input_rel;
	grouping->target = grouped_rel->reltarget;
	grouping->distinct = false;
	grouping->clause = parse->groupClause;
	grouping->having = having;
	grouping->aggrefs = NIL;
	grouping->junk = NIL;

	if (parse->groupingSets != NIL)
		return "GROUPING SETS, ROLLUP and CUBE are not supported";
	if (parse->hasTargetSRFs)
		return "the target list has a set-returning function";
	if (root->numOrderedAggs > 0)
		return "aggregates with ORDER BY or DISTINCT are not supported";

	grouping->keys = get_sortgrouplist_exprs(parse->groupClause,
											 root->processed_tlist);
	if (collect_walker((Node *) grouping->target->exprs, &context) ||
		collect_walker((Node *) having, &context))
		return context.reason;
	return NULL;
}

const char *
grouping_examine_distinct(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel)
{
	Query	   *parse = root->parse;
	ListCell   *lc;

	if (parse->hasDistinctOn)
		return "DISTINCT ON is not supported";
	if (parse->hasTargetSRFs)
		return "the target list has a set-returning function";

	*grouping = (Grouping)
	{
		.root = root,
		.input_rel = input_rel,
		.target = input_rel->cheapest_total_path->pathtarget,
		.distinct = true,
		.clause = parse->distinctClause,
		.keys = get_sortgrouplist_exprs(parse->distinctClause, root->processed_tlist),
	};
	foreach(lc, grouping->target->exprs)
	{
		if (!list_member(grouping->keys, lfirst(lc)))
			grouping->junk = lappend(grouping->junk, lfirst(lc));
	}
	return NULL;
}

/* Lower keys and aggregates; the filter has been. */
static bool
lower_keys_and_aggregates(const Grouping *grouping, Lowering *l,
						  LoweredGrouping *lowered, const char **reason)
{
	ListCell   *lc;

	foreach(lc, grouping->keys)
	{
		if (!lower_key(l, (Expr *) lfirst(lc)))
			goto rejected;
	}
	foreach(lc, grouping->aggrefs)
	{
		if (!lower_aggref(l, lfirst_node(Aggref, lc)))
			goto rejected;
	}
	lowered->program = lower_finish(l);
	lowered->slots = l->slots;
	if (lowered->program != NULL)
		return true;
rejected:
	*reason = l->reason;
	return false;
}

/* Why the input cannot be read as one table's heap pages, or NULL. */
static const char *
examine_table(const RelOptInfo *rel, const RangeTblEntry *rte)
{
	Relation	relation;
	const char *reason = NULL;

	if (rel->reloptkind != RELOPT_BASEREL || rte->rtekind != RTE_RELATION)
		return "the input is not one table";
	if (rte->inh || (rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW))
		return "the input is not one plain table";
	if (rte->tablesample != NULL)
		return "TABLESAMPLE is not supported";
	if (IsolationIsSerializable())
		return "the transaction is serializable";

	relation = relation_open(rte->relid, NoLock);
	if (relation->rd_rel->relam != HEAP_TABLE_AM_OID)
		reason = "the table's access method is not heap";
	relation_close(relation, NoLock);
	return reason;
}

/* A condition of WHERE, and what its place among the others depends on. */
typedef struct Condition
{
	Expr	   *clause;
	Index		security_level;
	Cost		cost;
	int			position;
} Condition;

static int
compare_conditions(const void *left, const void *right)
{
	const Condition *a = left;
	const Condition *b = right;

	if (a->security_level != b->security_level)
		return a->security_level < b->security_level ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->position - b->position;
}

/*
 * The conditions in the order in which PostgreSQL's own scan evaluates them (by
 * security level, where being cheap and leakproof counts as none, then by
 * cost), since it decides whether a row's error is raised.
 */
static List *
conditions_in_order(PlannerInfo *root, List *restrictinfos)
{
	int			n = list_length(restrictinfos);
	Condition  *conditions = palloc(sizeof(Condition) * Max(n, 1));
	List	   *result = NIL;

	for (int i = 0; i < n; i++)
	{
		RestrictInfo *info = list_nth_node(RestrictInfo, restrictinfos, i);
		bool		harmless;
		QualCost	cost;

		cost_qual_eval_node(&cost, (Node *) info, root);
		harmless = info->leakproof && cost.per_tuple < 10 * cpu_operator_cost;
		conditions[i] = (Condition)
		{
			.clause = info->clause,
			.security_level = harmless ? 0 : info->security_level,
			.cost = cost.per_tuple,
			.position = i,
		};
	}
	qsort(conditions, n, sizeof(Condition), compare_conditions);
	for (int i = 0; i < n; i++)
		result = lappend(result, conditions[i].clause);
	return result;
}

bool
grouping_lower_pages(const Grouping *grouping, LoweredGrouping *lowered,
					 const char **reason)
{
	RelOptInfo *rel = grouping->input_rel;
	RangeTblEntry *rte;
	Lowering   *l;

	if (rel->reloptkind != RELOPT_BASEREL)
	{
		*reason = "the input is not one table";
		return false;
	}
	rte = planner_rt_fetch(rel->relid, grouping->root);
	if ((*reason = examine_table(rel, rte)) != NULL)
		return false;

	l = lower_begin_pages(rel->relid, rte->relid);
	lowered->rti = rel->relid;
	lowered->relid = rte->relid;
	lowered->filter = conditions_in_order(grouping->root, rel->baserestrictinfo);
	if (!lower_filter(l, lowered->filter))
	{
		*reason = l->reason;
		return false;
	}
	return lower_keys_and_aggregates(grouping, l, lowered, reason);
}

bool
grouping_lower_child(const Grouping *grouping, LoweredGrouping *lowered,
					 const char **reason)
{
	Path	   *path = grouping->input_rel->cheapest_total_path;
	Lowering   *l;

	/* should the engine give up, the child's rows are computed once more */
	if (contain_volatile_functions((Node *) grouping->root->parse))
	{
		*reason = "the input has a volatile function";
		return false;
	}
	l = lower_begin_columns(path->pathtarget->exprs);
	lowered->rti = 0;
	lowered->relid = InvalidOid;
	lowered->filter = NIL;
	return lower_keys_and_aggregates(grouping, l, lowered, reason);
}
