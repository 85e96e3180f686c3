/*
 * node.c
 *	  The custom scan node GpuAgg.
 *
 * The first call reads the whole input (node_run.c).  Then the engine's groups come back
 * and become tuples (node_groups.c).  Until the last input row is in, no tuple has left,
 * so whenever the engine cannot finish exactly, the node drops its work and returns what
 * PostgreSQL's own plan returns, which it carries as its first child.
 *
 * With grouping sets, or aggregates with DISTINCT, the engine's groups are
 * regrouped (regrouping.c) before the first of them becomes a tuple.
 *
 * That child is initialized with the node (so that permissions are checked, and
 * EXPLAIN can show it) and not started before it is needed.  Its tuples already
 * are the node's result, and are returned as they are; the engine's groups go
 * through HAVING and projection.  Where the input is a plan, both read the same one:
 * the native plan ends in a scan of the node's second child (native_plan.c).
 *
 * Where the rows are wanted that come first in their groups, the groups have these rows' places,
 * and the rows are fetched from the table (fetch_rows.c).
 *
 * Some answers are compared with PostgreSQL's before the first tuple leaves (gpuagg.verify,
 * node_verify.c).  Where they differ, the node falls back.
 *
 * What an execution of an engine over the input is, is a run (node_run.h).  The node has one of
 * its plan's engine; a witness that its answer is compared with, or what makes lost groups
 * again (lost_groups.c), are further runs.
 *
 * Memory: parameters live in the context of the node's own run, which is reset for every execution.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "exec/node/native_plan.h"
#include "exec/node/node.h"
#include "exec/node/top_groups.h"
#include "exec/parallel/partial.h"
#include "exec/values/final.h"
#include "handle/select.h"

static const CustomExecMethods gpuagg_exec_methods;

static Node *
create_state(CustomScan *scan)
{
	GpuAggState *state = palloc0(sizeof(GpuAggState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &gpuagg_exec_methods;
	return (Node *) state;
}

const CustomScanMethods gpuagg_scan_methods = {
	.CustomName = "GpuAgg",
	.CreateCustomScanState = create_state,
};

GpuAggState *
node_of(PlanState *plan)
{
	return IsA(plan, CustomScanState) &&
		((const CustomScanState *) plan)->methods == &gpuagg_exec_methods ?
		(GpuAggState *) plan : NULL;
}

void
node_init(void)
{
	RegisterCustomScanMethods(&gpuagg_scan_methods);
	input_scan_init();
	partial_init();
}

/* The native plan's rows are the node's: they must be of the same type. */
static void
check_native_type(GpuAggState *state)
{
	TupleDesc	own = ExecGetResultType(&state->css.ss.ps);
	TupleDesc	native = ExecGetResultType(state->native);

	if (native->natts != own->natts)
		elog(ERROR, "the native plan has %d columns, its node %d",
			 native->natts, own->natts);
	for (int i = 0; i < own->natts; i++)
	{
		if (TupleDescAttr(native, i)->atttypid != TupleDescAttr(own, i)->atttypid)
			elog(ERROR, "column %d of the native plan is of type %u, its node's of type %u",
				 i + 1, TupleDescAttr(native, i)->atttypid, TupleDescAttr(own, i)->atttypid);
	}
}

/* Initialize the native plan, and that of the input if there is one. */
static void
begin_children(GpuAggState *state, EState *estate, int eflags)
{
	CustomScanState *node = &state->css;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List	   *lookups = state->plan->lookups;
	int			first_lookup = list_length(scan->custom_plans) - list_length(lookups);
	ListCell   *lc;

	eflags &= ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	foreach(lc, scan->custom_plans)
	{
		int			lookup = foreach_current_index(lc) - first_lookup;
		bool		rewinds = lookup >= 0 && ((LookupInfo *) list_nth(lookups, lookup))->can_fail;

		node->custom_ps = lappend(node->custom_ps,
								  ExecInitNode((Plan *) lfirst(lc), estate,
											   rewinds ? eflags | EXEC_FLAG_REWIND : eflags));
	}
	state->native = linitial(node->custom_ps);
	check_native_type(state);
	if (list_length(node->custom_ps) - list_length(state->plan->lookups) > 1)
	{
		PlanState  *input = lsecond(node->custom_ps);

		if (partial_is_below(input))
			state->input.gather = input;
		if (!plan_reads_tables(state->plan))
		{
			state->input.child = input;
			input_scan_attach(state->native, input);
		}
	}

	/* tuples come in the node's slots, or in the native plan's */
	node->ss.ps.resultopsset = true;
	node->ss.ps.resultopsfixed = false;
}

