/*
 * node.c
 *	  The custom scan node GpuAgg.
 *
 * The first call reads the whole input: heap pages, or the tuples of a child
 * plan, go to the engine, and then its groups come back by batches and become
 * tuples.  Until the last input row is in, no tuple has left, so whenever the
 * engine cannot finish exactly, the node drops its work and returns what
 * PostgreSQL's own plan returns, which it carries as its first child.
 *
 * With grouping sets, or aggregates with DISTINCT, the engine's groups are
 * regrouped (regrouping.c) before the first of them becomes a tuple.
 *
 * That child is initialized with the node (so that permissions are checked, and
 * EXPLAIN can show it) and not started before it is needed.  Its tuples already
 * are the node's result, and are returned as they are; the engine's groups go
 * through HAVING and projection.  Where the input is a plan, both read the same one:
 * the native plan ends in a scan of the node's second child (input_scan.c).
 *
 * An engine may find that a float sum needs more words than the Program gives
 * it (exact.h), or that a numeric is NaN or infinite (specials.h).  Then it begins
 * again with another Program, which is kept for rescans; the input is read once
 * more.
 *
 * Some answers are compared with PostgreSQL's before the first tuple leaves (gpuagg.verify,
 * verify.c).  The native plan's rows come first, so that no device waits for them, then the
 * engine's, and then the engine's groups once more, to leave.  Where they differ, the node
 * falls back.  Sums of floats, which PostgreSQL rounds in the order of the rows, are exact
 * in all engines: with them the CPU engine is the witness, which reads all pages itself.
 *
 * Memory: slots and batches live in run_context, which is reset for every run;
 * the engine's own memory is freed with its handle.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "engine/select.h"
#include "exec/explain.h"
#include "exec/final.h"
#include "exec/input_scan.h"
#include "exec/node.h"
#include "exec/partial.h"
#include "exec/slots.h"
#include "guc.h"
#include "plan/make_program.h"
#include "source/child.h"
#include "source/rows.h"
#include "source/table_state.h"
#include "stats/stats.h"

/* A failing device is reported once a session, not once a query. */
static bool failure_reported = false;

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
	ListCell   *lc;

	eflags &= ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	foreach(lc, scan->custom_plans)
		node->custom_ps = lappend(node->custom_ps,
								  ExecInitNode((Plan *) lfirst(lc), estate, eflags));
	state->native = linitial(node->custom_ps);
	check_native_type(state);
	if (list_length(node->custom_ps) > 1)
	{
		PlanState  *input = lsecond(node->custom_ps);

		if (partial_is_below(input))
			state->gather = input;
		if (state->plan->page_tables == NIL)
		{
			state->child = input;
			input_scan_attach(state->native, input);
		}
	}

	/* tuples come in the node's slots, or in the native plan's */
	node->ss.ps.resultopsset = true;
	node->ss.ps.resultopsfixed = false;
}

/* The program whose groups are the node's. */
static const Program *
result_program(const GpuAggState *state)
{
	return state->coarse ? state->coarse : state->program;
}

/*
 * A group's value in the node's nth column.  These are the keys, then the aggregates,
 * then GROUPING(); the rest are NULL.
 */
