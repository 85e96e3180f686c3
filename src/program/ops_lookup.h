/*
 * ops_lookup.h
 *	  Look-ups: from a key to the one row of another relation that has it, and the row's values.
 *
 * Joins to relations that are unique by their keys are look-ups, as in a hash join, but
 * that what is found is the number of a row of values.  Rows that have the same values
 * share a number, so that numbers are small where values repeat.
 *
 * Keys and values are slots' bytes, made when execution begins (exec/lookup).  Keys are a
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

/* 32 bytes; entries follow, which in hash tables are found by linear probing. */
typedef struct LookupHeader
{
	uint32_t	form;			/* LookupForm */
	uint32_t	nrows;			/* of values: all numbers of rows are below */
	int64_t		least;			/* the least key; not of LOOKUP_HASH8 and LOOKUP_TEXTS */
	uint64_t	nentries;		/* of a hash table: 2^(64 - shift), one of them empty at least */
	uint32_t	shift;			/* of a hash, to the place in a hash table */
	uint32_t	unused;
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
	uint32_t	nrows;
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

GA_FN uint32_t
lookup_hash4(int64_t key, const LookupHeader *header, const uint64_t *entries)
{
	uint64_t	distance = (uint64_t) key - (uint64_t) header->least;
	uint64_t	i = lookup_hash(key) >> header->shift;

	if (distance >> 32 != 0)
		return 0;
	for (;; i = (i + 1) & (header->nentries - 1))
	{
		uint64_t	entry = entries[i];

		if ((uint32_t) entry == 0 || entry >> 32 == distance)
			return (uint32_t) entry;
	}
}

GA_FN uint32_t
lookup_hash8(int64_t key, const LookupHeader *header, const LookupEntry *entries)
{
	uint64_t	i = lookup_hash(key) >> header->shift;

	while (entries[i].number != 0 && entries[i].key != key)
		i = (i + 1) & (header->nentries - 1);
	return entries[i].number;
}

/* The number of the row with an integer key, or -1. */
GA_FN int32_t
int8_lookup(int64_t key, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	const char *entries = lookup_entries(table);
	uint64_t	distance = (uint64_t) key - (uint64_t) header->least;

	if (header->form == LOOKUP_HASH8)
		return (int32_t) lookup_hash8(key, header, (const LookupEntry *) entries) - 1;
	if (header->form == LOOKUP_HASH4)
		return (int32_t) lookup_hash4(key, header, (const uint64_t *) entries) - 1;
	if (distance >= header->nentries)
		return -1;
	if (header->form == LOOKUP_BITS)
		return ((uint8_t) entries[distance / 8] >> (distance % 8) & 1) - 1;
	if (header->form == LOOKUP_ARRAY1)
		return (int32_t) ((const uint8_t *) entries)[distance] - 1;
	if (header->form == LOOKUP_ARRAY2)
		return (int32_t) ((const uint16_t *) entries)[distance] - 1;
	return (int32_t) ((const uint32_t *) entries)[distance] - 1;
}

/* The number of the row whose key is a text of the same bytes, or -1. */
GA_FN int32_t
text_lookup(Bytes key, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	const LookupText *entries = (const LookupText *) lookup_entries(table);
	uint64_t	hash = lookup_text_hash(key);

	for (uint64_t i = hash >> header->shift;; i = (i + 1) & (header->nentries - 1))
	{
		Bytes		text;

		if (entries[i].number == 0)
			return -1;
		text.data = table.data + entries[i].start;
		text.len = entries[i].length;
		if (entries[i].hash == (uint32_t) (hash >> 32) && text_eq(text, key))
			return (int32_t) entries[i].number - 1;
	}
}

/* Two integers as one key. */
GA_FN int64_t
key_pair(int32_t a, int32_t b)
{
	return (int64_t) ((uint64_t) (uint32_t) a << 32 | (uint32_t) b);
}

/* Has a row a value? */
GA_FN uint8_t
row_has(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;

	if (row < 0 || (uint32_t) row >= values->nrows)
		return 0;
	return values->present == 0 ||
		((uint8_t) column.data[values->present + (uint32_t) row / 8] >> (row % 8) & 1);
}

/* A row's code: a number that its value has among those of its column; -1: it has no value. */
GA_FN int32_t
row_code(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;
	const char *codes = column.data + sizeof(LookupValues);

	if (row < 0 || (uint32_t) row >= values->nrows)
		return -1;
	if (values->width == 1)
		return (int32_t) ((const uint8_t *) codes)[row] - 1;
	if (values->width == 2)
		return (int32_t) ((const uint16_t *) codes)[row] - 1;
	return (int32_t) ((const uint32_t *) codes)[row] - 1;
}

/* A row's value; anything if it has none. */
#define ROW_VALUE(name, ctype) \
GA_FN ctype \
name(int32_t row, Bytes column) \
{ \
	const LookupValues *values = (const LookupValues *) column.data; \
	ctype		none = {0}; \
\
	if (row < 0 || (uint32_t) row >= values->nrows) \
		return none; \
	return ((const ctype *) (column.data + sizeof(LookupValues)))[row]; \
}

ROW_VALUE(row_bool, uint8_t)
ROW_VALUE(row_char, int8_t)
ROW_VALUE(row_int2, int16_t)
ROW_VALUE(row_int4, int32_t)
ROW_VALUE(row_int8, int64_t)
ROW_VALUE(row_float4, float)
ROW_VALUE(row_float8, double)
ROW_VALUE(row_uuid, Uuid)
ROW_VALUE(row_macaddr, Mac)
ROW_VALUE(row_wide, Wide)
ROW_VALUE(row_interval, TimeSpan)

GA_FN Bytes
row_text(int32_t row, Bytes column)
{
	const LookupValues *values = (const LookupValues *) column.data;
	const uint32_t *places = (const uint32_t *) (column.data + sizeof(LookupValues));
	Bytes		text;

	text.data = column.data;
	text.len = 0;
	if (row < 0 || (uint32_t) row >= values->nrows)
		return text;
	text.data = column.data + places[row];
	text.len = places[row + 1] - places[row];
	return text;
}

#endif							/* GPUAGG_OPS_LOOKUP_H */
