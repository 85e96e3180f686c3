/*
 * lookup.c
 *	  Look-ups of a batch's rows in a table, and what they cost.
 *
 * What form a table has is the same for all rows, so there is a loop for each form, without
 * branches where the form allows it.  Keys that are not in an array's range, and rows that are
 * not there, read the first entry, and what they read is not taken.
 *
 * The processor has the loads of several rows of an array under way by itself.  In a hash
 * table it guesses whether an entry is the key's, and where it is wrong, loads that were begun
 * early are lost.  So if the table is not in its caches, the entries of a whole batch are
 * fetched before the first one is looked at.
 */
#include "engine/cpu/eval.h"
#include "engine/cpu/lookup.h"
#include "program/ops.h"

/* Tables up to that size are in a core's own cache, about; larger ones are not. */
#define CACHED_SIZE (UINT32_C(1) << 19)

/* And up to that in one that cores share, about. */
#define SHARED_CACHE_SIZE (UINT32_C(16) << 20)

/*
 * Costs as those of filter.c, in comparisons of 0.6 ns, of a table that is near, that is in a
 * shared cache, and that is in memory.  Measured over random keys, half of which the table has,
 * on a virtual machine with 2 cores, and rounded.
 */
#define NEAR_COST 2
#define MIDDLE_COST 5
#define FAR_COST 20
#define NEAR_HASH_COST 15
#define MIDDLE_HASH_COST 20
#define FAR_HASH_COST 40

/* Entries that are looked at to tell the share of keys that are there. */
#define SHARE_SAMPLE 1024

static const LookupHeader *
header_of(Bytes table)
{
	return (const LookupHeader *) table.data;
}

/* Does it wait for memory at most rows? */
static bool
is_far(Bytes table)
{
	return table.len > CACHED_SIZE;
}

/*----------
 * Numbers of rows
 *----------
 */
static void
find_none(uint32_t n, int32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = -1;
}

/* From bits and arrays, which have an entry at least. */
#define FIND_IN_ARRAY(number) \
	for (uint32_t i = 0; i < n; i++) \
	{ \
		uint64_t	distance = (uint64_t) keys[i] - least; \
		bool		inside = distance < nentries; \
		uint64_t	at = inside ? distance : 0; \
		int32_t		found = (int32_t) (number); \
\
		out[i] = (inside ? found : 0) - 1; \
	}

static void
find_in_array(uint32_t n, const int64_t *restrict keys, Bytes table, int32_t *restrict out)
{
	const LookupHeader *header = header_of(table);
	const void *entries = lookup_entries(table);
	uint64_t	least = (uint64_t) header->least;
	uint64_t	nentries = header->nentries;

	switch ((LookupForm) header->form)
	{
		case LOOKUP_BITS:
			FIND_IN_ARRAY(((const uint8_t *) entries)[at / 8] >> (at % 8) & 1);
			break;
		case LOOKUP_ARRAY1:
			FIND_IN_ARRAY(((const uint8_t *) entries)[at]);
			break;
		case LOOKUP_ARRAY2:
			FIND_IN_ARRAY(((const uint16_t *) entries)[at]);
			break;
		default:
			FIND_IN_ARRAY(((const uint32_t *) entries)[at]);
			break;
	}
}

/* Have the entries where keys' searches begin fetched, if they may be far. */
static void
fetch_entries(uint32_t n, const int64_t *keys, Bytes table, size_t entry_size)
{
	const char *entries = lookup_entries(table);
	uint32_t	shift = header_of(table)->shift;

	for (uint32_t i = 0; i < n && is_far(table); i++)
		__builtin_prefetch(entries + (lookup_hash(keys[i]) >> shift) * entry_size);
}

/* From hash tables. */
#define FIND_IN_HASH(find, type) \
	fetch_entries(n, keys, table, sizeof(type)); \
	for (uint32_t i = 0; i < n; i++) \
	{ \
		bool		inside = (uint64_t) keys[i] - least <= span; \
\
		out[i] = inside ? (int32_t) find(keys[i], header, entries) - 1 : -1; \
	}

static void
find_in_hash(uint32_t n, const int64_t *restrict keys, Bytes table, int32_t *restrict out)
{
	const LookupHeader *header = header_of(table);
	const void *entries = lookup_entries(table);
	uint64_t	least = (uint64_t) header->least;
	uint64_t	span = (uint64_t) header->most - least;

	if (header->form == LOOKUP_HASH4)
	{
		FIND_IN_HASH(lookup_hash4, uint64_t);
	}
	else
	{
		FIND_IN_HASH(lookup_hash8, LookupEntry);
	}
}

static void
find_integers(uint32_t n, const int64_t *keys, Bytes table, int32_t *out)
{
	const LookupHeader *header = header_of(table);

	if (header->form >= LOOKUP_HASH4)
		find_in_hash(n, keys, table, out);
	else if (header->nentries > 0)
		find_in_array(n, keys, table, out);
	else
		find_none(n, out);
}

