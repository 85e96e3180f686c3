/*
 * node_run.c
 *	  A run of an engine over a node's input: from the first row to the last group.
 *
 * The input is heap pages or the tuples of a child plan, read by this process alone or by
 * all processes of a parallel plan: then each has groups of its own, which are merged, or
 * all feed one run.
 *
 * An engine may find that a float sum needs more words than the Program gives it (exact.h),
 * or that a numeric is NaN or infinite (specials.c).  Then it begins again with another
 * Program, which the run keeps for rescans; the input is read once more.
 *
 * Memory: parameters are the node's, which are evaluated once an execution, whatever runs there
 * are.
 * What an execution allocates is in the run's context, the engine's own memory is freed with its
 * handle, and programs and what the input's plan allocates are there as long as the query.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "optimizer/paths.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "exec/node/node_run.h"
#include "exec/parallel/partial.h"
#include "guc.h"
#include "handle/cpu_cache.h"
#include "handle/select.h"
#include "plan/plan_info.h"
#include "source/rows.h"
#include "source/visibility.h"
#include "stats/stats.h"

/* A failing device is reported once a session, not once a query. */
static bool failure_reported = false;

NodeRun *
node_run_create(const NodeInput *input, const EngineOps *engine)
{
	NodeRun    *run = palloc0(sizeof(NodeRun));

	run->input = input;
	run->context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg run",
										 ALLOCSET_DEFAULT_SIZES);
	run->engine = engine_handle(engine);
	run->program = input->plan->program;
	run->coarse = input->plan->regrouping;
	if (run->coarse)
		run->regrouping = regrouping_create(input->plan);
	return run;
}

NodeRun *
node_run_beside(const NodeRun *model, const EngineOps *engine)
{
	MemoryContext old = MemoryContextSwitchTo(model->context);
	NodeRun    *run = node_run_create(model->input, engine);

	MemoryContextSwitchTo(old);
	run->is_alone = true;
	run->params = model->params;
	node_run_take_programs(run, model);
	return run;
}

void
node_run_take_programs(NodeRun *run, const NodeRun *other)
{
	run->program = other->program;
	run->coarse = other->coarse;
}

void
node_run_reset(NodeRun *run)
{
	run->given = NULL;
	run->before = NULL;
	run->removed = 0;
	run->has_groups = false;
	run->failure = NULL;
	MemoryContextReset(run->context);
}

const Program *
node_run_results(const NodeRun *run)
{
	return run->coarse ? run->coarse : run->program;
}

/* Those of all processes' parts, in a run that others may share; else NULL. */
static PlanState *
gather_of(const NodeRun *run)
{
	return run->is_alone ? NULL : run->input->gather;
}

void
node_run_close(NodeRun *run)
{
	if (run->regrouping)
		regrouping_close(run->regrouping);
	engine_close(run->engine);
	if (run->store)
	{
		run->disk = temp_store_bytes(run->store);
		temp_store_close(run->store);
		run->store = NULL;
	}
	activity_end(run->activity);
	run->activity = NULL;
	if (!run->uncounted)
		return;
	run->uncounted = false;
	if (run->is_witness)
		return;
	stats_count_work(engine_id(run->engine), engine_stats(run->engine));
	if (run->has_groups)
		stats_count_aggregation(engine_id(run->engine), ENGINE_OK);
}

void
node_run_drop_groups(NodeRun *run)
{
	node_run_close(run);
	run->groups.ngroups = 0;
	run->next_group = 0;
	run->merged = NULL;
}

void
node_run_rescan_input(const NodeRun *run)
{
	PlanState  *gather = gather_of(run);
	PlanState  *input = gather ? gather : run->input->child;
	MemoryContext old;

	if (input == NULL)
		return;
	old = MemoryContextSwitchTo(run->input->estate->es_query_cxt);
	ExecReScan(input);
	MemoryContextSwitchTo(old);
}

