/*
 * rivals.c
 *	  Which of PostgreSQL's own paths for a step remain beside a GpuAgg path.
 *
 * add_path takes costs that differ by 1 % to be equal, and then prefers paths that are
 * sorted, begin sooner or may be run by workers.  Below a step is often a join, which is
 * most of the cost and the same in all paths, so that steps of very different cost are
 * equal to it.  So paths are removed here that are no better.
 *
 * Rows that arrive from joins are estimated too few rather than too many, and by far.  With few
 * rows no more is lost than what a run costs of any rows, its setup; with many, what they cost
 * decides.  So what is noise in the cost of the whole speaks for the engine where it gains with
 * more rows, and elsewhere as much of it as is the setup.
 *
 * A path's order is worth something where the query sorts the groups next, or where a query
 * around it may use their order; and that the first groups come sooner, where only a part of them
 * is taken.  Then costs are compared with the sort that takes the order's place, and of the part.
 * The planner counts less for a sort than it takes, and nothing for those within percentiles
 * and modes, which are added to what its paths cost.  So where it would take a sorted path of its
 * own whose order is sure to be needed, it is not offered another.
 *
 * Nor does it count all that index scans read within nested loops (fetches.c).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_aggregate.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/path/cost.h"
#include "plan/path/native.h"
#include "plan/path/rivals.h"
#include "plan/path/top.h"

typedef enum OrderUse
{
	ORDER_UNUSED,
	ORDER_MAY_HELP,				/* a merge join may use it, or a grouping */
	ORDER_SORTED				/* a sort is spared */
} OrderUse;

/* What is the same of the path beside each of PostgreSQL's. */
typedef struct OwnCosts
{
	Cost		in_query;		/* what the query takes of it, in the order that it needs next */
	Cost		value_sorts;	/* sorts within groups, which the planner does not count */
} OwnCosts;

/* The part of a cost within which add_path takes another one to be equal. */
#define NOISE 0.01

/*
 * What a sort takes, of what the planner counts for it.  146,000 rows by two integers take 0.09 s,
 * by a text of ten values and a numeric 0.35 s; it counts 12,500, which are 0.05 s.
 */
#define SORT_BY_VALUE 2
#define SORT_BY_REFERENCE 7

/* The order that is needed next; NIL: none, or nobody knows. */
static List *
needed_order(const RivalsInput *in)
{
	const PlannerInfo *root = in->root;

	if (in->stage == UPPERREL_GROUP_AGG && root->window_pathkeys != NIL)
		return root->window_pathkeys;
	return root->sort_pathkeys != NIL ? root->sort_pathkeys : compat_setop_pathkeys(root);
}

/* How many of the ordered rows the query takes, if the sort is told; -1: all. */
static double
rows_taken(const RivalsInput *in)
{
	const Query *parse = in->root->parse;
	bool		next_is_limit = !parse->hasWindowFuncs &&
		(in->stage == UPPERREL_DISTINCT || parse->distinctClause == NIL);

	return next_is_limit ? top_rows_taken(parse) : -1;
}

/* The path, with a sort above it if that order takes one. */
static Path *
path_in_order(const RivalsInput *in, Path *path, List *order, double limit)
{
	int			presorted;

	if (pathkeys_count_contained_in(order, path->pathkeys, &presorted))
		return path;
	if (presorted > 0 && enable_incremental_sort)
		return (Path *) create_incremental_sort_path(in->root, path->parent, path, order,
													 presorted, limit);
	return (Path *) create_sort_path(in->root, path->parent, path, order, limit);
}

/* Are values of one of the keys elsewhere, so that comparing takes function calls? */
static bool
has_reference(const List *order)
{
	ListCell   *lc;

	foreach(lc, order)
	{
		const EquivalenceClass *class = lfirst_node(PathKey, lc)->pk_eclass;
		const EquivalenceMember *member = linitial(class->ec_members);

		if (!get_typbyval(member->em_datatype))
			return true;
	}
	return false;
}

/* Does PostgreSQL sort each group's values for the aggregate, its input being in no such order? */
static bool
sorts_values(const Aggref *aggref)
{
	return AGGKIND_IS_ORDERED_SET(aggref->aggkind) ||
		((aggref->aggdistinct != NIL || aggref->aggorder != NIL) && !compat_is_presorted(aggref));
}

