/*
 * encode.c
 *	  Columns as they stand in a stripe's pages.
 *
 * Integers, and with them dates, times and numerics of 64 bits, are numbers that the stripe's
 * least value is added to, in 0, 1, 2 or 4 bytes, if that is narrower than the type.  Texts are in
 * encode_texts.c.  All others stand as batches have them, and are read where they are.
 *
 * A page holds a power of two of values, and so whole batches.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/eval.h"
#include "engine/cpu/gather.h"
#include "engine/cpu/kept/encode.h"

#define VALIDITY_ROWS (CPU_KEPT_PAGE * 8)	/* of a page */
#define LEFT_ROWS (CPU_KEPT_PAGE / sizeof(CpuKeptLeft)) /* likewise */

_Static_assert(CPU_KEPT_PAGE >= CPU_BATCH * 16, "a page must have room for a batch's values");

static inline bool
is_valid(const PlainColumn *plain, uint32_t row)
{
	return plain->validity == NULL || (plain->validity[row / 8] >> row % 8 & 1) != 0;
}

static uint32_t
count_nulls(const PlainColumn *plain, uint32_t nrows)
{
	uint32_t	nvalid = 0;

	if (plain->validity == NULL)
		return 0;
	for (uint32_t i = 0; i < nrows / 8; i++)
		nvalid += (uint32_t) __builtin_popcount(plain->validity[i]);
	if (nrows % 8 != 0)
		nvalid += (uint32_t) __builtin_popcount(plain->validity[nrows / 8] & ((1u << nrows % 8) - 1));
	return nrows - nvalid;
}

/* The least and the greatest integer of a column with NULLs, of which at least one row is not. */
static void
find_range_of_valid(const PlainColumn *plain, uint32_t nrows, CpuKeptPlace *place)
{
	place->least = INT64_MAX;
	place->most = INT64_MIN;
	for (uint32_t i = 0; i < nrows; i++)
	{
		int64_t		value = integer_at(plain->values, plain->type, i);

		if (!is_valid(plain, i))
			continue;
		if (value < place->least)
			place->least = value;
		if (value > place->most)
			place->most = value;
	}
}

/* The same of a column without NULLs, in loops that the compiler vectorises. */
#define FIND_RANGE(ctype) \
	do { \
		const ctype *restrict values = (const ctype *) (const void *) plain->values; \
		ctype		least = values[0]; \
		ctype		most = values[0]; \
		for (uint32_t i = 1; i < nrows; i++) \
		{ \
			least = values[i] < least ? values[i] : least; \
			most = values[i] > most ? values[i] : most; \
		} \
		place->least = least; \
		place->most = most; \
	} while (0)

/* How many rows are NULL and, of integers, the least and the greatest one. */
static void
find_range(const PlainColumn *plain, uint32_t nrows, CpuKeptPlace *place)
{
	place->nnulls = count_nulls(plain, nrows);
	place->has_range = value_class(plain->type) == CLASS_INTEGER && place->nnulls < nrows;
	if (!place->has_range)
		return;
	if (place->nnulls > 0)
		find_range_of_valid(plain, nrows, place);
	else if (plain->type == VT_BOOL)
		FIND_RANGE(uint8_t);
	else
		switch (value_type_size(plain->type))
		{
			case 1:
				FIND_RANGE(int8_t);
				break;
			case 2:
				FIND_RANGE(int16_t);
				break;
			case 4:
				FIND_RANGE(int32_t);
				break;
			default:
				FIND_RANGE(int64_t);
				break;
		}
}

static uint8_t
width_of_range(uint64_t range)
{
	if (range == 0)
		return 0;
	if (range <= UINT8_MAX)
		return 1;
	if (range <= UINT16_MAX)
		return 2;
	return range <= UINT32_MAX ? 4 : 8;
}

/* Pages for so many values of some bytes. */
static uint32_t
pages_of(uint32_t nrows, uint32_t width)
{
	uint32_t	rows = width == 0 ? 1 : CPU_KEPT_PAGE / width;

	return width == 0 ? 0 : (nrows + rows - 1) / rows;
}