void
node_run_report_failure(NodeRun *run, EngineStatus status, const char *reason,
						const char *successor)
{
	run->failure = MemoryContextStrdup(run->context, reason);
	run->has_groups = false;
	node_run_close(run);

	if (!gpuagg_fallback)
		ereport(ERROR,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" cannot finish the aggregation: %s",
						engine_name(run->engine), run->failure),
				 errhint("With gpuagg.fallback on, PostgreSQL's own plan takes over.")));
	stats_count_aggregation(engine_id(run->engine), status);
	if ((engine_status_is_of_device(status) || status == ENGINE_NO_MEMORY ||
		 status == ENGINE_NO_STORE) && !failure_reported)
	{
		failure_reported = true;
		ereport(WARNING,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" could not finish an aggregation, %s took over",
						engine_name(run->engine), successor),
				 errdetail_internal("%s", run->failure)));
	}
}

/* Which blocks the open run has, and need not be read. */
static EngineStatus
find_served(NodeRun *run)
{
	const NodeInput *input = run->input;

	if (input->ntables == 0)
		return ENGINE_OK;
	return table_source_served(input->tables, input->ntables, run->nblocks, run->engine,
							   run->served, run->nserved);
}

/* The tables' rows, all of them or those of blocks that the run does not have. */
static EngineStatus
read_tables(NodeRun *run, TableSourceStats *source)
{
	const NodeInput *input = run->input;

	return table_source_run(input->tables, input->ntables, run->nblocks, run->served,
							input->estate->es_snapshot, run->program, run->engine, source);
}

/* Read the input from end to end. */
static EngineStatus
run_input(NodeRun *run, TableSourceStats *source)
{
	EngineStatus status;

	if (run->input->is_empty)
		return ENGINE_OK;
	if (run->input->tables == NULL)
		return child_source_run(run->input->child, run->program, run->engine, NULL);
	status = find_served(run);
	return status == ENGINE_OK ? read_tables(run, source) : status;
}

EngineStatus
node_run_next_groups(NodeRun *run, const char **message)
{
	run->next_group = 0;
	if (run->regrouping)
		return regrouping_groups(run->regrouping, run->engine, &run->groups,
								 &run->layout, message);
	*message = engine_message(run->engine);
	return engine_groups(run->engine, &run->groups);
}

EngineStatus
node_run_rewind(NodeRun *run, const char **message)
{
	if (run->regrouping)
		regrouping_rewind(run->regrouping);
	else
		engine_rewind(run->engine);
	return node_run_next_groups(run, message);
}

EngineHints
node_run_hints(const NodeRun *run)
{
	const NodeInput *input = run->input;
	EngineHints hints = engine_hints(input->plan->rows, input->plan->groups,
									 source_tables_blocks(input->tables, input->ntables, NULL));

	if (input->ntables > 0)
		hints.relation = RelationGetRelationName(input->tables[0].relation);
	hints.rows_differ = input->plan->rows_differ;
	hints.only_pages = source_tables_only_pages(input->tables, input->ntables);
	return hints;
}

/*
 * May the first groups leave while others have not come?  If these are lost, the CPU
 * engine must be able to make them again from the same rows; and nobody may want the groups
 * twice.  Rows of tables are not left out when they come again.  A plan that can be read
 * backward is never told that it is not read for a while.
 */
static bool
can_stream(const NodeRun *run)
{
	char		reason[256];

	return run->input->tables != NULL && run->input->plan->first_rows == NULL &&
		run->regrouping == NULL && !run->is_compared &&
		(run->input->estate->es_top_eflags & EXEC_FLAG_BACKWARD) == 0 &&
		given_groups_are_possible(run->program) &&
		engine_without_device()->supports(run->program, reason, sizeof(reason));
}

/*
 * What a run of the engine may use: for its groups, or those that come from a device, the
 * memory of a hash aggregate of PostgreSQL's, unless the setting says otherwise, and a
 * store.
 */
