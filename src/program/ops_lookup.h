/*
 * ops_lookup.h
 *	  Look-ups: from a key to the one row of another relation that has it, and the row's values.
 *
 * Joins to relations that are unique by their keys are look-ups, as in a hash join, but
 * that what is found is the number of a row of values.  Rows that have the same values
 * share a number, so that numbers are small where values repeat.
 *
 * Keys and values are parameters' bytes, made when execution begins (exec/lookup).  Keys are a
 * LookupHeader and its entries, in one of the forms below; a column of values is a
 * LookupValues, a bitmap of the rows that have a value if some have none, and the values.
 * A key that is not found has the number -1, for which there are no values either.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_LOOKUP_H
#define GPUAGG_OPS_LOOKUP_H

#include "fn.h"
#include "ops_text.h"

/* What the entries are.  "number": a row's number + 1, or 0: there is no such key. */
typedef enum LookupForm
{
	LOOKUP_BITS,				/* a bit a key, from `least` on, the lowest one of a byte
								 * first; the row's number is 0 */
	LOOKUP_ARRAY1,				/* a number of one byte a key, from `least` on */
	LOOKUP_ARRAY2,				/* of two bytes */
	LOOKUP_ARRAY4,				/* of four bytes */
	LOOKUP_HASH4,				/* uint64: key - least in the upper half, number in the lower */
	LOOKUP_HASH8,				/* LookupEntry */
	LOOKUP_TEXTS,				/* LookupText */
	LOOKUP_FORMS
} LookupForm;

/*
 * 48 bytes; entries follow, which in hash tables are found by linear probing.  All keys of
 * integers are in least .. most; if there are none, any numbers stand there.
 */
typedef struct LookupHeader
{
	uint32_t	form;			/* LookupForm */
	uint32_t	nrows;			/* of values: all numbers of rows are below; at most 2^31 - 1 */
	int64_t		least;			/* the least key; not of LOOKUP_TEXTS */
	int64_t		most;			/* the greatest one; of LOOKUP_HASH4 least + 2^32 - 1 at most */
	uint64_t	nentries;		/* of bits and arrays: most - least + 1, or 0; of a hash
								 * table: 2^(64 - shift), one of them empty at least */
	uint32_t	shift;			/* of a hash, to the place in a hash table: 1 to 63 */
	uint32_t	unused[3];
} LookupHeader;

typedef struct LookupEntry
{
	int64_t		key;
	uint32_t	number;
	uint32_t	unused;
} LookupEntry;

typedef struct LookupText
{
	uint32_t	start;			/* of the bytes, from the header's begin */
	uint32_t	length;
	uint32_t	hash;			/* the upper half of the hash */
	uint32_t	number;
} LookupText;

/* 16 bytes; the values follow, row after row; of texts their places, one more than there
 * are rows, counted from the header's begin, and then their bytes. */
typedef struct LookupValues
{
	uint32_t	nrows;			/* at most 2^31 - 1 */
	uint32_t	width;			/* bytes of a value; of a text's place 4 */
	uint64_t	present;		/* where the bitmap is, from the header's begin; 0: all rows
								 * have a value */
} LookupValues;

