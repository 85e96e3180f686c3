/*
 * gpuagg_path.c
 *	  One GpuAgg path: what it costs, and its plan.
 *
 * Its first child is PostgreSQL's own aggregation of the same input (native.c), which the
 * executor starts only if the engine cannot finish; its second, where the rows are not read from
 * a table's pages, is the plan of the input.  There, the first reads the second's rows
 * (native.c), so that the input is planned once.
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
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "exec/lookup/lookup_demand.h"
#include "exec/node/node.h"
#include "exec/values/final.h"
#include "guc.h"
#include "handle/select.h"
#include "plan/lower/lower_parts.h"
#include "plan/path/build_side.h"
#include "plan/path/first_rows_step.h"
#include "plan/path/gpuagg_path.h"
#include "plan/path/guarded.h"
#include "plan/path/native.h"
#include "plan/path/ordered_step.h"
#include "plan/path/parallel.h"
#include "plan/path/top.h"
#include "plan/plan_info.h"

/*
 * What a row of a look-up takes beyond what is counted for it, which is what PostgreSQL counts for
 * a row of a hash table: its values are looked for among those that are there, in 0.3 to 0.6 us.
 */
#define LOOKED_UP_ROW 0.07

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
	if (!path->lowered.reads_tables || grouping->first_rows || path->lowered.ordered != NIL ||
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
		.ordered = path->lowered.ordered,
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
		.rows_differ = path->grouping.rows_differ
	};

	name_lookups(root, &path->lowered);
	scan->custom_exprs = copyObject(path->lowered.params);
	info.having = top_having(&path->grouping, path->lowered.program, &scan->custom_exprs);
	if (path->reports)
		report_taken(path->report);
	native_begin_small(linitial(custom_plans));
	plans_set_apart(root, custom_plans, path->lowered.builds);
	scan->scan.plan.targetlist = path->grouping.first_rows ? first_rows_tlist(&path->grouping, tlist) : tlist;
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
		result->total_cost += first_rows_fetch_cost(&path->grouping, groups,
														path->lowered.tables.pages);
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

/* What it costs to make each look-up.  All paths of the lowered grouping have this in common. */
static Cost *
build_costs(PlannerInfo *root, const LoweredGrouping *lowered)
{
	Cost	   *costs = palloc((list_length(lowered->builds) + 1) * sizeof(Cost));
	ListCell   *lookup;
	ListCell   *build;

	forboth(lookup, lowered->lookups, build, lowered->builds)
		costs[foreach_current_index(lookup)] = build_side_cost(root, lfirst(build), lfirst(lookup));
	return costs;
}

/* To make all look-ups. */
static Cost
builds_cost(const LoweredGrouping *lowered)
{
	Cost		cost = 0;

	for (int i = 0; i < list_length(lowered->builds); i++)
		cost += lowered->build_costs[i];
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

/* What making a look-up takes beyond its path's cost, where pages have the costs of memory. */
static Fetches
making_fetches(PlannerInfo *root, const Path *build)
{
	Fetches		fetches = path_fetches(root, build);

	fetches.in_memory += build->rows * LOOKED_UP_ROW;
	return fetches;
}

/* What is read below the path. */
static Fetches
fetches_below(const GpuAggPath *path)
{
	PlannerInfo *root = path->grouping.root;
	const LoweredGrouping *lowered = &path->lowered;
	Fetches		sum;
	ListCell   *build;

	if (!lowered->reads_tables)
		return path_fetches(root, path->workers > 0 ? lowered->partial_input : lowered->input);
	sum = pages_in_order(lowered->tables.pages, read_cost(path, path->cost.kept));
	foreach(build, lowered->builds)
		if (lowered->build_costs[foreach_current_index(build)] > 0)
			fetches_add(&sum, making_fetches(root, lfirst(build)));
	return sum;
}

/* The words of a value in a row of a list, on an average (program/row_list.h). */
static double
value_words(const PlannerInfo *root, const Expr *expr)
{
	return ceil(average_width(root, expr) / 8.0);
}

/* The words of a row in all lists of rows; aggregates that share one count twice. */
static double
row_words(const Grouping *grouping)
{
	double		words = 0;
	ListCell   *lc;
	ListCell   *arg;

	foreach(lc, grouping->aggrefs)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);

		if (!is_ordered_aggregate(aggref))
			continue;
		words++;
		foreach(arg, aggref->args)
			if (!IsA(lfirst_node(TargetEntry, arg)->expr, Const))
				words += value_words(grouping->root, lfirst_node(TargetEntry, arg)->expr);
	}
	return words;
}

