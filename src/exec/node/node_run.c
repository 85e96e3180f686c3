/*
 * node_run.c
 *	  A run of the node's engine: from the first input row to the first groups.
 *
 * The input is heap pages or the tuples of a child plan, read by this process alone or by
 * all processes of a parallel plan: then each has groups of its own, which are merged, or
 * all feed one run.
 *
 * An engine may find that a float sum needs more words than the Program gives it (exact.h),
 * or that a numeric is NaN or infinite (specials.h).  Then it begins again with another
 * Program, which is kept for rescans; the input is read once more.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "optimizer/paths.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "handle/select.h"
#include "exec/node/node_run.h"
#include "exec/parallel/partial.h"
#include "guc.h"
#include "plan/make_program.h"
#include "source/child.h"
#include "source/rows.h"
#include "source/visibility.h"
#include "stats/stats.h"

/* A failing device is reported once a session, not once a query. */
static bool failure_reported = false;

void
node_run_close(GpuAggState *state)
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

void
node_run_rescan_input(GpuAggState *state)
{
	PlanState  *input = state->gather ? state->gather : state->child;
	MemoryContext old;

	if (input == NULL)
		return;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	ExecReScan(input);
	MemoryContextSwitchTo(old);
}

void
node_run_report_failure(GpuAggState *state, EngineStatus status, const char *reason,
						const char *successor)
{
	state->fallback_reason = MemoryContextStrdup(state->run_context, reason);
	state->phase = PHASE_INPUT;
	node_run_close(state);

	if (!gpuagg_fallback)
		ereport(ERROR,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" cannot finish the aggregation: %s",
						engine_name(state->engine), state->fallback_reason),
				 errhint("With gpuagg.fallback on, PostgreSQL's own plan takes over.")));
	stats_count_aggregation(engine_name(state->engine), status);
	if ((engine_status_is_of_device(status) || status == ENGINE_NO_MEMORY ||
		 status == ENGINE_NO_STORE) && !failure_reported)
	{
		failure_reported = true;
		ereport(WARNING,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" could not finish an aggregation, %s took over",
						engine_name(state->engine), successor),
				 errdetail_internal("%s", state->fallback_reason)));
	}
}

/* Which blocks the open run has, and need not be read. */
static EngineStatus
find_served(GpuAggState *state)
{
	if (state->ntables == 0)
		return ENGINE_OK;
	return table_source_served(state->tables, state->ntables, state->nblocks, state->engine,
							   state->served, state->nserved);
}

/* Read the input from end to end. */
static EngineStatus
run_input(GpuAggState *state, TableSourceStats *source)
{
	EState	   *estate = state->css.ss.ps.state;

	if (state->tables)
	{
		EngineStatus status = find_served(state);

		return status != ENGINE_OK ? status :
			table_source_run(state->tables, state->ntables, state->nblocks, state->served,
							 estate->es_snapshot, state->program, state->engine, source);
	}
	return child_source_run(state->child, state->program, state->engine, NULL);
}

EngineStatus
node_run_next_groups(GpuAggState *state, const char **message)
{
	state->next_group = 0;
	if (state->regrouping)
		return regrouping_groups(state->regrouping, state->engine, &state->groups,
								 &state->layout, message);
	*message = engine_message(state->engine);
	return engine_groups(state->engine, &state->groups);
}

EngineHints
node_plan_hints(const GpuAggState *state)
{
	EngineHints hints = engine_hints(state->plan->rows, state->plan->groups,
									 source_tables_blocks(state->tables, state->ntables, NULL));

	if (state->ntables > 0)
		hints.relation = RelationGetRelationName(state->tables[0].relation);
	hints.only_pages = source_tables_only_pages(state->tables, state->ntables);
	return hints;
}

/*
 * May the first groups leave while others have not come?  If these are lost, the CPU
 * engine must be able to make them again from the same rows; and nobody may want the groups
 * twice.  A plan that can be read backward is never told that it is not read for a while.
 */
