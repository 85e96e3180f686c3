/*
 * parallel.c
 *	  The part of a GpuAgg path that all processes run.
 *
 * It is a Gather over a custom path, GpuAgg Partial, which returns no tuple: the
 * groups go through shared memory, or rows of all processes to one run of a device.  The
 * Gather is PostgreSQL's own, and plans, starts and watches the workers.  It is the second
 * child of a GpuAgg path, beside the native plan.
 *
 * Over tables' pages there are as many workers as PostgreSQL would plan for a scan of that
 * many: by max_parallel_workers_per_gather, min_parallel_table_scan_size, and the table's
 * parallel_workers.  Else the node's rows are those of a partial path of PostgreSQL's, such
 * as a parallel join, and its workers are taken.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "handle/handle.h"
#include "exec/parallel/partial.h"
#include "exec/values/params.h"
#include "handle/select.h"
#include "plan/path/parallel.h"
#include "plan/plan_info.h"

typedef struct PartialPath
{
	CustomPath	custom;
	PlanInfo	info;
} PartialPath;

static Plan *
plan_partial(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
			 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);

	/* if rows are passed on, they are the child's */
	scan->custom_scan_tlist = copyObject(make_tlist_from_pathtarget(best_path->path.pathtarget));
	scan->scan.plan.targetlist = tlist;
	scan->custom_plans = custom_plans;
	scan->custom_private = plan_info_to_list(&((PartialPath *) best_path)->info);
	scan->flags = best_path->flags;
	scan->methods = &partial_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods partial_path_methods = {
	.CustomName = "GpuAgg Partial",
	.PlanCustomPath = plan_partial,
};

/*
 * Of the equal float keys 0 and -0, PostgreSQL shows the first row's: with several
 * processes, nobody knows which that is.  Row numbers depend on the order in which rows come, and
 * so PostgreSQL does not compute them in workers; here the leader does.
 */
static bool
may_be_parallel(const Grouping *grouping, const LoweredGrouping *lowered,
				const RelOptInfo *grouped_rel, const EngineOps *engine)
{
	return (engine->partial != NULL || engine->shared != NULL) &&
		(grouped_rel->consider_parallel || grouping->first_rows) && grouping->input_rel->consider_parallel &&
		params_suit_parallel(lowered->params) && !lowered->guarded &&
		!program_has_float_key(lowered->program);
}

Path *
parallel_input(const Grouping *grouping, const Path *input)
{
	RelOptInfo *rel = grouping->input_rel;
	PathTarget *target = input->pathtarget;
	Path	   *path;

	if (rel->partial_pathlist == NIL ||
		!is_parallel_safe(grouping->root, (Node *) target->exprs))
		return NULL;
	path = linitial(rel->partial_pathlist);
	if (equal(path->pathtarget->exprs, target->exprs))
		return path;
	return (Path *) create_projection_path(grouping->root, rel, path, target);
}

int
parallel_workers(const Grouping *grouping, const LoweredGrouping *lowered,
				 const RelOptInfo *grouped_rel, const EngineOps *engine)
{
	if (!may_be_parallel(grouping, lowered, grouped_rel, engine))
		return 0;
	if (!lowered->reads_tables)
		return lowered->partial_input ? lowered->partial_input->parallel_workers : 0;
	return compute_parallel_worker(lowered->table, lowered->tables.pages, -1,
								   max_parallel_workers_per_gather);
}

double
parallel_divisor(int workers)
{
	double		leader = 1.0 - 0.3 * workers;

	/* get_parallel_divisor, which is PostgreSQL's own */
	return workers + (parallel_leader_participation && leader > 0 ? leader : 0);
}

Path *
parallel_path(const Grouping *grouping, const LoweredGrouping *lowered,
			  RelOptInfo *grouped_rel, const CostInput *cost)
{
	PartialPath *partial = palloc0(sizeof(PartialPath));
	Path	   *path = &partial->custom.path;
	Path	   *input = lowered->partial_input;
	double		rows = 0;

	NodeSetTag(partial, T_CustomPath);
	path->pathtype = T_CustomScan;
	path->parent = grouped_rel;
	path->pathtarget = input ? input->pathtarget : create_empty_pathtarget();
	path->parallel_aware = true;
	path->parallel_safe = true;
	path->parallel_workers = cost->processes - 1;
	path->startup_cost = cost_process(cost);
	path->total_cost = path->startup_cost;
	compat_set_disabled_nodes(path, input ? compat_disabled_nodes(input) : !enable_seqscan);
	partial->custom.custom_paths = input ? list_make1(input) : NIL;
	partial->custom.methods = &partial_path_methods;
	partial->info = (PlanInfo)
	{
		.program = lowered->program,
			.relid = lowered->tables.relid,
			.page_tables = lowered->tables.page_tables,
			.row_tables = lowered->tables.row_tables,
			.keep = lowered->keep,
			.nkeep = lowered->nkeep,
			.engine = engine_choice(cost->engine),
			.divides_keys = cost->divides_keys,
			.rows = lowered->rows,
			.groups = grouping->estimates.groups,
			.rows_differ = grouping->rows_differ
	};
	return (Path *) create_gather_path(grouping->root, grouped_rel, path,
									   path->pathtarget, NULL, &rows);
}
