/*
 * path.c
 *	  The GpuAgg path: offering it to the planner, and its plan.
 *
 * For a grouping step, or a SELECT DISTINCT, that can be lowered, a custom path is
 * added beside PostgreSQL's own.  Its first child is PostgreSQL's own aggregation
 * of the same input (native.c), which the executor starts only if the engine cannot
 * finish; its second, where the rows are not read from a table's pages, is the plan
 * of the input.  There, the first reads the second's rows (native.c), so that
 * the input is planned once.
 *
 * The path does not claim to project: the planner would then exchange the node's
 * target list, for volatile or expensive outputs that are postponed and for sort
 * keys, and the native plan would keep the old one.  A Result above does it.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "exec/node/node.h"
#include "exec/values/final.h"
#include "guc.h"
#include "handle/select.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/safety.h"
#include "plan/path/build_side.h"
#include "plan/path/cost.h"
#include "plan/path/first_rows.h"
#include "plan/path/grouping.h"
#include "plan/path/native.h"
#include "plan/path/others.h"
#include "plan/path/parallel.h"
#include "plan/path/path.h"
#include "plan/path/report.h"
#include "plan/path/rivals.h"
#include "plan/path/star.h"
#include "plan/path/top.h"
#include "plan/plan_info.h"

typedef struct GpuAggPath
{
	CustomPath	custom;
	Grouping	grouping;
	LoweredGrouping lowered;
	const EngineOps *engine;
	TopInfo    *top;			/* NULL: all groups leave */
	int			workers;		/* beside the leader */
	CostInput	cost;			/* what the path's costs are made of */
	const char *join_reason;	/* why its rows are those of a join of PostgreSQL's, or NULL */
	GroupingReport *report;		/* or NULL */
} GpuAggPath;

static create_upper_paths_hook_type prev_create_upper_paths_hook = NULL;

/* The hook that was there when gpuagg's second one came before it; NULL: it has not. */
static create_upper_paths_hook_type later_create_upper_paths_hook = NULL;
static bool comes_last = false;	/* is it the second one that calls? */

/*
 * The plan's target list for what the engine gives: keys, then aggregates; then
 * GROUPING(), and what the node itself sets to NULL.
 *
 * setrefs replaces what equals a member of this list by a reference to it, in
 * custom_exprs too, whose members are evaluated before there is any tuple to
 * refer to.  So a key that no row changes, as such a member may contain, is
 * given a cast to its own type, which no member of the list equals.
 */
static List *
engine_tlist(const Grouping *grouping)
{
	List	   *exprs = list_concat_copy(grouping->keys, grouping->aggrefs);
	List	   *tlist = NIL;
	ListCell   *lc;

	exprs = list_concat(exprs, grouping->groupings);
	exprs = list_concat(exprs, grouping->junk);
	foreach(lc, exprs)
	{
		Expr	   *expr = copyObject(lfirst(lc));

		if (same_for_all_rows(expr))
			expr = (Expr *) makeRelabelType(expr, exprType((Node *) expr),
											exprTypmod((Node *) expr),
											exprCollation((Node *) expr),
											COERCE_IMPLICIT_CAST);
		tlist = lappend(tlist, makeTargetEntry(expr, list_length(tlist) + 1,
											   NULL, false));
	}
	return tlist;
}

/* The arguments of each GROUPING(), as numbers of keys. */
static List *
grouping_arguments(const Grouping *grouping)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, grouping->groupings)
		result = lappend(result, grouping_key_numbers(grouping,
													  lfirst_node(GroupingFunc, lc)->refs));
	return result;
}

/*
 * Can the node's answer be compared with the native plan's?  What the rows are must not
 * depend on how often they are read: it does not, if they come from pages and no function
 * is volatile.  All groups are made to be compared, though the query may want a few only;
 * then none may raise an error.
 */
