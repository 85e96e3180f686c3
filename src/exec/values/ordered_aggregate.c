/*
 * ordered_aggregate.c
 *	  Aggregates of rows in an order, by PostgreSQL's own functions.
 *
 * An engine has found a group's rows.  They are sorted by a number each, which has
 * the order of the first key's values or of their beginnings, and where that does not decide, by
 * PostgreSQL's comparisons of values where they are in the rows.  SQL leaves open which of rows that
 * are equal comes first; PostgreSQL's sort leaves few rows, and such as are in their order, as they
 * have come.  So does this one.  Then the aggregate's transition
 * function takes in each row, and its final function makes the result, as nodeAgg.c has it.
 *
 * Percentiles and modes of types without an order by numbers are one of the sorted values, picked as
 * PostgreSQL's final functions do (orderedsetaggs.c); of an array of fractions, one of them each.
 *
 * Rows of a list that the engine has left in its store, and those for which there is no memory to sort
 * them, are sorted by PostgreSQL's own sort, within work_mem and a file (row_sort.c).
 *
 * These functions ask their caller, an Agg node, for the memory of a group's state; so there is
 * an AggState that has what they may ask for, and is no node of the plan.
 *
 * Memory: what lasts is in the context in which the aggregate is created; a group's state is in
 * that of an ExprContext, which is reset before the next group.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_agg.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"

#include "compat.h"
#include "exec/values/ordered_aggregate.h"
#include "exec/values/row_sort.h"
#include "exec/values/value_parts.h"
#include "program/order_statistic.h"
#include "program/row_list.h"

#define FIRST_ROOM 64			/* rows */

/* kB that PostgreSQL's sort may take where memory for pointers to the rows was refused. */
#define REFUSED_MEMORY 1024

/* Where a row's first key stands beside others' that are NULL; rows are at multiples of 8. */
#define RANK_NULL_BEFORE 0
#define RANK_VALUE_BETWEEN 1
#define RANK_NULL_BEHIND 2
#define RANK_MASK 3

/* A row that is sorted. */
typedef struct SortRow
{
	uint64		number;			/* of the first key */
	uintptr_t	row;			/* its address, and a rank in the lowest bits */
} SortRow;

typedef struct OrderKey
{
	int			column;
	int			by_number;		/* as OrderedInfo's */
	bool		nulls_first;
	bool		abbreviates;	/* numbers have the order of its values' beginnings */
	SortSupportData support;	/* unless by_number */
} OrderKey;

/* An argument of the transition function. */
typedef struct Argument
{
	int			column;			/* -1: a constant */
	NullableDatum constant;
} Argument;

/* Which value a percentile is. */
typedef struct Fraction
{
	double		share;			/* of the values: the last of them */
	int			element;		/* of the array of percentiles */
} Fraction;

struct OrderedAggregate
{
	const OrderedInfo *info;
	MemoryContext context;
	AggState   *caller;			/* of the functions */
	FmgrInfo	transition;
	FunctionCallInfo transition_call;
	FmgrInfo	final;			/* fn_oid InvalidOid: the state is the result */
	FunctionCallInfo final_call;
	NullableDatum initial;		/* state */
	int16		state_len;
	bool		state_byval;
	Argument   *arguments;
	int			narguments;
	OrderKey   *keys;
	int			nkeys;
	bool		prepared;		/* are the keys? */
	bool		distinct;

	const Program *program;		/* of the list */
	const Accumulator *columns;
	int			ncolumns;

	uint64	   *counter;		/* of rows that are ordered: the caller's */
	SortRow    *rows;			/* of a group */
	Size		room;			/* 0: there are none */
	RowSort    *sort;			/* of a group whose rows are sorted elsewhere; NULL: there was none */
	Datum		state;			/* likewise */
	bool		state_isnull;
	bool		begun;			/* false: a strict function's first value becomes the state */