static Datum
group_value(void *node, uint32_t group, int n, bool *isnull)
{
	const GpuAggState *state = node;
	const Program *program = result_program(state);
	const int  *places = state->regrouping ? state->layout->places : NULL;
	int			agg = n - state->plan->nkeys;
	int			grouping = agg - program->naggs;

	if (agg < 0)
	{
		int			place = places ? places[n] : n;

		if (place >= 0)
			return key_value(program, n, &state->groups.keys[place], group, isnull);
	}
	else if (grouping < 0)
		return final_value(program, &program_aggs(program)[agg],
						   state->groups.states + (size_t) group * program->nwords,
						   state->groups.units, isnull);
	else if (grouping < list_length(state->plan->groupings))
	{
		*isnull = false;
		return Int32GetDatum(places ? state->layout->groupings[grouping] : 0);
	}
	*isnull = true;
	return (Datum) 0;
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
	const Program *program = result_program(state);
	int			nused = state->plan->nkeys + program->naggs +
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

/* Is there anything to compare the node's answers with? */
static bool
has_witness(const GpuAggState *state)
{
	char		reason[256];

	return final_is_exact(result_program(state)) ||
		(engine_ops(state->engine) != &cpu_engine &&
		 cpu_engine.supports(state->program, reason, sizeof(reason)));
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	GpuAggState *state = (GpuAggState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	state->plan = plan_info_from_list(scan->custom_private);
	begin_children(state, estate, eflags);
	state->program = state->plan->program;
	state->coarse = state->plan->regrouping;
	state->phase = PHASE_INPUT;

	/* no device is touched for EXPLAIN */
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;

	if (state->plan->page_tables != NIL)
		state->tables = source_tables_open(state->plan, &state->ntables);
	state->slot_exprs = ExecInitExprList(scan->custom_exprs, (PlanState *) node);
	state->slot_params = slots_exec_params(scan->custom_exprs);
	state->early_slots = slots_evaluate_early(state->slot_exprs, node->ss.ps.ps_ExprContext,
											  &state->slots_failed);
	state->run_context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg run",
											   ALLOCSET_DEFAULT_SIZES);
	state->engine = engine_handle(engine_for_plan(state->plan->engine, state->program));
	if (state->plan->regrouping)
		state->regrouping = regrouping_create(state->plan);
	if (!final_can_fail(result_program(state)))
		state->having_columns = columns_in(scan->scan.plan.qual);
	if (state->plan->top)
		state->top = top_groups_create(state->plan->top, scan->custom_scan_tlist,
									   group_value, state);
	if (state->plan->verifiable && verify_is_wanted() && has_witness(state))
		state->verifier = verifier_create(ExecGetResultType(state->native),
										  unused_outputs(state, scan->scan.plan.targetlist));
}

/*
 * Free what a run has allocated outside of PostgreSQL's memory, and count it.  This
 * is not called after an error.
 */
static void
close_run(GpuAggState *state)
{
	if (state->regrouping)
		regrouping_close(state->regrouping);
	engine_close(state->engine);
	if (state->store)
	{
		state->disk = temp_store_bytes(state->store);
		temp_store_close(state->store);
		state->store = NULL;
	}
	activity_end(state->activity);
	state->activity = NULL;
	if (!state->uncounted)
		return;
	state->uncounted = false;
	stats_count_work(engine_name(state->engine), engine_stats(state->engine));
	if (state->phase == PHASE_GROUPS)
		stats_count_aggregation(engine_name(state->engine), ENGINE_OK);
}

/*
 * Let the input's plan, or that of all processes' parts, begin again.  What it
 * allocates must be there as long as the query.
 */
static void
rescan_input(GpuAggState *state)
{
	PlanState  *input = state->gather ? state->gather : state->child;
	MemoryContext old;

	if (input == NULL)
		return;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	ExecReScan(input);
	MemoryContextSwitchTo(old);
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

/*
 * The engine cannot finish: from here on PostgreSQL's own plan answers.  A failure
 * of a device is reported.
 */
static void
fall_back(GpuAggState *state, EngineStatus status, const char *reason)
{
	state->fallback_reason = MemoryContextStrdup(state->run_context, reason);
	close_run(state);
	state->phase = PHASE_NATIVE;

	if (!gpuagg_fallback)
		ereport(ERROR,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" cannot finish the aggregation: %s",
						engine_name(state->engine), state->fallback_reason),
				 errhint("With gpuagg.fallback on, PostgreSQL's own plan takes over.")));
	stats_count_aggregation(engine_name(state->engine), status);
	if ((status == ENGINE_FAILED || status == ENGINE_NO_MEMORY) && !failure_reported)
	{
		failure_reported = true;
		ereport(WARNING,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" could not finish an aggregation, PostgreSQL's own plan took over",
						engine_name(state->engine)),
				 errdetail_internal("%s", state->fallback_reason)));
	}
	/* of a plan that is read again, shared memory stays: its scans are begun only once */
	if (state->gather && state->child == NULL)
		ExecShutdownNode(state->gather);
	rescan_input(state);
	rescan_native(state);
}

/* Read the input from end to end. */
static EngineStatus
run_input(GpuAggState *state, TableSourceStats *source)
{
	EState	   *estate = state->css.ss.ps.state;

	if (state->tables)
		return table_source_run(state->tables, state->ntables, state->nblocks,
								estate->es_snapshot, state->program, state->engine,
								state->nserved, source);
	return child_source_run(state->child, state->program, state->engine, NULL);
}