static EngineHints
run_hints(NodeRun *run, const EngineHints *hints)
{
	uint64		device_limit = hints->memory_limit;
	EngineHints own = *hints;

	run->disk = 0;
	own.memory_limit = groups_memory_limit(run->regrouping != NULL);
	run->store = temp_store_create(run->program, &own);
	own.store = temp_store_groups(run->store);
	if (!engine_ops(run->engine)->traits->on_device)
		return own;
	own.host_limit = own.memory_limit;
	own.memory_limit = device_limit;
	if (run->regrouping)
		own.unread_keys = regrouping_unread_keys(run->regrouping, run->program, run->coarse);
	own.streams = can_stream(run);
	run->given = !own.streams ? NULL :
		given_groups_create(run->program, own.store, own.host_limit);
	return own;
}

/* From the complete input, or from merged groups, to the first groups. */
static EngineStatus
begin_groups(NodeRun *run, const EngineHints *hints, const char **message)
{
	EngineHints own = *hints;
	EngineStatus status = ENGINE_OK;

	own.memory_limit = groups_memory_limit(run->merged == NULL);
	if (run->regrouping)
		status = regrouping_run(run->regrouping, run->engine, run->program,
								run->coarse, &own, message);
	return status == ENGINE_OK ? node_run_next_groups(run, message) : status;
}

/* May the run's engine keep columns?  A witness reads all pages. */
static bool
may_keep(const NodeRun *run)
{
	const EngineOps *ops = engine_ops(run->engine);

	if (!program_can_be_served(run->program))
		return false;
	if (ops->stripes != NULL)
		return !run->is_witness && cpu_cache_is_on();
	return gpuagg_cache_size != 0 && ops->kept != NULL;
}

/*
 * What a run of this process reads of its tables, and the states of those whose columns the
 * engine may keep.  The snapshot is older.
 */
static void
look_at_tables(NodeRun *run)
{
	const SourceTable *tables = run->input->tables;
	int			ntables = run->input->ntables;

	run->states = NULL;
	run->nstates = 0;
	if (ntables == 0)
		return;
	run->nblocks = palloc(sizeof(BlockNumber) * ntables);
	run->nserved = palloc0(sizeof(BlockNumber) * ntables);
	run->served = palloc0(sizeof(uint8 *) * ntables);
	source_tables_blocks(tables, ntables, run->nblocks);
	if (may_keep(run))
		run->states = table_states_read(tables, ntables, run->nblocks, &run->nstates);
}

/* The tables whose columns the run may keep, and what it may keep beside the Program's. */
static void
add_tables(const NodeRun *run, EngineHints *hints)
{
	hints->tables = run->states;
	hints->ntables = run->nstates;
	hints->answers = run->nstates > 0;
	hints->keep = run->input->plan->keep;
	hints->nkeep = run->nstates > 0 ? run->input->plan->nkeep : 0;
}

/* PostgreSQL's statistics count the tables' rows as a scan's. */
static void
count_rows(const NodeRun *run, const TableSourceStats *source)
{
	table_source_count_rows(run->input->tables, run->input->ntables, run->nserved,
							engine_stats(run->engine)->rows, source);
}

/* In this process alone. */
static EngineStatus
run_alone(NodeRun *run, const EngineHints *hints, const char **message)
{
	EngineHints own = run_hints(run, hints);
	TableSourceStats source = {0};
	EngineStatus status;

	if (!run->input->is_empty)
		add_tables(run, &own);
	status = engine_open(run->engine, run->program, run->params, &own);
	run->uncounted = true;
	/* the device process knows of the runs of others */
	if (!engine_ops(run->engine)->traits->on_device)
		run->activity = activity_begin(hints->relation, hints->pages);
	if (status == ENGINE_OK)
		status = run_input(run, &source);
	table_source_stats_add(&run->source, &source);
	activity_finishing();
	*message = engine_message(run->engine);
	if (status == ENGINE_OK)
		status = begin_groups(run, hints, message);
	/* the engine has counted them all only now */
	activity_read(0, engine_stats(run->engine)->rows);
	if (status == ENGINE_OK)
		count_rows(run, &source);
	return status;
}

/* A run over the groups that all processes have merged. */
static EngineStatus
run_merged(NodeRun *run, const EngineHints *hints, const char **message)
{
	EngineHints merged = *hints;
	EngineStatus status;

	run->merged = partial_groups(run->input->gather);
	merged.store = &run->merged->store;
	status = engine_open(run->engine, run->program, run->params, &merged);
	*message = engine_message(run->engine);
	if (status == ENGINE_OK)
		status = begin_groups(run, &merged, message);
	return status;
}