GA_FN uint64_t
lookup_hash(int64_t key)
{
	uint64_t	hash = (uint64_t) key;

	hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

GA_FN uint64_t
lookup_text_hash(Bytes text)
{
	uint64_t	hash = text.len;

	for (uint32_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t) text.data[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The entries of a look-up. */
GA_FN const char *
lookup_entries(Bytes table)
{
	return table.data + sizeof(LookupHeader);
}

/* The number of a key, whose distance from the least one is below 2^32. */
GA_FN uint32_t
lookup_hash4(int64_t key, const LookupHeader *header, const uint64_t *entries)
{
	uint64_t	distance = (uint64_t) key - (uint64_t) GA_LOAD(&header->least);
	uint64_t	mask = GA_LOAD(&header->nentries) - 1;

	for (uint64_t i = lookup_hash(key) >> GA_LOAD(&header->shift);; i = (i + 1) & mask)
	{
		uint64_t	entry = GA_LOAD(&entries[i]);

		if ((uint32_t) entry == 0 || entry >> 32 == distance)
			return (uint32_t) entry;
	}
}

GA_FN uint32_t
lookup_hash8(int64_t key, const LookupHeader *header, const LookupEntry *entries)
{
	uint64_t	mask = GA_LOAD(&header->nentries) - 1;

	for (uint64_t i = lookup_hash(key) >> GA_LOAD(&header->shift);; i = (i + 1) & mask)
	{
		uint32_t	number = GA_LOAD(&entries[i].number);

		if (number == 0 || GA_LOAD(&entries[i].key) == key)
			return number;
	}
}

/* The number of a key in bits or an array, which is so far from the least one. */
GA_FN uint32_t
lookup_array(uint64_t distance, uint32_t form, const char *entries)
{
	switch (form)
	{
		case LOOKUP_BITS:
			return GA_LOAD((const uint8_t *) entries + distance / 8) >> (distance % 8) & 1;
		case LOOKUP_ARRAY1:
			return GA_LOAD((const uint8_t *) entries + distance);
		case LOOKUP_ARRAY2:
			return GA_LOAD((const uint16_t *) entries + distance);
		default:
			return GA_LOAD((const uint32_t *) entries + distance);
	}
}

/* The number of the row with an integer key, or -1. */
GA_FN int32_t
int8_lookup(int64_t key, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	const char *entries = lookup_entries(table);
	uint32_t	form = GA_LOAD(&header->form);
	uint64_t	least = (uint64_t) GA_LOAD(&header->least);
	uint64_t	distance = (uint64_t) key - least;

	if (form < LOOKUP_HASH4)
		return distance >= GA_LOAD(&header->nentries) ? -1 :
			(int32_t) lookup_array(distance, form, entries) - 1;
	if (distance > (uint64_t) GA_LOAD(&header->most) - least)
		return -1;
	if (form == LOOKUP_HASH4)
		return (int32_t) lookup_hash4(key, header, (const uint64_t *) entries) - 1;
	return (int32_t) lookup_hash8(key, header, (const LookupEntry *) entries) - 1;
}

/* The number of the row whose key is a text of the same bytes, which have this hash, or -1. */
GA_FN int32_t
text_lookup_hashed(Bytes key, uint64_t hash, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	const LookupText *entries = (const LookupText *) lookup_entries(table);
	uint64_t	mask = GA_LOAD(&header->nentries) - 1;

	for (uint64_t i = hash >> GA_LOAD(&header->shift);; i = (i + 1) & mask)
	{
		uint32_t	number = GA_LOAD(&entries[i].number);
		Bytes		text;

		if (number == 0)
			return -1;
		text.data = table.data + GA_LOAD(&entries[i].start);
		text.len = GA_LOAD(&entries[i].length);
		if (GA_LOAD(&entries[i].hash) == (uint32_t) (hash >> 32) && text_eq(text, key))
			return (int32_t) number - 1;
	}
}

GA_FN int32_t
text_lookup(Bytes key, Bytes table)
{
	return text_lookup_hashed(key, lookup_text_hash(key), table);
}

/* Two integers as one key. */
GA_FN int64_t
key_pair(int32_t a, int32_t b)
{
	return (int64_t) ((uint64_t) (uint32_t) a << 32 | (uint32_t) b);
}

/* Is it the number of a row of values? */
GA_FN bool
row_is_there(int32_t row, const LookupValues *values)
{
	return row >= 0 && (uint32_t) row < GA_LOAD(&values->nrows);
}

/* Has a row a value? */
GA_FN uint8_t
row_has(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;
	uint64_t	present;

	if (!row_is_there(row, values))
		return 0;
	present = GA_LOAD(&values->present);
	return present == 0 ||
		(GA_LOAD((const uint8_t *) column.data + present + (uint32_t) row / 8) >> (row % 8) & 1);
}

/* A row's code: a number that its value has among those of its column; -1: it has no value. */
GA_FN int32_t
row_code(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;
	const char *codes = column.data + sizeof(LookupValues);

	if (!row_is_there(row, values))
		return -1;
	switch (GA_LOAD(&values->width))
	{
		case 1:
			return (int32_t) GA_LOAD((const uint8_t *) codes + row) - 1;
		case 2:
			return (int32_t) GA_LOAD((const uint16_t *) codes + row) - 1;
		default:
			return (int32_t) GA_LOAD((const uint32_t *) codes + row) - 1;
	}
}

/* A row's value; anything if it has none. */
#define ROW_VALUE(name, ctype) \
GA_FN ctype \
name(int32_t row, Bytes column) \
{ \
	const LookupValues *values = (const LookupValues *) column.data; \
	const ctype *from = (const ctype *) (column.data + sizeof(LookupValues)); \
\
	return row_is_there(row, values) ? GA_LOAD(from + row) : 0; \
}

ROW_VALUE(row_bool, uint8_t)
ROW_VALUE(row_char, int8_t)
ROW_VALUE(row_int2, int16_t)
ROW_VALUE(row_int4, int32_t)
ROW_VALUE(row_int8, int64_t)
ROW_VALUE(row_float4, float)
ROW_VALUE(row_float8, double)

/* The same of values of n words. */
#define ROW_WORDS(name, ctype, n) \
GA_FN ctype \
name(int32_t row, Bytes column) \
{ \
	const LookupValues *values = (const LookupValues *) column.data; \
	const uint64_t *from = (const uint64_t *) (column.data + sizeof(LookupValues)); \
	ctype		value = {0}; \
\
	if (row_is_there(row, values)) \
		for (int i = 0; i < n; i++) \
			value.w[i] = GA_LOAD(from + (uint64_t) row * n + i); \
	return value; \
}

ROW_WORDS(row_uuid, Uuid, 2)
ROW_WORDS(row_macaddr, Mac, 1)
ROW_WORDS(row_wide, Wide, 2)

GA_FN TimeSpan
row_interval(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;
	const TimeSpan *from = (const TimeSpan *) (column.data + sizeof(LookupValues));
	TimeSpan	value = {0, 0, 0};

	if (row_is_there(row, values))
	{
		value.time = GA_LOAD(&from[row].time);
		value.day = GA_LOAD(&from[row].day);
		value.month = GA_LOAD(&from[row].month);
	}
	return value;
}

GA_FN Bytes
row_text(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;
	const uint32_t *places = (const uint32_t *) (column.data + sizeof(LookupValues));
	Bytes		text;

	text.data = column.data;
	text.len = 0;
	if (!row_is_there(row, values))
		return text;
	text.data = column.data + GA_LOAD(places + row);
	text.len = GA_LOAD(places + row + 1) - GA_LOAD(places + row);
	return text;
}

#endif							/* GPUAGG_OPS_LOOKUP_H */
