/*
 * set.c
 *	  An array's elements as a set, for parameters.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "exec/values/value_parts.h"
#include "plan/value_type.h"
#include "program/ops_set.h"

static int
compare_int8(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

static int
compare_text(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
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
	char	   *data = palloc_extended(sizeof(header) + size, MCXT_ALLOC_HUGE);

	memcpy(data, &header, sizeof(header));
	return (Bytes) {data, (uint32_t) (sizeof(header) + size)};
}

static Bytes
integer_set(const Datum *values, int n, uint32 nnulls, ValueType type)
{
	int64	   *numbers = palloc_extended((n + 1) * sizeof(int64), MCXT_ALLOC_HUGE);
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
	Bytes	   *texts = palloc_extended((n + 1) * sizeof(Bytes), MCXT_ALLOC_HUGE);
	Size		size;
	Bytes		set;
	uint32	   *places;

	for (int i = 0; i < n; i++)
	{
		struct varlena *value = PG_DETOAST_DATUM_PACKED(values[i]);

		CHECK_FOR_INTERRUPTS();
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
		CHECK_FOR_INTERRUPTS();
		memcpy((char *) set.data + places[i], texts[i].data, texts[i].len);
		places[i + 1] = places[i] + texts[i].len;
	}
	return set;
}

/* The array's values that are not NULL, and how many are and are not. */
static Datum *
array_values(ArrayType *array, int *nvalues, uint32 *nnulls)
{
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	Datum	   *values = palloc_extended((n + 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	bool		isnull;

	*nvalues = 0;
	while (array_iterate(iterator, &values[*nvalues], &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		*nvalues += !isnull;
	}
	*nnulls = (uint32) (n - *nvalues);
	array_free_iterator(iterator);
	return values;
}

Bytes
set_of_array(Datum array)
{
	ArrayType  *arr = DatumGetArrayTypeP(array);
	Oid			element = ARR_ELEMTYPE(arr);
	ValueType	type = (ValueType) value_type_of(element);
	int			n;
	uint32		nnulls;
	Datum	   *values = array_values(arr, &n, &nnulls);

	if (type == VT_TEXT)
		return text_set(values, n, nnulls, getBaseType(element) == BPCHAROID);
	return integer_set(values, n, nnulls, type);
}
