/*
 * plan_info.h
 *	  What a GpuAgg node's plan carries through PostgreSQL's plan tree.
 */
#ifndef GPUAGG_PLAN_INFO_H
#define GPUAGG_PLAN_INFO_H

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "program/program.h"

/* Of the node's groups only those that can be among the first ones leave. */
typedef struct TopInfo
{
	int			count;			/* how many are wanted */
	bool		ties;			/* must those leave that are equal to the last one? */
	List	   *columns;		/* ints: the node's columns that order them; */
	List	   *operators;		/* Oids, one each: of B-tree's < or > */
	List	   *collations;		/* Oids */
	List	   *nulls_first;	/* ints */
} TopInfo;

/* What numbers the rows of a group: the window functions of these names. */
typedef enum RowNumbering
{
	NUMBER_OF_ROW,				/* row_number */
	NUMBER_OF_RANK,				/* rank */
	NUMBER_OF_DENSE_RANK,		/* dense_rank */
	EVERY_ROW					/* nothing does: each row is a group, whose key is its place */
} RowNumbering;

/*
 * The node's rows are those of a table that come first in their groups by an order, of which
 * there are at most FIRST_ROWS_MAX_KEYS keys; or, if it is EVERY_ROW, all that pass the filter.
 */
typedef struct FirstRowsInfo
{
	int			count;			/* the greatest number that a row has; of EVERY_ROW 1 */
	RowNumbering numbering;
	int			entries;		/* rows that a group's state has room for: more than count where
								 * rows can have the same number */
	double		expected;		/* rows of each group; while planning only */
	List	   *columns;		/* ints: for each of the node's columns, an attribute of the table
								 * that the query names, or FIRST_ROWS_NUMBER */
	List	   *sources;		/* ints: for each of these columns, what has its values (below) */
	List	   *partition;		/* Expr: the groups' keys, for EXPLAIN only */
	List	   *keys;			/* Expr: of the order */
	List	   *operators;		/* Oids, one each: of B-tree's < or > */
	List	   *nulls_first;	/* ints, likewise */
} FirstRowsInfo;

/* A column that is the row's number in its group, where no attribute can be. */
#define FIRST_ROWS_NUMBER 0

/*
 * What has the values of a column: only the row, which must be fetched; the row's place; the nth of
 * the groups' keys; or the nth of the order's.
 */
#define ROW_SOURCE_ROW 0
#define ROW_SOURCE_PLACE 1
#define ROW_SOURCE_KEY(n) (2 + 2 * (n))
#define ROW_SOURCE_ORDER(n) (3 + 2 * (n))
#define ROW_SOURCE_IS_KEY(source) ((source) >= 2 && (source) % 2 == 0)
#define ROW_SOURCE_IS_ORDER(source) ((source) >= 2 && (source) % 2 == 1)
#define ROW_SOURCE_NUMBER(source) (((source) - 2) / 2)

/* An aggregate whose value is an array: percentiles of several fractions, or ordered values. */
typedef struct ArrayInfo
{
	int			agg;			/* among the node's aggregates */
	Const	   *fractions;		/* an array, whose dimensions the value has; NULL: it is one of a
								 * group's values in their order */
	List	   *elements;		/* ints: aggregates of the Program, or -1: NULL; of fractions */
	bool		descending;		/* of ordered values */
	bool		nulls_first;	/* likewise */
	bool		distinct;		/* likewise: each is taken once */
} ArrayInfo;

/*
 * An aggregate that the session makes of a group's rows, which are a list.  Its order is by keys that
 * are columns of the rows; with DISTINCT, of rows that are equal in it one is taken.
 */
typedef struct OrderedInfo
{
	int			agg;			/* among the node's aggregates */
	Aggref	   *aggref;			/* whose arguments are constants: themselves, or of their types */
	List	   *columns;		/* ints: for each argument a column of the rows; -1: a constant */
	List	   *keys;			/* ints: columns */
	List	   *operators;		/* Oids, one a key: of B-tree's < or > */
	List	   *collations;		/* Oids, likewise */
	List	   *nulls_first;	/* ints, likewise */
	List	   *by_number;		/* ints, likewise: 1, the order is that of numbers; -1, the reverse
								 * one; 0, only the operator knows */
} OrderedInfo;

/*
 * Clauses of HAVING that compare an aggregate with a value; the values follow the Program's
 * parameters among the node's expressions.
 */
typedef struct HavingInfo
{
	List	   *columns;		/* ints: the node's columns */
	List	   *strategies;		/* ints: of a B-tree */
} HavingInfo;

/* What a column of a look-up has, row by row. */
typedef enum LookupUse
{
	LOOKUP_VALUE,				/* values of the Program's type */
	LOOKUP_PRESENCE,			/* whether there is a value */
	LOOKUP_CODE,				/* numbers of values, of any type that can be hashed */
	LOOKUP_RANK					/* the same in the order of the values, by their type and collation */
} LookupUse;

/* Are they numbers of values? */
static inline bool
lookup_use_is_code(LookupUse use)
{
	return use == LOOKUP_CODE || use == LOOKUP_RANK;
}

typedef struct LookupColumn
{
	LookupUse	use;
	int			place;			/* VALUE, PRESENCE: its number in LookupInfo.program; CODE:
								 * and RANK: attribute of the plan's rows, from 1 */
	int			param;			/* that it is */
	bool		by_row;			/* CODE: two rows' equal values may have two numbers, since another
								 * key of the groups tells the rows apart */
} LookupColumn;