static bool
is_verifiable(const GpuAggPath *path)
{
	const Grouping *grouping = &path->grouping;
	const PlannerInfo *root = grouping->root;

	/* of rows that are equal in an order, anyone may come first */
	if (!path->lowered.reads_tables || grouping->first_rows ||
		contain_volatile_functions((Node *) grouping->target->exprs) ||
		contain_volatile_functions((Node *) grouping->having))
		return false;
	return root->tuple_fraction == 0 || root->parse->sortClause != NIL ||
		!groups_can_fail(grouping, path->lowered.program);
}

/* Name what look-ups are of, so that they can be kept. */
static void
name_lookups(PlannerInfo *root, const LoweredGrouping *lowered)
{
	ListCell   *lookup;
	ListCell   *build;

	forboth(lookup, lowered->lookups, build, lowered->builds)
		build_side_set_key(root, lfirst(build), lfirst(lookup));
}

/*
 * Those of look-ups share expressions with the native plan, which has paths of the same
 * relations: setrefs changes parts of a plan in place.
 */
static void
plans_set_apart(PlannerInfo *root, List *plans, List *builds)
{
	ListCell   *lc;

	for_each_from(lc, plans, list_length(plans) - list_length(builds))
		lfirst(lc) = copyObject(lfirst(lc));
	foreach(lc, builds)
		build_side_set_apart(root, lfirst(lc));
}

/*
 * Let the plan's custom_relids, which are the relids of the path's relation, have a relation:
 * setrefs moves its number as those of all (show_clauses in explain.c).
 */
static void
set_custom_relids(CustomPath *path, Index rti)
{
	RelOptInfo *rel = makeNode(RelOptInfo);

	memcpy(rel, path->path.parent, sizeof(RelOptInfo));
	rel->relids = bms_make_singleton(rti);
	path->path.parent = rel;
}

static Plan *
plan_gpuagg_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	GpuAggPath *path = (GpuAggPath *) best_path;
	CustomScan *scan = makeNode(CustomScan);
	PlanInfo	info = {
		.program = path->lowered.program,
		.relid = path->lowered.tables.relid,
		.page_tables = path->lowered.tables.page_tables,
		.row_tables = path->lowered.tables.row_tables,
		.rti = path->lowered.reads_tables ? path->lowered.table->relid : 0,
		.lookups = path->lowered.lookups,
		.codes = path->lowered.codes,
		.filter = copyObject(path->lowered.filter),
		.engine = engine_choice(path->engine),
		.nkeys = list_length(path->grouping.keys),
		.naggs = list_length(path->grouping.aggrefs),
		.arrays = path->lowered.arrays,
		.regrouping = path->lowered.regrouping,
		.sets = path->grouping.sets,
		.groupings = grouping_arguments(&path->grouping),
		.first_rows = path->grouping.first_rows,
		.top = path->top,
		.limit = top_limit(&path->grouping),
		.keep = path->lowered.keep,
		.nkeep = path->lowered.nkeep,
		.verifiable = is_verifiable(path),
		.rows = path->lowered.rows,
		.groups = path->grouping.estimates.groups,
	};

	name_lookups(root, &path->lowered);
	scan->custom_exprs = copyObject(path->lowered.params);
	info.having = top_having(&path->grouping, path->lowered.program, &scan->custom_exprs);
	report_taken(path->report);
	native_begin_small(linitial(custom_plans));
	plans_set_apart(root, custom_plans, path->lowered.builds);
	scan->scan.plan.targetlist = path->grouping.first_rows ? first_rows_tlist(tlist) : tlist;
	scan->scan.plan.qual = copyObject(path->grouping.having);
	scan->custom_plans = custom_plans;
	scan->custom_scan_tlist = path->grouping.first_rows ?
		first_rows_scan_tlist(&path->grouping) : engine_tlist(&path->grouping);
	scan->custom_private = plan_info_to_list(&info);
	if (info.lookups != NIL)
		set_custom_relids(best_path, info.rti);
	scan->flags = best_path->flags;
	scan->methods = &gpuagg_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods gpuagg_path_methods = {
	.CustomName = "GpuAgg",
	.PlanCustomPath = plan_gpuagg_path,
};

