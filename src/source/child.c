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

#include "source/rows.h"

TupleTableSlot *
child_next_tuple(PlanState *child)
{
	MemoryContext old = MemoryContextSwitchTo(child->state->es_query_cxt);
	TupleTableSlot *slot = ExecProcNode(child);

	MemoryContextSwitchTo(old);
	return slot;
}

EngineStatus
child_source_run(PlanState *child, const Program *program, EngineHandle *engine,
				 pg_atomic_uint32 *stop)
{
	RowSender  *sender = rows_create(program, engine);
	AttrNumber *attnos = rows_program_attnos(program);
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && !(stop != NULL && pg_atomic_read_u32(stop) != 0))
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = child_next_tuple(child);
		if (TupIsNull(slot))
			break;
		status = rows_add(sender, slot, attnos);
	}
	if (status == ENGINE_OK)
		status = rows_flush(sender);
	rows_end(sender);
	pfree(attnos);
	return status;
}
