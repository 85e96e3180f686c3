/*
 * partial.c
 *	  The custom scan node GpuAgg Partial: one process's part of an aggregation.
 *
 * PostgreSQL's Gather runs this node in the leader and in workers.  Each process
 * aggregates the blocks that it takes from an allocator, or its share of the rows of
 * a partial plan, the node's child.  It hands its groups over to a store that all share,
 * and waits at a barrier until all have done so.  Then each takes partitions of
 * the store and merges their groups.  The node returns no tuple: once the Gather has
 * none, the GpuAgg node above it, in the leader, reads the merged groups.
 *
 * Where the plan says so, processes do not divide the rows, but the keys: each reads all rows, and
 * takes those of its share, a part of the keys' hashes.  So a group is one process's, and its table
 * is a part of the whole one.  There are as many shares as processes were planned; one that is
 * done with its share takes another one that is left.
 *
 * Nobody waits for a process that has not begun.  One that begins after the barrier
 * finds all rows read, and leaves.  A process that raises an error never comes to the
 * barrier: those that wait there look for interrupts, by which the leader hears of a
 * worker's error, and ends the others.
 *
 * A run in the device process is one for all processes: the leader has opened it, and
 * the others attach to it.  Each gives its share of the rows; there is nothing to hand
 * over or to merge, and nobody waits for another.
 *
 * An engine that gives up is no error.  Its status is put into the shared state, the
 * others stop soon, and the GpuAgg node does what it would do about its own.
 *
 * Where PostgreSQL makes no shared memory (a cursor's plan, no workers at all), or the
 * machine has none for what all must know, the node does nothing, and the GpuAgg node aggregates
 * alone.
 *
 * If the GpuAgg node, or the native plan, wants the child's rows, there is no job, and the
 * node passes them on.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/parallel/partial.h"
#include "handle/cpu_cache.h"
#include "handle/select.h"
#include "plan/plan_info.h"
#include "source/rows.h"
#include "source/visibility.h"
#include "stats/activity.h"

typedef struct PartialState
{
	CustomScanState css;
	PlanInfo   *plan;
	PlanState  *child;			/* NULL: tables are read */
	const ParallelJob *job;		/* in the leader, while it runs the Gather */
	SourceTable *tables;		/* the job's, or the worker's own */
	int			ntables;
	ParallelState *shared;		/* NULL: there are no other processes */
	SharedArea *area;			/* with it: of the shared memory */
	int			processes;		/* as planned */
	uint32		key_share;		/* whose rows the run takes, where keys are divided */
	MemoryContext run_context;
	EngineHandle *engine;
	ActivityRun *activity;
	SharedStore store;
	bool		reads_merged;	/* the leader, from the store */
	bool		done;
} PartialState;

static const CustomExecMethods partial_exec_methods;

