/*
 * left.c
 *	  Rows of heap pages that an engine has left out, read by PostgreSQL.
 *
 * An engine names them by block and line pointer once it has read them; a device
 * does so after their page was unpinned.  They are still there: a tuple that the
 * query's snapshot sees is not removed, and keeps its line pointer.  They are
 * fetched by the table's own access method, which checks their visibility again,
 * and raises PostgreSQL's error if old_snapshot_threshold has had them removed.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "source/left.h"

/* Rows taken from the engine at once. */
#define LEFT_ROWS 128

struct LeftSource
{
	const SourceTable *tables;
	int			ntables;
	const BlockNumber *nblocks;
	Snapshot	snapshot;
	EngineHandle *engine;
	RowSender  *sender;
	TupleTableSlot **slots;		/* one a table; NULL: not needed yet */
};

LeftSource *
left_create(const SourceTable *tables, int ntables, const BlockNumber *nblocks,
			Snapshot snapshot, EngineHandle *engine, RowSender *sender)
{
	LeftSource *left = palloc(sizeof(LeftSource));

	left->tables = tables;
	left->ntables = ntables;
	left->nblocks = nblocks;
	left->snapshot = snapshot;
	left->engine = engine;
	left->sender = sender;
	left->slots = palloc0(sizeof(TupleTableSlot *) * ntables);
	return left;
}

static EngineStatus
send_row(LeftSource *left, const ToastedRow *row)
{
	const SourceTable *table = &left->tables[row->table];
	TupleTableSlot **slot = &left->slots[row->table];
	ItemPointerData tid;
	EngineStatus status;

	if (*slot == NULL)
		*slot = table_slot_create(table->relation, NULL);
	ItemPointerSet(&tid, row->block, row->line);
	if (!table_tuple_fetch_row_version(table->relation, &tid, left->snapshot, *slot))
		return engine_give_up(left->engine, ENGINE_INEXACT, "a row that was visible is gone");
	rows_set_table(left->sender, row->table);
	status = rows_add(left->sender, *slot, table->attnos);
	ExecClearTuple(*slot);
	return status;
}

/* The device process says which rows it has left out, and may be wrong. */
static bool
can_be_fetched(const LeftSource *left, const ToastedRow *row)
{
	return row->table < (uint32) left->ntables && row->block < left->nblocks[row->table] &&
		row->line != InvalidOffsetNumber;
}

EngineStatus
left_send(LeftSource *left, uint64 *nrows)
{
	ToastedRow	rows[LEFT_ROWS];
	int			n;

	while ((n = engine_toasted(left->engine, rows, LEFT_ROWS)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			EngineStatus status;

			CHECK_FOR_INTERRUPTS();
			if (!can_be_fetched(left, &rows[i]))
				return engine_give_up(left->engine, ENGINE_FAILED,
									  "a row was left out that was not given");
			status = send_row(left, &rows[i]);
			if (status != ENGINE_OK)
				return status;
		}
		*nrows += n;
	}
	return ENGINE_OK;
}

void
left_end(LeftSource *left)
{
	for (int i = 0; i < left->ntables; i++)
		if (left->slots[i] != NULL)
			ExecDropSingleTupleTableSlot(left->slots[i]);
	pfree(left->slots);
	pfree(left);
}
