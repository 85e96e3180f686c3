/*
 * replaced_scan.c
 *	  An extension that changes other extensions' paths and plans, for tests.
 *
 * The rows of a table t are those of the table t_moved, if there is one in its schema: a
 * custom scan of these is in the place of t's own scan.  It takes this place, as
 * replaced_scan.mode says, among the paths of the table ("scan"), among those for parallel
 * workers only ("partial"), or in the finished plan ("plan").
 *
 * In the mode "twice" the paths of each grouping are below a node that returns each group
 * twice; in the mode "aggregation" there is one aggregation of PostgreSQL's instead.  Both are
 * done by a hook that is there from the beginning or, with replaced_scan.late, by one that
 * comes into the chain when the setting is first turned on.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "port/atomics.h"
#include "storage/shm_toc.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/* A scan of the rows that have been moved; one process of a parallel scan reads them all. */
typedef struct MovedState
{
	CustomScanState css;
	Relation	moved;
	bool		begun;
	TableScanDesc scan;			/* NULL: not begun, or another process's */
	TupleTableSlot *slot;
	pg_atomic_uint32 *taken;	/* in shared memory; NULL: not parallel */
} MovedState;

/* A child's tuples, each of them twice. */
typedef struct TwiceState
{
	CustomScanState css;
	bool		again;
} TwiceState;

static char *mode = "";
static bool late = false;

static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;
static create_upper_paths_hook_type prev_upper_paths = NULL;
static create_upper_paths_hook_type prev_late_upper_paths = NULL;
static planner_hook_type prev_planner = NULL;

static const CustomScanMethods moved_scan_methods;
static const CustomScanMethods twice_scan_methods;
static const CustomExecMethods moved_exec_methods;
static const CustomExecMethods twice_exec_methods;

static bool
mode_is(const char *name)
{
	return strcmp(mode, name) == 0;
}

/* The table that has a table's rows, or InvalidOid. */
static Oid
moved_rows(Oid relid)
{
	char	   *name = get_rel_name(relid);

	if (name == NULL)
		return InvalidOid;
	return get_relname_relid(psprintf("%s_moved", name), get_rel_namespace(relid));
}