static Node *
create_state(CustomScan *scan)
{
	PartialState *state = palloc0(sizeof(PartialState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &partial_exec_methods;
	return (Node *) state;
}

const CustomScanMethods partial_scan_methods = {
	.CustomName = "GpuAgg Partial",
	.CreateCustomScanState = create_state,
};

void
partial_init(void)
{
	RegisterCustomScanMethods(&partial_scan_methods);
}

static void
begin_partial(CustomScanState *node, EState *estate, int eflags)
{
	PartialState *state = (PartialState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	if (scan->custom_plans != NIL)
	{
		state->child = ExecInitNode(linitial(scan->custom_plans), estate, eflags);
		node->custom_ps = list_make1(state->child);
	}
	/* tuples come in the child's slots */
	node->ss.ps.resultopsset = true;
	node->ss.ps.resultopsfixed = false;
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	state->plan = plan_info_from_list(scan->custom_private);
	state->run_context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg Partial run",
											   ALLOCSET_DEFAULT_SIZES);
	state->engine = engine_handle(engine_without_device());
}

/* What processes wait for at the barrier. */
static uint32
merge_wait_event(void)
{
	static uint32 event = 0;

	if (event == 0)
		event = compat_wait_event("GpuAggMerge");
	return event;
}

/* Are keys divided?  Another program than the plan's, for a run that begins again, may have others. */
static bool
divides_keys(const PartialState *state)
{
	return state->plan->divides_keys && state->shared->engine < 0 &&
		program_has_integer_key(parallel_state_program(state->shared, state->area));
}

static EngineHints
hints_of(PartialState *state)
{
	double		share = 1.0 / state->processes;
	double		pages = 0;
	bool		by_keys = divides_keys(state);
	EngineHints hints;

	for (int i = 0; i < state->ntables; i++)
		pages += state->shared->nblocks[i];
	hints = engine_hints(state->plan->rows * share,
						 state->plan->groups * (by_keys ? share : 1), pages * share);
	if (state->ntables > 0)
		hints.relation = RelationGetRelationName(state->tables[0].relation);
	/* a worker does not know whether a table is new in the leader's transaction */
	if (state->shared->takes_stripes && cpu_cache_is_on())
	{
		hints.tables = table_states_read(state->tables, state->ntables, state->shared->nblocks,
										 &hints.ntables);
		hints.keep = state->plan->keep;
		hints.nkeep = state->plan->nkeep;
	}
	if (by_keys)
	{
		hints.nkey_shares = state->processes;
		hints.key_share = state->key_share;
	}
	hints.store = &state->store.store;
	hints.memory_limit = groups_memory_limit(false);
	return hints;
}

static EngineStatus
open_run(PartialState *state)
{
	EngineHints hints = hints_of(state);

	state->activity = activity_begin(hints.relation, hints.pages);
	return engine_open(state->engine, parallel_state_program(state->shared, state->area),
					   parallel_state_params(state->shared, state->area), &hints);
}

/*
 * Begin with the blocks that the process reads: those that no other one does, or all.  own: the
 * process's in that case.
 */
static void
begin_blocks(PartialState *state, BlockAllocator *blocks, SharedBlocks *own)
{
	ParallelState *shared = state->shared;
	const uint8 **served = parallel_state_served(shared, state->area);
	bool		by_stripes = served != NULL || shared->takes_stripes;

	if (divides_keys(state))
	{
		shared_blocks_init(own);
		block_allocator_begin(blocks, own, shared->nblocks, shared->ntables,
							  by_stripes ? BLOCKS_BY_STRIPES : BLOCKS_UNDIVIDED);
		blocks->stopped = &shared->blocks.stopped;
	}
	else
		block_allocator_begin(blocks, &shared->blocks, shared->nblocks, shared->ntables,
							  by_stripes ? BLOCKS_BY_STRIPES : BLOCKS_BY_CHUNKS);
	blocks->served = served;
}

/* The rows that this process reads, to its run. */
static EngineStatus
read_input(PartialState *state, EngineHandle *engine, TableSourceStats *source)
{
	ParallelState *shared = state->shared;
	const Program *program = parallel_state_program(shared, state->area);
	SharedBlocks own;
	BlockAllocator blocks;

	if (state->child)
		return child_source_run(state->child, program, engine, &shared->failed);
	begin_blocks(state, &blocks, &own);
	return table_source_run_share(state->tables, state->ntables,
								  state->css.ss.ps.state->es_snapshot, &blocks, program,
								  engine, source);
}

/* The same, and its groups into the store. */
static EngineStatus
aggregate_input(PartialState *state, TableSourceStats *source)
{
	ParallelState *shared = state->shared;
	EngineStatus status = read_input(state, state->engine, source);

	if (!divides_keys(state) || state->key_share == 0)
		activity_read(0, engine_stats(state->engine)->rows);
	activity_finishing();
	if (status == ENGINE_OK && !parallel_state_failed(shared))
		status = engine_emit_partial(state->engine);
	return status;
}

static EngineStatus
merge_partitions(PartialState *state)
{
	EngineStatus status = ENGINE_OK;
	uint32		partition;

	while (status == ENGINE_OK && parallel_state_partition(state->shared, &partition))
		status = engine_combine(state->engine, partition);
	return status;
}

/* If the engine has given up, or the files of its groups, tell the others. */
static void
note_status(PartialState *state, EngineStatus status)
{
	if (status != ENGINE_OK)
		parallel_state_fail(state->shared, status, engine_message(state->engine));
}

/* Rows that every share's run has read are those of the first one. */
static void
forget_input(EngineStats *work, TableSourceStats *source)
{
	work->rows = 0;
	work->rows_passed = 0;
	work->bytes = 0;
	work->blocks_resident = 0;
	work->blocks_masked = 0;
	work->blocks_skipped = 0;
	*source = (TableSourceStats) {0};
}

/* End a run, count what it has done, and begin to count anew. */
static void
end_run(PartialState *state, TableSourceStats *source)
{
	EngineStats work;

	engine_close(state->engine);
	activity_end(state->activity);
	work = *engine_stats(state->engine);
	if (divides_keys(state) && state->key_share > 0)
		forget_input(&work, source);
	parallel_state_add(state->shared, &work, source);
	if (state->ntables == 1)
		heap_source_count_rows(state->tables[0].relation, work.rows);
	*source = (TableSourceStats) {0};
}

/* Let others read what this process has written. */
static EngineStatus
flush_groups(PartialState *state)
{
	return shared_store_flush(&state->store) ? ENGINE_OK :
		engine_give_up(state->engine, ENGINE_NO_STORE, state->store.message);
}

/* What a run takes in, if it is to take anything in, and its groups into the store. */
static EngineStatus
run_input(PartialState *state, bool reads, TableSourceStats *source)
{
	EngineStatus status = open_run(state);

	if (status == ENGINE_OK)
		status = reads ? aggregate_input(state, source) : engine_emit_partial(state->engine);
	return status == ENGINE_OK ? flush_groups(state) : status;
}

/* The same of all runs of this process, the last of which stays open, for there must be one. */
static EngineStatus
run_inputs(PartialState *state, TableSourceStats *source)
{
	bool		by_keys = divides_keys(state);
	bool		reads = !by_keys || parallel_state_key_share(state->shared, &state->key_share);
	EngineStatus status = run_input(state, reads, source);
	uint32		share;

	while (status == ENGINE_OK && by_keys && reads &&
		   parallel_state_key_share(state->shared, &share))
	{
		end_run(state, source);
		state->key_share = share;
		status = run_input(state, true, source);
	}
	return status;
}

/* This process's part; a status other than OK ends it before the others'. */
static EngineStatus
run_phases(PartialState *state, TableSourceStats *source)
{
	EngineStatus status = run_inputs(state, source);

	if (status != ENGINE_OK)
		return status;
	BarrierArriveAndWait(&state->shared->barrier, merge_wait_event());
	status = merge_partitions(state);
	return status == ENGINE_OK ? flush_groups(state) : status;
}

/*
 * This process's rows into the run that all feed.  The leader goes on with it when
 * the Gather has ended; a worker must know that its rows have been taken.
 */
static EngineStatus
feed_run(PartialState *state, EngineHandle *engine, TableSourceStats *source)
{
	ParallelState *shared = state->shared;
	const EngineHints hints = {.key = shared->key};
	bool		attaches = state->job == NULL;
	EngineStatus status = ENGINE_OK;

	if (attaches)
		status = engine_attach(engine, parallel_state_program(shared, state->area), &hints);
	if (status == ENGINE_OK)
		status = read_input(state, engine, source);
	if (status != ENGINE_OK || !attaches || parallel_state_failed(shared))
		return status;
	status = engine_fed(engine);
	if (status == ENGINE_OK)
		pg_atomic_fetch_add_u32(&shared->feeders, 1);
	return status;
}

/* The others must hear of a failure before they see the run fail by it. */
static void
feed_part(PartialState *state)
{
	const EngineStats no_work = {0};
	TableSourceStats source = {0};
	EngineHandle *engine;
	EngineStatus status;

	if (parallel_state_failed(state->shared))
		return;
	engine = state->job ? state->job->run :
		engine_handle(engine_chosen(state->shared->engine));
	status = feed_run(state, engine, &source);
	if (status != ENGINE_OK)
		parallel_state_fail(state->shared, status, engine_message(engine));
	if (state->job == NULL)
		engine_close(engine);
	parallel_state_add(state->shared, &no_work, &source);
}

/* This process's part of a run of its own, and of the merging. */
static void
merge_part(PartialState *state)
{
	Barrier    *barrier = &state->shared->barrier;
	TableSourceStats source = {0};

	if (BarrierAttach(barrier) == PARALLEL_INPUT)
	{
		shared_store_begin(&state->store, &state->shared->groups, state->area, false);
		note_status(state, run_phases(state, &source));
		end_run(state, &source);
		shared_store_end(&state->store);
	}
	BarrierDetach(barrier);
}

/* Are the child's rows wanted?  In the leader, the others do not know before they start. */
static bool
passes_rows(const PartialState *state)
{
	if (state->child == NULL)
		return false;
	return IsParallelWorker() ? state->shared->passes : state->job == NULL;
}

static TupleTableSlot *
exec_partial(CustomScanState *node)
{
	PartialState *state = (PartialState *) node;
	MemoryContext old;

	if (passes_rows(state))
		return ExecProcNode(state->child);
	if (state->done || state->shared == NULL || state->shared->idle)
		return NULL;
	state->done = true;
	if (state->job != NULL)
	{
		state->tables = (SourceTable *) state->job->tables;
		state->ntables = state->job->ntables;
	}
	else if (state->tables == NULL && state->child == NULL)
		state->tables = source_tables_open(state->plan, &state->ntables);
	old = MemoryContextSwitchTo(state->run_context);
	if (state->shared->engine >= 0)
		feed_part(state);
	else
		merge_part(state);
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->run_context);
	return NULL;
}

static void
rescan_partial(CustomScanState *node)
{
	PartialState *state = (PartialState *) node;

	state->done = false;
	if (state->child == NULL)
		return;
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(state->child, node->ss.ps.chgParam);
	/* a child with changed parameters rescans itself when it is run */
	if (state->child->chgParam == NULL)
		ExecReScan(state->child);
}

/* The merged groups will not be read any more. */
static void
end_reading(PartialState *state)
{
	if (state->reads_merged)
		shared_store_end(&state->store);
	state->reads_merged = false;
}

static void
end_partial(CustomScanState *node)
{
	PartialState *state = (PartialState *) node;

	end_reading(state);
	if (state->engine)
		engine_close(state->engine);
	if (state->tables != NULL && IsParallelWorker())
		source_tables_close(state->tables, state->ntables);
	if (state->child)
		ExecEndNode(state->child);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *pcxt)
{
	const ParallelJob *job = ((PartialState *) node)->job;

	return parallel_state_size(job ? job->ntables : 0);
}

/* Groups that are handed over may take as much memory as all processes' tables. */
static uint64
limit_of_groups(int processes)
{
	return groups_memory_limit(false) * processes;
}

static void
init_shared(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	PartialState *state = (PartialState *) node;

	if (pcxt->seg == NULL)
		return;
	state->shared = coordinate;
	state->processes = pcxt->nworkers + 1;
	state->area = parallel_state_init(state->shared, state->processes,
									  limit_of_groups(state->processes), pcxt->seg);
	parallel_state_share(state->shared, state->area, state->job);
}

static void
reinit_shared(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	PartialState *state = (PartialState *) node;

	if (state->shared == NULL)
		return;
	end_reading(state);
	parallel_state_clear(state->shared, state->area);
	parallel_state_share(state->shared, state->area, state->job);
}

static void
init_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	PartialState *state = (PartialState *) node;

	state->shared = coordinate;
	state->area = parallel_state_attach(state->shared);
	state->processes = state->shared->processes;
}

