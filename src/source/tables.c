/*
 * tables.c
 *	  The rows of one or several tables, as heap pages and as column batches.
 *
 * Tables whose tuples lie as the Program says are read page by page.  The rows of
 * the others, partitions with other attributes or another access method, are
 * scanned as PostgreSQL does and sent by column batches into the same run, as
 * are rows of pages that the engine cannot read.
 *
 * Several processes divide the pages block by block.  The rows of a table that is
 * scanned are one process's.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "source/rows.h"
#include "source/tables.h"
#include "source/visibility.h"

/*
 * The Program's columns in a table.  Where it does not lie as the Program says,
 * the first table does, and has the columns under the same names.
 */
static AttrNumber *
column_attnos(const Program *program, const SourceTable *table, const SourceTable *first)
{
	AttrNumber *attnos = rows_program_attnos(program);

	if (table->pages)
		return attnos;
	for (int i = 0; i < program->ncolumns; i++)
	{
		TupleDesc	desc = RelationGetDescr(first->relation);
		char	   *name = NameStr(TupleDescAttr(desc, attnos[i] - 1)->attname);

		attnos[i] = get_attnum(RelationGetRelid(table->relation), name);
		if (attnos[i] == InvalidAttrNumber)
			elog(ERROR, "table \"%s\" has no column \"%s\"",
				 RelationGetRelationName(table->relation), name);
	}
	return attnos;
}

SourceTable *
source_tables_open(const PlanInfo *plan, int *ntables)
{
	List	   *relids = list_concat_copy(plan->page_tables, plan->row_tables);
	SourceTable *tables = palloc(sizeof(SourceTable) * (list_length(relids) + 1));
	ListCell   *lc;

	foreach(lc, relids)
	{
		SourceTable *table = &tables[foreach_current_index(lc)];

		/* the plan's range table holds the locks, but a worker needs its own */
		table->relation = table_open(lfirst_oid(lc),
									 IsParallelWorker() ? AccessShareLock : NoLock);
		Assert(CheckRelationLockedByMe(table->relation, AccessShareLock, true));
		table->pages = foreach_current_index(lc) < list_length(plan->page_tables);
		table->attnos = column_attnos(plan->program, table, &tables[0]);
	}
	*ntables = list_length(relids);
	list_free(relids);
	return tables;
}

bool
source_tables_only_pages(const SourceTable *tables, int ntables)
{
	for (int i = 0; i < ntables; i++)
		if (!tables[i].pages)
			return false;
	return ntables > 0;
}

void
source_tables_close(SourceTable *tables, int ntables)
{
	for (int i = 0; i < ntables; i++)
		table_close(tables[i].relation, NoLock);
}

double
source_tables_blocks(const SourceTable *tables, int ntables, BlockNumber *nblocks)
{
	double		total = 0;

	for (int i = 0; i < ntables; i++)
	{
		BlockNumber n = tables[i].pages ? RelationGetNumberOfBlocks(tables[i].relation) : 0;

		if (nblocks != NULL)
			nblocks[i] = n;
		total += n;
	}
	return total;
}

void
table_source_stats_add(TableSourceStats *stats, const TableSourceStats *others)
{
	stats->pages += others->pages;
	stats->all_visible += others->all_visible;
	stats->page_rows += others->page_rows;
	stats->left_rows += others->left_rows;
	stats->scanned_rows += others->scanned_rows;
}