	/* Of a percentile or a mode, whose state is the value that has been picked: */
	bool		picks;
	bool		picks_most;		/* the most frequent one */
	Fraction   *fractions;		/* else percentiles, the least first */
	int			nfractions;
	int			nreached;		/* of them, by the values that have been seen */
	NullableDatum *elements;	/* the array of percentiles; NULL: there is one, and no array */
	uint64		nvalues;		/* of the group, without NULLs */
	uint64		seen;			/* of them */
	Datum		last;			/* a value equal to the last one, in the group's memory */
	uint64		same;			/* how many have been equal to it */
	bool		picked;			/* they are picked */
	uint64		most;			/* how many of those that are picked have been seen */
};

static ValueType
column_type(const OrderedAggregate *ordered, int column)
{
	return (ValueType) program_insns(ordered->program)[ordered->columns[column].arg].type;
}

/* The value of a row's column, NULL if it is that. */
static const uint64_t *
column_value(const OrderedAggregate *ordered, const uint64_t *row, int column)
{
	const uint64_t *value = row + 1;

	if (row_has_null(row[0], column))
		return NULL;
	for (int i = 0; i < column; i++)
		if (!row_has_null(row[0], i))
			value += row_value_words(column_type(ordered, i), value);
	return value;
}

/* A value as a Datum, which may point to it. */
static Datum
value_datum(const OrderedAggregate *ordered, int column, const uint64_t *value)
{
	ValueType	type = column_type(ordered, column);
	int			scale = ordered->columns[column].param;
	float4		single;
	float8		number;

	if (scale != KEY_NOT_NUMERIC)
		return number_numeric(ordered->program, (int64) value[0], scale);
	switch (value_class(type))
	{
		case CLASS_INTEGER:
			return Int64GetDatum((int64) value[0]);
		case CLASS_FLOAT:
			if (type == VT_FLOAT4)
				return Float4GetDatum(*(float4 *) memcpy(&single, value, sizeof(single)));
			return Float8GetDatum(*(float8 *) memcpy(&number, value, sizeof(number)));
		default:
			return PointerGetDatum(value);
	}
}

/* A value of a key as a number in its order. */
static uint64
value_number(const OrderedAggregate *ordered, const OrderKey *key, const uint64_t *value)
{
	ValueType	type = column_type(ordered, key->column);
	uint64		order;

	if (value_class(type) == CLASS_FLOAT)
	{
		float8		number = type == VT_FLOAT4 ?
			DatumGetFloat4(value_datum(ordered, key->column, value)) :
			DatumGetFloat8(value_datum(ordered, key->column, value));

		order = order_of_float(number == 0 ? 0 : number);
	}
	else
		order = order_of_integer((int64) value[0]);
	return key->by_number < 0 ? ~order : order;
}

static int
compare_values(OrderedAggregate *ordered, OrderKey *key, const uint64_t *a, const uint64_t *b)
{
	SortSupport support = &key->support;

	if (a == NULL || b == NULL)
		return (a == NULL) == (b == NULL) ? 0 : (a == NULL) == key->nulls_first ? -1 : 1;
	if (key->by_number != 0)
	{
		uint64		first = value_number(ordered, key, a);
		uint64		second = value_number(ordered, key, b);

		return first < second ? -1 : first > second;
	}
	if (key->abbreviates)
		return ApplySortAbbrevFullComparator(value_datum(ordered, key->column, a), false,
											 value_datum(ordered, key->column, b), false, support);
	return ApplySortComparator(value_datum(ordered, key->column, a), false,
							   value_datum(ordered, key->column, b), false, support);
}

static const uint64_t *
sorted_row(const SortRow *row)
{
	return (const uint64_t *) (row->row & ~(uintptr_t) RANK_MASK);
}

static int
compare_rows(const SortRow *a, const SortRow *b, OrderedAggregate *ordered)
{
	if ((a->row & RANK_MASK) != (b->row & RANK_MASK))
		return (a->row & RANK_MASK) < (b->row & RANK_MASK) ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	for (int i = ordered->keys[0].by_number != 0 ? 1 : 0; i < ordered->nkeys; i++)
	{
		OrderKey   *key = &ordered->keys[i];
		int			order = compare_values(ordered, key,
										   column_value(ordered, sorted_row(a), key->column),
										   column_value(ordered, sorted_row(b), key->column));

		if (order != 0)
			return order;
	}
	return 0;
}

