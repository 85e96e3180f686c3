/*
 * set.c
 *	  An array's elements as a set, for slots.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/qunique.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "exec/set.h"
#include "plan/value_type.h"
#include "program/ops_set.h"

static int
compare_int8(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

static int
compare_text(const void *a, const void *b)
{
	return text_order(*(const Bytes *) a, *(const Bytes *) b);
}

static int64
integer_value(Datum value, ValueType type)
{
	switch (type)
	{
		case VT_INT2:
			return DatumGetInt16(value);
		case VT_INT4:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

static Bytes
make_set(uint32 nvalues, uint32 nnulls, Size size)
{
	SetHeader	header = {nvalues, nnulls};
	char	   *data = palloc(sizeof(header) + size);

	memcpy(data, &header, sizeof(header));
	return (Bytes) {data, (uint32_t) (sizeof(header) + size)};
}

static Bytes
integer_set(const Datum *values, int n, uint32 nnulls, ValueType type)
{
	int64	   *numbers = palloc((n + 1) * sizeof(int64));
	Bytes		set;

	for (int i = 0; i < n; i++)
		numbers[i] = integer_value(values[i], type);
	qsort(numbers, n, sizeof(int64), compare_int8);
	n = (int) qunique(numbers, n, sizeof(int64), compare_int8);
	set = make_set((uint32) n, nnulls, n * sizeof(int64));
	memcpy((char *) set.data + sizeof(SetHeader), numbers, n * sizeof(int64));
	return set;
}

static Bytes
text_set(const Datum *values, int n, uint32 nnulls, bool trim)
{
	Bytes	   *texts = palloc((n + 1) * sizeof(Bytes));
	Size		size;
	Bytes		set;
	uint32	   *places;

	for (int i = 0; i < n; i++)
	{
		struct varlena *value = PG_DETOAST_DATUM_PACKED(values[i]);

		texts[i].data = VARDATA_ANY(value);
		texts[i].len = VARSIZE_ANY_EXHDR(value);
		if (trim)
			texts[i] = bpchar_trimmed(texts[i]);
	}
	qsort(texts, n, sizeof(Bytes), compare_text);
	n = (int) qunique(texts, n, sizeof(Bytes), compare_text);
	size = (n + 1) * sizeof(uint32);
	for (int i = 0; i < n; i++)
		size += texts[i].len;
	set = make_set((uint32) n, nnulls, size);
	places = (uint32 *) (set.data + sizeof(SetHeader));
	places[0] = sizeof(SetHeader) + (n + 1) * sizeof(uint32);
	for (int i = 0; i < n; i++)
	{
		memcpy((char *) set.data + places[i], texts[i].data, texts[i].len);
		places[i + 1] = places[i] + texts[i].len;
	}
	return set;
}

Bytes
set_of_array(Datum array)
{
	ArrayType  *arr = DatumGetArrayTypeP(array);
	Oid			element = ARR_ELEMTYPE(arr);
	ValueType	type = (ValueType) value_type_of(element);
	int16		len;
	bool		byval;
	char		align;
	Datum	   *values;
	bool	   *nulls;
	int			n;
	int			nvalues = 0;

	get_typlenbyvalalign(element, &len, &byval, &align);
	deconstruct_array(arr, element, len, byval, align, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			values[nvalues++] = values[i];
	if (type == VT_TEXT)
		return text_set(values, nvalues, (uint32) (n - nvalues), getBaseType(element) == BPCHAROID);
	return integer_set(values, nvalues, (uint32) (n - nvalues), type);
}