/*
 * What follows the engine: groups become tuples.  Of one that does not leave only the
 * columns that order it are looked at.
 */
static void
set_output_costs(GpuAggPath *path, Cost startup)
{
	Path	   *result = &path->custom.path;
	const GroupingEstimates *estimates = &path->grouping.estimates;
	double		groups = estimates->result_groups;

	result->startup_cost = startup + estimates->having_cost.startup +
		result->pathtarget->cost.startup;
	result->total_cost = result->startup_cost;
	if (path->top)
	{
		result->total_cost += groups * cpu_operator_cost;
		groups = top_groups_leaving(path->top, groups);
	}
	if (path->grouping.first_rows)
	{
		groups = first_rows_count(&path->grouping, groups);
		result->total_cost += first_rows_fetch_cost(groups, path->lowered.tables.pages);
	}
	result->rows = clamp_row_est(groups * estimates->having_selectivity);
	result->total_cost += groups * (estimates->having_cost.per_tuple + cpu_tuple_cost) +
		result->rows * result->pathtarget->cost.per_tuple;
}

/* What workers of the input plan spare beyond what its costs say. */
static Cost
input_pages_spared(const LoweredGrouping *lowered)
{
	const Path *partial = lowered->partial_input;

	if (lowered->reads_tables || partial == NULL)
		return 0;
	return cost_cached_pages_spared(lowered->input->total_cost, partial->total_cost,
									parallel_divisor(partial->parallel_workers));
}

/* The costs of the look-ups' rows, and of putting each into a hash table, unless they are kept. */
static Cost
builds_cost(PlannerInfo *root, const LoweredGrouping *lowered)
{
	Cost		cost = 0;
	ListCell   *lookup;
	ListCell   *lc;

	forboth(lookup, lowered->lookups, lc, lowered->builds)
	{
		const Path *build = lfirst(lc);

		if (!build_side_is_kept(root, build, lfirst(lookup)))
			cost += build->total_cost + build->rows * (cpu_tuple_cost + cpu_operator_cost);
	}
	return cost;
}

/* Does a look-up read the table that the path reads, unless it is kept? */
static bool
lookup_reads_table(const GpuAggPath *path)
{
	const LoweredGrouping *lowered = &path->lowered;
	ListCell   *lookup;
	ListCell   *build;

	forboth(lookup, lowered->lookups, build, lowered->builds)
		if (((const LookupInfo *) lfirst(lookup))->computed != NIL &&
			!build_side_is_kept(path->grouping.root, lfirst(build), lfirst(lookup)))
			return true;
	return false;
}

/* What reading the pages costs of which the engine has not kept so large a share. */
static Cost
read_cost(const GpuAggPath *path, double kept)
{
	const InputTables *tables = &path->lowered.tables;
	Cost		cost = tables->read_cost * (1 - kept);

	if (path->grouping.reads_again || lookup_reads_table(path))
		cost *= cost_share_read_again(tables->pages);
	return cost;
}

