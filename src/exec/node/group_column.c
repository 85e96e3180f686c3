/*
 * group_column.c
 *	  The values of a column of the node's tuples, from a batch of groups.
 *
 * Frequent kinds of keys and aggregates have functions of their own, which find in the column
 * what they need of the Program and the batch, one for a group and one for many.  final.c
 * makes the other values.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "exec/values/final.h"
#include "exec/node/group_column.h"
#include "program/order_statistic.h"

struct GroupArray
{
	const ArrayInfo *info;
	ArrayType  *shape;			/* an array of the same dimensions */
	Oid			type;			/* of an element, and how it is stored */
	int16		len;
	bool		byval;
	char		align;
	Datum	   *values;			/* of a group's fractions */
	bool	   *isnull;
};

static Datum
constant_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = column->isnull;
	return column->constant;
}

static bool
fill_constant(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	for (uint32 i = 0; i < n; i++, values += step, isnull += step)
	{
		*values = column->constant;
		*isnull = column->isnull;
	}
	return true;
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

static bool
fill_int4_key(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const int32 *keys = (const int32 *) column->vector.values + group;

	for (uint32 i = 0; i < n; i++, values += step, isnull += step)
	{
		*values = Int32GetDatum(keys[i]);
		*isnull = key_isnull(column, group + i);
	}
	return true;
}

static Datum
int8_key_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = key_isnull(column, group);
	return Int64GetDatum(((const int64 *) column->vector.values)[group]);
}