/* The next batch of the node's groups; message: why not. */
static EngineStatus
next_groups(GpuAggState *state, const char **message)
{
	state->next_group = 0;
	if (state->regrouping)
		return regrouping_groups(state->regrouping, state->engine, &state->groups,
								 &state->layout, message);
	*message = engine_message(state->engine);
	return engine_groups(state->engine, &state->groups);
}

/*
 * What a run of the engine may use: for its groups, or those that come from a device, the
 * memory of a hash aggregate of PostgreSQL's, unless the setting says otherwise, and a
 * store.
 */
static EngineHints
run_hints(GpuAggState *state, const EngineHints *hints)
{
	uint64		device_limit = hints->memory_limit;
	EngineHints own = *hints;

	state->disk = 0;
	own.memory_limit = groups_memory_limit(state->regrouping != NULL);
	state->store = temp_store_create(state->program, &own);
	own.store = temp_store_groups(state->store);
	if (engine_stores_groups(engine_ops(state->engine)))
		return own;
	own.host_limit = own.memory_limit;
	own.memory_limit = device_limit;
	return own;
}

/* A store's errors are PostgreSQL's, whenever they come. */
static void
raise_error_of_store(GpuAggState *state)
{
	if (state->store)
		temp_store_raise(state->store);
	if (state->regrouping)
		regrouping_raise(state->regrouping);
	if (state->merged)
		shared_store_rethrow(state->merged);
}

/* From the complete input, or from merged groups, to the first groups. */
static EngineStatus
begin_groups(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineHints own = *hints;
	EngineStatus status = ENGINE_OK;

	own.memory_limit = groups_memory_limit(state->merged == NULL);
	if (state->regrouping)
		status = regrouping_run(state->regrouping, state->engine, state->program,
								state->coarse, &own, message);
	return status == ENGINE_OK ? next_groups(state, message) : status;
}

/*
 * What a run of this process reads of its tables, and the states of those whose columns the
 * engine may keep.  The snapshot is older.
 */
static void
look_at_tables(GpuAggState *state)
{
	state->states = NULL;
	state->nstates = 0;
	if (state->ntables == 0)
		return;
	state->nblocks = palloc(sizeof(BlockNumber) * state->ntables);
	state->nserved = palloc0(sizeof(BlockNumber) * state->ntables);
	source_tables_blocks(state->tables, state->ntables, state->nblocks);
	if (gpuagg_cache_size != 0 && engine_keeps_columns(engine_ops(state->engine)) &&
		program_can_be_served(state->program))
		state->states = table_states_read(state->tables, state->ntables, state->nblocks,
										  &state->nstates);
}

/* In this process alone. */
static EngineStatus
run_alone(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineHints own = run_hints(state, hints);
	TableSourceStats source = {0};
	EngineStatus status;

	own.tables = state->states;
	own.ntables = state->nstates;
	own.keep = state->plan->keep;
	own.nkeep = state->nstates > 0 ? state->plan->nkeep : 0;
	status = engine_open(state->engine, state->program, state->slots, &own);
	state->uncounted = true;
	/* the device process knows of the runs of others */
	if (strcmp(engine_name(state->engine), cpu_engine.name) == 0)
		state->activity = activity_begin(hints->relation, hints->pages);
	if (status == ENGINE_OK)
		status = run_input(state, &source);
	table_source_stats_add(&state->source, &source);
	activity_finishing();
	*message = engine_message(state->engine);
	if (status == ENGINE_OK)
		status = begin_groups(state, hints, message);
	if (status != ENGINE_OK)
		raise_error_of_store(state);
	/* the engine has counted them all only now */
	activity_read(0, engine_stats(state->engine)->rows);
	if (status == ENGINE_OK)
		table_source_count_rows(state->tables, state->ntables, state->nserved,
								engine_stats(state->engine)->rows, &source);
	return status;
}

/* A run over the groups that all processes have merged. */
static EngineStatus
run_merged(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineHints merged = *hints;
	EngineStatus status;

	state->merged = partial_groups(state->gather);
	merged.store = &state->merged->store;
	status = engine_open(state->engine, state->program, state->slots, &merged);
	*message = engine_message(state->engine);
	if (status == ENGINE_OK)
		status = begin_groups(state, &merged, message);
	if (status != ENGINE_OK)
		raise_error_of_store(state);
	return status;
}