/* The node's columns that HAVING looks at, from 1. */
static Bitmapset *
columns_in(List *having)
{
	Bitmapset  *attnos = NULL;
	Bitmapset  *columns = NULL;
	int			attno = -1;

	pull_varattnos((Node *) having, INDEX_VAR, &attnos);
	while ((attno = bms_next_member(attnos, attno)) >= 0)
		columns = bms_add_member(columns, attno + FirstLowInvalidHeapAttributeNumber);
	bms_free(attnos);
	return columns;
}

/* The node's outputs that are not used, from 1: the native plan has values there. */
static Bitmapset *
unused_outputs(const GpuAggState *state, List *tlist)
{
	int			nused = state->plan->nkeys + state->plan->naggs +
		list_length(state->plan->groupings);
	Bitmapset  *outputs = NULL;
	ListCell   *lc;

	foreach(lc, tlist)
	{
		Bitmapset  *columns = columns_in(list_make1(lfirst_node(TargetEntry, lc)->expr));

		if (bms_next_member(columns, nused) >= 0)
			outputs = bms_add_member(outputs, foreach_current_index(lc) + 1);
	}
	return outputs;
}

/* The tables and the parameters. */
static void
begin_input(GpuAggState *state, EState *estate)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	int			nvalues = state->plan->having ? list_length(state->plan->having->columns) : 0;
	int			nparams = list_length(scan->custom_exprs) - nvalues;
	List	   *params = list_truncate(list_copy(scan->custom_exprs), nparams);

	if (plan_reads_tables(state->plan))
	{
		state->input.tables = source_tables_open(state->plan, &state->input.ntables);
		state->scans_differ = !native_scans_tables(linitial(scan->custom_plans), state->plan,
												   estate);
	}
	state->lookups = lookups_create(state->plan,
									list_copy_tail(state->css.custom_ps,
												   list_length(state->css.custom_ps) -
												   list_length(state->plan->lookups)));
	state->param_exprs = ExecInitExprList(params, (PlanState *) state);
	state->param_exec_ids = params_exec_ids(params);
	state->having_values = ExecInitExprList(list_copy_tail(scan->custom_exprs, nparams),
											(PlanState *) state);
	state->early_params = params_evaluate_early(state->param_exprs, state->css.ss.ps.ps_ExprContext,
												&state->params_failed);
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	GpuAggState *state = (GpuAggState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	state->plan = plan_info_from_list(scan->custom_private);
	state->input.plan = state->plan;
	state->input.estate = estate;
	begin_children(state, estate, eflags);
	state->phase = PHASE_INPUT;

	/* no device is touched for EXPLAIN */
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;

	begin_input(state, estate);
	state->own = node_run_create(&state->input,
								 engine_for_plan(state->plan->engine, state->plan->program));
	state->run = state->own;
	if (state->plan->first_rows)
		state->first_rows = first_rows_create(&state->input);
	else
		node_create_columns(state, final_can_fail(node_run_results(state->own)) ? NULL :
						columns_in(scan->scan.plan.qual));
	if (state->plan->top)
		state->top = top_groups_create(state->plan->top, scan->custom_scan_tlist,
									   node_group_value, state);
	if (state->plan->verifiable && verify_is_wanted() && node_has_witness(state->own))
		state->verifier = verifier_create(ExecGetResultType(state->native),
										  unused_outputs(state, scan->scan.plan.targetlist));
	state->own->is_compared = state->verifier != NULL;
}