/* What the costs are made of. */
static CostInput
cost_input(const GpuAggPath *path)
{
	const InputTables *tables = &path->lowered.tables;
	const GroupingEstimates *estimates = &path->grouping.estimates;
	CostInput	in = {
		.engine = path->engine,
		.program = path->lowered.program,
		.rows = path->lowered.rows,
		.rows_passed = path->grouping.input_rel->cheapest_total_path->rows,
		.groups = estimates->groups,
		.regrouped = estimates->regrouped,
		.set_groups = estimates->result_groups,
		.processes = path->workers + 1,
		.divisor = parallel_divisor(path->workers),
	};

	if (path->lowered.reads_tables)
	{
		if (path->engine->kept != NULL)
			in.kept = path->lowered.kept;
		in.pages = tables->pages;
		in.rows_sent = tables->scanned_rows;
		/* a scan of PostgreSQL's costs cpu_tuple_cost for each row */
		in.scan_cost = tables->scanned_rows * cpu_tuple_cost;
		in.input_cost = read_cost(path, in.kept) + in.scan_cost +
			builds_cost(path->grouping.root, &path->lowered);
	}
	else
	{
		in.rows_sent = path->lowered.rows;
		in.input_cost = path->workers > 0 ? path->lowered.partial_input->total_cost :
			path->lowered.input->total_cost;
		in.pages_spared = input_pages_spared(&path->lowered);
	}
	return in;
}

/* The children beside the native plan, and the costs. */
static void
add_input(GpuAggPath *path, RelOptInfo *grouped_rel)
{
	Path	   *child = path->lowered.input;
	Cost		startup;

	path->cost = cost_input(path);
	startup = cost_startup(&path->cost);
	if (path->workers > 0)
	{
		child = parallel_path(&path->grouping, &path->lowered, grouped_rel, path->engine,
							  path->workers, cost_process(&path->cost));
		startup = child->total_cost + cost_merged(&path->cost);
	}
	if (child != NULL)
		path->custom.custom_paths = lappend(path->custom.custom_paths, child);
	path->custom.custom_paths = list_concat(path->custom.custom_paths, path->lowered.builds);

	/* pages are read as a sequential scan reads them */
	compat_set_disabled_nodes(&path->custom.path, path->lowered.reads_tables ? !enable_seqscan
							  : compat_disabled_nodes(child));
	set_output_costs(path, startup);
}

/* The path of the leader alone, or with workers; without the native plan. */
static GpuAggPath *
make_gpuagg_path(const Grouping *grouping, const LoweredGrouping *lowered,
				 RelOptInfo *grouped_rel, const EngineOps *engine, int workers)
{
	GpuAggPath *path = palloc0(sizeof(GpuAggPath));

	path->grouping = *grouping;
	path->lowered = *lowered;
	path->engine = engine;
	path->workers = workers;
	path->top = final_can_fail(lowered->program) ? NULL : grouping->top;

	NodeSetTag(path, T_CustomPath);
	path->custom.path.pathtype = T_CustomScan;
	path->custom.path.parent = grouped_rel;
	path->custom.path.pathtarget = grouping->target;
	/* no CUSTOMPATH_SUPPORT_PROJECTION: the native plan has this target, too */
	path->custom.methods = &gpuagg_path_methods;
	add_input(path, grouped_rel);
	return path;
}

/* The native plan becomes the first child, of the path that has been chosen. */
static void
add_native(GpuAggPath *path, RelOptInfo *grouped_rel)
{
	const Grouping *grouping = &path->grouping;
	const LoweredGrouping *lowered = &path->lowered;
	Path	   *input_scan = NULL;
	Path	   *native = NULL;

	if (grouping->first_rows)
		native = first_rows_native_path(grouped_rel);
	else if (!lowered->reads_tables)
		input_scan = input_scan_path(grouping->input_rel, lowered->input);
	else if (path->workers > 0)
		native = native_cheapest_path(grouping, grouped_rel);
	if (native == NULL)
		native = native_path(grouping, grouped_rel, input_scan,
							 grouping->estimates.result_groups);
	path->custom.custom_paths = lcons(native, path->custom.custom_paths);
}

/* The cost by which paths of the engine are compared. */
static Cost
compared_cost(const GpuAggPath *path)
{
	Cost		cost = path->custom.path.total_cost;

	if (path->lowered.calls > 0)
		return cost - path->lowered.calls;
	return cost / (path->lowered.lookups != NIL ? 1 + LOOKUPS_TOLERANCE : 1);
}

