/*
 * group_column.c
 *	  The values of a column of the node's tuples, from a batch of groups.
 *
 * Frequent kinds of keys and aggregates have functions of their own, which find in the column
 * what they need of the Program and the batch.  final.c makes the other values.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/final.h"
#include "exec/group_column.h"

static Datum
constant_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = column->isnull;
	return column->constant;
}

static inline bool
key_isnull(const GroupColumn *column, uint32 group)
{
	const uint8_t *validity = column->vector.validity;

	return validity && !(validity[group / 8] & (1 << (group % 8)));
}

static Datum
int4_key_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = key_isnull(column, group);
	return Int32GetDatum(((const int32 *) column->vector.values)[group]);
}

static Datum
int8_key_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = key_isnull(column, group);
	return Int64GetDatum(((const int64 *) column->vector.values)[group]);
}

/* A text with a short header is made in the column. */
static Datum
text_key_value(GroupColumn *column, uint32 group, bool *isnull)
{
	uint32		start = column->vector.offsets[group];
	uint32		len = column->vector.offsets[group + 1] - start;

	*isnull = key_isnull(column, group);
	if (*isnull)
		return (Datum) 0;
	if (len + VARHDRSZ_SHORT > VARATT_SHORT_MAX)
		return vector_datum(&column->vector, VT_TEXT, group, isnull);
	SET_VARSIZE_SHORT(column->text, VARHDRSZ_SHORT + len);
	memcpy(VARDATA_SHORT(column->text), (const char *) column->vector.values + start, len);
	return PointerGetDatum(column->text);
}

static Datum
other_key_value(GroupColumn *column, uint32 group, bool *isnull)
{
	return key_value(column->program, column->key, &column->vector, group, isnull);
}

void
group_column_is_key(GroupColumn *column, const Program *program, int key,
					const ColumnVector *vector)
{
	ValueType	type = program_key_type(program, key);

	column->program = program;
	column->key = key;
	column->vector = *vector;
	column->value = other_key_value;
	if (program_key_scales(program)[key] != KEY_NOT_NUMERIC)
		return;
	if (type == VT_INT4)
		column->value = int4_key_value;
	else if (type == VT_INT8)
		column->value = int8_key_value;
	else if (type == VT_TEXT)
		column->value = text_key_value;
}

static inline const uint64_t *
state_of(const GroupColumn *column, uint32 group)
{
	return column->states + (size_t) group * column->nwords;
}

static Datum
count_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = false;
	return Int64GetDatum((int64) state_of(column, group)[column->word]);
}

static Datum
int8_value(GroupColumn *column, uint32 group, bool *isnull)
{
	const uint64_t *state = state_of(column, group);

	*isnull = state[column->count] == 0;
	return Int64GetDatum((int64) state[column->word]);
}

static Datum
float8_sum_value(GroupColumn *column, uint32 group, bool *isnull)
{
	const uint64_t *state = state_of(column, group);

	*isnull = state[column->count] == 0;
	if (*isnull)
		return (Datum) 0;
	column->sum.words = state + column->word;
	return Float8GetDatum(final_float_sum(&column->sum, false));
}

static Datum
other_aggregate_value(GroupColumn *column, uint32 group, bool *isnull)
{
	return final_value(column->program, column->agg, state_of(column, group), column->units,
					   isnull);
}

void
group_column_is_aggregate(GroupColumn *column, const Program *program, const Aggregate *agg,
						  const GroupBatch *batch)
{
	const Accumulator *accs = program_accs(program);

	column->program = program;
	column->agg = agg;
	column->states = batch->states;
	column->nwords = program->nwords;
	column->word = accs[agg->acc].word;
	column->units = batch->units;
	column->value = other_aggregate_value;
	if (agg->final == FINAL_COUNT)
	{
		column->value = count_value;
		return;
	}
	column->count = accs[agg->count].word;
	if (agg->final == FINAL_SUM_INT8)
		column->value = int8_value;
	else if (agg->final == FINAL_SUM_FLOAT8)
	{
		column->value = float8_sum_value;
		column->sum = final_exact_sum(program, agg->acc, batch->states, batch->units);
	}
}

void
group_column_is_constant(GroupColumn *column, Datum value, bool isnull)
{
	column->value = constant_value;
	column->constant = value;
	column->isnull = isnull;
}
