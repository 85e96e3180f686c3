/*
 * child.c
 *	  A child plan's tuples, as column batches.
 *
 * Batches are made in the current memory context, which may be one for this run
 * only; the child runs in the query's, since what it allocates as it runs must
 * be there when it is run again.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "source/batch.h"
#include "source/child.h"

/* Append one tuple; only the Program's columns are taken out of it. */
static bool
append_tuple(BatchWriter *batch, const Program *program, TupleTableSlot *slot,
			 Datum *values, bool *isnull)
{
	const Column *columns = program_columns(program);

	for (int i = 0; i < program->ncolumns; i++)
		values[i] = slot_getattr(slot, columns[i].attno, &isnull[i]);
	return batch_append(batch, values, isnull);
}

static TupleTableSlot *
next_tuple(PlanState *child)
{
	MemoryContext old = MemoryContextSwitchTo(child->state->es_query_cxt);
	TupleTableSlot *slot = ExecProcNode(child);

	MemoryContextSwitchTo(old);
	return slot;
}

EngineStatus
child_source_run(PlanState *child, const Program *program, EngineHandle *engine)
{
	BatchWriter *batch = batch_create(program);
	Datum	   *values = palloc(sizeof(Datum) * (program->ncolumns + 1));
	bool	   *isnull = palloc(sizeof(bool) * (program->ncolumns + 1));
	EngineStatus status = ENGINE_OK;

	for (;;)
	{
		TupleTableSlot *slot = next_tuple(child);
		bool		end = TupIsNull(slot);

		if (!end && !append_tuple(batch, program, slot, values, isnull))
		{
			status = engine_give_up(engine, "a value is no number that the engine can hold");
			break;
		}
		if (batch_full(batch) || (end && batch_rows(batch) > 0))
		{
			status = engine_columns(engine, batch_columns(batch));
			batch_reset(batch);
		}
		if (end || status != ENGINE_OK)
			break;
	}
	batch_free(batch);
	pfree(values);
	pfree(isnull);
	return status;
}
