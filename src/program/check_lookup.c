/*
 * check_lookup.c
 *	  Are bytes that somebody else has made a look-up, or a column of its values?
 *
 * All that ops_lookup.h says of them is checked, but for what makes no reader go astray: that
 * keys stand where they are found, each once, and that values are those of the rows.
 *
 * Owns no memory.  Plain C without postgres.h.
 */
#include "check_lookup.h"

#include "ops_lookup.h"

_Static_assert(sizeof(LookupHeader) == 48 && sizeof(LookupEntry) == 16 &&
			   sizeof(LookupText) == 16 && sizeof(LookupValues) == 16, "as their makers know them");

/* Bits of an entry. */
static uint64_t
entry_bits(LookupForm form)
{
	switch (form)
	{
		case LOOKUP_BITS:
			return 1;
		case LOOKUP_ARRAY1:
			return 8;
		case LOOKUP_ARRAY2:
			return 16;
		case LOOKUP_ARRAY4:
			return 32;
		case LOOKUP_HASH4:
			return 64;
		default:
			return 128;
	}
}

/* Go through the entries; good: can one with a number stand there? */
#define CHECK_ENTRIES(number, good) \
	for (uint64_t i = 0; i < header->nentries; i++) \
	{ \
		if ((number) > header->nrows || ((number) > 0 && !(good))) \
			return false; \
		has_empty |= (number) == 0; \
	}

/* Are the numbers those of rows, and the keys in their range?  A hash table has an empty entry. */
static bool
entries_are_good(const LookupHeader *header, Bytes table)
{
	const void *entries = lookup_entries(table);
	const uint64_t *words = entries;
	const LookupEntry *keys = entries;
	const LookupText *texts = entries;
	uint64_t	least = (uint64_t) header->least;
	uint64_t	span = (uint64_t) header->most - least;
	bool		has_empty = header->form < LOOKUP_HASH4;

	switch ((LookupForm) header->form)
	{
		case LOOKUP_BITS:
			if (header->nrows == 0)
				CHECK_ENTRIES(lookup_array(i, LOOKUP_BITS, entries), true);
			break;
		case LOOKUP_ARRAY1:
			CHECK_ENTRIES(((const uint8_t *) entries)[i], true);
			break;
		case LOOKUP_ARRAY2:
			CHECK_ENTRIES(((const uint16_t *) entries)[i], true);
			break;
		case LOOKUP_ARRAY4:
			CHECK_ENTRIES(((const uint32_t *) entries)[i], true);
			break;
		case LOOKUP_HASH4:
			CHECK_ENTRIES((uint32_t) words[i], words[i] >> 32 <= span);
			break;
		case LOOKUP_HASH8:
			CHECK_ENTRIES(keys[i].number, (uint64_t) keys[i].key - least <= span);
			break;
		default:
			CHECK_ENTRIES(texts[i].number,
						  (uint64_t) texts[i].start + texts[i].length <= table.len);
			break;
	}
	return has_empty;
}

static bool
keys_are_good(OpCode op, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	uint64_t	bits;

	if (table.len < sizeof(LookupHeader) || header->form >= LOOKUP_FORMS ||
		(header->form == LOOKUP_TEXTS) != (op == OP_text_lookup) || header->nrows > INT32_MAX)
		return false;
	if (header->form >= LOOKUP_HASH4 &&
		(header->shift < 1 || header->shift > 63 ||
		 header->nentries != UINT64_C(1) << (64 - header->shift)))
		return false;
	if (header->form < LOOKUP_HASH4 && header->nentries > 0 &&
		header->nentries - 1 != (uint64_t) header->most - (uint64_t) header->least)
		return false;
	bits = (table.len - sizeof(LookupHeader)) * UINT64_C(8);
	return header->nentries <= bits / entry_bits((LookupForm) header->form) &&
		entries_are_good(header, table);
}

/* Is that the width of the values that the operation reads?  row_has reads none. */
static bool
width_is_good(OpCode op, uint32_t width)
{
	switch (op)
	{
		case OP_row_has:
			return true;
		case OP_row_code:
			return width == 1 || width == 2 || width == 4;
		case OP_row_text:
			return width == sizeof(uint32_t);
		default:
			return width == (uint32_t) value_type_size(op_result(op));
	}
}

static bool
codes_are_good(const LookupValues *values, const uint32_t *codes)
{
	for (uint32_t i = 0; values->width == sizeof(uint32_t) && i < values->nrows; i++)
		if (codes[i] > INT32_MAX)
			return false;
	return true;
}

/* Places in order, the first one behind the last place, the last one inside. */
static bool
places_are_good(const LookupValues *values, const uint32_t *places, uint64_t begin, uint32_t end)
{
	if (places[0] < begin)
		return false;
	for (uint32_t i = 0; i < values->nrows; i++)
		if (places[i] > places[i + 1])
			return false;
	return places[values->nrows] <= end;
}

static bool
values_are_good(OpCode op, Bytes table)
{
	const LookupValues *values = (const LookupValues *) table.data;
	uint64_t	end;

	if (table.len < sizeof(LookupValues) || values->nrows > INT32_MAX ||
		!width_is_good(op, values->width))
		return false;
	if (values->present != 0 &&
		(values->present < sizeof(LookupValues) || values->present > table.len ||
		 (values->nrows + 7) / 8 > table.len - values->present))
		return false;
	if (op == OP_row_has)
		return true;
	end = sizeof(LookupValues) +
		(values->nrows + (uint64_t) (op == OP_row_text)) * values->width;
	if (end > table.len)
		return false;
	if (op == OP_row_text)
		return places_are_good(values, (const uint32_t *) (values + 1), end, table.len);
	return op != OP_row_code || codes_are_good(values, (const uint32_t *) (values + 1));
}

bool
lookup_is_good(OpCode op, Bytes table)
{
	return op == OP_int8_lookup || op == OP_text_lookup ? keys_are_good(op, table) :
		values_are_good(op, table);
}

uint32_t
lookup_reader(OpCode op)
{
	switch (op)
	{
		case OP_int8_lookup:
			return 1;
		case OP_text_lookup:
			return 2;
		case OP_row_has:
			return 4;
		case OP_row_code:
			return 8;
		case OP_row_text:
			return 16;
		default:
			/* widths are powers of two, at most 16 */
			return (uint32_t) value_type_size(op_result(op)) << 8;
	}
}
