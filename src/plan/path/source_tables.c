/*
 * source_tables.c
 *	  The tables whose rows are a grouping's input.
 *
 * A partitioned table, or one with children, has been expanded by the planner
 * into those that its own pruning has left over.  Partitions that are pruned
 * when the plan runs are left to PostgreSQL's Append.
 *
 * Tables lie alike if the attributes that the query needs have the same numbers
 * and the same values where tuples are too short to hold them, and all
 * attributes before them the same lengths and alignments: then one Program can
 * deform their tuples.  Of the sorts that there are, the one with most pages is
 * read by pages.
 *
 * Tables of which PostgreSQL's planner has any other path than its own scan are not
 * read here, neither pages nor rows: an extension may keep their rows elsewhere.
 *
 * How much of them an engine has kept is estimated for costs: the device process's table of
 * contents, or the memory of the CPU engine's columns, says how many blocks of a column are kept.
 * Of these no more can be taken than the visibility map now says are all-visible; which of them,
 * only a run finds out.
 */
#include "postgres.h"

#include <stdlib.h>

#include "access/relation.h"
#include "access/sysattr.h"
#include "access/tupdesc_details.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "partitioning/partprune.h"
#include "storage/bufmgr.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/spccache.h"

#include "compat.h"
#include "guc.h"
#include "handle/cpu_cache.h"
#include "plan/path/others.h"
#include "plan/path/source_tables.h"
#include "service/wire/contents.h"
#include "source/visibility.h"

/* A table whose rows are read. */
typedef struct Leaf
{
	RelOptInfo *rel;
	Relation	relation;
	AttrMap    *map;			/* from the named table's attributes */
	int			like;			/* the first leaf that lies alike; -1: not heap */
	double		pages;			/* of all leaves that lie like this one */
} Leaf;

List *
input_leaves(PlannerInfo *root, const RelOptInfo *rel)
{
	List	   *leaves = NIL;
	ListCell   *lc;

	if (!planner_rt_fetch(rel->relid, root)->inh)
		return list_make1((void *) rel);
	foreach(lc, root->append_rel_list)
	{
		AppendRelInfo *info = lfirst_node(AppendRelInfo, lc);
		RelOptInfo *child = root->simple_rel_array[info->child_relid];

		if (info->parent_relid == rel->relid && child != NULL && !IS_DUMMY_REL(child))
			leaves = list_concat(leaves, input_leaves(root, child));
	}
	return leaves;
}

/* Would Append choose among the partitions when it runs? */
static bool
pruned_at_run_time(PlannerInfo *root, RelOptInfo *rel, List *leaves)
{
	List	   *clauses = extract_actual_clauses(rel->baserestrictinfo, false);
	List	   *paths = NIL;
	ListCell   *lc;

	if (planner_rt_fetch(rel->relid, root)->relkind != RELKIND_PARTITIONED_TABLE ||
		!enable_partition_pruning || clauses == NIL)
		return false;
	foreach(lc, leaves)
		paths = lappend(paths, ((RelOptInfo *) lfirst(lc))->cheapest_total_path);
	return compat_prunes_at_run_time(root, rel, paths, clauses);
}

static bool
same_missing(TupleDesc a, TupleDesc b, int i)
{
	Form_pg_attribute att = TupleDescAttr(a, i);
	const AttrMissing *x = att->atthasmissing ? &a->constr->missing[i] : NULL;
	const AttrMissing *y = TupleDescAttr(b, i)->atthasmissing ? &b->constr->missing[i] : NULL;
	bool		x_present = x != NULL && x->am_present;
	bool		y_present = y != NULL && y->am_present;

	if (!x_present || !y_present)
		return x_present == y_present;
	return datumIsEqual(x->am_value, y->am_value, att->attbyval, att->attlen);
}

/* Do the needed attributes (of the named table) lie alike in both? */
static bool
lie_alike(const Leaf *a, const Leaf *b, const Bitmapset *needed)
{
	TupleDesc	x = RelationGetDescr(a->relation);
	TupleDesc	y = RelationGetDescr(b->relation);
	int			last = 0;
	int			attno = -1;

	while ((attno = bms_next_member(needed, attno)) >= 0)
	{
		int			number = a->map->attnums[attno - 1];

		if (number != b->map->attnums[attno - 1] || !same_missing(x, y, number - 1))
			return false;
		last = Max(last, number);
	}
	for (int i = 0; i < last; i++)
		if (TupleDescAttr(x, i)->attlen != TupleDescAttr(y, i)->attlen ||
			TupleDescAttr(x, i)->attalign != TupleDescAttr(y, i)->attalign)
			return false;
	return true;
}