/* Rows that are equal stay in the order in which they have come. */
static inline int
compare_for_sort(const SortRow *a, const SortRow *b, OrderedAggregate *ordered)
{
	int			order = compare_rows(a, b, ordered);

	return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

#define ST_SORT sort_rows
#define ST_ELEMENT_TYPE SortRow
#define ST_COMPARE_ARG_TYPE OrderedAggregate
#define ST_COMPARE(a, b, ordered) compare_for_sort(a, b, ordered)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* How a row is sorted. */
static SortRow
row_to_sort(OrderedAggregate *ordered, const uint64_t *row)
{
	OrderKey   *key = ordered->keys;
	const uint64_t *value = ordered->nkeys == 0 ? NULL : column_value(ordered, row, key->column);
	SortRow		result = {0, (uintptr_t) row};

	if (ordered->nkeys == 0)
		return result;
	if (value == NULL)
	{
		result.row |= key->nulls_first ? RANK_NULL_BEFORE : RANK_NULL_BEHIND;
		return result;
	}
	result.row |= RANK_VALUE_BETWEEN;
	if (key->by_number != 0)
		result.number = value_number(ordered, key, value);
	else if (key->abbreviates)
	{
		result.number = DatumGetUInt64(key->support.abbrev_converter(value_datum(ordered, key->column, value),
																	 &key->support));
		if (key->support.ssup_reverse)
			result.number = ~result.number;
	}
	return result;
}

/* A copy of a value of the state's type in the group's memory. */
static Datum
copy_to_group(OrderedAggregate *ordered, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(ordered->caller->curaggcontext->ecxt_per_tuple_memory);
	Datum		copy = datumCopy(value, ordered->state_byval, ordered->state_len);

	MemoryContextSwitchTo(old);
	return copy;
}

/* Let the state be a value, which is in no memory of the group's. */
static void
set_state(OrderedAggregate *ordered, Datum value, bool isnull)
{
	ordered->state_isnull = isnull;
	ordered->state = isnull ? (Datum) 0 : copy_to_group(ordered, value);
}

static void
free_state(const OrderedAggregate *ordered, Datum state, bool isnull)
{
	if (isnull || ordered->state_byval)
		return;
	if (DatumIsReadWriteExpandedObject(state, false, ordered->state_len))
		DeleteExpandedObject(state);
	else
		pfree(DatumGetPointer(state));
}

/* Let the state be what the transition function has returned. */
static void
replace_state(OrderedAggregate *ordered, Datum value, bool isnull)
{
	MemoryContext group = ordered->caller->curaggcontext->ecxt_per_tuple_memory;
	Datum		old = ordered->state;
	bool		old_isnull = ordered->state_isnull;

	if (ordered->state_byval || (!isnull && !old_isnull &&
								 DatumGetPointer(value) == DatumGetPointer(old)))
	{
		ordered->state = value;
		ordered->state_isnull = isnull;
		return;
	}
	/* an expanded object that the function has put into the group's memory is taken as it is */
	if (!isnull && DatumIsReadWriteExpandedObject(value, false, ordered->state_len) &&
		MemoryContextGetParent(DatumGetEOHP(value)->eoh_context) == group)
	{
		ordered->state = value;
		ordered->state_isnull = false;
	}
	else
		set_state(ordered, value, isnull);
	free_state(ordered, old, old_isnull);
}

/* A row's arguments, in the current context; is one of them NULL? */
static bool
load_arguments(OrderedAggregate *ordered, const uint64_t *row)
{
	NullableDatum *args = ordered->transition_call->args;
	bool		any = false;

	for (int i = 0; i < ordered->narguments; i++)
	{
		const Argument *argument = &ordered->arguments[i];
		const uint64_t *value = argument->column < 0 ? NULL :
			column_value(ordered, row, argument->column);

		args[i + 1] = argument->constant;
		if (value != NULL)
			args[i + 1] = (NullableDatum)
			{
				value_datum(ordered, argument->column, value), false
			};
		any |= args[i + 1].isnull;
	}
	return any;
}

/* Is it the value that the next percentile is? */
static bool
is_percentile(const OrderedAggregate *ordered)
{
	double		place;

	if (ordered->nreached == ordered->nfractions)
		return false;
	place = ceil(ordered->fractions[ordered->nreached].share * (double) ordered->nvalues);
	return (double) ordered->seen == Max(place, 1);
}

/* It is. */
static void
take_percentile(OrderedAggregate *ordered, Datum value)
{
	const Fraction *fraction = &ordered->fractions[ordered->nreached++];

	if (ordered->elements == NULL)
		set_state(ordered, value, false);
	else
		ordered->elements[fraction->element] = (NullableDatum)
	{
		copy_to_group(ordered, value), false
	};
}

/* Does the value begin other ones than the last row's? */
static bool
begins_others(OrderedAggregate *ordered, Datum value)
{
	SortSupport support = &ordered->keys[0].support;

	if (ordered->seen == 1)
		return true;
	return ordered->keys[0].abbreviates ?
		ApplySortAbbrevFullComparator(ordered->last, false, value, false, support) != 0 :
		ApplySortComparator(ordered->last, false, value, false, support) != 0;
}

/* Count a value for a mode: it is picked once it is more frequent than all before. */
static void
count_value(OrderedAggregate *ordered, Datum value)
{
	if (begins_others(ordered, value))
	{
		free_state(ordered, ordered->last, ordered->seen == 1);
		ordered->last = copy_to_group(ordered, value);
		ordered->same = 0;
		ordered->picked = false;
	}
	if (++ordered->same <= ordered->most)
		return;
	ordered->most = ordered->same;
	if (ordered->picked)
		return;
	free_state(ordered, ordered->state, ordered->state_isnull);
	set_state(ordered, value, false);
	ordered->picked = true;
}

/* Take in a row for a percentile or a mode, which NULLs are nothing to. */
static void
pick_row(OrderedAggregate *ordered, const uint64_t *row)
{
	const uint64_t *value = column_value(ordered, row, ordered->keys[0].column);
	Datum		datum;

	if (value == NULL)
		return;
	datum = value_datum(ordered, ordered->keys[0].column, value);
	ordered->seen++;
	if (ordered->picks_most)
		count_value(ordered, datum);
	else
		while (is_percentile(ordered))
			take_percentile(ordered, datum);
}

/* Take in a row, in the current context, which is short-lived. */
static void
take_row(OrderedAggregate *ordered, const uint64_t *row)
{
	FunctionCallInfo call = ordered->transition_call;
	bool		any_null;
	Datum		value;

	if (ordered->picks)
	{
		pick_row(ordered, row);
		return;
	}
	any_null = load_arguments(ordered, row);
	if (ordered->transition.fn_strict)
	{
		if (any_null)
			return;
		if (!ordered->begun)
		{
			set_state(ordered, call->args[1].value, false);
			ordered->begun = true;
			return;
		}
		if (ordered->state_isnull)
			return;
	}
	call->args[0] = (NullableDatum)
	{
		ordered->state, ordered->state_isnull
	};
	call->isnull = false;
	value = FunctionCallInvoke(call);
	replace_state(ordered, value, call->isnull);
}

/* The constant array of fractions, whose dimensions the array of percentiles has. */
static ArrayType *
fraction_array(const OrderedAggregate *ordered)
{
	return DatumGetArrayTypeP(linitial_node(Const, ordered->info->aggref->aggdirectargs)->constvalue);
}

/* Percentiles of an array of fractions. */
static Datum
array_result(const OrderedAggregate *ordered, bool *isnull)
{
	ArrayType  *fractions = fraction_array(ordered);
	int			n = ArrayGetNItems(ARR_NDIM(fractions), ARR_DIMS(fractions));
	Datum	   *values = palloc(sizeof(Datum) * n);
	bool	   *nulls = palloc(sizeof(bool) * n);
	Oid			type = exprType((Node *) linitial_node(TargetEntry, ordered->info->aggref->args)->expr);
	int16		len;
	bool		byval;
	char		align;

	*isnull = ordered->nvalues == 0;
	if (*isnull)
		return (Datum) 0;
	for (int i = 0; i < n; i++)
	{
		values[i] = ordered->elements[i].value;
		nulls[i] = ordered->elements[i].isnull;
	}
	get_typlenbyvalalign(type, &len, &byval, &align);
	return PointerGetDatum(construct_md_array(values, nulls, ARR_NDIM(fractions), ARR_DIMS(fractions),
											  ARR_LBOUND(fractions), type, len, byval, align));
}

/* The group's result, from its state. */
static Datum
group_result(OrderedAggregate *ordered, bool *isnull)
{
	FunctionCallInfo call = ordered->final_call;
	Datum		state;
	Datum		result;

	if (ordered->elements != NULL)
		return array_result(ordered, isnull);
	state = MakeExpandedObjectReadOnly(ordered->state, ordered->state_isnull, ordered->state_len);
	if (!OidIsValid(ordered->final.fn_oid))
	{
		*isnull = ordered->state_isnull;
		return *isnull ? (Datum) 0 : datumCopy(state, ordered->state_byval, ordered->state_len);
	}
	/* arguments behind the state are there for their types only */
	*isnull = ordered->final.fn_strict && (ordered->state_isnull || call->nargs > 1);
	if (*isnull)
		return (Datum) 0;
	call->args[0] = (NullableDatum)
	{
		state, ordered->state_isnull
	};
	call->isnull = false;
	result = FunctionCallInvoke(call);
	*isnull = call->isnull;
	return result;
}

/* How many rows are in n words. */
static uint64
count_rows(const uint64_t *words, uint64 n)
{
	uint64		nrows = 0;

	for (uint64 i = 0; i < n; i += row_words(words[i]))
		nrows += words[i] != 0;
	return nrows;
}

/* Let there be room for the rows of a list that is in memory; false: no memory. */
static bool
reserve_rows(OrderedAggregate *ordered, const GroupList *list)
{
	uint64		nrows = count_rows(list->values, list->n);
	Size		room = Max(nrows + nrows / 8, FIRST_ROOM);
	char		message[256];

	if (engine_injected(list->engine, "order", message) != ENGINE_OK)
		return false;
	if (nrows <= ordered->room)
		return true;
	if (ordered->rows != NULL)
		pfree(ordered->rows);
	ordered->room = 0;
	ordered->rows = MemoryContextAllocExtended(ordered->context, room * sizeof(SortRow),
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (ordered->rows == NULL)
		return false;
	ordered->room = room;
	return true;
}

/* Take in the rows in n words, for which there is room, in their order. */
static void
take_sorted(OrderedAggregate *ordered, const uint64_t *words, uint64 n)
{
	uint64		nrows = 0;

	for (uint64 i = 0; i < n; i += row_words(words[i]))
	{
		if (words[i] == 0)
			continue;
		ordered->rows[nrows] = row_to_sort(ordered, words + i);
		ordered->nvalues += (ordered->rows[nrows++].row & RANK_MASK) == RANK_VALUE_BETWEEN;
		CHECK_FOR_INTERRUPTS();
	}
	sort_rows(ordered->rows, nrows, ordered);
	*ordered->counter += nrows;
	for (uint64 i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ordered->distinct && i > 0 &&
			compare_rows(&ordered->rows[i - 1], &ordered->rows[i], ordered) == 0)
			continue;
		take_row(ordered, sorted_row(&ordered->rows[i]));
		ResetExprContext(ordered->caller->tmpcontext);
	}
}

/* Take in rows all of which are equal in the order. */
static void
take_unsorted(OrderedAggregate *ordered, GroupList *list)
{
	const uint64_t *words;
	uint64		n;
	uint64		nrows = 0;

	while (group_list_next(list, &words, &n))
		for (uint64 i = 0; i < n; i += row_words(words[i]))
		{
			CHECK_FOR_INTERRUPTS();
			if (words[i] == 0 || (nrows++ > 0 && ordered->distinct))
				continue;
			take_row(ordered, words + i);
			ResetExprContext(ordered->caller->tmpcontext);
		}
	*ordered->counter += nrows;
}

/* The type of a column, as the aggregate's argument has it. */
static Oid
argument_type(const OrderedInfo *info, int column)
{
	ListCell   *arg;
	ListCell   *lc;

	forboth(arg, info->aggref->args, lc, info->columns)
		if (lfirst_int(lc) == column)
			return exprType((Node *) lfirst_node(TargetEntry, arg)->expr);
	elog(ERROR, "an ordered aggregate has no column %d", column);
}

/* The sort of rows elsewhere, with this one's keys. */
static RowSort *
create_sort(const OrderedAggregate *ordered)
{
	const OrderedInfo *info = ordered->info;
	MemoryContext old = MemoryContextSwitchTo(ordered->context);
	List	   *types = NIL;
	ListCell   *lc;
	RowSort    *sort;

	foreach(lc, info->keys)
		types = lappend_oid(types, argument_type(info, lfirst_int(lc)));
	sort = row_sort_create(types, info->operators, info->collations, info->nulls_first);
	MemoryContextSwitchTo(old);
	return sort;
}

static void
put_row(OrderedAggregate *ordered, const uint64_t *row)
{
	Datum		keys[ROW_MAX_COLUMNS];
	bool		isnull[ROW_MAX_COLUMNS];

	for (int i = 0; i < ordered->nkeys; i++)
	{
		int			column = ordered->keys[i].column;
		const uint64_t *value = column_value(ordered, row, column);

		isnull[i] = value == NULL;
		keys[i] = isnull[i] ? (Datum) 0 : value_datum(ordered, column, value);
	}
	row_sort_put(ordered->sort, keys, isnull, row);
}

/* Take in the rows of a list, sorted by PostgreSQL's sort. */
static void
take_sorted_elsewhere(OrderedAggregate *ordered, GroupList *list, int memory)
{
	const uint64_t *words;
	uint64		n;
	SortRow		last = {0, 0};

	if (ordered->sort == NULL)
		ordered->sort = create_sort(ordered);
	row_sort_begin(ordered->sort, memory);
	while (group_list_next(list, &words, &n))
		for (uint64 i = 0; i < n; i += row_words(words[i]))
		{
			CHECK_FOR_INTERRUPTS();
			if (words[i] == 0)
				continue;
			put_row(ordered, words + i);
			ordered->nvalues += column_value(ordered, words + i, ordered->keys[0].column) != NULL;
			ResetExprContext(ordered->caller->tmpcontext);
			(*ordered->counter)++;
		}
	row_sort_perform(ordered->sort);
	while ((words = row_sort_next(ordered->sort)) != NULL)
	{
		SortRow		row = ordered->distinct ? row_to_sort(ordered, words) : last;
		bool		again = ordered->distinct && last.row != 0 && compare_rows(&last, &row, ordered) == 0;

		CHECK_FOR_INTERRUPTS();
		last = row;
		if (!again)
			take_row(ordered, words);
		ResetExprContext(ordered->caller->tmpcontext);
	}
	row_sort_end(ordered->sort);
}

Datum
ordered_aggregate_value(OrderedAggregate *ordered, GroupList *list, bool *isnull)
{
	AggState   *caller = ordered->caller;
	MemoryContext old;

	ReScanExprContext(caller->curaggcontext);
	set_state(ordered, ordered->initial.value, ordered->initial.isnull);
	ordered->begun = !ordered->initial.isnull;
	ordered->nvalues = ordered->seen = ordered->most = 0;
	ordered->nreached = 0;
	old = MemoryContextSwitchTo(caller->tmpcontext->ecxt_per_tuple_memory);
	if (ordered->nkeys == 0)
		take_unsorted(ordered, list);
	else if (list->values == NULL && list->n > 0)
		take_sorted_elsewhere(ordered, list, work_mem);
	else if (reserve_rows(ordered, list))
		take_sorted(ordered, list->values, list->n);
	else
		take_sorted_elsewhere(ordered, list, Min(work_mem, REFUSED_MEMORY));
	MemoryContextSwitchTo(old);
	return group_result(ordered, isnull);
}

void
ordered_aggregate_begin(OrderedAggregate *ordered, const Program *program, int list)
{
	const OrderedInfo *info = ordered->info;

	ordered->program = program;
	ordered->columns = &program_accs(program)[list + 1];
	ordered->ncolumns = program_accs(program)[list].param;
	for (int i = 0; i < ordered->nkeys && !ordered->prepared; i++)
	{
		OrderKey   *key = &ordered->keys[i];
		SortSupport support = &key->support;

		*key = (OrderKey)
		{
			.column = list_nth_int(info->keys, i),
				.by_number = list_nth_int(info->by_number, i),
				.nulls_first = list_nth_int(info->nulls_first, i) != 0
		};
		if (key->by_number != 0)
			continue;
		support->ssup_cxt = ordered->context;
		support->ssup_collation = list_nth_oid(info->collations, i);
		support->ssup_nulls_first = key->nulls_first;
		support->abbreviate = i == 0;
		PrepareSortSupportFromOrderingOp(list_nth_oid(info->operators, i), support);
		key->abbreviates = support->abbrev_converter != NULL &&
			support->comparator == ssup_datum_unsigned_cmp;
		if (support->abbrev_converter != NULL && !key->abbreviates)
			support->comparator = support->abbrev_full_comparator;
	}
	ordered->prepared = true;
}

/* A function, to be called with so many arguments by what looks like an Agg node. */
static FunctionCallInfo
begin_call(const OrderedAggregate *ordered, FmgrInfo *function, Oid oid, Expr *expr, int nargs)
{
	FunctionCallInfo call = palloc0(SizeForFunctionCallInfo(nargs));

	fmgr_info(oid, function);
	fmgr_info_set_expr((Node *) expr, function);
	InitFunctionCallInfoData(*call, function, nargs, ordered->info->aggref->inputcollid,
							 (void *) ordered->caller, NULL);
	for (int i = 0; i < nargs; i++)
		call->args[i].isnull = true;
	return call;
}

static AggState *
create_caller(Aggref *aggref, EState *estate)
{
	AggState   *caller = makeNode(AggState);

	caller->ss.ps.state = estate;
	caller->curaggcontext = CreateExprContext(estate);
	caller->tmpcontext = CreateExprContext(estate);
	caller->curpertrans = palloc0(sizeof(AggStatePerTransData));
	caller->curpertrans->aggref = aggref;
	return caller;
}

/* The state before the first row, as the catalog has it. */
static NullableDatum
initial_state(HeapTuple tuple, Oid type)
{
	NullableDatum result = {0, true};
	Datum		value = SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &result.isnull);
	Oid			input;
	Oid			parameter;

	if (result.isnull)
		return result;
	getTypeInputInfo(type, &input, &parameter);
	result.value = OidInputFunctionCall(input, TextDatumGetCString(value), parameter, -1);
	return result;
}