/* The shared memory goes. */
static void
shut_down(CustomScanState *node)
{
	PartialState *state = (PartialState *) node;

	end_reading(state);
	state->shared = NULL;
}

static void
explain_partial(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	if (plan_info_from_list(scan->custom_private)->divides_keys)
		ExplainPropertyText("Parallel Division", "keys", es);
}

static const CustomExecMethods partial_exec_methods = {
	.CustomName = "GpuAgg Partial",
	.BeginCustomScan = begin_partial,
	.ExecCustomScan = exec_partial,
	.EndCustomScan = end_partial,
	.ReScanCustomScan = rescan_partial,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = init_shared,
	.ReInitializeDSMCustomScan = reinit_shared,
	.InitializeWorkerCustomScan = init_worker,
	.ShutdownCustomScan = shut_down,
	.ExplainCustomScan = explain_partial,
};

bool
partial_is_below(PlanState *ps)
{
	const PlanState *below;

	if (!IsA(ps, GatherState))
		return false;
	below = outerPlanState(ps);
	return IsA(below, CustomScanState) &&
		((const CustomScanState *) below)->methods == &partial_exec_methods;
}

static PartialState *
partial_below(PlanState *gather)
{
	if (!partial_is_below(gather))
		elog(ERROR, "the plan of the processes' parts is not one");
	return (PartialState *) outerPlanState(gather);
}

bool
partial_is_possible(const PlanState *gather)
{
	return gather->state->es_use_parallel_mode;
}

bool
partial_run(PlanState *gather, const ParallelJob *job, ParallelResult *result)
{
	PartialState *state = partial_below(gather);
	MemoryContext old;

	if (!partial_is_possible(gather))
		return false;
	state->job = job;
	/* what the Gather allocates must be there as long as the query */
	old = MemoryContextSwitchTo(gather->state->es_query_cxt);
	while (!TupIsNull(ExecProcNode(gather)))
		;
	MemoryContextSwitchTo(old);
	state->job = NULL;
	if (state->shared == NULL || state->shared->idle)
		return false;
	*result = state->shared->result;
	result->disk = pg_atomic_read_u64(&state->shared->groups.files.bytes);
	result->feeders = pg_atomic_read_u32(&state->shared->feeders);
	return true;
}

SharedStore *
partial_groups(PlanState *gather)
{
	PartialState *state = partial_below(gather);
	MemoryContext old = MemoryContextSwitchTo(gather->state->es_query_cxt);

	shared_store_begin(&state->store, &state->shared->groups, state->area, true);
	state->reads_merged = true;
	MemoryContextSwitchTo(old);
	return &state->store;
}
