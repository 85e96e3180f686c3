/*
 * native.c
 *	  PostgreSQL's own aggregation for a grouping step, as a path.
 *
 * The paths are built here, over the input that the caller gives, and not taken
 * from the grouped relation: add_path frees what it rejects.  But how to compute
 * grouping sets is decided by functions that the planner keeps to itself, so the
 * path for these is a copy of PostgreSQL's cheapest one, with the input exchanged.
 * add_path frees a path's topmost node only.
 *
 * Beside workers of the engine, too, the native path is a copy of PostgreSQL's cheapest
 * one, which may have workers of its own.
 *
 * A path can become a plan only once: setrefs.c adjusts parts of it in place, and
 * the executor's state of a subplan belongs to one place in the tree.  So where a
 * GpuAgg node's rows come from a plan, the native plan has a scan of that plan's
 * rows in the place of its input.  The input plan itself is the node's second
 * child.  It may compute more columns, for aggregates' arguments, behind those
 * that the native plan knows.  The scan's tuples are the input plan's, and
 * its target list leaves these out.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "exec/node/native_plan.h"
#include "plan/path/native.h"
#include "plan/path/path_input.h"

/* Groups that a fallback's hash tables have room for before they grow. */
#define FIRST_GROUPS 10000

Path *
native_sorted_aggregation(PlannerInfo *root, Path *input, RelOptInfo *grouped_rel,
						  List *having)
{
	List	   *clause = compat_group_clause(root);
	double		groups = 1;
	AggClauseCosts costs;

	if (clause != NIL)
		groups = estimate_num_groups(root,
									 get_sortgrouplist_exprs(clause, root->processed_tlist),
									 input->rows, NULL, NULL);
	/* the keys' order, and that of arguments which aggregates take to be sorted */
	if (root->group_pathkeys != NIL)
		input = (Path *) create_sort_path(root, grouped_rel, input, root->group_pathkeys, -1);
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return (Path *)
		create_agg_path(root, grouped_rel, input, grouped_rel->reltarget,
						root->parse->groupClause != NIL ? AGG_SORTED : AGG_PLAIN,
						AGGSPLIT_SIMPLE, clause, having, &costs, groups);
}

/* PostgreSQL's cheapest path for grouping sets, or NULL. */
static const GroupingSetsPath *
cheapest_sets_path(const RelOptInfo *grouped_rel)
{
	const GroupingSetsPath *best = NULL;
	ListCell   *lc;

	foreach(lc, grouped_rel->pathlist)
	{
		const GroupingSetsPath *path = lfirst(lc);

		if (IsA(path, GroupingSetsPath) &&
			(best == NULL || path->path.total_cost < best->path.total_cost))
			best = path;
	}
	return best;
}

/*
 * A copy of PostgreSQL's cheapest path for grouping sets, over input_scan if there
 * is one.  Where PostgreSQL's input has the order of group_pathkeys, sets that are
 * not hashed may rely on it.
 */
static Path *
sets_path(PlannerInfo *root, RelOptInfo *grouped_rel, Path *input_scan)
{
	GroupingSetsPath *copy = makeNode(GroupingSetsPath);
	List	   *order = root->group_pathkeys;

	memcpy(copy, cheapest_sets_path(grouped_rel), sizeof(GroupingSetsPath));
	if (input_scan == NULL)
		return &copy->path;
	if (order != NIL && pathkeys_contained_in(order, copy->subpath->pathkeys))
		input_scan = (Path *) create_sort_path(root, grouped_rel, input_scan, order, -1);
	copy->subpath = input_scan;
	return &copy->path;
}

/* The order in which equal keys are neighbours. */
static Path *
sorted_by_keys(const Grouping *grouping, RelOptInfo *grouped_rel, Path *input)
{
	PlannerInfo *root = grouping->root;
	List	   *keys = grouping->distinct ? root->distinct_pathkeys : root->group_pathkeys;

	if (keys == NIL)
		return input;
	return (Path *) create_sort_path(root, grouped_rel, input, keys, -1);
}

/*
 * The groups of one of the grouping sets.  Aggregates with ORDER BY need rows whose keys are
 * sorted.
 */
static Path *
set_path(const Grouping *grouping, RelOptInfo *grouped_rel, Path *input, double groups)
{
	PlannerInfo *root = grouping->root;
	List	   *keys = NIL;
	List	   *order;
	AggClauseCosts costs;
	ListCell   *lc;

	foreach(lc, grouping->clause)
	{
		int			n = foreach_current_index(lc);
		TargetEntry *key = makeTargetEntry(list_nth(grouping->input_keys, n), n + 1, NULL, false);

		key->ressortgroupref = lfirst_node(SortGroupClause, lc)->tleSortGroupRef;
		keys = lappend(keys, key);
	}
	order = make_pathkeys_for_sortclauses(root, grouping->clause, keys);
	if (!pathkeys_contained_in(order, input->pathkeys))
		input = (Path *) create_sort_path(root, grouped_rel, input, order, -1);
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return (Path *)
		create_agg_path(root, grouped_rel, input, grouping->target,
						grouping->clause != NIL ? AGG_SORTED : AGG_PLAIN, AGGSPLIT_SIMPLE,
						grouping->clause, grouping->having, &costs, groups);
}