void
plain_free(PlainColumn *plain)
{
	free(plain->values);
	texts_free(&plain->texts);
	free(plain->validity);
	free(plain->left);
}

/* Of values that are no texts. */
static void
choose_width(const PlainColumn *plain, CpuKeptPlace *place)
{
	uint32_t	size = (uint32_t) value_type_size(plain->type);

	place->width = (uint8_t) size;
	if (value_class(plain->type) == CLASS_INTEGER)
	{
		uint8_t		width = width_of_range((uint64_t) place->most - (uint64_t) place->least);

		if (width < size)
			place->width = width;
	}
	place->plain = place->width == size;
}

static uint32_t
validity_pages(const CpuKeptPlace *place, uint32_t nrows)
{
	return place->nnulls > 0 ? (nrows + VALIDITY_ROWS - 1) / VALIDITY_ROWS : 0;
}

bool
encode_choose(PlainColumn *plain, uint32_t nrows, CpuKeptPlace *place)
{
	memset(place, 0, sizeof(*place));
	find_range(plain, nrows, place);
	if (plain->type != VT_TEXT)
		choose_width(plain, place);
	else if (!texts_choose(&plain->texts, plain->validity, nrows, place, &place->npages))
		return false;
	place->nleft = plain->nleft;
	place->npages += pages_of(nrows, place->width) + validity_pages(place, nrows) +
		pages_of(place->nleft, sizeof(CpuKeptLeft));
	return true;
}

void
encode_take_pages(CpuKeptArea *area, CpuKeptPlace *place, uint32_t nrows)
{
	uint32_t	nvalues = pages_of(nrows, place->width);
	uint32_t	nvalidity = validity_pages(place, nrows);
	uint32_t	nleft = pages_of(place->nleft, sizeof(CpuKeptLeft));

	place->values = cpu_kept_take_pages(area, nvalues);
	place->validity = cpu_kept_take_pages(area, nvalidity);
	place->left = cpu_kept_take_pages(area, nleft);
	place->texts = cpu_kept_take_pages(area, place->npages - nvalues - nvalidity - nleft);
}

/* Numbers of one width of values of one type. */
#define ENCODE(ctype, ntype) \
	do { \
		const ctype *restrict values = (const ctype *) (const void *) plain->values + row; \
		ntype	   *restrict numbers = (ntype *) (void *) to; \
		ntype		least = (ntype) (uint64_t) place->least; \
		for (uint32_t i = 0; i < n; i++) \
			numbers[i] = (ntype) ((ntype) values[i] - least); \
	} while (0)

/* Of NULLs, whatever they stand as; the lowest bits of a difference are those of its operands' difference. */
static void
write_numbers(char *to, const CpuKeptPlace *place, const PlainColumn *plain, uint32_t row, uint32_t n)
{
	switch (value_type_size(plain->type) * 8 + place->width)
	{
		case 2 * 8 + 1:
			ENCODE(uint16_t, uint8_t);
			break;
		case 4 * 8 + 1:
			ENCODE(uint32_t, uint8_t);
			break;
		case 4 * 8 + 2:
			ENCODE(uint32_t, uint16_t);
			break;
		case 8 * 8 + 1:
			ENCODE(uint64_t, uint8_t);
			break;
		case 8 * 8 + 2:
			ENCODE(uint64_t, uint16_t);
			break;
		default:
			ENCODE(uint64_t, uint32_t);
			break;
	}
}

/* Codes of texts, which are in 2 bytes. */
static void
write_codes(char *to, const CpuKeptPlace *place, const uint16_t *codes, uint32_t n)
{
	if (place->width == sizeof(*codes))
		memcpy(to, codes, n * sizeof(*codes));
	else
		for (uint32_t i = 0; i < n; i++)
			to[i] = (char) codes[i];
}

static void
write_left(CpuKeptArea *area, const CpuKeptPlace *place, const PlainColumn *plain)
{
	uint32_t	page = place->left;

	for (uint32_t i = 0; page != 0; i += LEFT_ROWS, page = cpu_kept_next(area, page))
	{
		uint32_t	n = place->nleft - i < LEFT_ROWS ? place->nleft - i : LEFT_ROWS;

		memcpy(cpu_kept_page(area, page), plain->left + i, n * sizeof(CpuKeptLeft));
	}
}