static ParallelJob
job_of(const NodeRun *run)
{
	return (ParallelJob)
	{
		.program = run->program,.params = run->params,
			.takes_stripes = run->nstates > 0 && run->nstates == run->input->ntables &&
			engine_ops(run->engine)->stripes != NULL,
			.tables = run->input->tables,.nblocks = run->nblocks,.ntables = run->input->ntables
	};
}

/* In all processes; false: there is only this one. */
static bool
run_parallel(NodeRun *run, const EngineHints *hints, EngineStatus *status,
			 const char **message)
{
	const ParallelJob job = job_of(run);
	ParallelResult *result = palloc(sizeof(ParallelResult));

	if (!partial_run(run->input->gather, &job, result))
		return false;
	run->uncounted = true;
	*status = result->status;
	*message = result->message;
	if (*status == ENGINE_OK && program_sums_floats(run->program) &&
		result->work.rows_passed >= EXACT_MAX_ROWS)
	{
		*status = ENGINE_INEXACT;
		*message = "too many rows for a float sum";
	}
	if (*status == ENGINE_OK)
		*status = run_merged(run, hints, message);
	engine_add_work(run->engine, &result->work);
	table_source_stats_add(&run->source, &result->source);
	run->disk = result->disk;
	return true;
}

/*
 * What came of the rows that all processes gave the run.  A worker that finds no run may
 * have come when it had failed already: then the leader has been told with what.
 */
static EngineStatus
status_of_feeders(NodeRun *run, const ParallelResult *result, const char **message)
{
	EngineStatus own = ENGINE_OK;

	if (engine_status_is_of_device(result->status) && engine_is_open(run->engine))
		own = engine_begun(run->engine);
	if (own == ENGINE_OK || engine_status_is_of_device(own))
	{
		*message = result->message;
		return result->status;
	}
	*message = engine_message(run->engine);
	return own;
}

/* The run has begun, and all rows have been given. */
static EngineStatus
run_feeders(NodeRun *run, const ParallelResult *result, const EngineHints *hints,
			const char **message)
{
	EngineStatus status = status_of_feeders(run, result, message);

	table_source_stats_add(&run->source, &result->source);
	if (status != ENGINE_OK)
		return status;
	engine_expect(run->engine, result->feeders);
	status = begin_groups(run, hints, message);
	if (status == ENGINE_OK)
		count_rows(run, &result->source);
	return status;
}

/*
 * Does the engine have all blocks but so few that PostgreSQL would plan no worker for them?  To
 * start one takes longer.
 */
static bool
few_blocks_are_left(const NodeRun *run)
{
	uint64		left = 0;
	uint64		served = 0;

	for (int i = 0; i < run->input->ntables; i++)
	{
		left += run->nblocks[i] - run->nserved[i];
		served += run->nserved[i];
	}
	return served > 0 && left <= (uint64) min_parallel_table_scan_size;
}

/* Let all processes feed the run, or this one alone; false: there is no shared memory. */
static bool
feed_together(NodeRun *run, const ParallelJob *job, ParallelResult *result)
{
	if (!few_blocks_are_left(run))
		return partial_run(run->input->gather, job, result);
	memset(result, 0, sizeof(*result));
	result->status = read_tables(run, &result->source);
	strlcpy(result->message, engine_message(run->engine), sizeof(result->message));
	return true;
}

/*
 * In a run that all processes feed; false: there is only this one.  Workers are started
 * once the run has begun, so that they do not wait for a device that others use.
 */
