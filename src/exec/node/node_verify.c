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

#include "exec/node/node.h"
#include "exec/values/final.h"
#include "handle/cpu_cache.h"
#include "handle/select.h"
#include "stats/stats.h"

bool
node_has_witness(const NodeRun *run)
{
	char		reason[256];

	return final_is_exact(node_run_results(run)) ||
		(engine_ops(run->engine) != engine_without_device() &&
		 engine_without_device()->supports(run->program, reason, sizeof(reason)));
}

/* The rows of all groups that a run has; message: why not all of them come. */
static EngineStatus
rows_of_run(GpuAggState *state, NodeRun *run, RowSet *rows, const char **message)
{
	TupleTableSlot *slot;

	*rows = (RowSet) {0};
	run->is_checking = true;
	run->checked = ENGINE_OK;
	while (slot = node_next_tuple(state, run), !TupIsNull(slot))
		verifier_add(state->verifier, rows, slot);
	run->is_checking = false;
	*message = run->check_message;
	return run->checked;
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

/*
 * The rows of a witness, a run of the CPU engine; false: it cannot finish.  What it has learnt of
 * the input is of use to the node's own run.
 */
static bool
cpu_rows(GpuAggState *state, const EngineHints *hints, RowSet *rows)
{
	NodeRun    *witness = node_run_beside(state->own, engine_without_device());
	EngineHints all = *hints;
	const char *message;
	bool		complete;

	witness->is_witness = true;
	/* HAVING is the node's alone */
	all.top = (TopHint) {0};
	complete = node_run_to_groups(witness, &all, &message) == ENGINE_OK &&
		rows_of_run(state, witness, rows, &message) == ENGINE_OK;
	node_run_close(witness);
	node_run_take_programs(state->own, witness);
	return complete;
}

/* Tell of an answer that is not PostgreSQL's, with LOG, which shows the statement, too. */
static void
report_difference(const NodeRun *run, const RowSet *answer, const RowSet *witness)
{
	ereport(LOG,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("engine \"%s\" gave another answer than PostgreSQL for table \"%s\"",
					engine_name(run->engine),
					RelationGetRelationName(run->input->tables[0].relation)),
			 errdetail("The engine's rows are " UINT64_FORMAT ", PostgreSQL's " UINT64_FORMAT ".",
					   answer->rows, witness->rows),
			 errhint("PostgreSQL's answer was taken.  Please report this.")));
}

/* Compare the run's groups with the witness's, and let them begin again, to leave. */
static EngineStatus
check_answer(GpuAggState *state, NodeRun *run, const RowSet *witness, const char **message)
{
	RowSet		answer;
	EngineStatus status = rows_of_run(state, run, &answer, message);
	bool		equal = row_sets_are_equal(&answer, witness);

	if (status != ENGINE_OK)
		return status;
	stats_count_verification(engine_id(run->engine), equal);
	state->verdict = equal ? "equal" : "different";
	if (equal)
		return node_run_rewind(run, message);
	report_difference(run, &answer, witness);
	if (engine_ops(run->engine)->kept != NULL)
		verify_distrust(run->input->tables, run->input->ntables);
	for (int i = 0; i < run->input->ntables; i++)
		(void) cpu_cache_evict(run->input->tables[i].relation, NULL);
	*message = "the answer is not PostgreSQL's";
	return ENGINE_INEXACT;
}

EngineStatus
node_run_verified(GpuAggState *state, const EngineHints *hints, const char **message)
{
	NodeRun    *run = state->own;
	EngineStatus status;
	RowSet		witness = {0};
	bool		complete = true;

	if (state->verifier == NULL)
		return node_run_to_groups(run, hints, message);
	if (final_is_exact(node_run_results(run)))
		witness = native_rows(state);
	else
		complete = cpu_rows(state, hints, &witness);
	status = node_run_to_groups(run, hints, message);
	if (status != ENGINE_OK || !complete)
		return status;
	return check_answer(state, run, &witness, message);
}