void
encode_write(CpuKeptArea *area, const CpuKeptPlace *place, const PlainColumn *plain, uint32_t nrows)
{
	uint32_t	page = place->values;
	uint32_t	rows = place->width == 0 ? 0 : CPU_KEPT_PAGE / place->width;

	if (plain->type == VT_TEXT)
		texts_write(area, place, &plain->texts);
	write_left(area, place, plain);
	for (uint32_t row = 0; page != 0; row += rows, page = cpu_kept_next(area, page))
	{
		uint32_t	n = nrows - row < rows ? nrows - row : rows;

		if (place->coded)
			write_codes(cpu_kept_page(area, page), place, plain->texts.codes + row, n);
		else if (place->plain)
			memcpy(cpu_kept_page(area, page), plain->values + (size_t) row * place->width,
				   (size_t) n * place->width);
		else
			write_numbers(cpu_kept_page(area, page), place, plain, row, n);
	}
	page = place->validity;
	for (uint32_t row = 0; page != 0; row += VALIDITY_ROWS, page = cpu_kept_next(area, page))
	{
		uint32_t	n = nrows - row < VALIDITY_ROWS ? nrows - row : VALIDITY_ROWS;

		memcpy(cpu_kept_page(area, page), plain->validity + row / 8, (n + 7) / 8);
	}
}

/* A batch of values that are all the least one. */
static void
fill_least(DecodedColumn *column)
{
	uint32_t	size = (uint32_t) value_type_size(column->type);
	uint64_t	bits = (uint64_t) column->place.least;

	/* the lowest bytes of an integer are those of a narrower one, wherever they stand */
	for (uint32_t i = 0; i < CPU_BATCH; i++)
		switch (size)
		{
			case 1:
				((uint8_t *) column->buffer)[i] = (uint8_t) bits;
				break;
			case 2:
				((uint16_t *) column->buffer)[i] = (uint16_t) bits;
				break;
			case 4:
				((uint32_t *) column->buffer)[i] = (uint32_t) bits;
				break;
			default:
				((uint64_t *) column->buffer)[i] = bits;
				break;
		}
}

void
decode_begin(DecodedColumn *column, ValueType type, const CpuKeptPlace *place, char *buffer)
{
	column->type = type;
	column->place = *place;
	column->values = place->values;
	column->validity = place->validity;
	column->buffer = buffer;
	if (type == VT_TEXT)
		memset(buffer, 0, CPU_BATCH * sizeof(*column->codes));
	else if (place->width == 0)
		fill_least(column);
}

bool
decode_texts(DecodedColumn *column, CpuKeptArea *area)
{
	uint32_t	n = column->place.ntexts;

	texts_begin(&column->reader, area, &column->place);
	if (!column->place.coded)
		return true;
	if (n >= column->texts_room)
	{
		free(column->texts);
		column->texts_room = 0;
		column->texts = malloc((n + (size_t) 1) * sizeof(*column->texts));
		if (column->texts == NULL)
			return false;
		column->texts_room = n + (size_t) 1;
	}
	texts_read(&column->reader, area, n, column->texts);
	column->texts[n] = (Bytes) {"", 0};
	return true;
}

void
decode_free(DecodedColumn *column)
{
	free(column->texts);
}

/* Numbers of one width become values of one type; `at` tells which number is row i's. */
#define DECODE(ctype, ntype, at) \
	do { \
		ctype	   *restrict to = (ctype *) column->buffer; \
		const ntype *restrict numbers = (const ntype *) column->from; \
		ctype		least = (ctype) (uint64_t) column->place.least; \
		for (uint32_t i = 0; i < n; i++) \
			to[i] = (ctype) (least + numbers[at]); \
	} while (0)