static bool
run_fed(NodeRun *run, const EngineHints *hints, EngineStatus *status,
		const char **message)
{
	ParallelJob job = job_of(run);
	ParallelResult *result = palloc(sizeof(ParallelResult));
	EngineHints keyed;

	if (!partial_is_possible(run->input->gather) || !pg_strong_random(&job.key, sizeof(job.key)))
		return false;
	keyed = run_hints(run, hints);
	keyed.key = job.key;
	keyed.only_pages = false;	/* when this process's pages end, others may not have begun */
	add_tables(run, &keyed);
	job.run = run->engine;
	run->uncounted = true;
	*status = engine_open(run->engine, run->program, run->params, &keyed);
	if (*status == ENGINE_OK)
		*status = find_served(run);
	if (*status == ENGINE_OK)
		*status = engine_begun(run->engine);
	*message = engine_message(run->engine);
	if (*status != ENGINE_OK)
		return true;
	if (run->nstates > 0)
		job.served = run->served;
	if (!feed_together(run, &job, result))
	{
		run->uncounted = false;
		node_run_close(run);
		return false;
	}
	*status = run_feeders(run, result, hints, message);
	return true;
}

/* With other processes, as the engine does it; false: there are none, or none is wanted. */
static bool
run_with_others(NodeRun *run, const EngineHints *hints, EngineStatus *status,
				const char **message)
{
	const EngineOps *ops = engine_ops(run->engine);

	if (gather_of(run) == NULL || run->input->is_empty)
		return false;
	if (ops->partial != NULL)
		return run_parallel(run, hints, status, message);
	return ops->shared != NULL && run_fed(run, hints, status, message);
}

/*
 * From the input to the first groups, once.  What can fail fails here.
 */
static EngineStatus
run_once(NodeRun *run, const EngineHints *hints, const char **message)
{
	EngineStatus status;

	run->merged = NULL;
	look_at_tables(run);
	if (run_with_others(run, hints, &status, message))
		return status;
	/* without shared memory the Gather has come to its end, and returned nothing */
	if (gather_of(run) && run->input->child)
		node_run_rescan_input(run);
	return run_alone(run, hints, message);
}

/* The program with wider float sums; the same if it has none that can be wider. */
static const Program *
widened(NodeRun *run, const Program *program)
{
	Program    *wider = MemoryContextAlloc(run->input->estate->es_query_cxt,
										   program->size);

	if (program_widen(program, wider))
		return wider;
	pfree(wider);
	return program;
}

/* Wider programs, with which to begin again; false: there are none. */
static bool
widen_programs(NodeRun *run)
{
	const Program *program = widened(run, run->program);
	const Program *coarse = run->coarse ? widened(run, run->coarse) : NULL;

	if (program == run->program && coarse == run->coarse)
		return false;
	run->program = program;
	run->coarse = coarse;
	return true;
}

/* The programs that admit specials; false: there are none. */
static bool
admit_specials(NodeRun *run)
{
	MemoryContext old = MemoryContextSwitchTo(run->input->estate->es_query_cxt);
	Program    *program = make_special_program(run->program, NULL);
	Program    *coarse = NULL;

	if (program && run->coarse)
		coarse = make_special_program(run->coarse, program);
	MemoryContextSwitchTo(old);
	if (program == NULL || (run->coarse && coarse == NULL))
		return false;
	run->program = program;
	run->coarse = coarse;
	return true;
}

/* The same, until the programs hold what the input has. */
static EngineStatus
run_until_wide(NodeRun *run, const EngineHints *hints, const char **message)
{
	EngineStatus status;

	while ((status = run_once(run, hints, message)) == ENGINE_WIDEN ||
		   status == ENGINE_SPECIAL)
	{
		if (status == ENGINE_WIDEN && !widen_programs(run))
		{
			*message = "a float sum cannot be exact";
			return ENGINE_INEXACT;
		}
		if (status == ENGINE_SPECIAL && !admit_specials(run))
			return ENGINE_INEXACT;
		node_run_close(run);
		node_run_rescan_input(run);
	}
	return status;
}

EngineStatus
node_run_to_groups(NodeRun *run, const EngineHints *hints, const char **message)
{
	MemoryContext old = MemoryContextSwitchTo(run->context);
	EngineStatus status = run_until_wide(run, hints, message);

	run->has_groups = status == ENGINE_OK;
	MemoryContextSwitchTo(old);
	return status;
}