static Node *
create_moved_state(CustomScan *scan)
{
	MovedState *state = palloc0(sizeof(MovedState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &moved_exec_methods;
	return (Node *) state;
}

static const CustomScanMethods moved_scan_methods = {
	.CustomName = "Moved Rows",
	.CreateCustomScanState = create_moved_state,
};

static void
begin_moved(CustomScanState *node, EState *estate, int eflags)
{
	MovedState *state = (MovedState *) node;

	state->moved = table_open(moved_rows(RelationGetRelid(node->ss.ss_currentRelation)),
							  AccessShareLock);
	state->slot = table_slot_create(state->moved, &estate->es_tupleTable);
}

static bool
is_mine(MovedState *state)
{
	uint32		expected = 0;

	return state->taken == NULL || pg_atomic_compare_exchange_u32(state->taken, &expected, 1);
}

static TupleTableSlot *
next_moved(ScanState *node)
{
	MovedState *state = (MovedState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	if (!state->begun && is_mine(state))
#if PG_VERSION_NUM >= 190000
		state->scan = table_beginscan(state->moved, node->ps.state->es_snapshot, 0, NULL, SO_NONE);
#else
		state->scan = table_beginscan(state->moved, node->ps.state->es_snapshot, 0, NULL);
#endif
	state->begun = true;
	if (state->scan == NULL || !table_scan_getnextslot(state->scan, ForwardScanDirection, state->slot))
		return ExecClearTuple(slot);
	return ExecCopySlot(slot, state->slot);
}

static bool
recheck_moved(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
exec_moved(CustomScanState *node)
{
	return ExecScan(&node->ss, next_moved, recheck_moved);
}

static void
end_scan(MovedState *state)
{
	if (state->scan != NULL)
		table_endscan(state->scan);
	state->scan = NULL;
	state->begun = false;
}

static void
end_moved(CustomScanState *node)
{
	end_scan((MovedState *) node);
	table_close(((MovedState *) node)->moved, NoLock);
}

static void
rescan_moved(CustomScanState *node)
{
	end_scan((MovedState *) node);
	ExecScanReScan(&node->ss);
}

static Size
estimate_moved(CustomScanState *node, ParallelContext *context)
{
	return sizeof(pg_atomic_uint32);
}

static void
share_moved(CustomScanState *node, ParallelContext *context, void *shared)
{
	pg_atomic_init_u32(shared, 0);
	((MovedState *) node)->taken = shared;
}

static void
share_moved_again(CustomScanState *node, ParallelContext *context, void *shared)
{
	pg_atomic_write_u32(shared, 0);
}

static void
join_moved(CustomScanState *node, shm_toc *toc, void *shared)
{
	((MovedState *) node)->taken = shared;
}

static const CustomExecMethods moved_exec_methods = {
	.CustomName = "Moved Rows",
	.BeginCustomScan = begin_moved,
	.ExecCustomScan = exec_moved,
	.EndCustomScan = end_moved,
	.ReScanCustomScan = rescan_moved,
	.EstimateDSMCustomScan = estimate_moved,
	.InitializeDSMCustomScan = share_moved,
	.ReInitializeDSMCustomScan = share_moved_again,
	.InitializeWorkerCustomScan = join_moved,
};

static Plan *
plan_moved(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
		   List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.scanrelid = rel->relid;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->flags = path->flags;
	scan->methods = &moved_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods moved_path_methods = {
	.CustomName = "Moved Rows",
	.PlanCustomPath = plan_moved,
};

static Path *
moved_path(RelOptInfo *rel, int workers)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.parallel_safe = rel->consider_parallel;
	path->path.parallel_aware = workers > 0;
	path->path.parallel_workers = workers;
	path->path.rows = rel->rows;
	path->path.total_cost = rel->pages * seq_page_cost + rel->tuples * cpu_tuple_cost;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &moved_path_methods;
	return &path->path;
}

static void
replace_scans(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	if (prev_set_rel_pathlist)
		prev_set_rel_pathlist(root, rel, rti, rte);
	if (rte->rtekind != RTE_RELATION || rte->inh || !OidIsValid(moved_rows(rte->relid)))
		return;
	if (mode_is("scan"))
		rel->pathlist = list_make1(moved_path(rel, 0));
	if ((mode_is("scan") || mode_is("partial")) && rel->partial_pathlist != NIL)
		rel->partial_pathlist = list_make1(moved_path(rel, 2));
}

static Node *
create_twice_state(CustomScan *scan)
{
	TwiceState *state = palloc0(sizeof(TwiceState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &twice_exec_methods;
	return (Node *) state;
}

static const CustomScanMethods twice_scan_methods = {
	.CustomName = "Twice",
	.CreateCustomScanState = create_twice_state,
};

static void
begin_twice(CustomScanState *node, EState *estate, int eflags)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	node->custom_ps = list_make1(ExecInitNode(linitial(scan->custom_plans), estate, eflags));
}

static TupleTableSlot *
exec_twice(CustomScanState *node)
{
	TwiceState *state = (TwiceState *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	TupleTableSlot *tuple;

	state->again = !state->again;
	if (!state->again)
		return slot;
	tuple = ExecProcNode(linitial(node->custom_ps));
	state->again = !TupIsNull(tuple);
	return TupIsNull(tuple) ? ExecClearTuple(slot) : ExecCopySlot(slot, tuple);
}

static void
end_twice(CustomScanState *node)
{
	ExecEndNode(linitial(node->custom_ps));
}

static void
rescan_twice(CustomScanState *node)
{
	((TwiceState *) node)->again = false;
	ExecReScan(linitial(node->custom_ps));
}

static const CustomExecMethods twice_exec_methods = {
	.CustomName = "Twice",
	.BeginCustomScan = begin_twice,
	.ExecCustomScan = exec_twice,
	.EndCustomScan = end_twice,
	.ReScanCustomScan = rescan_twice,
};

static Plan *
plan_twice(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
		   List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan.targetlist = tlist;
	scan->custom_scan_tlist = copyObject(tlist);
	scan->custom_plans = custom_plans;
	scan->methods = &twice_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods twice_path_methods = {
	.CustomName = "Twice",
	.PlanCustomPath = plan_twice,
};

static Path *
twice_path(RelOptInfo *rel, Path *child)
{
	CustomPath *path = makeNode(CustomPath);

	path->path = *child;
	NodeSetTag(path, T_CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.rows = child->rows * 2;
	path->custom_paths = list_make1(child);
	path->methods = &twice_path_methods;
	return &path->path;
}

/* PostgreSQL's own aggregation, sorted. */
static Path *
aggregation_path(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
#if PG_VERSION_NUM >= 160000
	List	   *clause = root->processed_groupClause;
#else
	List	   *clause = root->parse->groupClause;
#endif
	Path	   *input = input_rel->cheapest_total_path;
	AggClauseCosts costs = {0};

	if (root->group_pathkeys != NIL)
		input = (Path *) create_sort_path(root, output_rel, input, root->group_pathkeys, -1);
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return (Path *) create_agg_path(root, output_rel, input, output_rel->reltarget,
									clause != NIL ? AGG_SORTED : AGG_PLAIN, AGGSPLIT_SIMPLE,
									clause, NIL, &costs, 1000);
}

static void
replace_groupings(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
				  RelOptInfo *output_rel)
{
	ListCell   *lc;

	if (stage != UPPERREL_GROUP_AGG || root->parse->groupingSets != NIL)
		return;
	if (mode_is("twice"))
		foreach(lc, output_rel->pathlist)
			lfirst(lc) = twice_path(output_rel, lfirst(lc));
	if (mode_is("aggregation"))
		output_rel->pathlist = list_make1(aggregation_path(root, input_rel, output_rel));
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			RelOptInfo *output_rel, void *extra)
{
	if (prev_upper_paths)
		prev_upper_paths(root, stage, input_rel, output_rel, extra);
	if (!late)
		replace_groupings(root, stage, input_rel, output_rel);
}

static void
late_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
				 RelOptInfo *output_rel, void *extra)
{
	if (prev_late_upper_paths)
		prev_late_upper_paths(root, stage, input_rel, output_rel, extra);
	if (late)
		replace_groupings(root, stage, input_rel, output_rel);
}

static void
assign_late(bool value, void *extra)
{
	static bool hooked = false;

	if (!value || hooked)
		return;
	hooked = true;
	prev_late_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = late_upper_paths;
}

static Plan *change_plan(Plan *plan, const List *rtable);

static void
change_plans(List *plans, const List *rtable)
{
	ListCell   *lc;

	foreach(lc, plans)
		lfirst(lc) = change_plan(lfirst(lc), rtable);
}

/* The plan, with scans of moved rows in the place of the tables' own. */
static Plan *
change_plan(Plan *plan, const List *rtable)
{
	if (plan == NULL)
		return NULL;
	plan->lefttree = change_plan(plan->lefttree, rtable);
	plan->righttree = change_plan(plan->righttree, rtable);
	if (IsA(plan, Append))
		change_plans(((Append *) plan)->appendplans, rtable);
	if (IsA(plan, CustomScan))
		change_plans(((CustomScan *) plan)->custom_plans, rtable);
	if (IsA(plan, SeqScan) &&
		OidIsValid(moved_rows(rt_fetch(((Scan *) plan)->scanrelid, rtable)->relid)))
	{
		CustomScan *scan = makeNode(CustomScan);

		scan->scan.plan = *plan;
		NodeSetTag(scan, T_CustomScan);
		scan->scan.scanrelid = ((Scan *) plan)->scanrelid;
		scan->methods = &moved_scan_methods;
		return &scan->scan.plan;
	}
	return plan;
}

static PlannedStmt *
plan_query(Query *parse, const char *query_string, int cursor_options, ParamListInfo params
#if PG_VERSION_NUM >= 190000
		   ,ExplainState *explain
#endif
)
{
	planner_hook_type next = prev_planner ? prev_planner : standard_planner;
#if PG_VERSION_NUM >= 190000
	PlannedStmt *result = next(parse, query_string, cursor_options, params, explain);
#else
	PlannedStmt *result = next(parse, query_string, cursor_options, params);
#endif

	if (mode_is("plan"))
	{
		result->planTree = change_plan(result->planTree, result->rtable);
		change_plans(result->subplans, result->rtable);
	}
	return result;
}

void
_PG_init(void)
{
	DefineCustomStringVariable("replaced_scan.mode", "What is replaced.", NULL, &mode, "",
							   PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("replaced_scan.late", "Have groupings replaced by a hook that comes last.",
							 NULL, &late, false, PGC_USERSET, 0, NULL, assign_late, NULL);
	RegisterCustomScanMethods(&moved_scan_methods);
	RegisterCustomScanMethods(&twice_scan_methods);
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = replace_scans;
	prev_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
	prev_planner = planner_hook;
	planner_hook = plan_query;
}