/* Let the native plan begin, or begin again. */
static void
rescan_native(GpuAggState *state)
{
	MemoryContext old;

	if (!state->native_read)
		return;
	state->native_read = false;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	ExecReScan(state->native);
	MemoryContextSwitchTo(old);
}

/* The engine cannot finish: from here on PostgreSQL's own plan answers. */
static void
fall_back(GpuAggState *state, EngineStatus status, const char *reason)
{
	node_run_report_failure(state->own, status, reason, "PostgreSQL's own plan");
	state->phase = PHASE_NATIVE;
	/* of a plan that is read again, shared memory stays: its scans are begun only once */
	if (state->input.gather && state->input.child == NULL)
		ExecShutdownNode(state->input.gather);
	node_run_rescan_input(state->own);
	rescan_native(state);
}

/*
 * Which groups the engine may leave out.  By their order none if it does not know all of
 * HAVING, which groups that come first may not pass, or if the answer is compared with another.
 */
static TopHint
top_hint(const GpuAggState *state)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	TopHint		conditions = {0};
	TopHint		hint;
	int			nwhole = 0;

	if (state->plan->regrouping)
		return conditions;
	if (state->plan->having)
		nwhole = having_hint(state->plan->having, scan->scan.plan.qual, state->having_values,
							 state->own->program, state->css.ss.ps.ps_ExprContext, &conditions);
	if (state->top == NULL || state->verifier || nwhole < list_length(scan->scan.plan.qual))
		return conditions;
	hint = top_groups_hint(state->plan, scan->custom_scan_tlist);
	hint.nconditions = conditions.nconditions;
	memcpy(hint.conditions, conditions.conditions, sizeof(hint.conditions));
	return hint;
}

/* Can a condition raise an error, so that rows must be read though none will pass? */
static bool
filter_can_fail(const Program *program)
{
	return program->filter >= 0 && program_insns(program)[program->filter].fallible;
}

/*
 * From the first input row to the first batch of groups.  Leaves the node in
 * PHASE_GROUPS or PHASE_NATIVE.
 */
static void
run_engine(GpuAggState *state)
{
	NodeRun    *run = state->own;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	Snapshot	snapshot = state->input.estate->es_snapshot;
	EngineHints hints = node_run_hints(run);
	ParamValue *params;
	MemoryContext old;
	EngineStatus status;
	const char *message;
	char	   *reason;

	state->verdict = NULL;
	if (state->top)
		top_groups_reset(state->top);
	state->ntuples = 0;
	state->rows_ordered = 0;
	if (state->first_rows)
		first_rows_reset(state->first_rows);
	node_run_reset(run);
	old = MemoryContextSwitchTo(run->context);

	/* a generic plan may be older than the transaction's isolation level */
	if (state->input.tables && (IsolationIsSerializable() || !IsMVCCSnapshot(snapshot)))
		fall_back(state, ENGINE_INEXACT, "the transaction is serializable");
	else if (state->scans_differ)
		fall_back(state, ENGINE_INEXACT, "another extension has replaced the scan of a table");
	else if (state->params_failed)
		fall_back(state, ENGINE_INEXACT, "an expression without columns has raised an error before");
	else if (!params_evaluate(state->param_exprs, state->early_params, state->param_exec_ids,
							  econtext, &params, &reason))
	{
		/* what a failed expression has cached (SQL functions do) is unusable */
		state->params_failed = true;
		fall_back(state, ENGINE_INEXACT, reason);
	}
	else
	{
		run->params = params;
		hints.top = top_hint(state);
		status = lookups_build(state->lookups, params, &message);
		state->input.is_empty = status == ENGINE_OK && lookups_let_none_pass(state->lookups) &&
			!filter_can_fail(run->program);
		if (status == ENGINE_OK)
			status = node_run_verified(state, &hints, &message);
		if (status == ENGINE_OK)
			state->phase = PHASE_GROUPS;
		else
			fall_back(state, status, message);
	}
	ResetExprContext(econtext);
	MemoryContextSwitchTo(old);
}

