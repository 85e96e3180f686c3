/*
 * native_plan.c
 *	  What a node has to do with its native plan: what that scans, and reads from the node.
 *
 * Where the rows come from an input plan, the native plan has a scan of that plan's rows.  The
 * input plan is the GpuAgg node's, which also rescans it: before a fallback,
 * since the engine has read from it, and with the node.  The scan is nothing but a
 * pointer to its state.  Its tuples are returned in its own slots, or projected
 * where it computes more columns than the native plan knows.
 *
 * The native plan is a chain of aggregation, sorts and projections with this scan
 * as its end.  Its nodes look at their parameters to see whether what they have
 * computed is still valid, and PostgreSQL's planner does not know that the
 * input plan's concern them; so these are passed on to the chain here.
 *
 * Where the rows come from tables, all paths of the tables were PostgreSQL's own scans of them
 * when the plan was made (plan/path/others.c).  An extension can still change the finished plan,
 * and does so to the native plan, which is part of it.  Then that plan's rows are the query's.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "compat.h"
#include "exec/node/native_plan.h"

typedef struct InputScanState
{
	CustomScanState css;
	PlanState  *input;
} InputScanState;

static const CustomExecMethods input_scan_exec_methods;

static Node *
create_state(CustomScan *scan)
{
	InputScanState *state = palloc0(sizeof(InputScanState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &input_scan_exec_methods;
	return (Node *) state;
}

const CustomScanMethods input_scan_methods = {
	.CustomName = "GpuAgg Input",
	.CreateCustomScanState = create_state,
};

void
input_scan_init(void)
{
	RegisterCustomScanMethods(&input_scan_methods);
}

static void
begin_scan(CustomScanState *node, EState *estate, int eflags)
{
	/* the tuples come in slots of another node, whose kind may vary */
	node->ss.ps.scanopsset = true;
	node->ss.ps.scanopsfixed = false;
	node->ss.ps.scanops = NULL;
	ExecAssignScanProjectionInfoWithVarno(&node->ss, INDEX_VAR);
}

static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	InputScanState *state = (InputScanState *) node;
	PlanState  *ps = &node->ss.ps;
	TupleTableSlot *slot = ExecProcNode(state->input);

	if (TupIsNull(slot) || ps->ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(ps->ps_ExprContext);
	ps->ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(ps->ps_ProjInfo);
}

static void
end_scan(CustomScanState *node)
{
}

static void
rescan_scan(CustomScanState *node)
{
}

static const CustomExecMethods input_scan_exec_methods = {
	.CustomName = "GpuAgg Input",
	.BeginCustomScan = begin_scan,
	.ExecCustomScan = exec_scan,
	.EndCustomScan = end_scan,
	.ReScanCustomScan = rescan_scan,
};

void
input_scan_attach(PlanState *native, PlanState *input)
{
	PlanState  *ps = native;

	while (outerPlanState(ps) != NULL)
		ps = outerPlanState(ps);
	if (!IsA(ps, CustomScanState) ||
		((CustomScanState *) ps)->methods != &input_scan_exec_methods)
		elog(ERROR, "the native plan does not read the input plan");
	((InputScanState *) ps)->input = input;
}

void
input_scan_params_changed(PlanState *native, const PlanState *input)
{
	if (input->chgParam == NULL)
		return;
	for (PlanState *ps = native; ps != NULL; ps = outerPlanState(ps))
		ps->chgParam = bms_add_members(ps->chgParam, input->chgParam);
}

/* What a native plan scans. */
typedef struct Scanned
{
	EState	   *estate;
	List	   *relids;			/* Oids of tables, once a scan */
	bool		others;			/* there are nodes of other kinds than collect_scanned knows */
} Scanned;

static void collect_scanned(const Plan *plan, Scanned *scanned);

static void
collect_list(const List *plans, Scanned *scanned)
{
	ListCell   *lc;

	foreach(lc, plans)
		collect_scanned(lfirst(lc), scanned);
}

static void
collect_scanned(const Plan *plan, Scanned *scanned)
{
	if (plan == NULL)
		return;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			scanned->relids = lappend_oid(scanned->relids,
										  exec_rt_fetch(((const Scan *) plan)->scanrelid,
														scanned->estate)->relid);
			return;
		case T_Append:
			collect_list(((const Append *) plan)->appendplans, scanned);
			return;
		case T_MergeAppend:
			collect_list(((const MergeAppend *) plan)->mergeplans, scanned);
			return;
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			collect_scanned(innerPlan(plan), scanned);
			break;
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_WindowAgg:
		case T_Sort:
		case T_Limit:
		case T_IncrementalSort:
		case T_Material:
		case T_Memoize:
		case T_Hash:
		case T_Result:
		case T_Gather:
		case T_GatherMerge:
			break;
		default:
			scanned->others = true;
			return;
	}
	collect_scanned(outerPlan(plan), scanned);
}

bool
native_scans_tables(const Plan *native, const PlanInfo *plan, EState *estate)
{
	List	   *read = list_concat_copy(plan->page_tables, plan->row_tables);
	Scanned		scanned = {.estate = estate};
	bool		same;

	collect_scanned(native, &scanned);
	list_sort(scanned.relids, list_oid_cmp);
	list_sort(read, list_oid_cmp);
	/* what is joined is read by a plan, whatever that is */
	same = plan->lookups != NIL ? list_difference_oid(read, scanned.relids) == NIL :
		!scanned.others && equal(scanned.relids, read);
	list_free(scanned.relids);
	list_free(read);
	return same;
}
