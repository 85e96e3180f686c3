/*
 * node_verify.c
 *	  Runs whose answer is compared with PostgreSQL's before the first tuple leaves.
 *
 * The native plan's rows come first, so that no device waits for them, then the engine's,
 * and then the engine's groups once more, to leave.  Sums of floats, which PostgreSQL rounds
 * in the order of the rows, are exact in all engines: with them the CPU engine is the
 * witness, which reads all pages itself.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/rel.h"

#include "exec/node/node_groups.h"
#include "exec/node/node_run.h"
#include "exec/node/node_verify.h"
#include "exec/values/final.h"
#include "handle/select.h"
#include "stats/stats.h"

bool
node_has_witness(const GpuAggState *state)
{
	char		reason[256];

	return final_is_exact(node_result_program(state)) ||
		(engine_ops(state->engine) != &cpu_engine &&
		 cpu_engine.supports(state->program, reason, sizeof(reason)));
}

/* The rows of all groups that the engine has. */
static RowSet
engine_rows(GpuAggState *state)
{
	RowSet		rows = {0};
	TupleTableSlot *slot;

	state->checking = true;
	while (slot = node_next_tuple(state), !TupIsNull(slot))
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
	EngineHints all = *hints;
	EngineHandle *engine = state->engine;
	PlanState  *gather = state->gather;
	TableSourceStats source = state->source;
	const char *message;
	bool		complete;

	state->engine = engine_handle(&cpu_engine);
	state->gather = NULL;
	state->witnessing = true;
	/* HAVING is the node's alone */
	all.top = (TopHint) {0};
	complete = node_run_to_groups(state, &all, &message) == ENGINE_OK;
	if (complete)
		*rows = engine_rows(state);
	state->uncounted = false;
	node_run_close(state);
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
	return node_run_next_groups(state, message);
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

EngineStatus
node_run_verified(GpuAggState *state, const EngineHints *hints, const char **message)
{
	EngineStatus status;
	RowSet		witness = {0};
	bool		complete = true;

	if (state->verifier == NULL)
		return node_run_to_groups(state, hints, message);
	if (final_is_exact(node_result_program(state)))
		witness = native_rows(state);
	else
		complete = cpu_rows(state, hints, &witness);
	status = node_run_to_groups(state, hints, message);
	if (status != ENGINE_OK || !complete)
		return status;
	return check_answer(state, &witness, message);
}