static ParallelJob
job_of(const GpuAggState *state)
{
	return (ParallelJob)
	{
		.program = state->program,.slots = state->slots,
			.tables = state->tables,.ntables = state->ntables
	};
}

/* In all processes; false: there is only this one. */
static bool
run_parallel(GpuAggState *state, const EngineHints *hints, EngineStatus *status,
			 const char **message)
{
	const ParallelJob job = job_of(state);
	ParallelResult *result = palloc(sizeof(ParallelResult));

	if (!partial_run(state->gather, &job, result))
		return false;
	state->uncounted = true;
	*status = result->status;
	*message = result->message;
	if (*status == ENGINE_OK && program_sums_floats(state->program) &&
		result->work.rows_passed >= EXACT_MAX_ROWS)
	{
		*status = ENGINE_INEXACT;
		*message = "too many rows for a float sum";
	}
	if (*status == ENGINE_OK)
		*status = run_merged(state, hints, message);
	engine_add_work(state->engine, &result->work);
	table_source_stats_add(&state->source, &result->source);
	state->disk = result->disk;
	return true;
}

/*
 * What came of the rows that all processes gave the run.  A worker that finds no run may
 * have come when it had failed already: then the leader has been told with what.
 */
static EngineStatus
status_of_feeders(GpuAggState *state, const ParallelResult *result, const char **message)
{
	EngineStatus own = ENGINE_OK;

	if (result->status == ENGINE_FAILED)
		own = engine_begun(state->engine);
	if (own == ENGINE_OK || own == ENGINE_FAILED)
	{
		*message = result->message;
		return result->status;
	}
	*message = engine_message(state->engine);
	return own;
}

/* The run has begun, and all rows have been given. */
static EngineStatus
run_feeders(GpuAggState *state, const ParallelResult *result, const EngineHints *hints,
			const char **message)
{
	EngineStatus status = status_of_feeders(state, result, message);

	table_source_stats_add(&state->source, &result->source);
	if (status != ENGINE_OK)
		return status;
	engine_expect(state->engine, result->feeders);
	status = begin_groups(state, hints, message);
	if (status == ENGINE_OK && state->ntables == 1)
		heap_source_count_rows(state->tables[0].relation, engine_stats(state->engine)->rows);
	return status;
}

/*
 * In a run that all processes feed; false: there is only this one.  Workers are started
 * once the run has begun, so that they do not wait for a device that others use.
 */
static bool
run_fed(GpuAggState *state, const EngineHints *hints, EngineStatus *status,
		const char **message)
{
	ParallelJob job = job_of(state);
	ParallelResult *result = palloc(sizeof(ParallelResult));
	EngineHints keyed;

	if (!partial_is_possible(state->gather) || !pg_strong_random(&job.key, sizeof(job.key)))
		return false;
	keyed = run_hints(state, hints);
	keyed.key = job.key;
	keyed.only_pages = false;	/* when this process's pages end, others may not have begun */
	job.run = state->engine;
	state->uncounted = true;
	*status = engine_open(state->engine, state->program, state->slots, &keyed);
	if (*status == ENGINE_OK)
		*status = engine_begun(state->engine);
	*message = engine_message(state->engine);
	if (*status != ENGINE_OK)
		return true;
	if (!partial_run(state->gather, &job, result))
	{
		state->uncounted = false;
		close_run(state);
		return false;
	}
	*status = run_feeders(state, result, hints, message);
	if (*status != ENGINE_OK)
		raise_error_of_store(state);
	return true;
}

/*
 * Can the engine keep most of the blocks, or has it got them already?  Then a run of one
 * process, which gives pages in order, is worth more than others that help to find visible
 * tuples: of these blocks, all are.
 */
static bool
blocks_may_stay(const GpuAggState *state)
{
	uint64		total = 0;

	for (int i = 0; i < state->ntables; i++)
		total += state->nblocks[i];
	return state->nstates > 0 &&
		table_states_all_visible(state->states, state->nstates) > total / 2;
}

/* With other processes, as the engine does it; false: there are none, or none is wanted. */
static bool
run_with_others(GpuAggState *state, const EngineHints *hints, EngineStatus *status,
				const char **message)
{
	const EngineOps *ops = engine_ops(state->engine);

	if (state->gather == NULL)
		return false;
	if (engine_stores_groups(ops))
		return run_parallel(state, hints, status, message);
	return engine_can_be_fed(ops) && !blocks_may_stay(state) &&
		run_fed(state, hints, status, message);
}