static bool
fill_int8_key(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const int64 *keys = (const int64 *) column->vector.values + group;

	for (uint32 i = 0; i < n; i++, values += step, isnull += step)
	{
		*values = Int64GetDatum(keys[i]);
		*isnull = key_isnull(column, group + i);
	}
	return true;
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

/* Without a call, as nearly all keys are: the first and the last bytes, which may overlap. */
static inline void
copy_short(char *to, const char *from, uint32 len)
{
	if (len > 16)
		memcpy(to, from, len);
	else if (len >= 8)
	{
		memcpy(to, from, 8);
		memcpy(to + len - 8, from + len - 8, 8);
	}
	else if (len >= 4)
	{
		memcpy(to, from, 4);
		memcpy(to + len - 4, from + len - 4, 4);
	}
	else
	{
		for (uint32 i = 0; i < len; i++)
			to[i] = from[i];
	}
}

static bool
fill_text_key(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const uint32 *offsets = column->vector.offsets + group;
	const char *bytes = column->vector.values;
	char	   *text = column->texts;

	for (uint32 i = 0; i < n; i++, values += step, isnull += step)
	{
		uint32		len = offsets[i + 1] - offsets[i];

		*isnull = key_isnull(column, group + i);
		*values = PointerGetDatum(text);
		if (*isnull)
			continue;
		if (len + VARHDRSZ_SHORT > VARATT_SHORT_MAX)
			return false;
		SET_VARSIZE_SHORT(text, VARHDRSZ_SHORT + len);
		copy_short(VARDATA_SHORT(text), bytes + offsets[i], len);
		text += VARHDRSZ_SHORT + len;
	}
	return true;
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
	column->fill = NULL;
	if (program_key_scales(program)[key] != KEY_NOT_NUMERIC)
		return;
	if (type == VT_INT4)
	{
		column->value = int4_key_value;
		column->fill = fill_int4_key;
	}
	else if (type == VT_INT8)
	{
		column->value = int8_key_value;
		column->fill = fill_int8_key;
	}
	else if (type == VT_TEXT)
	{
		column->value = text_key_value;
		column->fill = column->texts ? fill_text_key : NULL;
	}
}

static Datum
coded_value(GroupColumn *column, uint32 group, bool *isnull)
{
	*isnull = key_isnull(column, group);
	return *isnull ? (Datum) 0 : column->coded[((const int32 *) column->vector.values)[group]];
}

static bool
fill_coded(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	for (uint32 i = 0; i < n; i++, values += step, isnull += step)
		*values = coded_value(column, group + i, isnull);
	return true;
}

void
group_column_is_code(GroupColumn *column, const ColumnVector *vector, const Datum *values)
{
	column->vector = *vector;
	column->coded = values;
	column->value = coded_value;
	column->fill = fill_coded;
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

static bool
fill_count(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const uint64_t *state = state_of(column, group);

	for (uint32 i = 0; i < n; i++, state += column->nwords, values += step, isnull += step)
	{
		*values = Int64GetDatum((int64) state[column->word]);
		*isnull = false;
	}
	return true;
}

static Datum
int8_value(GroupColumn *column, uint32 group, bool *isnull)
{
	const uint64_t *state = state_of(column, group);

	*isnull = state[column->count] == 0;
	return Int64GetDatum((int64) state[column->word]);
}

static bool
fill_int8(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const uint64_t *state = state_of(column, group);

	for (uint32 i = 0; i < n; i++, state += column->nwords, values += step, isnull += step)
	{
		*values = Int64GetDatum((int64) state[column->word]);
		*isnull = state[column->count] == 0;
	}
	return true;
}

static Datum
int4_value(GroupColumn *column, uint32 group, bool *isnull)
{
	const uint64_t *state = state_of(column, group);

	*isnull = state[column->count] == 0;
	return Int32GetDatum((int32) (int64) state[column->word]);
}

static bool
fill_int4(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const uint64_t *state = state_of(column, group);

	for (uint32 i = 0; i < n; i++, state += column->nwords, values += step, isnull += step)
	{
		*values = Int32GetDatum((int32) (int64) state[column->word]);
		*isnull = state[column->count] == 0;
	}
	return true;
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

/* What may be an overflow is left to its own tuple, which may not be wanted. */
static bool
fill_float8_sum(GroupColumn *column, uint32 group, uint32 n, Datum *values, bool *isnull, int step)
{
	const uint64_t *state = state_of(column, group);

	for (uint32 i = 0; i < n; i++, state += column->nwords, values += step, isnull += step)
	{
		double		sum = 0;

		*isnull = state[column->count] == 0;
		column->sum.words = state + column->word;
		if (!*isnull && !exact_word_sum(column->sum.words, column->scale, &sum))
			sum = exact_sum(&column->sum, false);
		if (isinf(sum))
			return false;
		*values = Float8GetDatum(sum);
	}
	return true;
}

static Datum
other_aggregate_value(GroupColumn *column, uint32 group, bool *isnull)
{
	return final_value(column->program, column->agg, state_of(column, group), column->units,
					   isnull);
}

GroupArray *
group_array_create(const ArrayInfo *info, Oid type)
{
	GroupArray *array = palloc0(sizeof(GroupArray));
	int			n = list_length(info->elements);

	array->info = info;
	array->type = get_element_type(type);
	get_typlenbyvalalign(array->type, &array->len, &array->byval, &array->align);
	if (info->fractions == NULL)
		return array;
	array->shape = DatumGetArrayTypeP(info->fractions->constvalue);
	array->values = palloc(sizeof(Datum) * n);
	array->isnull = palloc(sizeof(bool) * n);
	return array;
}

/* Without values the array is NULL, as its elements would be. */
static Datum
array_value(GroupColumn *column, uint32 group, bool *isnull)
{
	GroupArray *array = column->array;
	const uint64_t *state = state_of(column, group);
	ListCell   *lc;

	*isnull = state[column->count] == 0;
	if (*isnull)
		return (Datum) 0;
	foreach(lc, array->info->elements)
	{
		int			i = foreach_current_index(lc);

		array->isnull[i] = true;
		if (lfirst_int(lc) >= 0)
			array->values[i] = final_value(column->program,
										   &program_aggs(column->program)[lfirst_int(lc)], state,
										   column->units, &array->isnull[i]);
	}
	return PointerGetDatum(construct_md_array(array->values, array->isnull, ARR_NDIM(array->shape),
											  ARR_DIMS(array->shape), ARR_LBOUND(array->shape),
											  array->type, array->len, array->byval,
											  array->align));
}

static int
compare_orders(const uint64_t *a, const uint64_t *b)
{
	return (*a > *b) - (*a < *b);
}

#define ST_SORT sort_orders
#define ST_ELEMENT_TYPE uint64_t
#define ST_COMPARE(a, b) compare_orders(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * The values of a list in their order, where the result points: those that are in the store are
 * read into n places.
 */
static const uint64_t *
ordered_values(GroupList *list, uint64_t *places)
{
	const uint64_t *values;
	uint64		n;
	uint64		nread = 0;

	if (list->values != NULL)
		return list->values;
	while (group_list_next(list, &values, &n))
	{
		memcpy(places + nread, values, n * sizeof(*values));
		nread += n;
	}
	sort_orders(places, nread);
	return places;
}

/*
 * Values as elements of an array, without repetitions where each is taken once; their number.  The
 * elements may be where the values are.
 */
static uint64
order_elements(const ArrayInfo *info, const uint64_t *orders, uint64 n, Datum *elements)
{
	uint64		nelements = 0;

	for (uint64 i = 0; i < n; i++)
	{
		Datum		element = Int64GetDatum((int64) order_to_word(orders[i], false));

		if (!info->distinct || nelements == 0 || elements[nelements - 1] != element)
			elements[nelements++] = element;
	}
	for (uint64 i = 0; i < nelements / 2 && info->descending; i++)
	{
		Datum		element = elements[i];

		elements[i] = elements[nelements - 1 - i];
		elements[nelements - 1 - i] = element;
	}
	return nelements;
}

/*
 * A group's values in their order.  The elements have as much memory as array_agg would have
 * taken, so that an array that is too large is its error.
 */
static Datum
ordered_array_value(GroupColumn *column, uint32 group, bool *isnull)
{
	const GroupArray *array = column->array;
	const uint64_t *state = state_of(column, group);
	uint64		nvalues = state[column->word + 1];
	uint64		nnulls = state[column->count] - nvalues;
	GroupList	list = group_list(column->engine, group, state, column->word);
	Datum	   *elements;
	Datum	   *first;
	bool	   *nulls = NULL;
	uint64		n;
	int			lower = 1;
	int			length;

	*isnull = state[column->count] == 0;
	if (*isnull)
		return (Datum) 0;
	if (array->info->distinct)
		nnulls = Min(nnulls, 1);
	elements = palloc(sizeof(Datum) * pg_nextpower2_64(Max(nvalues + nnulls, 64)));
	first = elements + (array->info->nulls_first ? nnulls : 0);
	n = order_elements(array->info, ordered_values(&list, first), nvalues, first);
	length = (int) (n + nnulls);
	if (nnulls > 0)
	{
		nulls = palloc0(sizeof(bool) * length);
		memset(nulls + (array->info->nulls_first ? 0 : n), true, nnulls);
	}
	return PointerGetDatum(construct_md_array(elements, nulls, 1, &length, &lower, array->type,
											  array->len, array->byval, array->align));
}

static Datum
ordered_value(GroupColumn *column, uint32 group, bool *isnull)
{
	GroupList	list = group_list(column->engine, group, state_of(column, group), column->word);

	return ordered_aggregate_value(column->ordered, &list, isnull);
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
	column->fill = NULL;
	if (agg->final == FINAL_COUNT)
	{
		column->value = count_value;
		column->fill = fill_count;
		return;
	}
	if (column->ordered != NULL)
	{
		ordered_aggregate_begin(column->ordered, program, agg->acc);
		column->value = ordered_value;
		return;
	}
	column->count = accs[agg->count].word;
	if (column->array != NULL)
	{
		column->value = column->array->info->fractions ? array_value : ordered_array_value;
		return;
	}
	if (agg->final == FINAL_SUM_INT8 || agg->final == FINAL_EXTREME_INT8 ||
		agg->final == FINAL_BITS_INT8)
	{
		column->value = int8_value;
		column->fill = fill_int8;
	}
	else if (agg->final == FINAL_EXTREME_INT4 || agg->final == FINAL_BITS_INT4)
	{
		column->value = int4_value;
		column->fill = fill_int4;
	}
	else if (agg->final == FINAL_SUM_FLOAT8)
	{
		column->value = float8_sum_value;
		column->fill = fill_float8_sum;
		column->sum = final_exact_sum(program, agg->acc, batch->states, batch->units);
		/* sums with flags, which say whether it is a number, have no such words */
		column->scale = column->sum.level == EXACT_NARROW &&
			column->sum.nwords == EXACT_SUM_WORDS(EXACT_NARROW) ?
			exact_word_scale(column->sum.unit, false) : 0;
	}
}

void
group_column_is_constant(GroupColumn *column, Datum value, bool isnull)
{
	column->value = constant_value;
	column->fill = fill_constant;
	column->constant = value;
	column->isnull = isnull;
}

void
group_column_make_texts(GroupColumn *column)
{
	column->texts = palloc(GROUP_ROWS * VARATT_SHORT_MAX);
}

static Datum
coded_extreme(GroupColumn *column, uint32 group, bool *isnull)
{
	Datum		code = other_aggregate_value(column, group, isnull);

	return *isnull ? (Datum) 0 : column->coded[DatumGetInt32(code)];
}

void
group_column_is_coded_aggregate(GroupColumn *column, const Program *program, const Aggregate *agg,
								const GroupBatch *batch, const Datum *values)
{
	group_column_is_aggregate(column, program, agg, batch);
	column->coded = values;
	column->value = coded_extreme;
	column->fill = NULL;
}