/* The attributes, by their numbers, that expressions need; not those of the system. */
static Bitmapset *
needed_attributes(List *exprs, Index rti)
{
	Bitmapset  *columns = NULL;
	Bitmapset  *needed = NULL;
	int			i = -1;

	pull_varattnos((Node *) exprs, rti, &columns);
	while ((i = bms_next_member(columns, i)) >= 0)
		if (i + FirstLowInvalidHeapAttributeNumber > 0)
			needed = bms_add_member(needed, i + FirstLowInvalidHeapAttributeNumber);
	return needed;
}

/* Why a table cannot be read here, or NULL. */
static const char *
examine_leaf(PlannerInfo *root, RelOptInfo *rel)
{
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

	if (rte->rtekind != RTE_RELATION ||
		(rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW))
		return rel->reloptkind == RELOPT_BASEREL ? "the input is not one plain table"
			: "a partition is a foreign table";
	return NULL;
}

/*
 * Open the leaves and sort them by how they lie; returns where most pages are,
 * or -1.
 */
static int
open_leaves(PlannerInfo *root, List *rels, Relation named, const Bitmapset *needed,
			Leaf *leaves)
{
	int			n = list_length(rels);
	int			best = -1;

	for (int i = 0; i < n; i++)
	{
		Leaf	   *leaf = &leaves[i];

		leaf->rel = list_nth(rels, i);
		leaf->relation = relation_open(planner_rt_fetch(leaf->rel->relid, root)->relid, NoLock);
		leaf->map = compat_attribute_map(RelationGetDescr(leaf->relation),
										 RelationGetDescr(named));
		leaf->pages = 0;
		leaf->like = -1;
		if (leaf->relation->rd_rel->relam != HEAP_TABLE_AM_OID)
			continue;
		for (int j = 0; j < i && leaf->like < 0; j++)
			if (leaves[j].like == j && lie_alike(leaf, &leaves[j], needed))
				leaf->like = j;
		if (leaf->like < 0)
			leaf->like = i;
		leaves[leaf->like].pages += Max(leaf->rel->pages, 1);
	}
	for (int i = 0; i < n; i++)
		if (leaves[i].like == i && (best < 0 || leaves[i].pages > leaves[best].pages))
			best = i;
	return best;
}

/* Add a leaf's estimates. */
static void
add_leaf(InputTables *tables, const Leaf *leaf, bool pages)
{
	Oid			relid = RelationGetRelid(leaf->relation);
	double		npages = Max(leaf->rel->pages, 1);
	double		page_cost;

	get_tablespace_page_costs(leaf->rel->reltablespace, NULL, &page_cost);
	tables->pages += npages;
	tables->rows += leaf->rel->tuples;
	tables->read_cost += npages * page_cost;
	if (pages)
		tables->page_tables = lappend_oid(tables->page_tables, relid);
	else
	{
		tables->row_tables = lappend_oid(tables->row_tables, relid);
		tables->scanned_rows += leaf->rel->tuples;
	}
}

/* NOT NULL is what all tables agree on: children need not have it from a parent. */
static TupleDesc
common_desc(const Leaf *leaves, int n, const Leaf *best)
{
	TupleDesc	desc = CreateTupleDescCopyConstr(RelationGetDescr(best->relation));

	for (int i = 0; i < n; i++)
		for (int j = 0; j < best->map->maplen; j++)
			if (best->map->attnums[j] > 0 &&
				!compat_is_not_null(RelationGetDescr(leaves[i].relation),
									leaves[i].map->attnums[j] - 1))
				TupleDescAttr(desc, best->map->attnums[j] - 1)->attnotnull = false;
	return desc;
}

static const char *
examine_named(const RelOptInfo *rel, const RangeTblEntry *rte)
{
	if (rel->reloptkind != RELOPT_BASEREL || rte->rtekind != RTE_RELATION)
		return "the input is not one table";
	if (rte->tablesample != NULL)
		return "TABLESAMPLE is not supported";
	if (IsolationIsSerializable())
		return "the transaction is serializable";
	return NULL;
}