/*
 * From the input to the first groups, once.  What can fail fails here.
 */
static EngineStatus
run_once(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineStatus status;

	state->merged = NULL;
	look_at_tables(state);
	if (run_with_others(state, hints, &status, message))
		return status;
	/* without shared memory the Gather has come to its end, and returned nothing */
	if (state->gather && state->child)
		rescan_input(state);
	return run_alone(state, hints, message);
}

/* The program with wider float sums; the same if it has none that can be wider. */
static const Program *
widened(GpuAggState *state, const Program *program)
{
	Program    *wider = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt,
										   program->size);

	return program_widen(program, wider) ? wider : program;
}

/* Wider programs, with which to begin again; false: there are none. */
static bool
widen_programs(GpuAggState *state)
{
	const Program *program = widened(state, state->program);
	const Program *coarse = state->coarse ? widened(state, state->coarse) : NULL;

	if (program == state->program && coarse == state->coarse)
		return false;
	state->program = program;
	state->coarse = coarse;
	return true;
}

/* The programs that admit specials; false: there are none. */
static bool
admit_specials(GpuAggState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	Program    *program = make_special_program(state->program, NULL);
	Program    *coarse = NULL;

	if (program && state->coarse)
		coarse = make_special_program(state->coarse, program);
	MemoryContextSwitchTo(old);
	if (program == NULL || (state->coarse && coarse == NULL))
		return false;
	state->program = program;
	state->coarse = coarse;
	return true;
}

/* The same, again for as long as the input has what the programs cannot hold. */
static EngineStatus
run_repeatedly(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineStatus status;

	while ((status = run_once(state, hints, message)) == ENGINE_WIDEN ||
		   status == ENGINE_SPECIAL)
	{
		if (status == ENGINE_WIDEN && !widen_programs(state))
		{
			*message = "a float sum cannot be exact";
			return ENGINE_INEXACT;
		}
		if (status == ENGINE_SPECIAL && !admit_specials(state))
			return ENGINE_INEXACT;
		close_run(state);
		rescan_input(state);
	}
	return status;
}

/*
 * Put a group into the scan tuple: first what HAVING looks at, or all of it, then what is
 * left.
 */
static void
store_group(GpuAggState *state, uint32_t group, TupleTableSlot *slot, bool first)
{
	const Bitmapset *looked_at = state->having_columns;

	if (first)
		ExecClearTuple(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		if (looked_at == NULL ? first : bms_is_member(i + 1, looked_at) == first)
			slot->tts_values[i] = group_value(state, group, i, &slot->tts_isnull[i]);
		else if (first)
			slot->tts_isnull[i] = true;
	}
	if (first)
		ExecStoreVirtualTuple(slot);
}

/* In a build for tests, on request: make one of the group's values wrong. */
static void
falsify(GpuAggState *state, TupleTableSlot *slot)
{
	char		message[256];

	if (state->witnessing || engine_injected(state->engine, "value", message) == ENGINE_OK)
		return;
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		if (TupleDescAttr(slot->tts_tupleDescriptor, i)->attbyval && !slot->tts_isnull[i])
			slot->tts_values[i] ^= 1;
}

/* Put the next group into the scan tuple, unless it does not leave. */
static bool
take_group(GpuAggState *state, TupleTableSlot *slot)
{
	PlanState  *ps = &state->css.ss.ps;
	MemoryContext old;
	uint32_t	group = state->next_group++;
	bool		leaves;

	ResetExprContext(ps->ps_ExprContext);
	ps->ps_ExprContext->ecxt_scantuple = slot;
	old = MemoryContextSwitchTo(ps->ps_ExprContext->ecxt_per_tuple_memory);
	leaves = state->top == NULL || state->checking || !top_groups_are_better(state->top, group);
	if (leaves)
	{
		store_group(state, group, slot, true);
		leaves = ExecQual(ps->qual, ps->ps_ExprContext);
		if (!leaves && !state->checking)
			InstrCountFiltered1(state, 1);
	}
	if (leaves)
	{
		store_group(state, group, slot, false);
		falsify(state, slot);
		if (state->top && !state->checking)
			top_groups_add(state->top);
	}
	MemoryContextSwitchTo(old);
	return leaves;
}