static int
compare_fractions(const void *a, const void *b)
{
	double		x = ((const Fraction *) a)->share;
	double		y = ((const Fraction *) b)->share;

	return (x > y) - (x < y);
}

/* The fractions of an array, in their order. */
static void
begin_fractions(OrderedAggregate *ordered)
{
	Datum	   *values;
	bool	   *nulls;
	int			n;

	deconstruct_array(fraction_array(ordered), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &values, &nulls, &n);
	ordered->fractions = palloc(sizeof(Fraction) * n);
	ordered->elements = palloc(sizeof(NullableDatum) * n);
	for (int i = 0; i < n; i++)
	{
		ordered->elements[i] = (NullableDatum)
		{
			0, true
		};
		if (!nulls[i])
			ordered->fractions[ordered->nfractions++] = (Fraction)
		{
			DatumGetFloat8(values[i]), i
		};
	}
	qsort(ordered->fractions, ordered->nfractions, sizeof(Fraction), compare_fractions);
}

/* A percentile or a mode, which are one of the values; or several percentiles. */
static void
begin_pick(OrderedAggregate *ordered, const Aggref *aggref)
{
	ordered->picks = true;
	ordered->picks_most = aggref->aggdirectargs == NIL;
	if (aggref->aggfnoid == F_PERCENTILE_DISC__FLOAT8_ANYELEMENT)
		begin_fractions(ordered);
	else if (!ordered->picks_most)
	{
		ordered->fractions = palloc(sizeof(Fraction));
		*ordered->fractions = (Fraction)
		{
			DatumGetFloat8(linitial_node(Const, aggref->aggdirectargs)->constvalue), 0
		};
		ordered->nfractions = 1;
	}
	ordered->initial.isnull = true;
	get_typlenbyval(exprType((Node *) linitial_node(TargetEntry, aggref->args)->expr),
					&ordered->state_len, &ordered->state_byval);
}