/* How many comparisons it takes to sort all groups of rows, or those of each grouping set. */
static double
row_comparisons(const Path *path)
{
	double		comparisons = 0;
	double		rows;
	ListCell   *rollup;
	ListCell   *lc;

	if (IsA(path, AggPath))
	{
		rows = ((const AggPath *) path)->subpath->rows;
		return rows * log2(Max(rows / Max(((const AggPath *) path)->numGroups, 1), 1));
	}
	if (!IsA(path, GroupingSetsPath))
		return 0;
	rows = ((const GroupingSetsPath *) path)->subpath->rows;
	foreach(rollup, ((const GroupingSetsPath *) path)->rollups)
		foreach(lc, lfirst_node(RollupData, rollup)->gsets_data)
			comparisons += rows *
				log2(Max(rows / Max(lfirst_node(GroupingSetData, lc)->numGroups, 1), 1));
	return comparisons;
}

/*
 * Sorting each group for percentiles, modes and aggregates with DISTINCT or ORDER BY, of which the
 * planner counts nothing.  Aggregates over the same values share a sort.
 */
static Cost
value_sorts(const Path *path)
{
	Bitmapset  *sorts = NULL;
	double		comparisons = row_comparisons(path);
	ListCell   *lc;

	if (comparisons == 0)
		return 0;
	foreach(lc, pull_var_clause((Node *) path->pathtarget->exprs,
								PVC_INCLUDE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
								PVC_RECURSE_PLACEHOLDERS))
	{
		const Aggref *aggref = lfirst(lc);

		if (IsA(aggref, Aggref) && sorts_values(aggref) && aggref->aggtransno >= 0)
			sorts = bms_add_member(sorts, aggref->aggtransno);
	}
	return bms_num_members(sorts) * 2 * cpu_operator_cost * comparisons;
}

/* What the path's sorts take that the planner does not count. */
static Cost
uncounted_sorts(const Path *path)
{
	Cost		cost = 0;

	for (;;)
		switch (nodeTag(path))
		{
			case T_SortPath:
			case T_IncrementalSortPath:
				{
					const Path *input = ((const SortPath *) path)->subpath;
					double		dearer = has_reference(path->pathkeys) ? SORT_BY_REFERENCE :
						SORT_BY_VALUE;

					cost += (path->total_cost - input->total_cost) * (dearer - 1);
					path = input;
					break;
				}
			case T_AggPath:
				cost += value_sorts(path);
				path = ((const AggPath *) path)->subpath;
				break;
			case T_WindowAggPath:
				path = ((const WindowAggPath *) path)->subpath;
				break;
			case COMPAT_UNIQUE_PATH:
				path = ((const CompatUniquePath *) path)->subpath;
				break;
			case T_GroupingSetsPath:
				cost += value_sorts(path);
				path = ((const GroupingSetsPath *) path)->subpath;
				break;
			case T_ProjectionPath:
				path = ((const ProjectionPath *) path)->subpath;
				break;
			case T_GatherMergePath:
				path = ((const GatherMergePath *) path)->subpath;
				break;
			default:
				return cost;
		}
}

/* All rows of a path in that order, in costs. */
static Cost
cost_in_order(const RivalsInput *in, Path *path, List *order)
{
	path = path_in_order(in, path, order, -1);
	return path->total_cost + uncounted_sorts(path);
}

/*
 * What the query takes of a path in the order that it needs next, in costs.  Most rows are
 * compared once by a sort that keeps the first ones only, for which the planner counts several
 * comparisons.
 */
static Cost
cost_in_query(const RivalsInput *in, Path *path)
{
	double		limit = rows_taken(in);
	Path	   *ordered = path_in_order(in, path, needed_order(in), limit);
	double		part = in->root->tuple_fraction;

	if (part >= 1)
		part /= Max(ordered->rows, 1);
	if (part <= 0 || part >= 1 ||
		!pathkeys_contained_in(in->root->sort_pathkeys, ordered->pathkeys))
		part = 1;
	return ordered->startup_cost + part * (ordered->total_cost - ordered->startup_cost) +
		uncounted_sorts(limit > 0 ? path : ordered);
}

/* Is the expression a member of the class? */
static bool
has_member(const EquivalenceClass *class, const Node *expr)
{
	ListCell   *lc;

	foreach(lc, class->ec_members)
		if (equal(((const EquivalenceMember *) lfirst(lc))->em_expr, expr))
			return true;
	return false;
}

/* The number of a subquery's column that leads the order; 0: none of them does. */
static AttrNumber
leading_column(const PlannerInfo *root, const List *order)
{
	const PathKey *first = linitial_node(PathKey, order);
	ListCell   *lc;

	foreach(lc, root->processed_tlist)
	{
		const TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (!tle->resjunk && has_member(first->pk_eclass, (Node *) tle->expr))
			return tle->resno;
	}
	return 0;
}