/* The next tuple made of the engine's groups, or an empty slot. */
static TupleTableSlot *
engine_tuple(GpuAggState *state)
{
	PlanState  *ps = &state->css.ss.ps;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (state->next_group == state->groups.ngroups && state->groups.ngroups > 0)
		{
			const char *message;
			EngineStatus status = next_groups(state, &message);

			if (status != ENGINE_OK)
				raise_error_of_store(state);
			/* tuples have left: too late for the native plan */
			if (status != ENGINE_OK)
				ereport(ERROR,
						(errcode(engine_sqlstate(status)),
						 errmsg("engine \"%s\" lost its groups: %s",
								engine_name(state->engine), message)));
		}
		if (state->groups.ngroups == 0)
			return ExecClearTuple(ps->ps_ProjInfo ? ps->ps_ResultTupleSlot : slot);
		if (take_group(state, slot))
			return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
	}
}

/* The rows of all groups that the engine has. */
static RowSet
engine_rows(GpuAggState *state)
{
	RowSet		rows = {0};
	TupleTableSlot *slot;

	state->checking = true;
	while (slot = engine_tuple(state), !TupIsNull(slot))
		verifier_add(state->verifier, &rows, slot);
	state->checking = false;
	return rows;
}

static RowSet
native_rows(GpuAggState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	RowSet		rows = {0};
	TupleTableSlot *slot;

	state->native_read = true;
	while (slot = ExecProcNode(state->native), !TupIsNull(slot))
		verifier_add(state->verifier, &rows, slot);
	MemoryContextSwitchTo(old);
	return rows;
}

/* The rows of another run, by the CPU engine in this process; false: it cannot finish. */
static bool
cpu_rows(GpuAggState *state, const EngineHints *hints, RowSet *rows)
{
	EngineHandle *engine = state->engine;
	PlanState  *gather = state->gather;
	TableSourceStats source = state->source;
	const char *message;
	bool		complete;

	state->engine = engine_handle(&cpu_engine);
	state->gather = NULL;
	state->witnessing = true;
	complete = run_repeatedly(state, hints, &message) == ENGINE_OK;
	if (complete)
		*rows = engine_rows(state);
	state->uncounted = false;
	close_run(state);
	state->witnessing = false;
	state->engine = engine;
	state->gather = gather;
	state->source = source;
	return complete;
}

/* Let the groups that have been compared begin again. */
static EngineStatus
rewind_groups(GpuAggState *state, const char **message)
{
	if (state->regrouping)
		regrouping_rewind(state->regrouping);
	else
		engine_rewind(state->engine);
	return next_groups(state, message);
}

/* Tell of an answer that is not PostgreSQL's, with LOG, which shows the statement, too. */
static void
report_difference(const GpuAggState *state, const RowSet *answer, const RowSet *witness)
{
	ereport(LOG,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("engine \"%s\" gave another answer than PostgreSQL for table \"%s\"",
					engine_name(state->engine),
					RelationGetRelationName(state->tables[0].relation)),
			 errdetail("The engine's rows are " UINT64_FORMAT ", PostgreSQL's " UINT64_FORMAT ".",
					   answer->rows, witness->rows),
			 errhint("PostgreSQL's answer was taken.  Please report this.")));
}

/* Compare the engine's groups with the witness's. */
static EngineStatus
check_answer(GpuAggState *state, const RowSet *witness, const char **message)
{
	RowSet		answer = engine_rows(state);
	bool		equal = row_sets_are_equal(&answer, witness);

	stats_count_verification(engine_name(state->engine), equal);
	state->verdict = equal ? "equal" : "different";
	if (equal)
		return rewind_groups(state, message);
	report_difference(state, &answer, witness);
	if (!engine_stores_groups(engine_ops(state->engine)))
		verify_distrust(state->tables, state->ntables);
	*message = "the answer is not PostgreSQL's";
	return ENGINE_INEXACT;
}

/* run_repeatedly, and if this execution is one to be verified, comparison. */
static EngineStatus
run_verified(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineStatus status;
	RowSet		witness = {0};
	bool		complete = true;

	if (state->verifier == NULL)
		return run_repeatedly(state, hints, message);
	if (final_is_exact(result_program(state)))
		witness = native_rows(state);
	else
		complete = cpu_rows(state, hints, &witness);
	status = run_repeatedly(state, hints, message);
	if (status != ENGINE_OK || !complete)
		return status;
	return check_answer(state, &witness, message);
}