static GpuAggPath *
cheaper_path(GpuAggPath *a, GpuAggPath *b)
{
	int			forbidden;

	if (a == NULL || b == NULL)
		return a ? a : b;
	forbidden = compat_disabled_nodes(&a->custom.path) - compat_disabled_nodes(&b->custom.path);
	if (forbidden != 0)
		return forbidden < 0 ? a : b;
	return compared_cost(a) <= compared_cost(b) ? a : b;
}

/* Does it start workers, of its own or of its input's? */
static bool
has_workers(const GpuAggPath *path)
{
	return path->workers > 0 ||
		(!path->lowered.reads_tables && native_has_workers(path->lowered.input));
}

/* The path of the leader alone, or that with workers. */
static GpuAggPath *
faster_path(GpuAggPath *alone, GpuAggPath *together)
{
	if (compat_disabled_nodes(&alone->custom.path) != compat_disabled_nodes(&together->custom.path))
		return cheaper_path(alone, together);
	return cost_workers_pay(&together->cost, alone->custom.path.total_cost, together->custom.path.total_cost,
							has_workers(alone)) ? together : alone;
}

/* The path of one engine, or NULL and why. */
static GpuAggPath *
engine_path(const Grouping *grouping, const LoweredGrouping *lowered,
			RelOptInfo *grouped_rel, const EngineOps *engine, Rejection *rejection)
{
	char		text[256];
	GpuAggPath *path;
	int			workers;

	if (!engine->supports(lowered->program, text, sizeof(text)))
	{
		reject_grouping(rejection, REJECTED_ENGINE, pstrdup(text));
		return NULL;
	}
	path = make_gpuagg_path(grouping, lowered, grouped_rel, engine, 0);
	if (!device_holds_groups(engine, lowered->program, path->cost.rows_passed,
							 grouping->estimates.groups, text, sizeof(text)))
	{
		reject_grouping(rejection, REJECTED_ENGINE, pstrdup(text));
		return NULL;
	}
	workers = parallel_workers(grouping, lowered, grouped_rel, engine);
	if (workers > 0)
	{
		GpuAggPath *together = make_gpuagg_path(grouping, lowered, grouped_rel, engine, workers);

		/* costs are those of the query, and not of what is kept beside */
		path = lowered->nkeep > 0 ? together : faster_path(path, together);
	}
	return path;
}

/* What all paths of the grouping have in common, once it has been lowered in some way. */
static void
estimate_once(Grouping *grouping)
{
	if (grouping->is_estimated)
		return;
	grouping->estimates = estimate_grouping(grouping);
	if (grouping->first_rows == NULL)
		grouping->top = top_groups_wanted(grouping);
	grouping->is_estimated = true;
}

/*
 * The path of the engine that gpuagg.engine names, or of the cheapest.  No
 * device is looked for where the CPU is done sooner than one can begin.
 */
static GpuAggPath *
lowered_path(Grouping *grouping, const LoweredGrouping *lowered,
			 RelOptInfo *grouped_rel, Rejection *rejection)
{
	const EngineOps *engine = engine_required();
	const EngineOps *cuda = engine_chosen(CHOICE_CUDA);
	GpuAggPath *path;

	estimate_once(grouping);
	if (engine != NULL)
		return engine_path(grouping, lowered, grouped_rel, engine, rejection);
	path = engine_path(grouping, lowered, grouped_rel, &cpu_engine, rejection);
	if (path == NULL || path->custom.path.total_cost > cost_setup(cuda))
		if (engine_cuda_answers())
			path = cheaper_path(path, engine_path(grouping, lowered, grouped_rel,
												  cuda, rejection));
	return path;
}

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

static GpuAggPath *find_path(Grouping *grouping, RelOptInfo *grouped_rel, Rejection *rejection);

/*
 * The cheapest path to the distinct rows of a relation's columns, or NULL.  reads_again: another
 * such path reads the table before.
 */