static void
find_texts(uint32_t n, const Bytes *keys, Bytes table, int32_t *out)
{
	const LookupText *entries = (const LookupText *) lookup_entries(table);
	uint32_t	shift = header_of(table)->shift;
	uint64_t	hashes[CPU_BATCH];

	for (uint32_t i = 0; i < n; i++)
	{
		hashes[i] = lookup_text_hash(keys[i]);
		__builtin_prefetch(&entries[hashes[i] >> shift]);
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = text_lookup_hashed(keys[i], hashes[i], table);
}

/*----------
 * Values of rows
 *----------
 */

/* The row, or the first one for one that is not there: without a branch. */
static uint32_t
row_or_first(int32_t row, uint32_t nrows)
{
	return (uint32_t) row & -(uint32_t) ((uint32_t) row < nrows);
}

static void
have_values(uint32_t n, const int32_t *restrict rows, Bytes table, uint8_t *restrict out)
{
	const LookupValues *values = (const LookupValues *) table.data;
	const uint8_t *bits = (const uint8_t *) table.data + values->present;
	uint32_t	nrows = values->nrows;

	for (uint32_t i = 0; i < n; i++)
		out[i] = (uint32_t) rows[i] < nrows;
	for (uint32_t i = 0; i < n && values->present != 0 && nrows > 0; i++)
	{
		uint32_t	row = row_or_first(rows[i], nrows);

		out[i] &= (uint8_t) (bits[row / 8] >> (row % 8) & 1);
	}
}

#define TAKE_CODES(ctype) \
	for (uint32_t i = 0; i < n; i++) \
	{ \
		uint32_t	code = ((const ctype *) codes)[row_or_first(rows[i], nrows)]; \
\
		out[i] = (int32_t) (code & -(uint32_t) ((uint32_t) rows[i] < nrows)) - 1; \
	}

/* There is a row at least. */
static void
take_codes(uint32_t n, const int32_t *restrict rows, Bytes table, int32_t *restrict out)
{
	const LookupValues *values = (const LookupValues *) table.data;
	const void *codes = values + 1;
	uint32_t	nrows = values->nrows;

	switch (values->width)
	{
		case 1:
			TAKE_CODES(uint8_t);
			break;
		case 2:
			TAKE_CODES(uint16_t);
			break;
		default:
			TAKE_CODES(uint32_t);
			break;
	}
}

#define TAKE_VALUES(ctype) \
	for (uint32_t i = 0; i < n; i++) \
		((ctype *) out)[i] = ((const ctype *) from)[row_or_first(rows[i], nrows)]

/* Likewise.  A row that is not there may have any value. */
static void
take_values(uint32_t n, const int32_t *restrict rows, Bytes table, void *restrict out)
{
	const LookupValues *values = (const LookupValues *) table.data;
	const void *from = values + 1;
	uint32_t	nrows = values->nrows;

	switch (values->width)
	{
		case 1:
			TAKE_VALUES(uint8_t);
			break;
		case 2:
			TAKE_VALUES(uint16_t);
			break;
		case 4:
			TAKE_VALUES(uint32_t);
			break;
		case 8:
			TAKE_VALUES(uint64_t);
			break;
		default:
			TAKE_VALUES(Wide);
			break;
	}
}

static void
take_texts(uint32_t n, const int32_t *rows, Bytes table, Bytes *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = row_text(rows[i], table);
}

/* Without rows: no value, no code. */
static void
take_nothing(OpCode op, uint32_t n, void *out)
{
	memset(out, op == OP_row_code ? -1 : 0, n * (size_t) value_type_size(op_result(op)));
}

void
lookup_run(OpCode op, uint32_t n, const void *left, Bytes table, void *result)
{

	if (op == OP_int8_lookup)
		find_integers(n, left, table, result);
	else if (op == OP_text_lookup)
		find_texts(n, left, table, result);
	else if (op == OP_row_has)
		have_values(n, left, table, result);
	else if (op == OP_row_text)
		take_texts(n, left, table, result);
	else if (((const LookupValues *) table.data)->nrows == 0)
		take_nothing(op, n, result);
	else if (op == OP_row_code)
		take_codes(n, left, table, result);
	else
		take_values(n, left, table, result);
}

/*----------
 * Costs
 *----------
 */
int
lookup_cost(OpCode op, Bytes table)
{
	bool		hashed = op == OP_text_lookup ||
		(op == OP_int8_lookup && header_of(table)->form >= LOOKUP_HASH4);

	if (table.len > SHARED_CACHE_SIZE)
		return hashed ? FAR_HASH_COST : FAR_COST;
	if (is_far(table))
		return hashed ? MIDDLE_HASH_COST : MIDDLE_COST;
	return hashed ? NEAR_HASH_COST : NEAR_COST;
}

/* Is there anything in entry i? */
static bool
is_taken(const LookupHeader *header, const char *entries, uint64_t i)
{
	switch ((LookupForm) header->form)
	{
		case LOOKUP_HASH4:
			return (uint32_t) ((const uint64_t *) entries)[i] != 0;
		case LOOKUP_HASH8:
			return ((const LookupEntry *) entries)[i].number != 0;
		default:
			return lookup_array(i, header->form, entries) != 0;
	}
}

/* Of the entries, which keys are spread over evenly, some are looked at. */
double
lookup_share(Bytes table)
{
	const LookupHeader *header = header_of(table);
	uint64_t	n = header->nentries < SHARE_SAMPLE ? header->nentries : SHARE_SAMPLE;
	double		keys = (double) ((uint64_t) header->most - (uint64_t) header->least) + 1;
	double		taken = 0;

	for (uint64_t i = 0; i < n; i++)
		taken += is_taken(header, lookup_entries(table), header->nentries / n * i);
	if (taken == 0)
		return 0;
	taken *= (double) header->nentries / (double) n / keys;
	return taken < 1 ? taken : 1;
}