static bool
can_stream(const GpuAggState *state)
{
	char		reason[256];

	return state->tables != NULL && state->regrouping == NULL && state->verifier == NULL &&
		(state->css.ss.ps.state->es_top_eflags & EXEC_FLAG_BACKWARD) == 0 &&
		given_groups_are_possible(state->program) &&
		cpu_engine.supports(state->program, reason, sizeof(reason));
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
	own.streams = can_stream(state);
	state->given = !own.streams ? NULL :
		given_groups_create(state->program, own.store, own.host_limit);
	return own;
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
	return status == ENGINE_OK ? node_run_next_groups(state, message) : status;
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
	state->served = palloc0(sizeof(uint8 *) * state->ntables);
	source_tables_blocks(state->tables, state->ntables, state->nblocks);
	if (gpuagg_cache_size != 0 && engine_keeps_columns(engine_ops(state->engine)) &&
		program_can_be_served(state->program))
		state->states = table_states_read(state->tables, state->ntables, state->nblocks,
										  &state->nstates);
}

/* The tables whose columns the run may keep, and what it may keep beside the Program's. */
static void
add_tables(const GpuAggState *state, EngineHints *hints)
{
	hints->tables = state->states;
	hints->ntables = state->nstates;
	hints->keep = state->plan->keep;
	hints->nkeep = state->nstates > 0 ? state->plan->nkeep : 0;
}

/* In this process alone. */
static EngineStatus
run_alone(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineHints own = run_hints(state, hints);
	TableSourceStats source = {0};
	EngineStatus status;

	add_tables(state, &own);
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
	return status;
}

static ParallelJob
job_of(const GpuAggState *state)
{
	return (ParallelJob)
	{
		.program = state->program,.slots = state->slots,
			.tables = state->tables,.nblocks = state->nblocks,.ntables = state->ntables
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

	if (engine_status_is_of_device(result->status) && engine_is_open(state->engine))
		own = engine_begun(state->engine);
	if (own == ENGINE_OK || engine_status_is_of_device(own))
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
	if (status == ENGINE_OK)
		table_source_count_rows(state->tables, state->ntables, state->nserved,
								engine_stats(state->engine)->rows, &result->source);
	return status;
}

/*
 * Does the engine have all blocks but so few that PostgreSQL would plan no worker for them?  To
 * start one takes longer.
 */
static bool
few_blocks_are_left(const GpuAggState *state)
{
	uint64		left = 0;
	uint64		served = 0;

	for (int i = 0; i < state->ntables; i++)
	{
		left += state->nblocks[i] - state->nserved[i];
		served += state->nserved[i];
	}
	return served > 0 && left <= (uint64) min_parallel_table_scan_size;
}

/* Let all processes feed the run, or this one alone; false: there is no shared memory. */
static bool
feed_together(GpuAggState *state, const ParallelJob *job, ParallelResult *result)
{
	if (!few_blocks_are_left(state))
		return partial_run(state->gather, job, result);
	memset(result, 0, sizeof(*result));
	result->status = table_source_run(state->tables, state->ntables, state->nblocks,
									  state->served, state->css.ss.ps.state->es_snapshot,
									  state->program, state->engine, &result->source);
	strlcpy(result->message, engine_message(state->engine), sizeof(result->message));
	return true;
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
	add_tables(state, &keyed);
	job.run = state->engine;
	state->uncounted = true;
	*status = engine_open(state->engine, state->program, state->slots, &keyed);
	if (*status == ENGINE_OK)
		*status = find_served(state);
	if (*status == ENGINE_OK)
		*status = engine_begun(state->engine);
	*message = engine_message(state->engine);
	if (*status != ENGINE_OK)
		return true;
	if (state->nstates > 0)
		job.served = state->served;
	if (!feed_together(state, &job, result))
	{
		state->uncounted = false;
		node_run_close(state);
		return false;
	}
	*status = run_feeders(state, result, hints, message);
	return true;
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
	return engine_can_be_fed(ops) && run_fed(state, hints, status, message);
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
		node_run_rescan_input(state);
	return run_alone(state, hints, message);
}

/* The program with wider float sums; the same if it has none that can be wider. */
static const Program *
widened(GpuAggState *state, const Program *program)
{
	Program    *wider = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt,
										   program->size);

	if (program_widen(program, wider))
		return wider;
	pfree(wider);
	return program;
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

EngineStatus
node_run_to_groups(GpuAggState *state, const EngineHints *hints, const char **message)
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
		node_run_close(state);
		node_run_rescan_input(state);
	}
	return status;
}