/*
 * A key of a look-up.  Several make one: the first two are a pair, whose number and the
 * third one are a pair, and so on.
 */
typedef struct LookupKey
{
	int			column;			/* of LookupInfo.program */
	int			word;			/* of a value of two words, each of which is a key: which one */
	int			param;			/* a look-up that gives the value's number in pairs; -1: its value
								 * is taken, or there is one key only */
	int			pair_param;		/* the same of the pair before it; -1: it is the first or second */
	bool		trims;			/* a text's trailing blanks do not count */
} LookupKey;

/* Rows of a child plan that are looked up. */
typedef struct LookupInfo
{
	char	   *name;			/* of its relation, for EXPLAIN; and so are: */
	List	   *equalities;		/* Expr: what its keys are of, */
	List	   *conditions;		/* the join's other clauses, */
	List	   *filters;		/* and those above an outer join; */
	List	   *computed;		/* or what the plan computes of distinct values; NIL: it is a join */
	char	   *key;			/* says all that what is made of the plan's rows depends on, but for
								 * tables' rows; NULL: nobody has asked for it */
	List	   *tables;			/* Oids: the tables that the plan reads; NIL: it is not to be kept */
	bool		can_fail;		/* what the plan computes can raise errors; its input is a Material */
	int			condition;		/* attribute of the plan's rows, from 1: only those count where it is
								 * true; 0: all count */
	List	   *guarded;		/* Expr: what it is of, for EXPLAIN */
	JoinType	jointype;		/* INNER, LEFT, SEMI or ANTI */
	Program    *program;		/* its columns are the plan's, as engines have values; no more */
	int			nkeys;
	LookupKey  *keys;
	int			param;			/* of the look-up: from the keys to a row */
	int			ncolumns;
	LookupColumn *columns;		/* of its rows */
} LookupInfo;

/* A key of groups, or an extreme, that is the number of a value. */
typedef struct ColumnCode
{
	int			lookup;			/* -1: it is a value */
	int			column;			/* of LookupInfo.columns */
} ColumnCode;

typedef struct PlanInfo
{
	Program    *program;
	Oid			relid;			/* the table that the query names; InvalidOid: the rows are a
								 * child plan's */
	List	   *page_tables;	/* Oids: tables whose pages are read, and whose
								 * tuples lie as the Program says */
	List	   *row_tables;		/* Oids: tables whose rows are sent */
	Index		rti;			/* varno of that table's Vars in filter */
	List	   *filter;			/* the scan's clauses, for EXPLAIN only */
	int			engine;			/* GpuAggEngine that costs were made for */
	int			nkeys;			/* of the node's tuples: the Program's first keys */
	int			naggs;			/* likewise: its first aggregates, or the regrouping's */
	List	   *arrays;			/* ArrayInfo: those that are made of others behind them */
	List	   *ordered;		/* OrderedInfo: those that the session makes of rows */
	Program    *regrouping;		/* over the Program's groups, or NULL */
	List	   *sets;			/* with it: a List of ints each, numbers of keys */
	List	   *groupings;		/* arguments of GROUPING(), likewise */
	List	   *lookups;		/* LookupInfo, one a child plan behind the native one */
	ColumnCode *codes;			/* of the node's keys and aggregates; NULL: all are values */
	FirstRowsInfo *first_rows;	/* NULL: the node's rows are groups */
	TopInfo    *top;			/* NULL: all groups leave */
	int			limit;			/* of a LIMIT, so many tuples are asked for at most; 0: nobody
								 * knows, or they are sorted before */
	HavingInfo *having;			/* NULL: no clause is told to the engine */
	Column	   *keep;			/* that the run keeps beside the Program's */
	int			nkeep;
	bool		rows_differ;	/* have no two of the input's rows the same keys? */
	bool		divides_keys;	/* do processes divide an integer, the only key, and not the rows? */
	bool		verifiable;		/* would the native plan's rows be the same, and raise no
								 * error that the query does not? */
	double		rows;			/* estimates: rows read, and groups */
	double		groups;
} PlanInfo;

/* Do places alone tell all that is asked of the rows? */
extern bool first_rows_are_places(const FirstRowsInfo *first);

/* Must the rows be fetched? */
extern bool first_rows_are_fetched(const FirstRowsInfo *first);

/* Are the rows those of tables?  Else they are a child plan's. */
static inline bool
plan_reads_tables(const PlanInfo *plan)
{
	return OidIsValid(plan->relid);
}

/*
 * To and from a List of Nodes (CustomScan.custom_private).  The Program is
 * copied into palloc'd memory in both directions.
 */
extern List *plan_info_to_list(const PlanInfo *info);
extern PlanInfo *plan_info_from_list(List *list);

/*
 * make_program.c: Programs in PostgreSQL's memory.
 */

/* The finished Program, palloc'd.  The builder must not have overflowed. */
extern Program *make_program(const ProgramBuilder *builder);

/*
 * The same Program for numerics that can be NaN or infinite, palloc'd, or NULL:
 * as program_admit_specials (specials.c).
 */
extern Program *make_special_program(const Program *program, const Program *fine);

#endif							/* GPUAGG_PLAN_INFO_H */
