/*
 * lookup_keys.c
 *	  From keys to rows: the bytes of a look-up.
 *
 * Integer keys that lie dense are an array's places, with as many bytes as the numbers of
 * rows need, or bits where there is one row only.  Others are in a hash table at most half
 * full, of 8 bytes an entry where their range has 32 bits.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "exec/lookup/lookup_keys.h"

/*
 * An array is taken up to so many bytes, however few keys it has, or so many times the size of
 * a hash table: one byte of it is read where that has eight or more.
 */
#define SMALL_ARRAY 1048576
#define ARRAY_FACTOR 4

/* Keys between two looks for an interrupt. */
#define INTERRUPT_KEYS 65536

typedef struct KeyTable
{
	LookupHeader header;
	uint64		entry_bits;		/* of an entry */
	char	   *data;
	bool		is_unique;
} KeyTable;

static void
look_for_interrupt(uint64 i)
{
	if (i % INTERRUPT_KEYS == 0)
		CHECK_FOR_INTERRUPTS();
}

/* Let the table be a hash table of n keys at most half full. */
static void
set_hash(KeyTable *table, LookupForm form, uint64 n, Size entry)
{
	int			bits = Max(1, pg_ceil_log2_64(Max(2 * n, 2)));

	table->header.form = form;
	table->header.nentries = UINT64CONST(1) << bits;
	table->header.shift = 64 - bits;
	table->entry_bits = entry * 8;
}

/* Let the table be an array for keys from `least` on. */
static void
set_array(KeyTable *table, uint64 range, uint32 nrows)
{
	table->header.nentries = range;
	table->entry_bits = nrows == 1 ? 1 : nrows < PG_UINT8_MAX ? 8 : nrows < PG_UINT16_MAX ? 16 : 32;
	table->header.form = nrows == 1 ? LOOKUP_BITS : nrows < PG_UINT8_MAX ? LOOKUP_ARRAY1 :
		nrows < PG_UINT16_MAX ? LOOKUP_ARRAY2 : LOOKUP_ARRAY4;
}

static uint64
entries_size(const KeyTable *table)
{
	return (table->header.nentries * table->entry_bits + 63) / 64 * 8;
}

/* Choose the form for integers. */
static void
choose_form(KeyTable *table, const int64 *keys, uint64 n, uint32 nrows)
{
	int64		least = n > 0 ? keys[0] : 0;
	int64		most = n > 0 ? keys[0] : -1;
	uint64		range;

	for (uint64 i = 1; i < n; i++)
	{
		least = Min(least, keys[i]);
		most = Max(most, keys[i]);
	}
	table->header.least = least;
	table->header.most = most;
	table->header.nrows = nrows;
	range = (uint64) most - (uint64) least + 1;
	if (n == 0 || (range != 0 && range <= UINT64_MAX / 64))
	{
		uint64		hash_size;

		if (range <= PG_UINT32_MAX)
			set_hash(table, LOOKUP_HASH4, n, sizeof(uint64));
		else
			set_hash(table, LOOKUP_HASH8, n, sizeof(LookupEntry));
		hash_size = entries_size(table);
		set_array(table, range, nrows);
		if (entries_size(table) <= Max(ARRAY_FACTOR * hash_size, SMALL_ARRAY))
			return;
	}
	if (range != 0 && range <= PG_UINT32_MAX)
		set_hash(table, LOOKUP_HASH4, n, sizeof(uint64));
	else
		set_hash(table, LOOKUP_HASH8, n, sizeof(LookupEntry));
}

