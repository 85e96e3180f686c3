/*
 * child.c
 *	  A child plan's rows, as column batches.
 *
 * Rows that are groups of another node are columns already (group_source.h); of others the tuples
 * are taken apart.
 *
 * Batches are made in the current memory context, which may be one for this run
 * only; the child runs in the query's, since what it allocates as it runs must
 * be there when it is run again.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "source/group_source.h"
#include "source/rows.h"
#include "stats/activity.h"

TupleTableSlot *
child_next_tuple(PlanState *child)
{
	MemoryContext old = MemoryContextSwitchTo(child->state->es_query_cxt);
	TupleTableSlot *slot = ExecProcNode(child);

	MemoryContextSwitchTo(old);
	return slot;
}

static inline bool
is_stopped(pg_atomic_uint32 *stop)
{
	return stop != NULL && pg_atomic_read_u32(stop) != 0;
}

/* The child's rows that are groups, by columns. */
static EngineStatus
send_groups(GroupSource *groups, EngineHandle *engine, pg_atomic_uint32 *stop)
{
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && !is_stopped(stop))
	{
		const ColumnBatch *batch;

		CHECK_FOR_INTERRUPTS();
		batch = groups->next(groups);
		if (batch == NULL)
			break;
		status = engine_columns(engine, batch);
		activity_read(0, engine_stats(engine)->rows);
	}
	return status;
}

static EngineStatus
send_tuples(PlanState *child, const Program *program, EngineHandle *engine,
			pg_atomic_uint32 *stop)
{
	RowSender  *sender = rows_create(program, engine);
	AttrNumber *attnos = rows_program_attnos(program);
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && !is_stopped(stop))
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

EngineStatus
child_source_run(PlanState *child, const Program *program, EngineHandle *engine,
				 pg_atomic_uint32 *stop)
{
	GroupSource *groups = group_source_open(child, program, NULL);
	EngineStatus status = ENGINE_OK;

	if (groups != NULL)
		status = send_groups(groups, engine, stop);
	if (status != ENGINE_OK || (groups != NULL && !groups->tuples_follow))
		return status;
	return send_tuples(child, program, engine, stop);
}