/*
 * Which groups the engine may leave out: none if there is HAVING, which groups that come
 * first may not pass, or if the answer is compared with another.
 */
static TopHint
top_hint(const GpuAggState *state)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;

	if (state->top == NULL || state->regrouping || state->verifier || scan->scan.plan.qual != NIL)
		return (TopHint) {0};
	return top_groups_hint(state->plan->top, scan->custom_scan_tlist, state->plan->nkeys);
}

/*
 * From the first input row to the first batch of groups.  Leaves the node in
 * PHASE_GROUPS or PHASE_NATIVE.
 */
static void
run_engine(GpuAggState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	Snapshot	snapshot = state->css.ss.ps.state->es_snapshot;
	EngineHints hints = engine_hints(state->plan->rows, state->plan->groups,
									 source_tables_blocks(state->tables, state->ntables, NULL));
	MemoryContext old;
	EngineStatus status;
	const char *message;
	char	   *reason;

	if (state->ntables > 0)
		hints.relation = RelationGetRelationName(state->tables[0].relation);
	hints.only_pages = source_tables_only_pages(state->tables, state->ntables);
	state->fallback_reason = NULL;
	state->verdict = NULL;
	if (state->top)
		top_groups_reset(state->top);
	hints.top = top_hint(state);
	MemoryContextReset(state->run_context);
	old = MemoryContextSwitchTo(state->run_context);

	/* a generic plan may be older than the transaction's isolation level */
	if (state->tables && (IsolationIsSerializable() || !IsMVCCSnapshot(snapshot)))
		fall_back(state, ENGINE_INEXACT, "the transaction is serializable");
	else if (state->slots_failed)
		fall_back(state, ENGINE_INEXACT, "an expression without columns has raised an error before");
	else if (!slots_evaluate(state->slot_exprs, state->early_slots, state->slot_params,
							 econtext, &state->slots, &reason))
	{
		/* what a failed expression has cached (SQL functions do) is unusable */
		state->slots_failed = true;
		fall_back(state, ENGINE_INEXACT, reason);
	}
	else
	{
		status = run_verified(state, &hints, &message);
		if (status == ENGINE_OK)
			state->phase = PHASE_GROUPS;
		else
			fall_back(state, status, message);
	}
	ResetExprContext(econtext);
	MemoryContextSwitchTo(old);
}

/* The same, until there are no more. */
static TupleTableSlot *
next_engine_tuple(GpuAggState *state)
{
	TupleTableSlot *slot = engine_tuple(state);

	if (TupIsNull(slot))
		close_run(state);
	return slot;
}

static TupleTableSlot *
exec_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;

	if (state->phase == PHASE_INPUT)
		run_engine(state);
	if (state->phase == PHASE_NATIVE)
		return ExecProcNode(state->native);
	return next_engine_tuple(state);
}

static void
rescan_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;
	ListCell   *lc;

	close_run(state);
	state->phase = PHASE_INPUT;
	state->native_read = false;
	if (node->ss.ps.chgParam != NULL)
	{
		foreach(lc, node->custom_ps)
			UpdateChangedParamSet((PlanState *) lfirst(lc), node->ss.ps.chgParam);
	}
	if (state->child != NULL)
		input_scan_params_changed(state->native, state->child);
	foreach(lc, node->custom_ps)
	{
		PlanState  *child = (PlanState *) lfirst(lc);

		/* a child with changed parameters rescans itself when it is run */
		if (child->chgParam == NULL)
			ExecReScan(child);
	}
}

/*
 * The processes' shared memory goes.  No more groups are wanted that come from it.  Others
 * may be: a portal that is read by some rows at a time shuts its plan down after
 * each time, and such a plan has run in one process.
 */
static void
shut_down_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;

	if (state->merged == NULL)
		return;
	close_run(state);
	state->groups.ngroups = 0;
	state->merged = NULL;
}

static void
end_node(CustomScanState *node)
{
	GpuAggState *state = (GpuAggState *) node;
	ListCell   *lc;

	if (state->engine)
		close_run(state);
	source_tables_close(state->tables, state->ntables);
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
