/*
 * path.c
 *	  Offering GpuAgg paths to the planner.
 *
 * For a grouping step, a SELECT DISTINCT, or a step that takes first rows, that can be lowered, the
 * cheapest of the ways in which it can be becomes a custom path (gpuagg_path.c) beside PostgreSQL's own.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "guc.h"
#include "handle/select.h"
#include "plan/lower/lower.h"
#include "plan/path/build_side.h"
#include "plan/path/computed.h"
#include "plan/path/first_rows_step.h"
#include "plan/path/gpuagg_path.h"
#include "plan/path/guarded.h"
#include "plan/path/native.h"
#include "plan/path/ordered_step.h"
#include "plan/path/others.h"
#include "plan/path/path.h"
#include "plan/path/rivals.h"
#include "plan/path/selection_step.h"
#include "plan/path/star.h"

static create_upper_paths_hook_type prev_create_upper_paths_hook = NULL;

/* The hook that was there when gpuagg's second one came before it; NULL: it has not. */
static create_upper_paths_hook_type later_create_upper_paths_hook = NULL;
static bool comes_last = false;	/* is it the second one that calls? */

/* Does the path read all of its tables, whatever it computes from the rows? */
static bool
is_seq_scan(const Path *path)
{
	while (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	if (IsA(path, AppendPath))
	{
		ListCell   *lc;

		foreach(lc, ((const AppendPath *) path)->subpaths)
			if (!is_seq_scan(lfirst(lc)))
				return false;
		return true;
	}
	return path->pathtype == T_SeqScan;
}

/*
 * May an engine find the rows that meet a table's conditions?  Where PostgreSQL has an index for
 * that, only their costs say so.
 */
static bool
selects_rows(const RelOptInfo *rel)
{
	const Path *path = rel->cheapest_total_path;

	while (IsA(path, ProjectionPath) || IsA(path, GatherPath))
		path = IsA(path, ProjectionPath) ? ((const ProjectionPath *) path)->subpath :
			((const GatherPath *) path)->subpath;
	return rel->baserestrictinfo != NIL && (gpuagg_mode != MODE_FORCE || is_seq_scan(path));
}

static GpuAggPath *find_path(Grouping *grouping, RelOptInfo *grouped_rel, Rejection *rejection);

/* The cheapest path to the groups of columns of a relation's rows, and what is read below it. */
static Path *
groups_path(Grouping *grouping, const RelOptInfo *rel, Fetches *fetches)
{
	RelOptInfo *groups = makeNode(RelOptInfo);
	Rejection	rejection;
	GpuAggPath *path;

	memcpy(groups, rel, sizeof(RelOptInfo));
	groups->pathlist = NIL;
	path = find_path(grouping, groups, &rejection);
	if (path == NULL)
	{
		*fetches = path_fetches(grouping->root, rel->cheapest_total_path);
		estimate_grouping(grouping);
		return native_path(grouping, groups, NULL, grouping->estimates.groups);
	}
	*fetches = path->fetches;
	gpuagg_path_add_native(path, groups);
	return &path->custom.path;
}

/* Rows that cost less are not worth the time to plan another way. */
#define LEAST_GROUPED_COST 200

/* What it takes to read a path's rows into a look-up, if all pages are in memory. */
static Cost
reading_cost(const Path *path, const Fetches *fetches)
{
	return path->total_cost + fetches->in_memory + path->rows * (cpu_tuple_cost + cpu_operator_cost);
}

/*
 * The rows that a look-up has, by a grouping of them, if that gives them sooner; or build.  differ:
 * no two of them are equal; else they must be twice as many as the groups.
 */
static Path *
grouped_rows_path(PlannerInfo *root, Path *build, bool differ)
{
	RelOptInfo *rel = makeNode(RelOptInfo);
	Fetches		fetches = path_fetches(root, build);
	Cost		cost = reading_cost(build, &fetches);
	Grouping	grouping;
	Path	   *path;
	Cost		values;

	if (build->param_info != NULL || (differ && cost < LEAST_GROUPED_COST))
		return build;
	memcpy(rel, build->parent, sizeof(RelOptInfo));
	rel->reltarget = build->pathtarget;
	rel->cheapest_total_path = build;
	rel->pathlist = list_make1(build);
	rel->partial_pathlist = NIL;
	if (grouping_examine_columns(&grouping, root, rel, differ) != NULL)
		return build;
	path = groups_path(&grouping, rel, &fetches);
	values = path->rows * cpu_operator_cost * list_length(grouping.keys);
	if (path->pathtype == T_CustomScan)
		/* no tuple is made of them: the look-up is made of the groups' columns */
		path->total_cost = path->startup_cost + values;
	else
		path->total_cost += values;
	if ((!differ && path->rows * 2 > build->rows) || reading_cost(path, &fetches) >= cost)
		return build;
	return path;
}

/*
 * Let groupings give the rows of look-ups, where engines read a table sooner than PostgreSQL does.
 * No rows are equal whose keys differ.  Of relations whose rows only have to be there or not, equal
 * ones need not be looked up.
 */
static void
group_builds(PlannerInfo *root, const LoweredGrouping *lowered)
{
	ListCell   *lookup;
	ListCell   *build;

	forboth(lookup, lowered->lookups, build, lowered->builds)
	{
		LookupInfo *info = lfirst(lookup);
		Path	   *path = lfirst(build);
		bool		differ = bms_is_member(foreach_current_index(lookup), lowered->unique);
		bool		exist = (info->jointype == JOIN_SEMI || info->jointype == JOIN_ANTI) &&
			info->ncolumns == 0;

		if ((differ || exist) && info->computed == NIL && !info->can_fail &&
			!build_side_is_kept(root, path, info))
		{
			Path	   *grouped = grouped_rows_path(root, path, differ);

			if (!lowered->guarded || !guarded_starts_workers(grouped))
				lfirst(build) = grouped;
		}
	}
}

/*
 * The path over a table of whose columns PostgreSQL computes what engines cannot; or NULL.
 * truncates: what formats show of truncated moments.
 */
static GpuAggPath *
computed_path(Grouping *grouping, RelOptInfo *grouped_rel, bool truncates)
{
	Star	   *star = grouping_find_computed(grouping, truncates);
	LoweredGrouping lowered;
	Rejection	rejection;
	ListCell   *lc;

	foreach(lc, star != NULL ? star->lookups : NIL)
	{
		StarLookup *lookup = lfirst(lc);
		Grouping	distinct;
		Fetches		fetches;
		Path	   *path;

		if (lookup->computed == NIL)
			continue;
		if (grouping_examine_columns(&distinct, grouping->root, lookup->rel, false) != NULL)
			return NULL;
		distinct.reads_again = foreach_current_index(lc) > 0;
		path = groups_path(&distinct, lookup->rel, &fetches);
		/* values are there before an error can end what is computed of them */
		lookup->rel->cheapest_total_path =
			subplans_cannot_fail(grouping->root, (Node *) lookup->computed) ? path :
			compat_material_path(path);
	}
	if (star == NULL || !grouping_lower_star(grouping, star, &lowered, &rejection))
		return NULL;
	group_builds(grouping->root, &lowered);
	return gpuagg_path(grouping, &lowered, grouped_rel, &rejection);
}

/* The path over a table, with what the grouping allows beyond the usual; or NULL. */
static GpuAggPath *
pages_path(Grouping *grouping, RelOptInfo *grouped_rel)
{
	LoweredGrouping lowered;
	Rejection	rejection;

	if (!grouping_lower_pages(grouping, &lowered, &rejection))
		return NULL;
	group_builds(grouping->root, &lowered);
	return gpuagg_path(grouping, &lowered, grouped_rel, &rejection);
}

/*
 * The path over a table of which engines cannot compute an expression: PostgreSQL does, of distinct
 * values, or of all rows of a joined relation; or else the CPU engine can after all.  NULL: there
 * is none.
 */
static GpuAggPath *
expressions_path(const Grouping *grouping, RelOptInfo *grouped_rel)
{
	Grouping	own = *grouping;
	GpuAggPath *path;

	own.guards = true;
	path = gpuagg_path_cheaper(computed_path(&own, grouped_rel, false),
							   computed_path(&own, grouped_rel, true));
	if (path == NULL && own.input_rel->reloptkind == RELOPT_JOINREL)
		path = pages_path(&own, grouped_rel);
	own.may_need_cpu = true;
	return path != NULL ? path : pages_path(&own, grouped_rel);
}

/* The path over the input's own plan.  join_reason: why, if that is a join. */
static GpuAggPath *
child_path(Grouping *grouping, LoweredGrouping *lowered, RelOptInfo *grouped_rel,
		   Rejection *rejection, const char *join_reason)
{
	GpuAggPath *path = gpuagg_path(grouping, lowered, grouped_rel, rejection);

	if (path != NULL && grouping->input_rel->reloptkind == RELOPT_JOINREL)
		path->join_reason = join_reason;
	return path;
}

/* Is something rejected that only PostgreSQL can compute? */
static bool
is_of_expressions(RejectionClass class)
{
	return class == REJECTED_EXPRESSION || class == REJECTED_TYPE || class == REJECTED_NUMERIC ||
		class == REJECTED_COLLATION;
}

/* The cost of PostgreSQL's best way so far. */
static Cost
native_cost(const RelOptInfo *grouped_rel)
{
	Cost		cost = INFINITY;
	ListCell   *lc;

	foreach(lc, grouped_rel->pathlist)
		cost = Min(cost, ((Path *) lfirst(lc))->total_cost);
	return cost;
}

/* Of two paths the cheaper one.  child: the one over the input's own plan. */
static GpuAggPath *
cheaper_input(GpuAggPath *best, GpuAggPath *child, RelOptInfo *grouped_rel)
{
	Cost		rival = native_cost(grouped_rel);

	if (child != NULL)
		rival = Min(rival, gpuagg_path_cost(child));
	if (best != NULL && best->lowered.lookups != NIL)
		gpuagg_path_want_lookups(best, child, rival);
	return gpuagg_path_cheaper(best, child);
}

/* The path of a step that takes rows, or NULL. */
static GpuAggPath *
rows_path(Grouping *grouping, RelOptInfo *rel, Rejection *rejection)
{
	LoweredGrouping lowered;
	GpuAggPath *path;

	if (!grouping_lower_pages(grouping, &lowered, rejection) &&
		!(grouping_takes_every_row(grouping) && selection_step_divide(grouping) &&
		  grouping_lower_pages(grouping, &lowered, rejection)))
		return NULL;
	group_builds(grouping->root, &lowered);
	path = gpuagg_path(grouping, &lowered, rel, rejection);
	if (path != NULL && lowered.lookups != NIL)
		gpuagg_path_want_lookups(path, NULL, native_cost(rel));
	return path;
}

/*
 * Lower the grouping in the cheapest way there is.  Reading pages beats the
 * input's own plan, unless that one has an index to skip most of the table, or
 * joins; if as much as possible is wanted of the engine, it is the join, too.
 */
static GpuAggPath *
find_path(Grouping *grouping, RelOptInfo *grouped_rel, Rejection *rejection)
{
	LoweredGrouping lowered;
	Rejection	child_rejection;
	GpuAggPath *best = NULL;
	GpuAggPath *child = NULL;
	GpuAggPath *computed = NULL;

	if (grouping->first_rows && !grouping->ordered && !grouping_takes_every_row(grouping) &&
		first_rows_native_path(grouped_rel) == NULL)
	{
		reject_grouping(rejection, REJECTED_QUERY, "PostgreSQL has no path of its own for the step");
		return NULL;
	}
	if (grouping->first_rows)
		return rows_path(grouping, grouped_rel, rejection);
	if (!native_is_possible(grouping, grouped_rel))
	{
		reject_grouping(rejection, REJECTED_QUERY,
						"PostgreSQL has no path of its own for the grouping sets");
		return NULL;
	}
	if (grouping_lower_pages(grouping, &lowered, rejection))
	{
		group_builds(grouping->root, &lowered);
		best = gpuagg_path(grouping, &lowered, grouped_rel, rejection);
	}
	else if (is_of_expressions(rejection->reason_class))
		computed = expressions_path(grouping, grouped_rel);
	/* columns can be kept of pages only */
	if (best && (lowered.nkeep > 0 || (lowered.lookups != NIL && gpuagg_mode == MODE_FORCE) ||
				 is_seq_scan(grouping->input_rel->cheapest_total_path)))
		return best;
	if (grouping_lower_child(grouping, &lowered, &child_rejection))
		child = child_path(grouping, &lowered, grouped_rel, &child_rejection,
						   best != NULL ? "it is estimated to cost less" : rejection->reason);
	best = cheaper_input(best, child, grouped_rel);
	best = computed != NULL && gpuagg_mode == MODE_FORCE ? computed : gpuagg_path_cheaper(computed, best);
	if (best == NULL)
		*rejection = child_rejection;
	return best;
}

/* What two ways of an engine are compared by. */
static Cost
cost_of_time(const GpuAggPath *path)
{
	return gpuagg_path_cost(path) + cost_beyond(&path->cost);
}

/*
 * Of two ways to take each value of aggregates with DISTINCT once: as keys of groups that are
 * regrouped, and from lists that are ordered.  Lists are no dearer than keys that take longer.
 */
static GpuAggPath *
cheaper_way(GpuAggPath *keys, GpuAggPath *lists)
{
	Path	   *path;

	if (keys == NULL || lists == NULL ||
		compat_disabled_nodes(&keys->custom.path) != compat_disabled_nodes(&lists->custom.path))
		return gpuagg_path_cheaper(keys, lists);
	if (cost_of_time(keys) <= cost_of_time(lists))
		return keys;
	path = &lists->custom.path;
	path->startup_cost = Min(path->startup_cost, keys->custom.path.startup_cost);
	path->total_cost = Min(path->total_cost, keys->custom.path.total_cost);
	return lists;
}

/*
 * Values of aggregates with DISTINCT are keys of groups that are regrouped, or lists that are
 * ordered.
 */
static GpuAggPath *
best_path(Grouping *grouping, RelOptInfo *grouped_rel, Rejection *rejection)
{
	GpuAggPath *path = find_path(grouping, grouped_rel, rejection);
	Grouping	lists;
	Rejection	of_lists;

	if (!grouping_with_lists(grouping, &lists))
		return path;
	return cheaper_way(path, find_path(&lists, grouped_rel, &of_lists));
}

/*
 * May hardly any row of the grouping's input repeat, if its columns do not depend on each other?
 * PostgreSQL's estimate of groups by several columns of a table is a tenth of the rows at most.
 */
static bool
few_rows_repeat(const Grouping *grouping)
{
	double		rows = grouping->input_rel->rows;
	double		groups = 1;
	ListCell   *lc;

	foreach(lc, grouping->keys)
		groups *= estimate_num_groups(grouping->root, list_make1(lfirst(lc)), rows, NULL, NULL);
	return groups > rows / 2;
}

/*
 * The path, NULL: there is none, or, in its place, one to the distinct rows of the step's input,
 * of which PostgreSQL aggregates: where it has aggregates that only PostgreSQL has, or where
 * these rows are so few that they are sorted sooner than lists of all values.
 */
static GpuAggPath *
path_or_input(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *grouped_rel, List *having,
			  GpuAggPath *path)
{
	Grouping	grouping;
	Rejection	rejection;
	GpuAggPath *rows;

	if (root->numOrderedAggs == 0 || others_grouping(grouped_rel, input_rel) != NULL ||
		(path != NULL && !grouping_has_ordered_lists(&path->grouping)) ||
		grouping_examine_input(&grouping, root, input_rel, grouped_rel, having) != NULL)
		return path;
	rows = find_path(&grouping, grouped_rel, &rejection);
	if (rows == NULL || path == NULL)
		return rows ? rows : path;
	if (few_rows_repeat(&grouping))
		return path;
	return native_sorted_aggregation(root, &rows->custom.path, grouped_rel, having)->total_cost <
		path->custom.path.total_cost ? rows : path;
}

static const char *
examine_step(Grouping *grouping, PlannerInfo *root, UpperRelationKind stage,
			 RelOptInfo *input_rel, RelOptInfo *grouped_rel, List *having)
{
	if (stage == UPPERREL_WINDOW)
		return first_rows_examine_window(grouping, root, input_rel, grouped_rel);
	if (stage == UPPERREL_ORDERED)
		return ordered_step_examine(grouping, root, input_rel, grouped_rel, false);
	if (stage == UPPERREL_FINAL)
		return selection_step_examine(grouping, root, input_rel);
	if (stage == UPPERREL_DISTINCT && root->parse->hasDistinctOn)
		return first_rows_examine_distinct(grouping, root, input_rel);
	if (stage == UPPERREL_DISTINCT)
		return grouping_examine_distinct(grouping, root, input_rel);
	return grouping_examine(grouping, root, input_rel, grouped_rel, having);
}

/* What the step's path is compared by, if that is a GpuAgg node. */
static RivalsInput
rivals_of(PlannerInfo *root, UpperRelationKind stage, GpuAggPath *path)
{
	return (RivalsInput)
	{
		.root = root,
			.stage = stage,
			.path = &path->custom.path,
			.finds_groups = path->lowered.program->nkeys > 0 && !grouping_takes_every_row(&path->grouping),
			.is_divided = path->workers > 0,
			.looks_up = path->lowered.lookups != NIL,
			.setup = cost_setup(path->engine),
			.workers_start = gpuagg_path_rivals_start(path),
			.fetches = path->fetches,
			.calls = path->lowered.calls
	};
}

/* A GpuAgg node is to be a part of the step's path, the first one or a further one. */
static void
add_node(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *grouped_rel, GpuAggPath *path,
		 GroupingReport *report, RivalsInput *rivals)
{
	RivalsInput own = rivals_of(root, stage, path);

	gpuagg_path_add_native(path, grouped_rel);
	if (rivals->path == NULL)
	{
		*rivals = own;
		path->reports = true;
		path->report = report;
		report_engine(report, engine_id_name(path->engine->traits->id));
		report_join(report, path->join_reason);
		return;
	}
	rivals->finds_groups |= own.finds_groups;
	rivals->is_divided &= own.is_divided;
	rivals->looks_up |= own.looks_up;
	rivals->setup += own.setup;
	rivals->workers_start = Min(rivals->workers_start, own.workers_start);
	fetches_add(&rivals->fetches, own.fetches);
	rivals->calls += own.calls;
}

/* The same step by its grouping sets: a GpuAggPath each, or NIL and why not. */
static List *
set_paths(const Grouping *grouping, RelOptInfo *grouped_rel, Rejection *rejection)
{
	const char *reason = grouping_examine_by_sets(grouping);
	List	   *paths = NIL;

	if (reason != NULL)
	{
		reject_grouping(rejection, REJECTED_QUERY, reason);
		return NIL;
	}
	for (int i = 0; i < list_length(grouping->sets); i++)
	{
		Grouping	set = grouping_of_set(grouping, i);
		GpuAggPath *path = best_path(&set, grouped_rel, rejection);

		if (path == NULL)
			return NIL;
		paths = lappend(paths, path);
	}
	return paths;
}

/*
 * The sets' paths, NIL: there are none, if their own lists of values take less time than regrouping
 * by path, or NULL.
 */
static List *
faster_sets(const Grouping *grouping, RelOptInfo *grouped_rel, const GpuAggPath *path)
{
	Cost		least = list_length(grouping->sets) * cost_setup(engine_without_device());
	Cost		cost = 0;
	int			forbidden = 0;
	Rejection	rejection;
	List	   *sets;
	ListCell   *lc;

	if (!grouping_has_distinct(grouping) || (path != NULL && cost_of_time(path) <= least))
		return NIL;
	sets = set_paths(grouping, grouped_rel, &rejection);
	foreach(lc, path != NULL ? sets : NIL)
	{
		const GpuAggPath *set = lfirst(lc);

		cost += cost_of_time(set);
		forbidden += compat_disabled_nodes(&set->custom.path);
	}
	if (path != NULL && (cost >= cost_of_time(path) ||
						 forbidden > compat_disabled_nodes(&path->custom.path)))
		return NIL;
	return sets;
}

/* The step's path, which appends the groups of all sets.  keys: the dearer path, or NULL. */
static Path *
append_sets(PlannerInfo *root, RelOptInfo *grouped_rel, List *paths, const GpuAggPath *keys,
			GroupingReport *report, RivalsInput *rivals)
{
	Path	   *path;
	ListCell   *lc;

	foreach(lc, paths)
		add_node(root, UPPERREL_GROUP_AGG, grouped_rel, lfirst(lc), report, rivals);
	path = compat_append_path(root, grouped_rel, paths);
	if (keys != NULL)
		path->total_cost = Max(path->startup_cost,
							   Min(path->total_cost, keys->custom.path.total_cost));
	rivals->path = path;
	return path;
}

/*
 * The path to the rows of a step that sorts them, or NULL: the cheaper one of the first rows of the
 * order, path or NULL, and of every row that passes.
 */
static GpuAggPath *
ordered_path(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *ordered_rel, GpuAggPath *path,
			 Rejection *rejection)
{
	Grouping	grouping;
	Rejection	of_every_row;
	GpuAggPath *every_row;

	if (!selects_rows(input_rel) || selection_step_is_repeated(root) ||
		ordered_step_examine(&grouping, root, input_rel, ordered_rel, true) != NULL)
		return path;
	every_row = find_path(&grouping, ordered_rel, path == NULL ? rejection : &of_every_row);
	return gpuagg_path_cheaper(path, every_row);
}

/*
 * The best path that has a GpuAgg node, and what it is compared by, or NULL and why there is
 * none.
 */
static Path *
grouping_path(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			  RelOptInfo *grouped_rel, List *having, GroupingReport *report,
			  Rejection *rejection, RivalsInput *rivals)
{
	Grouping	grouping;
	GpuAggPath *path = NULL;
	List	   *sets = NIL;
	const char *reason;

	reason = examine_step(&grouping, root, stage, input_rel, grouped_rel, having);
	if (reason == NULL)
		reason = others_grouping(grouped_rel, input_rel);
	if (reason != NULL)
		reject_grouping(rejection, REJECTED_QUERY, reason);
	else if (grouping.by_sets)
	{
		sets = set_paths(&grouping, grouped_rel, rejection);
		if (sets == NIL)
			return NULL;
	}
	else
	{
		path = best_path(&grouping, grouped_rel, rejection);
		if (stage == UPPERREL_GROUP_AGG && root->parse->groupingSets != NIL)
			sets = faster_sets(&grouping, grouped_rel, path);
	}
	if (sets != NIL)
		return append_sets(root, grouped_rel, sets, path, report, rivals);

	if (stage == UPPERREL_GROUP_AGG)
		path = path_or_input(root, input_rel, grouped_rel, having, path);
	if (stage == UPPERREL_ORDERED)
		path = ordered_path(root, input_rel, grouped_rel, path, rejection);
	if (path == NULL)
		return NULL;
	add_node(root, stage, grouped_rel, path, report, rivals);
	if (path->grouping.is_input)
		rivals->path = native_sorted_aggregation(root, rivals->path, grouped_rel, having);
	if (stage == UPPERREL_ORDERED)
		rivals->path = ordered_step_path(root, rivals->path, grouped_rel);
	if (path->grouping.ranked_above)
		rivals->path = first_rows_ranked_path(root, rivals->path, grouped_rel);
	return rivals->path;
}

static void
offer_path(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
		   RelOptInfo *grouped_rel, List *having, GroupingReport *report)
{
	Path	   *path;
	Rejection	rejection = {0};
	RivalsInput rivals = {0};
	GroupingFate fate;
	bool		is_offered;

	path = grouping_path(root, stage, input_rel, grouped_rel, having, report, &rejection,
						 &rivals);
	if (path == NULL)
	{
		report_rejection(report, &rejection);
		return;
	}
	if (gpuagg_mode == MODE_FORCE)
	{
		grouped_rel->pathlist = NIL;
		grouped_rel->partial_pathlist = NIL;
	}
	fate = rivals_remove(&rivals, grouped_rel, &is_offered);
	report_cost(report, path->total_cost, path->rows, fate);
	if (is_offered && stage == UPPERREL_FINAL)
		/* add_path would free paths that it removes, one of which is the path's child */
		grouped_rel->pathlist = lappend(grouped_rel->pathlist, path);
	else if (is_offered)
		add_path(grouped_rel, path);
	report_offered(report, input_rel, grouped_rel, path);
}

static void
consider_step(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			  RelOptInfo *grouped_rel, List *having)
{
	Cost		native = stage == UPPERREL_ORDERED ? ordered_step_native_cost(root, grouped_rel) :
		native_cost(grouped_rel);
	GroupingReport *report = report_grouping(root, stage, grouped_rel, having, native);

	if (gpuagg_mode == MODE_OFF)
		report_fate(report, GROUPING_OFF);
	else if (IS_DUMMY_REL(input_rel))
		report_fate(report, GROUPING_EMPTY);
	else if (gpuagg_mode == MODE_AUTO && report == NULL &&
			 native <= cost_setup(engine_without_device()))
		return;					/* too small for any engine */
	else
		offer_path(root, stage, input_rel, grouped_rel, having, report);
}

/* May an engine do what the step does? */
static bool
is_candidate(const PlannerInfo *root, UpperRelationKind stage, const RelOptInfo *input_rel,
			 const RelOptInfo *output_rel)
{
	switch (stage)
	{
		case UPPERREL_GROUP_AGG:
		case UPPERREL_DISTINCT:
			return true;
		case UPPERREL_WINDOW:
			return first_rows_window(output_rel) != NULL;
		case UPPERREL_ORDERED:
			return ordered_step_is_wanted(root, input_rel);
		case UPPERREL_FINAL:
			return selection_step_is_wanted(root, input_rel) && selects_rows(input_rel);
		default:
			return false;
	}
}

static void
consider_stage(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			   RelOptInfo *output_rel, void *extra)
{
	List	   *having = NIL;

	if (!is_candidate(root, stage, input_rel, output_rel))
		return;
	/* partitions are grouped again with their parent */
	if (IS_OTHER_REL(input_rel) || IS_OTHER_REL(output_rel))
		return;
	if (stage == UPPERREL_GROUP_AGG)
		having = (List *) ((GroupPathExtraData *) extra)->havingQual;
	consider_step(root, stage, input_rel, output_rel, having);
}

static void
gpuagg_create_upper_paths(PlannerInfo *root, UpperRelationKind stage,
						  RelOptInfo *input_rel, RelOptInfo *output_rel,
						  void *extra)
{
	if (prev_create_upper_paths_hook)
		prev_create_upper_paths_hook(root, stage, input_rel, output_rel, extra);
	if (!comes_last)
		consider_stage(root, stage, input_rel, output_rel, extra);
}

/* The second hook: the first one, and all that came after it, are called before. */
static void
gpuagg_create_upper_paths_last(PlannerInfo *root, UpperRelationKind stage,
							   RelOptInfo *input_rel, RelOptInfo *output_rel,
							   void *extra)
{
	bool		outer = comes_last;

	comes_last = true;
	PG_TRY();
	{
		later_create_upper_paths_hook(root, stage, input_rel, output_rel, extra);
	}
	PG_FINALLY();
	{
		comes_last = outer;
	}
	PG_END_TRY();
	consider_stage(root, stage, input_rel, output_rel, extra);
}

void
path_come_last(void)
{
	if (later_create_upper_paths_hook != NULL || create_upper_paths_hook == NULL ||
		create_upper_paths_hook == gpuagg_create_upper_paths)
		return;
	later_create_upper_paths_hook = create_upper_paths_hook;
	create_upper_paths_hook = gpuagg_create_upper_paths_last;
}

void
path_init(void)
{
	prev_create_upper_paths_hook = create_upper_paths_hook;
	create_upper_paths_hook = gpuagg_create_upper_paths;
}