#define DECODE_NUMBERS(at) \
	do { \
		switch ((uint32_t) value_type_size(column->type) * 8 + column->place.width) \
		{ \
			case 2 * 8 + 1: \
				DECODE(uint16_t, uint8_t, at); \
				break; \
			case 4 * 8 + 1: \
				DECODE(uint32_t, uint8_t, at); \
				break; \
			case 4 * 8 + 2: \
				DECODE(uint32_t, uint16_t, at); \
				break; \
			case 8 * 8 + 1: \
				DECODE(uint64_t, uint8_t, at); \
				break; \
			case 8 * 8 + 2: \
				DECODE(uint64_t, uint16_t, at); \
				break; \
			default: \
				DECODE(uint64_t, uint32_t, at); \
				break; \
		} \
	} while (0)

static void
decode_all_numbers(const DecodedColumn *column, uint32_t n)
{
	DECODE_NUMBERS(i);
}

static void
decode_some_numbers(const DecodedColumn *column, const uint16_t *rows, uint32_t n)
{
	DECODE_NUMBERS(rows[i]);
}

/* Where the batch's numbers or values are. */
static const char *
batch_values(DecodedColumn *column, CpuKeptArea *area, uint32_t row)
{
	uint32_t	rows = CPU_KEPT_PAGE / column->place.width;

	if (row > 0 && row % rows == 0)
		column->values = cpu_kept_next(area, column->values);
	return cpu_kept_page(area, column->values) + row % rows * column->place.width;
}

void
decode_move(DecodedColumn *column, CpuKeptArea *area, uint32_t row, uint32_t nrows)
{
	const CpuKeptPlace *place = &column->place;

	column->from = NULL;
	column->valid = NULL;
	if (column->type == VT_TEXT && !place->coded)
		texts_read(&column->reader, area, nrows, (Bytes *) (void *) column->buffer);
	else if (place->width > 0)
		column->from = batch_values(column, area, row);
	if (place->validity == 0)
		return;
	if (row > 0 && row % VALIDITY_ROWS == 0)
		column->validity = cpu_kept_next(area, column->validity);
	column->valid = (const uint8_t *) cpu_kept_page(area, column->validity) +
		row % VALIDITY_ROWS / 8;
}

/* A batch's codes; with one code, they are zeros in the buffer. */
static void
decode_codes(DecodedColumn *column, uint32_t n)
{
	uint16_t   *restrict to = (uint16_t *) (void *) column->buffer;
	const uint8_t *restrict from = (const uint8_t *) column->from;

	column->codes = to;
	if (column->place.width == sizeof(*to))
		column->codes = (const uint16_t *) (const void *) from;
	else
		for (uint32_t i = 0; from != NULL && i < n; i++)
			to[i] = from[i];
}

static void
decode_some_codes(DecodedColumn *column, const uint16_t *rows, uint32_t n)
{
	uint16_t   *restrict to = (uint16_t *) (void *) column->buffer;
	const uint8_t *restrict from = (const uint8_t *) column->from;

	column->codes = to;
	if (column->place.width == sizeof(*to))
		gather_values(to, from, sizeof(*to), rows, n);
	else
		for (uint32_t i = 0; from != NULL && i < n; i++)
			to[i] = from[rows[i]];
}

void
decode_batch(DecodedColumn *column, uint32_t nrows, ColumnVector *vector)
{
	*vector = (ColumnVector) {.values = column->buffer,.validity = column->valid};
	if (column->place.coded)
	{
		vector->values = NULL;
		decode_codes(column, nrows);
	}
	else if (column->from != NULL && column->place.plain)
		vector->values = column->from;
	else if (column->from != NULL)
		decode_all_numbers(column, nrows);
}

void
decode_rows(DecodedColumn *column, const uint16_t *rows, uint32_t n, ColumnVector *vector)
{
	*vector = (ColumnVector) {.values = column->buffer};
	if (column->place.coded)
	{
		vector->values = NULL;
		decode_some_codes(column, rows, n);
	}
	else if (column->type == VT_TEXT)
		gather_values(column->buffer, column->buffer, sizeof(Bytes), rows, n);
	else if (column->from != NULL && column->place.plain)
		gather_values(column->buffer, column->from, (size_t) value_type_size(column->type), rows, n);
	else if (column->from != NULL)
		decode_some_numbers(column, rows, n);
	if (column->valid == NULL)
		return;
	gather_bits((uint8_t *) column->valid_bits, column->valid, rows, n);
	vector->validity = (const uint8_t *) column->valid_bits;
}
