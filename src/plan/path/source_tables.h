/*
 * source_tables.h
 *	  The tables whose rows are a grouping's input.
 */
#ifndef GPUAGG_SOURCE_TABLES_H
#define GPUAGG_SOURCE_TABLES_H

#include "access/attmap.h"
#include "access/tupdesc.h"
#include "nodes/pathnodes.h"

#include "program/program.h"

/*
 * One table, or the partitions or children that a query of their parent reads.
 * Pages are read of those whose tuples lie alike as far as the query looks.
 */
typedef struct InputTables
{
	Oid			relid;			/* the table that the query names */
	List	   *page_tables;	/* Oids, in PostgreSQL's order: at least one */
	List	   *row_tables;		/* Oids: of the others, rows are scanned and sent */
	TupleDesc	desc;			/* of the page tables; NOT NULL where all tables'
								 * columns are */
	AttrMap    *map;			/* from attributes of relid to those of desc */
	double		pages;			/* estimates: of all tables */
	double		rows;
	double		scanned_rows;	/* of row_tables */
	Cost		read_cost;		/* of the pages, as PostgreSQL estimates it */
} InputTables;

/*
 * The tables of a base relation.  exprs: all that is computed from its rows.
 * Returns NULL, or why they cannot be read here (a phrase).
 */
extern const char *input_tables(PlannerInfo *root, RelOptInfo *rel, List *exprs,
								InputTables *tables);

/*
 * The relations that hold the rows of a base relation (RelOptInfo), in the order in which Append
 * reads them: itself, or what pruning has left of its partitions or children.
 */
extern List *input_leaves(PlannerInfo *root, const RelOptInfo *rel);

/*
 * The share of the tables' blocks that a run of the Program would probably not read, since
 * a device has kept their rows: an estimate, for costs.
 */
extern double kept_share(const InputTables *tables, const Program *program);

/* The same of columns that the CPU engine has kept in shared memory. */
extern double kept_in_memory_share(const InputTables *tables, const Program *program);

#endif							/* GPUAGG_SOURCE_TABLES_H */