/* Is a column of the Program a numeric as results of groups are not columns? */
static bool
has_other_numeric(const Program *program)
{
	for (int i = 0; i < program->ncolumns; i++)
	{
		const Column *column = &program_columns(program)[i];

		if (column->numeric != NUMERIC_NONE &&
			(column->type != VT_INT8 ||
			 (column->numeric != NUMERIC_EXACT && column->numeric != NUMERIC_UNITS)))
			return true;
	}
	return false;
}

/* Is an output of the path a key, or a result that engines can have as a column? */
static bool
is_column(const GpuAggPath *path, const Expr *expr)
{
	ListCell   *lc;

	if (list_member(path->grouping.keys, expr))
		return true;
	foreach(lc, path->grouping.aggrefs)
	{
		FinalKind	final;

		if (!equal(lfirst(lc), expr))
			continue;
		final = (FinalKind) program_aggs(path->lowered.program)[foreach_current_index(lc)].final;
		return final == FINAL_SUM_NUMERIC || final_column_type(final) >= 0;
	}
	return false;
}

/* Are all columns of the input outputs of the path that are columns? */
static bool
gives_columns(const GpuAggPath *path, const Path *input)
{
	const List *outputs = path->custom.path.pathtarget->exprs;
	ListCell   *lc;

	foreach(lc, input->pathtarget->exprs)
	{
		const Var  *var = lfirst(lc);

		if (input == &path->custom.path ? !is_column(path, lfirst(lc)) :
			!IsA(var, Var) || var->varattno <= 0 || var->varattno > list_length(outputs) ||
			!is_column(path, list_nth(outputs, var->varattno - 1)))
			return false;
	}
	return true;
}

/*
 * The path whose groups the input's rows are, one each, so that no tuple is made of them
 * (exec/node/group_columns.c); NULL: there is none.
 */
static const GpuAggPath *
groups_below(const LoweredGrouping *lowered)
{
	const Path *input = lowered->input;
	const GpuAggPath *path = (const GpuAggPath *) input;

	if (IsA(input, SubqueryScanPath) && input->parent->baserestrictinfo == NIL)
		path = (const GpuAggPath *) ((const SubqueryScanPath *) input)->subpath;
	if (!IsA(path, CustomPath) || path->custom.methods != &gpuagg_path_methods ||
		path->top != NULL || path->grouping.first_rows != NULL || path->grouping.regroups ||
		path->grouping.having != NIL || path->lowered.codes != NULL || has_other_numeric(lowered->program) ||
		!gives_columns(path, input))
		return NULL;
	return path;
}

/* The cost of a child plan's rows, as tuples or as columns. */
static void
add_child_cost(const GpuAggPath *path, CostInput *in)
{
	const LoweredGrouping *lowered = &path->lowered;
	const GpuAggPath *groups = path->workers > 0 ? NULL : groups_below(lowered);

	in->pages_spared = input_pages_spared(lowered);
	if (groups != NULL)
		in->input_cost = groups->custom.path.startup_cost +
			lowered->rows * cpu_operator_cost * lowered->program->ncolumns;
	else
	{
		in->rows_sent = lowered->rows;
		in->input_cost = path->workers > 0 ? lowered->partial_input->total_cost :
			lowered->input->total_cost;
	}
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
		.rows_passed = path->grouping.rechecked != NIL ? path->grouping.rows_selected :
		path->grouping.input_rel->cheapest_total_path->rows,
		.row_words = row_words(&path->grouping),
		.nordered = list_length(path->lowered.ordered),
		.groups = estimates->groups,
		.rows_differ = path->grouping.rows_differ,
		.regrouped = estimates->regrouped,
		.made = estimates->made,
		.processes = path->workers + 1,
		.divisor = parallel_divisor(path->workers),
	};

	if (path->lowered.reads_tables)
	{
		if (path->engine->kept != NULL)
			in.kept = path->lowered.kept;
		else if (path->engine->stripes != NULL)
			in.kept = path->lowered.kept_in_memory;
		in.pages = tables->pages;
		in.rows_sent = tables->scanned_rows;
		/* a scan of PostgreSQL's costs cpu_tuple_cost for each row */
		in.scan_cost = tables->scanned_rows * cpu_tuple_cost;
		in.input_cost = read_cost(path, in.kept) + in.scan_cost +
			builds_cost(&path->lowered);
	}
	else
		add_child_cost(path, &in);
	return in;
}