/* The functions, which pg_aggregate names. */
static void
begin_functions(OrderedAggregate *ordered, Aggref *aggref)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	Form_pg_aggregate form;
	Oid			types[FUNC_MAX_ARGS];
	int			ntypes = get_aggregate_argtypes(aggref, types);
	Expr	   *expr;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	build_aggregate_transfn_expr(types, ntypes, 0, aggref->aggvariadic, aggref->aggtranstype,
								 aggref->inputcollid, form->aggtransfn, InvalidOid, &expr, NULL);
	ordered->transition_call = begin_call(ordered, &ordered->transition, form->aggtransfn, expr,
										  ordered->narguments + 1);
	if (OidIsValid(form->aggfinalfn))
	{
		int			nargs = form->aggfinalextra ? ntypes + 1 : 1;

		build_aggregate_finalfn_expr(types, nargs, aggref->aggtranstype, aggref->aggtype,
									 aggref->inputcollid, form->aggfinalfn, &expr);
		ordered->final_call = begin_call(ordered, &ordered->final, form->aggfinalfn, expr, nargs);
	}
	get_typlenbyval(aggref->aggtranstype, &ordered->state_len, &ordered->state_byval);
	ordered->initial = initial_state(tuple, aggref->aggtranstype);
	ReleaseSysCache(tuple);
}