static Path *
distinct_path(PlannerInfo *root, RelOptInfo *rel, bool reads_again)
{
	RelOptInfo *distinct = makeNode(RelOptInfo);
	Rejection	rejection;
	Grouping	grouping;
	GpuAggPath *path;

	if (grouping_examine_columns(&grouping, root, rel) != NULL)
		return NULL;
	grouping.reads_again = reads_again;
	memcpy(distinct, rel, sizeof(RelOptInfo));
	distinct->pathlist = NIL;
	path = find_path(&grouping, distinct, &rejection);
	if (path == NULL)
		return native_path(&grouping, distinct, NULL, estimate_grouping(&grouping).groups);
	add_native(path, distinct);
	return &path->custom.path;
}

/* The path over a table of whose columns PostgreSQL computes what engines cannot; or NULL. */
static GpuAggPath *
computed_path(Grouping *grouping, RelOptInfo *grouped_rel)
{
	Star	   *star = grouping_find_computed(grouping);
	LoweredGrouping lowered;
	Rejection	rejection;
	Path	   *path;
	ListCell   *lc;

	foreach(lc, star != NULL ? star->lookups : NIL)
	{
		StarLookup *lookup = lfirst(lc);

		if (lookup->computed == NIL)
			continue;
		path = distinct_path(grouping->root, lookup->rel, foreach_current_index(lc) > 0);
		if (path == NULL)
			return NULL;
		/* values are there before an error can end what is computed of them */
		lookup->rel->cheapest_total_path = cannot_fail((Node *) lookup->computed) ? path :
			compat_material_path(path);
	}
	if (star == NULL || !grouping_lower_star(grouping, star, &lowered, &rejection))
		return NULL;
	return lowered_path(grouping, &lowered, grouped_rel, &rejection);
}

