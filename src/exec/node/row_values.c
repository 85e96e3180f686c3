/*
 * row_values.c
 *	  Values of rows that need not be fetched, since their groups have them.
 *
 * A group has its keys, and of each of its first rows the order's keys, as integers, and the place.
 * Where that is all that the query asks of a row (FirstRowsInfo.sources), the row is made of it, at
 * less than a tenth of what PostgreSQL's access method takes to fetch it.
 *
 * Floats that are 0 are kept without their sign, and of NaN not all bits: such a row is fetched.
 *
 * Memory: texts of keys are in a context of their own, which each row resets.
 */
#include "postgres.h"

#include <math.h>

#include "access/sysattr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "exec/node/group_column.h"
#include "exec/node/row_values.h"
#include "program/first_rows.h"
#include "program/order_statistic.h"

/* Where a column's values come from. */
typedef struct RowValue
{
	AttrNumber	column;			/* of FirstRowsInfo.columns */
	int			key;			/* of the groups, or -1 */
	int			order;			/* key of the order, or -1 */
	ValueType	type;			/* of the key that it is */
	bool		descending;		/* the order's */
	GroupColumn group_column;	/* of the groups' key */
} RowValue;

struct RowValues
{
	const NodeInput *input;
	MemoryContext context;		/* of what a row points to */
	const Program *program;		/* of the batch */
	int			n;				/* columns of the scan tuple */
	RowValue   *values;
	ItemPointerData tid;		/* of the last row */
};

RowValues *
row_values_create(const NodeInput *input)
{
	const FirstRowsInfo *first = input->plan->first_rows;
	RowValues  *values = palloc0(sizeof(RowValues));

	values->input = input;
	values->context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg row values",
											ALLOCSET_SMALL_SIZES);
	values->n = list_length(first->columns);
	values->values = palloc0(sizeof(RowValue) * values->n);
	for (int i = 0; i < values->n; i++)
	{
		RowValue   *value = &values->values[i];
		int			source = list_nth_int(first->sources, i);

		value->column = list_nth_int(first->columns, i);
		value->key = ROW_SOURCE_IS_KEY(source) ? ROW_SOURCE_NUMBER(source) : -1;
		value->order = ROW_SOURCE_IS_ORDER(source) ? ROW_SOURCE_NUMBER(source) : -1;
	}
	return values;
}

void
row_values_begin(RowValues *values, const NodeRun *run)
{
	const Accumulator *acc = program_first_rows(run->program);
	const int16 args[] = {acc->arg, acc->arg2};

	values->program = run->program;
	for (int i = 0; i < values->n; i++)
	{
		RowValue   *value = &values->values[i];

		if (value->key >= 0)
		{
			value->type = program_key_type(run->program, value->key);
			group_column_is_key(&value->group_column, run->program, value->key,
								&run->groups.keys[value->key]);
		}
		else if (value->order >= 0)
		{
			value->type = (ValueType) program_insns(run->program)[args[value->order]].type;
			value->descending = key_is_descending(acc->order, value->order);
		}
	}
}

/* Is the float one whose bits are those of the row's value? */
static bool
is_certain(double number)
{
	return number != 0 && !isnan(number);
}

/* A key of the row's group; false: the row may have another that is equal. */
static bool
value_of_key(RowValue *value, uint32 group, Datum *datum, bool *isnull)
{
	*datum = value->group_column.value(&value->group_column, group, isnull);
	if (*isnull || !value_is_float(value->type))
		return true;
	return is_certain(value->type == VT_FLOAT4 ? DatumGetFloat4(*datum) : DatumGetFloat8(*datum));
}

/* A key of the order, likewise. */
static bool
value_of_order(const RowValue *value, const uint64 *entry, Datum *datum, bool *isnull)
{
	bool		is_float = value_is_float(value->type);
	uint64		order = entry[value->order + 1] ^ (value->descending ? UINT64_MAX : 0);
	uint64		bits = order_to_bits(order, is_float);
	double		number;

	*isnull = mark_rank_of(entry[0], value->order) != RANK_VALUE;
	if (*isnull)
	{
		*datum = (Datum) 0;
		return true;
	}
	memcpy(&number, &bits, sizeof(number));
	if (value->type == VT_FLOAT4)
		*datum = Float4GetDatum((float4) number);
	else if (value->type == VT_FLOAT8)
		*datum = Float8GetDatum(number);
	else if (value->type == VT_INT8)
		*datum = Int64GetDatum((int64) bits);
	else if (value->type == VT_INT4)
		*datum = Int32GetDatum((int32) bits);
	else
		*datum = Int16GetDatum((int16) bits);
	return !is_float || is_certain(number);
}

Datum
row_value_of_place(const NodeInput *input, AttrNumber column, uint64 place, int number, ItemPointer tid)
{
	if (column == FIRST_ROWS_NUMBER)
		return Int64GetDatum(number);
	if (column == TableOidAttributeNumber)
		return ObjectIdGetDatum(RelationGetRelid(input->tables[place_table(place)].relation));
	Assert(column == SelfItemPointerAttributeNumber);
	ItemPointerSet(tid, place_block(place), place_line(place));
	return PointerGetDatum(tid);
}

bool
row_values_store(RowValues *values, uint32 group, int number, const uint64 *entry, TupleTableSlot *slot)
{
	MemoryContext old;
	bool		known = true;

	MemoryContextReset(values->context);
	old = MemoryContextSwitchTo(values->context);
	for (int i = 0; i < values->n && known; i++)
	{
		RowValue   *value = &values->values[i];
		Datum	   *datum = &slot->tts_values[i];
		bool	   *isnull = &slot->tts_isnull[i];

		*isnull = false;
		if (value->key >= 0)
			known = value_of_key(value, group, datum, isnull);
		else if (value->order >= 0)
			known = value_of_order(value, entry, datum, isnull);
		else
			*datum = row_value_of_place(values->input, value->column, entry[0], number, &values->tid);
	}
	MemoryContextSwitchTo(old);
	if (known)
		ExecStoreVirtualTuple(slot);
	return known;
}