OrderedAggregate *
ordered_aggregate_create(const OrderedInfo *info, EState *estate, uint64 *nrows)
{
	OrderedAggregate *ordered = palloc0(sizeof(OrderedAggregate));
	ListCell   *arg;
	ListCell   *column;

	ordered->info = info;
	ordered->context = CurrentMemoryContext;
	ordered->counter = nrows;
	ordered->caller = create_caller(info->aggref, estate);
	ordered->distinct = info->aggref->aggdistinct != NIL;
	ordered->arguments = palloc0(sizeof(Argument) * (list_length(info->columns) + 1));
	forboth(arg, info->aggref->args, column, info->columns)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, arg);
		const Const *constant = (const Const *) entry->expr;

		/* those that it is only ordered by are the last ones */
		if (!entry->resjunk)
			ordered->arguments[ordered->narguments++] = (Argument)
		{
			lfirst_int(column), {constant->constvalue, constant->constisnull}
		};
	}
	ordered->nkeys = list_length(info->keys);
	ordered->keys = palloc0(sizeof(OrderKey) * (ordered->nkeys + 1));
	if (info->aggref->aggkind == AGGKIND_NORMAL)
		begin_functions(ordered, info->aggref);
	else
		begin_pick(ordered, info->aggref);
	return ordered;
}
