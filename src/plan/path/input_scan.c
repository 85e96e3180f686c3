/*
 * input_scan.c
 *	  The path by which the native plan reads the input plan's rows.
 *
 * A path can become a plan only once: setrefs.c adjusts parts of it in place, and
 * the executor's state of a subplan belongs to one place in the tree.  So where a
 * GpuAgg node's rows come from a plan, the native plan has a scan of that plan's
 * rows in the place of its input.  The input plan itself is the node's second
 * child.
 *
 * The input plan may compute more columns, for aggregates' arguments, behind those
 * that the native plan knows.  The scan's tuples are the input plan's, and
 * its target list leaves these out.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "optimizer/tlist.h"

#include "exec/node/native_input.h"
#include "plan/path/input_scan.h"

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