/* Is that column of a relation a member of the class? */
static bool
has_column(const EquivalenceClass *class, Index rti, AttrNumber column)
{
	ListCell   *lc;

	foreach(lc, class->ec_members)
	{
		const Node *expr = (Node *) ((const EquivalenceMember *) lfirst(lc))->em_expr;

		while (IsA(expr, RelabelType))
			expr = (Node *) ((const RelabelType *) expr)->arg;
		if (IsA(expr, Var) && ((const Var *) expr)->varno == (int) rti &&
			((const Var *) expr)->varattno == column)
			return true;
	}
	return false;
}

/* What a query does with that column of one of its relations. */
static OrderUse
use_of_column(const PlannerInfo *parent, Index rti, AttrNumber column)
{
	bool		groups = parent->group_pathkeys != NIL || parent->parse->distinctClause != NIL;
	ListCell   *lc;

	if (parent->query_pathkeys != NIL &&
		has_column(linitial_node(PathKey, parent->query_pathkeys)->pk_eclass, rti, column))
		return groups ? ORDER_MAY_HELP : ORDER_SORTED;
	if (parent->simple_rel_array[rti]->reloptkind != RELOPT_BASEREL)
		return ORDER_MAY_HELP;	/* its parent's columns are */
	foreach(lc, parent->eq_classes)
	{
		const EquivalenceClass *class = lfirst(lc);

		if (list_length(class->ec_members) > 1 && has_column(class, rti, column))
			return ORDER_MAY_HELP;
	}
	return ORDER_UNUSED;
}

/* May this relation be the subquery that is being planned? */
static bool
may_be_planned_now(const PlannerInfo *parent, Index rti, const PlannerInfo *root)
{
	const RelOptInfo *rel = parent->simple_rel_array[rti];
	const RangeTblEntry *rte = parent->simple_rte_array[rti];

	return rel != NULL && rte->rtekind == RTE_SUBQUERY && rel->subroot == NULL &&
		list_length(rte->subquery->targetList) == list_length(root->parse->targetList);
}

/*
 * What the query around this one may do with the order of its rows.  A subquery that is not
 * planned among that query's relations, such as a CTE, is read in any order.
 */
static OrderUse
use_of_order(const PlannerInfo *root, const List *order)
{
	const PlannerInfo *parent = root->parent_root;
	OrderUse	use = ORDER_UNUSED;
	AttrNumber	column;

	if (order == NIL || parent == NULL || parent->simple_rel_array == NULL)
		return ORDER_UNUSED;
	column = leading_column(root, order);
	for (Index rti = 1; column > 0 && (int) rti < parent->simple_rel_array_size; rti++)
		if (may_be_planned_now(parent, rti, root))
			use = Max(use, use_of_column(parent, rti, column));
	return use;
}

/* Does a query around this one take a part of its rows, in any order? */
static bool
parent_takes_part(const PlannerInfo *root)
{
	for (root = root->parent_root; root != NULL && root->simple_rel_array != NULL;
		 root = root->parent_root)
	{
		if (root->query_pathkeys != NIL || root->parse->hasAggs)
			return false;		/* it needs all */
		if (root->tuple_fraction > 0)
			return true;
	}
	return false;
}

/* Do workers aggregate, and not only find the rows? */
static bool
is_divided(const Path *rival)
{
	return IsA(rival, AggPath) && DO_AGGSPLIT_COMBINE(((const AggPath *) rival)->aggsplit);
}

/* Does its input come in the order of the keys, and is not sorted for that? */
static bool
finds_neighbours(const Path *rival)
{
	const Path *input;

	if (!IsA(rival, AggPath) || ((const AggPath *) rival)->aggstrategy != AGG_SORTED)
		return false;
	input = ((const AggPath *) rival)->subpath;
	while (IsA(input, ProjectionPath))
		input = ((const ProjectionPath *) input)->subpath;
	return !IsA(input, SortPath) && !IsA(input, IncrementalSortPath) &&
		!IsA(input, GatherMergePath);
}

/* What is noise in the cost of another path. */
static Cost
noise_in(const RivalsInput *in, const Path *rival)
{
	return rival->total_cost * (in->looks_up ? LOOKUPS_TOLERANCE : NOISE);
}

/*
 * How much more than another path the path may cost and be no worse.  With more rows than
 * are estimated an engine finds groups sooner; but not where there are no keys, or equal keys
 * are neighbours, and what workers aggregate is divided.
 */