/* Memory with a header and entries of zeros; false: more than limit. */
static bool
make_table(KeyTable *table, uint64 more, uint64 limit)
{
	uint64		size = sizeof(LookupHeader) + entries_size(table) + more;

	if (size > Min(limit, PG_UINT32_MAX))
		return false;
	table->data = palloc_extended(size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	memcpy(table->data, &table->header, sizeof(LookupHeader));
	return true;
}

static void
add_to_array(KeyTable *table, int64 key, uint32 number)
{
	char	   *entries = table->data + sizeof(LookupHeader);
	uint64		place = (uint64) key - (uint64) table->header.least;
	uint32		before;

	switch (table->header.form)
	{
		case LOOKUP_BITS:
			before = (uint8) entries[place / 8] >> (place % 8) & 1;
			entries[place / 8] |= (char) (1 << (place % 8));
			break;
		case LOOKUP_ARRAY1:
			before = ((uint8 *) entries)[place];
			((uint8 *) entries)[place] = (uint8) number;
			break;
		case LOOKUP_ARRAY2:
			before = ((uint16 *) entries)[place];
			((uint16 *) entries)[place] = (uint16) number;
			break;
		default:
			before = ((uint32 *) entries)[place];
			((uint32 *) entries)[place] = number;
			break;
	}
	table->is_unique &= before == 0;
}

static void
add_to_hash4(KeyTable *table, int64 key, uint32 number)
{
	uint64	   *entries = (uint64 *) (table->data + sizeof(LookupHeader));
	uint64		distance = (uint64) key - (uint64) table->header.least;
	uint64		i = lookup_hash(key) >> table->header.shift;

	while (entries[i] != 0 && entries[i] >> 32 != distance)
		i = (i + 1) & (table->header.nentries - 1);
	table->is_unique &= entries[i] == 0;
	entries[i] = distance << 32 | number;
}

static void
add_to_hash8(KeyTable *table, int64 key, uint32 number)
{
	LookupEntry *entries = (LookupEntry *) (table->data + sizeof(LookupHeader));
	uint64		i = lookup_hash(key) >> table->header.shift;

	while (entries[i].number != 0 && entries[i].key != key)
		i = (i + 1) & (table->header.nentries - 1);
	table->is_unique &= entries[i].number == 0;
	entries[i].key = key;
	entries[i].number = number;
}

static Bytes
table_bytes(const KeyTable *table, uint64 more)
{
	return (Bytes) {table->data, (uint32) (sizeof(LookupHeader) + entries_size(table) + more)};
}

Bytes
lookup_of_integers(const int64 *keys, const uint32 *rows, uint64 n, uint32 nrows, uint64 limit,
				   bool *is_unique)
{
	KeyTable	table = {.is_unique = true};

	choose_form(&table, keys, n, nrows);
	*is_unique = true;
	if (!make_table(&table, 0, limit))
		return (Bytes) {NULL, 0};
	for (uint64 i = 0; i < n; i++)
	{
		look_for_interrupt(i);
		if (table.header.form == LOOKUP_HASH4)
			add_to_hash4(&table, keys[i], rows[i] + 1);
		else if (table.header.form == LOOKUP_HASH8)
			add_to_hash8(&table, keys[i], rows[i] + 1);
		else
			add_to_array(&table, keys[i], rows[i] + 1);
	}
	*is_unique = table.is_unique;
	return table_bytes(&table, 0);
}

/* Put a text into the hash table, its bytes at `place`.  Returns the place behind them. */
static uint64
add_text(KeyTable *table, Bytes key, uint32 number, uint64 place)
{
	LookupText *entries = (LookupText *) (table->data + sizeof(LookupHeader));
	uint64		hash = lookup_text_hash(key);
	uint64		i = hash >> table->header.shift;

	for (; entries[i].number != 0; i = (i + 1) & (table->header.nentries - 1))
	{
		Bytes		text = {table->data + entries[i].start, entries[i].length};

		if (entries[i].hash == (uint32) (hash >> 32) && text_eq(text, key))
		{
			table->is_unique = false;
			return place;
		}
	}
	entries[i] = (LookupText)
	{
		.start = (uint32) place,.length = key.len,.hash = (uint32) (hash >> 32),.number = number
	};
	memcpy(table->data + place, key.data, key.len);
	return place + key.len;
}

Bytes
lookup_of_texts(const Bytes *keys, const uint32 *rows, uint64 n, uint32 nrows, uint64 limit,
				bool *is_unique)
{
	KeyTable	table = {.is_unique = true};
	uint64		size = 0;
	uint64		place;

	for (uint64 i = 0; i < n; i++)
		size += keys[i].len;
	set_hash(&table, LOOKUP_TEXTS, n, sizeof(LookupText));
	table.header.nrows = nrows;
	*is_unique = true;
	if (!make_table(&table, size, limit))
		return (Bytes) {NULL, 0};
	place = sizeof(LookupHeader) + entries_size(&table);
	for (uint64 i = 0; i < n; i++)
	{
		look_for_interrupt(i);
		place = add_text(&table, keys[i], rows[i] + 1, place);
	}
	*is_unique = table.is_unique;
	return table_bytes(&table, size);
}

const char *
lookup_form_name(Bytes table)
{
	switch ((LookupForm) ((const LookupHeader *) table.data)->form)
	{
		case LOOKUP_BITS:
			return "bitmap";
		case LOOKUP_ARRAY1:
			return "array of 1 byte";
		case LOOKUP_ARRAY2:
			return "array of 2 bytes";
		case LOOKUP_ARRAY4:
			return "array of 4 bytes";
		default:
			return "hash table";
	}
}