bool
native_is_possible(const Grouping *grouping, const RelOptInfo *grouped_rel)
{
	if (grouping->of_set)
		return grouping_is_sortable(grouping->clause);
	return grouping->distinct || grouping->root->parse->groupingSets == NIL ||
		cheapest_sets_path(grouped_rel) != NULL;
}

/* The keys of PostgreSQL's own aggregation. */
static List *
native_clause(const Grouping *grouping)
{
	if (grouping->is_input)
		return grouping->clause;
	return grouping->distinct ? compat_distinct_clause(grouping->root)
		: compat_group_clause(grouping->root);
}

Path *
native_path(const Grouping *grouping, RelOptInfo *grouped_rel, Path *input_scan,
			double groups)
{
	PlannerInfo *root = grouping->root;
	Path	   *input = input_scan ? input_scan : grouping->input_rel->cheapest_total_path;
	List	   *clause = native_clause(grouping);
	bool		hashed = clause != NIL && grouping_is_hashable(clause);
	AggClauseCosts costs;

	if (grouping->of_set)
		return set_path(grouping, grouped_rel, input, groups);
	if (!grouping->distinct && root->parse->groupingSets != NIL)
		return sets_path(root, grouped_rel, input_scan);
	if (!grouping->distinct && root->numOrderedAggs > 0)
		return native_sorted_aggregation(root, input, grouped_rel, grouping->having);

	/* the clause refers to columns by the target's numbers, not the input's */
	if (grouping->is_input)
		input = (Path *) create_projection_path(root, grouping->input_rel, input,
												grouping->target);
	else if (!hashed)
		input = sorted_by_keys(grouping, grouped_rel, input);

	/* with DISTINCT, aggregates are those of other nodes */
	MemSet(&costs, 0, sizeof(costs));
	if (!grouping->distinct)
		get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return (Path *)
		create_agg_path(root, grouped_rel, input, grouping->target,
						grouping->clause == NIL ? AGG_PLAIN : hashed ? AGG_HASHED : AGG_SORTED,
						AGGSPLIT_SIMPLE, clause,
						grouping->having, &costs, groups);
}

Path *
native_cheapest_path(const Grouping *grouping, const RelOptInfo *grouped_rel)
{
	const Path *best = NULL;
	Path	   *copy;
	ListCell   *lc;

	foreach(lc, grouped_rel->pathlist)
	{
		const Path *path = lfirst(lc);

		if (best == NULL || path->total_cost < best->total_cost)
			best = path;
	}
	if (best == NULL || !IsA(best, AggPath) || grouping->distinct || grouping->is_input ||
		best->pathtarget != grouping->target)
		return NULL;
	copy = (Path *) makeNode(AggPath);
	memcpy(copy, best, sizeof(AggPath));
	return copy;
}

bool
native_has_workers(const Path *path)
{
	for (; path != NULL; path = path_input(path))
		switch (nodeTag(path))
		{
			case T_GatherPath:
			case T_GatherMergePath:
				return true;
			case T_NestPath:
			case T_MergePath:
			case T_HashPath:
				return native_has_workers(((const JoinPath *) path)->outerjoinpath) ||
					native_has_workers(((const JoinPath *) path)->innerjoinpath);
			default:
				break;
		}
	return false;
}

/*
 * An executor's hash table is made for all groups that are expected when a query begins,
 * whether it is needed or not.
 */
void
native_begin_small(Plan *plan)
{
	for (; plan != NULL; plan = outerPlan(plan))
		if (IsA(plan, Agg))
			((Agg *) plan)->numGroups = Min(((Agg *) plan)->numGroups, FIRST_GROUPS);
}

typedef struct InputScanPath
{
	CustomPath	custom;
	PathTarget *input_target;
} InputScanPath;

static Plan *
plan_input_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	PathTarget *input_target = ((InputScanPath *) best_path)->input_target;

	scan->custom_scan_tlist = copyObject(make_tlist_from_pathtarget(input_target));
	scan->scan.plan.targetlist = tlist;
	scan->methods = &input_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods input_scan_path_methods = {
	.CustomName = "GpuAgg Input",
	.PlanCustomPath = plan_input_scan,
};

Path *
input_scan_path(RelOptInfo *input_rel, const Path *input)
{
	const Path *cheapest = input_rel->cheapest_total_path;
	InputScanPath *scan = palloc0(sizeof(InputScanPath));
	Path	   *path = &scan->custom.path;

	NodeSetTag(scan, T_CustomPath);
	path->pathtype = T_CustomScan;
	path->parent = input_rel;
	path->pathtarget = cheapest->pathtarget;
	path->rows = cheapest->rows;
	path->startup_cost = cheapest->startup_cost;
	path->total_cost = cheapest->total_cost;
	scan->custom.methods = &input_scan_path_methods;
	scan->input_target = input->pathtarget;
	return path;
}
