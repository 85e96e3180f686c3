/*
 * tables.c
 *	  The rows of one or several tables, as heap pages and as column batches.
 *
 * Tables whose tuples lie as the Program says are read page by page.  The rows of
 * the others, partitions with other attributes or another access method, are
 * scanned as PostgreSQL does and sent by column batches into the same run, as
 * are rows of pages that the engine cannot read.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "source/rows.h"
#include "source/tables.h"

static EngineStatus
scan_table(const SourceTable *table, Snapshot snapshot, RowSender *sender,
		   TableSourceStats *stats)
{
	TupleTableSlot *slot = table_slot_create(table->relation, NULL);
	TableScanDesc scan = compat_begin_scan(table->relation, snapshot);
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		status = rows_add(sender, slot, table->attnos);
		stats->scanned_rows++;
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return status;
}

EngineStatus
table_source_run(const SourceTable *tables, int ntables, Snapshot snapshot,
				 const Program *program, EngineHandle *engine, TableSourceStats *stats)
{
	RowSender  *sender = rows_create(program, engine);
	EngineStatus status;

	Assert(IsMVCCSnapshot(snapshot));
	status = heap_source_run(tables, ntables, snapshot, engine, sender, stats);
	for (int i = 0; i < ntables && status == ENGINE_OK; i++)
		if (!tables[i].pages)
			status = scan_table(&tables[i], snapshot, sender, stats);
	if (status == ENGINE_OK)
		status = rows_flush(sender);
	rows_end(sender);
	return status;
}