/* The children beside the native plan, and the costs. */
static void
add_input(GpuAggPath *path, RelOptInfo *grouped_rel)
{
	Path	   *child = path->lowered.input;
	Cost		startup;

	path->cost = cost_input(path);
	path->fetches = fetches_below(path);
	startup = cost_startup(&path->cost);
	if (path->workers > 0)
	{
		path->cost.divides_keys = cost_divide_keys(&path->cost);
		child = parallel_path(&path->grouping, &path->lowered, grouped_rel, &path->cost);
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

/* PostgreSQL's own path to the rows of a step that takes rows, or NULL. */
static Path *
native_rows_path(const Grouping *grouping, RelOptInfo *rel)
{
	if (grouping->ordered)
		return ordered_step_native_path(grouping, rel);
	return grouping_takes_every_row(grouping) ?
		grouping->input_rel->cheapest_total_path : first_rows_native_rows(grouping, rel);
}

void
gpuagg_path_add_native(GpuAggPath *path, RelOptInfo *grouped_rel)
{
	const Grouping *grouping = &path->grouping;
	const LoweredGrouping *lowered = &path->lowered;
	Path	   *input_scan = NULL;
	Path	   *native = NULL;

	if (grouping->first_rows)
		native = native_rows_path(grouping, grouped_rel);
	else if (!lowered->reads_tables)
		input_scan = input_scan_path(grouping->input_rel, lowered->input);
	else if (lowered->guarded || path->workers > 0)
		native = native_cheapest_path(grouping, grouped_rel);
	if (lowered->guarded && !grouping->first_rows)
	{
		input_scan = guarded_input(grouping->input_rel);
		if (native != NULL && native_has_workers(native))
			native = NULL;
	}
	if (native == NULL)
		native = native_path(grouping, grouped_rel, input_scan,
							 grouping->estimates.result_groups);
	path->custom.custom_paths = lcons(native, path->custom.custom_paths);
}

Cost
gpuagg_path_cost(const GpuAggPath *path)
{
	Cost		cost = path->custom.path.total_cost;

	if (path->lowered.calls > 0)
		return cost - path->lowered.calls;
	return cost / (path->lowered.lookups != NIL ? 1 + LOOKUPS_TOLERANCE : 1);
}

void
gpuagg_path_want_lookups(const GpuAggPath *path, const GpuAggPath *child, Cost rival)
{
	PlannerInfo *root = path->grouping.root;
	const LoweredGrouping *lowered = &path->lowered;
	Cost		difference = child ? fetches_difference(&path->fetches, &child->fetches) : 0;
	Cost		cost = gpuagg_path_cost(path) + difference;
	Cost	   *costs = palloc0(list_length(lowered->lookups) * sizeof(Cost));
	Cost		kept = 0;
	ListCell   *lookup;
	ListCell   *build;

	if (cost <= rival)
		return;
	forboth(lookup, lowered->lookups, build, lowered->builds)
	{
		Cost		making;

		build_side_set_key(root, lfirst(build), lfirst(lookup));
		if (((const LookupInfo *) lfirst(lookup))->tables == NIL)
			continue;
		making = lowered->build_costs[foreach_current_index(lookup)];
		if (making > 0 && difference != 0)
			making = Max(0, making + making_fetches(root, lfirst(build)).in_memory);
		costs[foreach_current_index(lookup)] = making;
		kept += making;
	}
	if (cost - kept >= rival)
		return;
	foreach(lookup, lowered->lookups)
		if (costs[foreach_current_index(lookup)] > 0)
			lookup_demand_add(lfirst(lookup), (rival - (cost - kept)) / kept *
							  costs[foreach_current_index(lookup)]);
}

GpuAggPath *
gpuagg_path_cheaper(GpuAggPath *a, GpuAggPath *b)
{
	int			forbidden;

	if (a == NULL || b == NULL)
		return a ? a : b;
	forbidden = compat_disabled_nodes(&a->custom.path) - compat_disabled_nodes(&b->custom.path);
	if (forbidden != 0)
		return forbidden < 0 ? a : b;
	return gpuagg_path_cost(a) + fetches_difference(&a->fetches, &b->fetches) <=
		gpuagg_path_cost(b) ? a : b;
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
		return gpuagg_path_cheaper(alone, together);
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

GpuAggPath *
gpuagg_path(Grouping *grouping, LoweredGrouping *lowered, RelOptInfo *grouped_rel,
			Rejection *rejection)
{
	const EngineOps *engine = engine_required();
	const EngineOps *other = engine_with_device();
	GpuAggPath *path;

	estimate_grouping(grouping);
	lowered->build_costs = build_costs(grouping->root, lowered);
	if (engine != NULL)
		return engine_path(grouping, lowered, grouped_rel, engine, rejection);
	path = engine_path(grouping, lowered, grouped_rel, engine_without_device(), rejection);
	if (path == NULL || path->custom.path.total_cost > cost_setup(other))
		if (engine_device_answers())
			path = gpuagg_path_cheaper(path, engine_path(grouping, lowered, grouped_rel,
												  other, rejection));
	return path;
}

Cost
gpuagg_path_rivals_start(const GpuAggPath *path)
{
	if (has_workers(path))
		return 0;
	return Max(0, cost_workers_start() - input_pages_spared(&path->lowered));
}