const char *
input_tables(PlannerInfo *root, RelOptInfo *rel, List *exprs, InputTables *tables)
{
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	const char *reason = examine_named(rel, rte);
	Relation	named;
	List	   *rels;
	Leaf	   *leaves;
	ListCell   *lc;
	int			best;

	MemSet(tables, 0, sizeof(*tables));
	if (reason != NULL)
		return reason;
	rels = input_leaves(root, rel);
	foreach(lc, rels)
		if ((reason = examine_leaf(root, lfirst(lc))) != NULL)
			return reason;
	if ((reason = others_scan(rel, rels)) != NULL)
		return reason;
	if (pruned_at_run_time(root, rel, rels))
		return "partitions are pruned when the plan runs";

	named = relation_open(rte->relid, NoLock);
	leaves = palloc0(sizeof(Leaf) * (list_length(rels) + 1));
	best = open_leaves(root, rels, named, needed_attributes(exprs, rel->relid), leaves);
	if (best >= 0)
	{
		tables->relid = rte->relid;
		tables->desc = common_desc(leaves, list_length(rels), &leaves[best]);
		tables->map = leaves[best].map;
	}
	for (int i = 0; i < list_length(rels); i++)
	{
		if (best >= 0)
			add_leaf(tables, &leaves[i], leaves[i].like == best);
		relation_close(leaves[i].relation, NoLock);
	}
	relation_close(named, NoLock);
	return best >= 0 ? NULL : "the table's access method is not heap";
}

/* How many blocks are kept of a column. */
typedef struct KeptColumn
{
	uint32		file[3];		/* as in TableState */
	int			attno;
	uint32		device;			/* 0: also of the CPU engine's */
	uint64		blocks;
} KeptColumn;

typedef struct Contents
{
	KeptColumn *columns;
	uint32		ncolumns;
} Contents;

/* What devices have kept. */
static Contents
read_contents(void)
{
	Contents	contents;
	CacheRow   *rows = contents_read(&contents.ncolumns);

	contents.columns = palloc(sizeof(KeptColumn) * (contents.ncolumns + 1));
	for (uint32 i = 0; i < contents.ncolumns; i++)
	{
		KeptColumn *column = &contents.columns[i];

		memcpy(column->file, rows[i].file, sizeof(column->file));
		column->attno = rows[i].attno;
		column->device = rows[i].device;
		column->blocks = rows[i].blocks;
	}
	free(rows);
	return contents;
}

/* What the CPU engine has kept. */
static Contents
read_cpu_columns(void)
{
	Contents	contents;
	int			n;
	CpuCacheColumn *columns = cpu_cache_columns(&n);

	contents.ncolumns = (uint32) n;
	contents.columns = palloc(sizeof(KeptColumn) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		KeptColumn *column = &contents.columns[i];

		memcpy(column->file, columns[i].file, sizeof(column->file));
		column->attno = columns[i].attno;
		column->device = 0;
		column->blocks = columns[i].blocks;
	}
	if (columns != NULL)
		pfree(columns);
	return contents;
}

#define ANY_COLUMN (-1)

/*
 * The blocks of a file that are kept of a column, or of any.  Devices that keep blocks of a table
 * keep different ones.
 */
static uint64
kept_blocks(const Contents *contents, const uint32 *file, int attno)
{
	uint64		of_devices[DEVICES_MAX] = {0};
	uint64		blocks = 0;

	for (uint32 i = 0; i < contents->ncolumns; i++)
	{
		const KeptColumn *column = &contents->columns[i];

		if (memcmp(column->file, file, sizeof(column->file)) == 0 &&
			(attno == ANY_COLUMN || column->attno == attno) && column->device < DEVICES_MAX)
			of_devices[column->device] = Max(of_devices[column->device], column->blocks);
	}
	for (int i = 0; i < DEVICES_MAX; i++)
		blocks += of_devices[i];
	return blocks;
}

/* Of all columns that the Program reads. */
static uint64
program_blocks(const Contents *contents, const uint32 *file, const Program *program)
{
	uint64		blocks = kept_blocks(contents, file, ANY_COLUMN);

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

/* The share of the tables' blocks of which all of the Program's columns are there. */
static double
share_of_blocks(const InputTables *tables, const Program *program, Contents contents)
{
	double		kept = 0;
	double		total = 0;
	ListCell   *lc;

	foreach(lc, contents.ncolumns > 0 ? tables->page_tables : NIL)
	{
		Relation	relation = relation_open(lfirst_oid(lc), NoLock);

		kept += table_blocks(&contents, relation, program);
		total += RelationGetNumberOfBlocks(relation);
		relation_close(relation, NoLock);
	}
	pfree(contents.columns);
	return total > 0 ? Min(kept / total, 1) : 0;
}

double
kept_share(const InputTables *tables, const Program *program)
{
	if (gpuagg_cache_size == 0 || !program_can_be_served(program))
		return 0;
	return share_of_blocks(tables, program, read_contents());
}

double
kept_in_memory_share(const InputTables *tables, const Program *program)
{
	if (!cpu_cache_is_on())
		return 0;
	return share_of_blocks(tables, program, read_cpu_columns());
}
