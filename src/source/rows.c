/*
 * rows.c
 *	  Rows of tuple table slots, sent to an engine by column batches.
 *
 * What detoasting a row leaves behind goes with row_context; the batch and all
 * else is in the context in which the sender was made.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "program/first_rows.h"
#include "source/batch.h"
#include "source/rows.h"
#include "stats/activity.h"

struct RowSender
{
	const Program *program;
	EngineHandle *engine;
	BatchWriter *batch;
	MemoryContext row_context;
	Datum	   *values;
	bool	   *isnull;
	uint32		table;			/* of the rows, for their places */
};

RowSender *
rows_create(const Program *program, EngineHandle *engine)
{
	RowSender  *sender = palloc(sizeof(RowSender));

	sender->program = program;
	sender->engine = engine;
	sender->table = 0;
	sender->batch = batch_create(program);
	sender->row_context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg row",
												ALLOCSET_DEFAULT_SIZES);
	sender->values = palloc(sizeof(Datum) * (program->ncolumns + 1));
	sender->isnull = palloc(sizeof(bool) * (program->ncolumns + 1));
	return sender;
}

void
rows_set_table(RowSender *sender, uint32 table)
{
	sender->table = table;
}

/* The place of a row that is a table's. */
static Datum
row_place(const RowSender *sender, const TupleTableSlot *slot)
{
	return Int64GetDatum((int64) place_make(sender->table,
											ItemPointerGetBlockNumber(&slot->tts_tid),
											ItemPointerGetOffsetNumber(&slot->tts_tid)));
}

EngineStatus
rows_add(RowSender *sender, TupleTableSlot *slot, const AttrNumber *attnos)
{
	MemoryContext old = MemoryContextSwitchTo(sender->row_context);
	bool		fits;

	for (int i = 0; i < sender->program->ncolumns; i++)
	{
		sender->isnull[i] = false;
		sender->values[i] = attnos[i] == COLUMN_PLACE ? row_place(sender, slot) :
			slot_getattr(slot, attnos[i], &sender->isnull[i]);
	}
	fits = batch_append(sender->batch, sender->values, sender->isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(sender->row_context);
	if (!fits && batch_met_special(sender->batch))
		return engine_give_up(sender->engine, ENGINE_SPECIAL, "a value is NaN or infinite");
	if (!fits)
		return engine_give_up(sender->engine, ENGINE_INEXACT,
							  "a value is no number that the engine can hold");
	return batch_full(sender->batch) ? rows_flush(sender) : ENGINE_OK;
}

EngineStatus
rows_flush(RowSender *sender)
{
	EngineStatus status = ENGINE_OK;

	if (batch_rows(sender->batch) > 0)
	{
		status = engine_columns(sender->engine, batch_columns(sender->batch));
		activity_read(0, engine_stats(sender->engine)->rows);
	}
	batch_reset(sender->batch);
	return status;
}

void
rows_end(RowSender *sender)
{
	batch_free(sender->batch);
	MemoryContextDelete(sender->row_context);
	pfree(sender->values);
	pfree(sender->isnull);
	pfree(sender);
}

AttrNumber *
rows_program_attnos(const Program *program)
{
	const Column *columns = program_columns(program);
	AttrNumber *attnos = palloc(sizeof(AttrNumber) * (program->ncolumns + 1));

	for (int i = 0; i < program->ncolumns; i++)
		attnos[i] = columns[i].attno;
	return attnos;
}