/* The path over the input's own plan.  join_reason: why, if that is a join. */
static GpuAggPath *
child_path(Grouping *grouping, const LoweredGrouping *lowered, RelOptInfo *grouped_rel,
		   Rejection *rejection, const char *join_reason)
{
	GpuAggPath *path = lowered_path(grouping, lowered, grouped_rel, rejection);

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
	GpuAggPath *computed = NULL;

	if (grouping->first_rows && first_rows_native_path(grouped_rel) == NULL)
	{
		reject_grouping(rejection, REJECTED_QUERY, "PostgreSQL has no path of its own for the step");
		return NULL;
	}
	if (grouping->first_rows)
		return grouping_lower_pages(grouping, &lowered, rejection) ?
			lowered_path(grouping, &lowered, grouped_rel, rejection) : NULL;
	if (!native_is_possible(grouping, grouped_rel))
	{
		reject_grouping(rejection, REJECTED_QUERY,
						"PostgreSQL has no path of its own for the grouping sets");
		return NULL;
	}
	if (grouping_lower_pages(grouping, &lowered, rejection))
		best = lowered_path(grouping, &lowered, grouped_rel, rejection);
	else if (is_of_expressions(rejection->reason_class))
		computed = computed_path(grouping, grouped_rel);
	/* columns can be kept of pages only */
	if (best && (lowered.nkeep > 0 || (lowered.lookups != NIL && gpuagg_mode == MODE_FORCE) ||
				 is_seq_scan(grouping->input_rel->cheapest_total_path)))
		return best;
	if (grouping_lower_child(grouping, &lowered, &child_rejection))
		best = cheaper_path(best, child_path(grouping, &lowered, grouped_rel, &child_rejection,
											 best != NULL ? "it is estimated to cost less" :
											 rejection->reason));
	best = computed != NULL && gpuagg_mode == MODE_FORCE ? computed : cheaper_path(computed, best);
	if (best == NULL)
		*rejection = child_rejection;
	return best;
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
		return cheaper_path(keys, lists);
	if (compared_cost(keys) + cost_beyond(&keys->cost) <=
		compared_cost(lists) + cost_beyond(&lists->cost))
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

/*
 * What a plan of PostgreSQL's with workers takes longer than its cost says, beside that of
 * this path.
 */
static Cost
rivals_workers_start(const GpuAggPath *path)
{
	if (has_workers(path))
		return 0;
	return Max(0, cost_workers_start() - input_pages_spared(&path->lowered));
}

static const char *
examine_step(Grouping *grouping, PlannerInfo *root, UpperRelationKind stage,
			 RelOptInfo *input_rel, RelOptInfo *grouped_rel, List *having)
{
	if (stage == UPPERREL_WINDOW)
		return first_rows_examine_window(grouping, root, input_rel, grouped_rel);
	if (stage == UPPERREL_DISTINCT && root->parse->hasDistinctOn)
		return first_rows_examine_distinct(grouping, root, input_rel);
	if (stage == UPPERREL_DISTINCT)
		return grouping_examine_distinct(grouping, root, input_rel);
	return grouping_examine(grouping, root, input_rel, grouped_rel, having);
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
	Rejection	input_rejection;
	const char *reason;

	reason = examine_step(&grouping, root, stage, input_rel, grouped_rel, having);
	if (reason == NULL)
		reason = others_grouping(grouped_rel);
	if (reason != NULL)
		reject_grouping(rejection, REJECTED_QUERY, reason);
	else
		path = best_path(&grouping, grouped_rel, rejection);

	/* aggregates that only PostgreSQL has */
	if (path == NULL && stage == UPPERREL_GROUP_AGG && root->numOrderedAggs > 0 &&
		others_grouping(grouped_rel) == NULL &&
		grouping_examine_input(&grouping, root, input_rel, grouped_rel, having) == NULL)
		path = find_path(&grouping, grouped_rel, &input_rejection);
	if (path == NULL)
		return NULL;
	add_native(path, grouped_rel);
	path->report = report;
	report_engine(report, engine_id_name(path->engine->traits->id));
	report_join(report, path->join_reason);
	*rivals = (RivalsInput)
	{
		.root = root,
			.stage = stage,
			.path = &path->custom.path,
			.finds_groups = path->lowered.program->nkeys > 0,
			.is_divided = path->workers > 0,
			.looks_up = path->lowered.lookups != NIL,
			.setup = cost_setup(path->engine),
			.workers_start = rivals_workers_start(path),
			.calls = path->lowered.calls
	};
	if (grouping.is_input)
		rivals->path = native_sorted_aggregation(root, rivals->path, grouped_rel, having);
	return rivals->path;
}

static void
offer_path(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
		   RelOptInfo *grouped_rel, List *having, GroupingReport *report)
{
	Path	   *path;
	Rejection	rejection = {0};
	RivalsInput rivals;
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
	if (is_offered)
		add_path(grouped_rel, path);
	report_offered(report, input_rel, grouped_rel, path);
}

static void
consider_step(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			  RelOptInfo *grouped_rel, List *having)
{
	Cost		native = native_cost(grouped_rel);
	GroupingReport *report = report_grouping(root, stage, grouped_rel, having, native);

	if (gpuagg_mode == MODE_OFF)
		report_fate(report, GROUPING_OFF);
	else if (IS_DUMMY_REL(input_rel))
		report_fate(report, GROUPING_EMPTY);
	else if (gpuagg_mode == MODE_AUTO && report == NULL && native <= cost_setup(&cpu_engine))
		return;					/* too small for any engine */
	else
		offer_path(root, stage, input_rel, grouped_rel, having, report);
}

static void
consider_stage(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			   RelOptInfo *output_rel, void *extra)
{
	List	   *having = NIL;

	if (stage != UPPERREL_GROUP_AGG && stage != UPPERREL_DISTINCT &&
		!(stage == UPPERREL_WINDOW && first_rows_window(output_rel) != NULL))
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