/* A tuple, until there are no more. */
static TupleTableSlot *
next_engine_tuple(GpuAggState *state)
{
	TupleTableSlot *slot = node_next_tuple(state, state->run);

	if (TupIsNull(slot))
		node_run_close(state->run);
	else
		state->ntuples++;
	return slot;
}

/* Fetch the next of the rows that come first, and that PostgreSQL lets pass; empty: there is none. */
static EngineStatus
fetch_first_row(GpuAggState *state, TupleTableSlot *slot, const char **message)
{
	PlanState  *ps = &state->css.ss.ps;
	EngineStatus status;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(ps->ps_ExprContext);
		status = first_rows_next(state->first_rows, state->run, slot, message);
		ps->ps_ExprContext->ecxt_scantuple = slot;
		if (status != ENGINE_OK || TupIsNull(slot) || ExecQual(ps->qual, ps->ps_ExprContext))
			return status;
		InstrCountFiltered1(state, 1);
	}
}

/*
 * The next of the rows that come first.  Until one has left, PostgreSQL's own plan can answer.
 */
static TupleTableSlot *
next_first_row(GpuAggState *state)
{
	PlanState  *ps = &state->css.ss.ps;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	const char *message;
	EngineStatus status = fetch_first_row(state, slot, &message);

	if (status != ENGINE_OK && state->ntuples > 0)
		ereport(ERROR,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" has lost rows after others have been returned: %s",
						engine_name(state->run->engine), message)));
	if (status != ENGINE_OK)
	{
		fall_back(state, status, message);
		return ExecProcNode(state->native);
	}
	if (TupIsNull(slot))
	{
		first_rows_reset(state->first_rows);
		node_run_close(state->run);
		return NULL;
	}
	state->ntuples++;
	return ps->ps_ProjInfo == NULL ? slot : ExecProject(ps->ps_ProjInfo);
}

bool
node_run_engine(GpuAggState *state)
{
	if (state->phase == PHASE_INPUT)
		run_engine(state);
	return state->phase == PHASE_GROUPS;
}

static TupleTableSlot *
exec_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;

	if (!node_run_engine(state))
		return ExecProcNode(state->native);
	return state->first_rows ? next_first_row(state) : next_engine_tuple(state);
}

static void
rescan_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;
	ListCell   *lc;

	node_run_close(state->run);
	if (state->first_rows)
		first_rows_reset(state->first_rows);
	state->run = state->own;
	state->phase = PHASE_INPUT;
	state->native_read = false;
	if (node->ss.ps.chgParam != NULL)
	{
		foreach(lc, node->custom_ps)
			UpdateChangedParamSet((PlanState *) lfirst(lc), node->ss.ps.chgParam);
	}
	if (state->input.child != NULL)
		input_scan_params_changed(state->native, state->input.child);
	foreach(lc, node->custom_ps)
	{
		PlanState  *child = (PlanState *) lfirst(lc);

		/* a child with changed parameters rescans itself when it is run */
		if (child->chgParam == NULL)
			ExecReScan(child);
	}
}

/*
 * The processes' shared memory goes.  No more groups are wanted that come from it, nor of
 * others if a LIMIT has as many as it takes.  Else they may be: a portal that is read by
 * some rows at a time shuts its plan down after each time, and such a plan has run in one
 * process.
 */
static void
shut_down_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;
	NodeRun    *run = state->run;
	bool		streams = run != NULL && state->phase == PHASE_GROUPS && lost_groups_streams(run);

	if (run == NULL)
		return;
	if (run->merged != NULL ||
		(streams && state->plan->limit > 0 && state->ntuples >= (uint64) state->plan->limit))
		node_run_drop_groups(run);
	else if (streams)
		lost_groups_settle(run);
}

static void
end_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;
	ListCell   *lc;

	if (state->run)
		node_run_close(state->run);
	source_tables_close(state->input.tables, state->input.ntables);
	foreach(lc, node->custom_ps)
		ExecEndNode((PlanState *) lfirst(lc));
}

static const CustomExecMethods gpuagg_exec_methods = {
	.CustomName = "GpuAgg",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = exec_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.ShutdownCustomScan = shut_down_node,
	.ExplainCustomScan = gpuagg_explain,
};
