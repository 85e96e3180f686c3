/*
 * lookup_rows.h
 *	  The rows of a look-up: its keys, and numbers for its distinct rows of values.
 */
#ifndef GPUAGG_LOOKUP_ROWS_H
#define GPUAGG_LOOKUP_ROWS_H

#include "executor/tuptable.h"

#include "engine/engine.h"
#include "exec/lookup/array.h"
#include "exec/lookup/numbering.h"
#include "plan/plan_info.h"

/* A column of the rows. */
typedef struct RowColumn
{
	const LookupColumn *info;
	ValueType	type;			/* of values */
	int			size;			/* bytes of a row: the value's bits, its number, or none */
	int			offset;			/* of these, from the row's begin */
	Numbering  *values;			/* texts, or a code's Datums; else NULL */
	uint32	   *ranks;			/* of a RANK, once it is sorted: by the number in a row, that of
								 * its value; else NULL */
} RowColumn;

/* A key, or a part of one. */
typedef struct RowKey
{
	const LookupKey *info;
	ValueType	type;
	Numbering  *numbers;		/* that stand for it in pairs, or NULL */
	Numbering  *pairs;			/* what is before it is the number of a pair; or NULL */
} RowKey;

typedef struct LookupRows
{
	const LookupInfo *info;
	int			nwords;			/* of a row of values */
	int			masks;			/* bytes of a row before its bits, a column's each, that say which
								 * columns have a value */
	RowColumn  *columns;
	RowKey	   *keys;
	Numbering  *rows;			/* of words: the distinct rows */
	uint64		n;				/* rows that have a key */
	bool		left_out;		/* others had a key that no number of the table's units is */
	Array		integers;		/* int64: their keys, or */
	Array		texts;			/* uint32: numbers of */
	Numbering  *key_texts;		/* these */
	Array		numbers;		/* uint32: of their rows of values */
	uint64	   *words;			/* of some rows, one behind the other, that are being added */
	bool		is_ambiguous;	/* a code stands for values that are equal, but not the same */
} LookupRows;

/*
 * Does a column have the look-up's only key, which is an integer and there once only, so that
 * no other row has its value?
 */
extern bool lookup_column_is_unique(const LookupInfo *info, const LookupColumn *column);

/* For the tuples of a plan, whose columns have the types of desc; in the current context. */
extern LookupRows *lookup_rows_create(const LookupInfo *info, TupleDesc desc);

/* Add the rows of a batch: the Program's columns.  codes: those of these rows. */
extern void lookup_rows_add(LookupRows *rows, const ColumnBatch *batch, const Array *codes);

/* Once all rows are there: put the values that ranks are numbers of into their order. */
extern void lookup_rows_sort(LookupRows *rows);

/* Bytes of memory. */
extern Size lookup_rows_memory(const LookupRows *rows);

/* The values of a column, as the planner expects them. */
typedef struct ExpectedValues
{
	double		n;				/* distinct ones */
	double		copied;			/* bytes of one beside the array of all: a text's, or a Datum's */
} ExpectedValues;

/*
 * The bytes of memory that n rows are expected to take, whose nrows distinct rows are of these
 * columns' values; key_width: of a text by which they are found.
 */
extern double lookup_rows_expected_memory(const LookupInfo *info, double n, double key_width,
										  const ExpectedValues *columns, double nrows);

/* A column without a value has this code. */
#define NO_CODE PG_UINT32_MAX

/* How many columns have codes: a row has so many. */
extern int	lookup_rows_ncodes(const LookupRows *rows);

/*
 * The codes of a tuple's columns, one a column with a code, behind those of earlier tuples.
 * values, isnull: by attribute; those that codes are numbers of.
 */
extern void lookup_rows_add_codes(LookupRows *rows, const Datum *values, const bool *isnull,
								  Array *codes);

/*
 * lookup_values.c: the bytes of a look-up's columns.
 */

/* The bytes (LookupValues of ops_lookup.h) of a column, palloc'd; NULL data: too many. */
extern Bytes lookup_column_bytes(const LookupRows *rows, int column);

#endif							/* GPUAGG_LOOKUP_ROWS_H */