static EngineStatus
scan_table(const SourceTable *table, Snapshot snapshot, const BlockAllocator *blocks,
		   RowSender *sender, TableSourceStats *stats)
{
	TupleTableSlot *slot = table_slot_create(table->relation, NULL);
	TableScanDesc scan = compat_begin_scan(table->relation, snapshot);
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && !block_allocator_stopped(blocks) &&
		   table_scan_getnextslot(scan, ForwardScanDirection, slot))
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
table_source_run_share(const SourceTable *tables, int ntables, Snapshot snapshot,
					   BlockAllocator *blocks, const Program *program,
					   EngineHandle *engine, TableSourceStats *stats)
{
	RowSender  *sender = rows_create(program, engine);
	EngineStatus status;
	int			i;

	Assert(IsMVCCSnapshot(snapshot));
	status = heap_source_run(tables, ntables, snapshot, blocks, engine, sender, stats);
	while (status == ENGINE_OK && (i = block_allocator_next_table(blocks)) < ntables)
		if (!tables[i].pages)
			status = scan_table(&tables[i], snapshot, blocks, sender, stats);
	if (status == ENGINE_OK)
		status = rows_flush(sender);
	rows_end(sender);
	return status;
}

/* Tell the engine the LSNs of the pages that it asks for. */
static EngineStatus
answer_page_lsns(const SourceTable *tables, int ntables, const BlockNumber *nblocks,
				 EngineHandle *engine, const EngineRequest *request)
{
	const uint8 **asked = palloc0(sizeof(uint8 *) * ntables);
	EngineAnswer answer = {.kind = REQUEST_PAGE_LSNS};
	uint64	   *lsns;
	EngineStatus status;
	int			n;
	const TableState *states = engine_tables(engine, &n);

	for (int i = 0; i < n; i++)
		asked[states[i].table] = request->blocks[i];
	lsns = page_lsns_read(tables, ntables, nblocks, asked, &answer.n);
	answer.lsns = lsns;
	status = engine_answer(engine, &answer);
	pfree(lsns);
	pfree(asked);
	return status;
}

/* Answer all that the engine asks. */
static EngineStatus
answer_requests(const SourceTable *tables, int ntables, const BlockNumber *nblocks,
				EngineHandle *engine)
{
	EngineRequest request;
	EngineStatus status = engine_request(engine, &request);

	while (status == ENGINE_OK && request.kind != REQUEST_NONE)
	{
		Assert(request.kind == REQUEST_PAGE_LSNS);
		status = answer_page_lsns(tables, ntables, nblocks, engine, &request);
		if (status == ENGINE_OK)
			status = engine_request(engine, &request);
	}
	return status;
}

EngineStatus
table_source_served(const SourceTable *tables, int ntables, const BlockNumber *nblocks,
					EngineHandle *engine, const uint8 **served, BlockNumber *nserved)
{
	EngineStatus status = answer_requests(tables, ntables, nblocks, engine);

	memset(served, 0, sizeof(*served) * ntables);
	if (status == ENGINE_OK)
		status = engine_served(engine, served);
	for (int i = 0; i < ntables; i++)
		nserved[i] = served_blocks(served[i], nblocks[i]);
	return status;
}

EngineStatus
table_source_run(const SourceTable *tables, int ntables, const BlockNumber *nblocks,
				 const uint8 *const *served, Snapshot snapshot, const Program *program,
				 EngineHandle *engine, TableSourceStats *stats)
{
	SharedBlocks own;
	BlockAllocator blocks;

	shared_blocks_init(&own);
	block_allocator_begin(&blocks, &own, nblocks, ntables,
						  engine_takes_stripes(engine) ? BLOCKS_BY_STRIPES : BLOCKS_UNDIVIDED);
	blocks.served = served;
	return table_source_run_share(tables, ntables, snapshot, &blocks, program, engine, stats);
}

void
table_source_count_rows(const SourceTable *tables, int ntables, const BlockNumber *nserved,
						uint64 rows, const TableSourceStats *stats)
{
	uint64		given = stats->page_rows + stats->scanned_rows;
	double		total = 0;

	if (ntables == 1)
		heap_source_count_rows(tables[0].relation, rows);
	if (ntables <= 1 || rows <= given)
		return;
	for (int i = 0; i < ntables; i++)
		total += nserved[i];
	for (int i = 0; i < ntables; i++)
		if (nserved[i] > 0)
			heap_source_count_rows(tables[i].relation,
								   (uint64) ((rows - given) * (nserved[i] / total)));
}
