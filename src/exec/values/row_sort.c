/*
 * row_sort.c
 *	  Rows of a group that are sorted by PostgreSQL's sort, in a file where they take more memory
 *	  than it may have.
 *
 * A tuple that is sorted has the keys and, behind them, the row as it is in the list, as a bytea.
 * A list has no row that is longer than LONGEST_ROW (row_lists.c).
 *
 * Memory: the sort is in a context of the caller's, whatever the current one is, and its file is
 * the current resource owner's.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "exec/values/row_sort.h"
#include "program/row_list.h"

#define LONGEST_ROW 1024		/* words */

struct RowSort
{
	MemoryContext context;
	TupleDesc	desc;
	int			nkeys;
	AttrNumber *columns;
	Oid		   *operators;
	Oid		   *collations;
	bool	   *nulls_first;
	TupleTableSlot *put;
	TupleTableSlot *got;
	Tuplesortstate *state;		/* NULL: there are no rows */
	uint64_t	rows[2][LONGEST_ROW];	/* that were taken last */
	int			last;			/* which of them */
	struct
	{
		char		header[sizeof(uint64_t)];	/* VARHDRSZ bytes are used, the last ones */
		uint64_t	row[LONGEST_ROW];
	}			bytes;			/* a row as a bytea */
};

/* The keys' types, and a bytea. */
static TupleDesc
tuple_type(List *types)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, lappend_oid(list_copy(types), BYTEAOID))
		columns = lappend(columns, makeTargetEntry((Expr *) makeNullConst(lfirst_oid(lc), -1, InvalidOid),
												   (AttrNumber) (list_length(columns) + 1), NULL, false));
	return ExecTypeFromTL(columns);
}

RowSort *
row_sort_create(List *types, List *operators, List *collations, List *nulls_first)
{
	RowSort    *sort = palloc0(sizeof(RowSort));
	int			n = list_length(types);

	sort->context = CurrentMemoryContext;
	sort->nkeys = n;
	sort->desc = tuple_type(types);
	sort->columns = palloc(n * sizeof(AttrNumber));
	sort->operators = palloc(n * sizeof(Oid));
	sort->collations = palloc(n * sizeof(Oid));
	sort->nulls_first = palloc(n * sizeof(bool));
	for (int i = 0; i < n; i++)
	{
		sort->columns[i] = (AttrNumber) (i + 1);
		sort->operators[i] = list_nth_oid(operators, i);
		sort->collations[i] = list_nth_oid(collations, i);
		sort->nulls_first[i] = list_nth_int(nulls_first, i) != 0;
	}
	sort->put = MakeSingleTupleTableSlot(sort->desc, &TTSOpsVirtual);
	sort->got = MakeSingleTupleTableSlot(sort->desc, &TTSOpsMinimalTuple);
	return sort;
}

void
row_sort_begin(RowSort *sort, int memory)
{
	MemoryContext old = MemoryContextSwitchTo(sort->context);

	sort->state = tuplesort_begin_heap(sort->desc, sort->nkeys, sort->columns, sort->operators,
									   sort->collations, sort->nulls_first, memory, NULL,
									   TUPLESORT_NONE);
	MemoryContextSwitchTo(old);
}

void
row_sort_end(RowSort *sort)
{
	ExecClearTuple(sort->got);
	tuplesort_end(sort->state);
	sort->state = NULL;
}

void
row_sort_put(RowSort *sort, const Datum *keys, const bool *isnull, const uint64_t *row)
{
	TupleTableSlot *slot = sort->put;
	size_t		size = row_words(row[0]) * sizeof(uint64_t);
	char	   *bytes = (char *) sort->bytes.row - VARHDRSZ;

	Assert(row_words(row[0]) <= LONGEST_ROW);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, keys, sort->nkeys * sizeof(Datum));
	memcpy(slot->tts_isnull, isnull, sort->nkeys * sizeof(bool));
	SET_VARSIZE(bytes, VARHDRSZ + size);
	memcpy(sort->bytes.row, row, size);
	slot->tts_values[sort->nkeys] = PointerGetDatum(bytes);
	slot->tts_isnull[sort->nkeys] = false;
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(sort->state, slot);
}

void
row_sort_perform(RowSort *sort)
{
	tuplesort_performsort(sort->state);
}

const uint64_t *
row_sort_next(RowSort *sort)
{
	struct varlena *bytes;
	bool		isnull;

	if (!tuplesort_gettupleslot(sort->state, true, false, sort->got, NULL))
		return NULL;
	bytes = (struct varlena *) DatumGetPointer(slot_getattr(sort->got, sort->nkeys + 1, &isnull));
	sort->last = !sort->last;
	memcpy(sort->rows[sort->last], VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	return sort->rows[sort->last];
}