static Cost
cost_tolerated(const RivalsInput *in, const Path *rival)
{
	Cost		noise = noise_in(in, rival);
	bool		gains = in->finds_groups && !finds_neighbours(rival) &&
		(in->is_divided || !is_divided(rival));

	return gains ? noise : Min(in->setup, noise);
}

/*
 * Has the step more groups than the rows that the path sorts, being those of grouping sets over a
 * join?  With more rows than are estimated, to sort the groups costs more than all that is gained.
 */
static bool
sorts_fewer(const RivalsInput *in, const Path *rival)
{
	return in->looks_up && IsA(rival, GroupingSetsPath) &&
		in->path->rows > ((const GroupingSetsPath *) rival)->subpath->rows;
}

/* What becomes of the step for this path of PostgreSQL's; GROUPING_TAKEN: it is no better. */
static GroupingFate
fate_beside(const RivalsInput *in, const OwnCosts *own, Path *rival)
{
	PlannerInfo *root = in->root;
	Path	   *path = in->path;
	Fetches		fetches = path_fetches(root, rival);
	Cost		uncounted = fetches_difference(&fetches, &in->fetches) +
		(native_has_workers(rival) ?
		 in->workers_start + in->calls / (max_parallel_workers_per_gather + 1) : in->calls);
	Cost		noise = noise_in(in, rival) + uncounted;
	Cost		sorts = Max(0, value_sorts(rival) - own->value_sorts);
	OrderUse	use;

	if (compat_disabled_nodes(rival) < compat_disabled_nodes(path) ||
		path->total_cost > rival->total_cost + cost_tolerated(in, rival) + uncounted + sorts)
		return GROUPING_DEARER;
	if (own->in_query > cost_in_query(in, rival) + noise)
		return root->sort_pathkeys == NIL && root->tuple_fraction > 0 ? GROUPING_LATER :
			GROUPING_UNSORTED;
	use = use_of_order(root, rival->pathkeys);
	if (use == ORDER_SORTED && sorts_fewer(in, rival))
		return GROUPING_UNSORTED;
	if (use != ORDER_UNUSED &&
		cost_in_order(in, path, rival->pathkeys) >
		cost_in_order(in, rival, rival->pathkeys) + noise)
		return GROUPING_UNSORTED;
	if (parent_takes_part(root) && path->startup_cost > rival->startup_cost + noise)
		return GROUPING_LATER;
	return GROUPING_TAKEN;
}

/*
 * Would PostgreSQL take this path, whose order is sure to be needed, and none of the others?  A
 * query around this one may sort by more columns, which is taken to be half of a sort.
 */
static bool
is_chosen_for_order(const RivalsInput *in, Path *sorted, const List *others)
{
	List	   *order = needed_order(in);
	double		limit = order != NIL ? rows_taken(in) : -1;
	Cost		cost = sorted->total_cost;
	ListCell   *lc;

	if (order != NIL)
		cost = path_in_order(in, sorted, order, limit)->total_cost;
	else if (use_of_order(in->root, sorted->pathkeys) == ORDER_SORTED)
	{
		const SortPath *sort = create_sort_path(in->root, sorted->parent, sorted,
												sorted->pathkeys, -1);

		order = sorted->pathkeys;
		cost += (sort->path.total_cost - cost) / 2;
	}
	else
		return false;
	foreach(lc, others)
		if (lfirst(lc) != sorted &&
			path_in_order(in, lfirst(lc), order, limit)->total_cost < cost)
			return false;
	return true;
}

GroupingFate
rivals_remove(const RivalsInput *in, RelOptInfo *grouped_rel, bool *is_offered)
{
	OwnCosts	own = {cost_in_query(in, in->path), value_sorts(in->path)};
	GroupingFate result = GROUPING_NOT_CHOSEN;
	List	   *remaining = NIL;
	ListCell   *lc;

	foreach(lc, grouped_rel->pathlist)
	{
		Path	   *rival = lfirst(lc);
		GroupingFate fate = fate_beside(in, &own, rival);

		if (fate == GROUPING_TAKEN)
			continue;
		if (result != GROUPING_DEARER)
			result = fate;
		*is_offered = fate != GROUPING_UNSORTED ||
			!is_chosen_for_order(in, rival, grouped_rel->pathlist);
		if (!*is_offered)
			return result;
		remaining = lappend(remaining, rival);
	}
	grouped_rel->pathlist = remaining;
	*is_offered = true;
	return result;
}
