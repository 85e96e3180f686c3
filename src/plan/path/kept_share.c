/*
 * kept_share.c
 *	  How much of a grouping's input is in device memory.
 *
 * The device process's table of contents says how many blocks of a column are kept.  Of
 * these no more can be taken than the visibility map now says are all-visible; which of
 * them, only a run finds out.
 */
#include "postgres.h"

#include <stdlib.h>

#include "access/relation.h"
#include "access/visibilitymap.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "guc.h"
#include "plan/path/kept_share.h"
#include "service/wire/contents.h"
#include "source/visibility.h"

typedef struct Contents
{
	CacheRow   *rows;
	uint32		nrows;
} Contents;

/* In PostgreSQL's memory, lest an error leaks it. */
static Contents
read_contents(void)
{
	Contents	contents;
	CacheRow   *rows = contents_read(&contents.nrows);

	contents.rows = palloc(sizeof(CacheRow) * (contents.nrows + 1));
	if (contents.nrows > 0)
		memcpy(contents.rows, rows, sizeof(CacheRow) * contents.nrows);
	free(rows);
	return contents;
}

/* The blocks of a file that are kept of a column, 0: of any. */
static uint64
kept_blocks(const Contents *contents, const uint32 *file, int attno)
{
	uint64		blocks = 0;

	for (uint32 i = 0; i < contents->nrows; i++)
	{
		const CacheRow *row = &contents->rows[i];

		if (memcmp(row->file, file, sizeof(row->file)) == 0 &&
			(attno == 0 || row->attno == attno))
			blocks = Max(blocks, row->blocks);
	}
	return blocks;
}

/* Of all columns that the Program reads. */
static uint64
program_blocks(const Contents *contents, const uint32 *file, const Program *program)
{
	uint64		blocks = kept_blocks(contents, file, 0);

	for (int i = 0; i < program->ncolumns && blocks > 0; i++)
		blocks = Min(blocks, kept_blocks(contents, file, program_columns(program)[i].attno));
	return blocks;
}

/* The blocks of a table that a run would not read. */
static uint64
table_blocks(const Contents *contents, Relation relation, const Program *program)
{
	const uint32 file[3] = COMPAT_FILE(relation->rd_locator);
	uint64		blocks = program_blocks(contents, file, program);
	BlockNumber all_visible;

	if (blocks == 0 || !table_columns_may_stay(relation))
		return 0;
	visibilitymap_count(relation, &all_visible, NULL);
	return Min(blocks, all_visible);
}

double
resident_share(const InputTables *tables, const Program *program)
{
	Contents	contents;
	double		resident = 0;
	double		total = 0;
	ListCell   *lc;

	if (gpuagg_cache_size == 0 || !program_can_be_served(program))
		return 0;
	contents = read_contents();
	foreach(lc, contents.nrows > 0 ? tables->page_tables : NIL)
	{
		Relation	relation = relation_open(lfirst_oid(lc), NoLock);

		resident += table_blocks(&contents, relation, program);
		total += RelationGetNumberOfBlocks(relation);
		relation_close(relation, NoLock);
	}
	pfree(contents.rows);
	return total > 0 ? Min(resident / total, 1) : 0;
}
