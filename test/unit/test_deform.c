/*
 * test_deform.c
 *	  Heap pages into columns: what a page can hold, and what it must not.
 *
 * Pages are made by a small writer below and stand in memory of exactly their
 * size, so that the address sanitizer sees every read outside of one.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/deform.h"
#include "engine/cpu/filter.h"
#include "program/heap_page.h"
#include "tap.h"

/* A tuple in the making. */
typedef struct Row
{
	char		data[HEAP_PAGE_SIZE];
	uint32_t	len;
	uint32_t	natts;
	bool		has_nulls;
	uint8_t		bits[256];
} Row;

static ProgramBuilder builder;
static char *page;				/* HEAP_PAGE_SIZE bytes */
static char message[256];

static void
row_align(Row *row, uint32_t align)
{
	while (row->len % align != 0)
		row->data[row->len++] = 0;
}

static void
row_bytes(Row *row, const void *bytes, uint32_t len)
{
	memcpy(row->data + row->len, bytes, len);
	row->len += len;
}

/* An attribute of fixed length. */
static void
row_fixed(Row *row, const void *value, uint32_t len, uint32_t align)
{
	row->bits[row->natts / 8] |= 1 << row->natts % 8;
	row->natts++;
	row_align(row, align);
	row_bytes(row, value, len);
}

static void
row_int4(Row *row, int32_t value)
{
	row_fixed(row, &value, 4, 4);
}

static void
row_int8(Row *row, int64_t value)
{
	row_fixed(row, &value, 8, 8);
}

static void
row_null(Row *row)
{
	row->has_nulls = true;
	row->natts++;
}

/* A varlena value with a header of one byte; len is at most 126. */
static void
row_short(Row *row, const char *value, uint32_t len)
{
	uint8_t		header = (uint8_t) ((len + 1) << 1 | 1);

	row_fixed(row, &header, 1, 1);
	row_bytes(row, value, len);
}

/* A varlena value with a header of four bytes, and its lowest bits. */
static void
row_long(Row *row, const char *value, uint32_t len, uint32_t align, uint32_t bits)
{
	uint32_t	header = (len + 4) << 2 | bits;

	row_fixed(row, &header, 4, align);
	row_bytes(row, value, len);
}

/* A pointer to a value stored out of line. */
static void
row_external(Row *row, char tag)
{
	char		pointer[VARLENA_ONDISK_SIZE] = {1, tag};

	row_fixed(row, pointer, sizeof(pointer), 1);
}

static uint32_t
get16(uint32_t at)
{
	uint16_t	value;

	memcpy(&value, page + at, 2);
	return value;
}

static void
put16(uint32_t at, uint32_t number)
{
	uint16_t	value = (uint16_t) number;

	memcpy(page + at, &value, 2);
}

static uint32_t
page_nlines(void)
{
	return (get16(HEAP_PAGE_LOWER) - HEAP_PAGE_LINES) / HEAP_LINE_SIZE;
}

static void
page_begin(void)
{
	memset(page, 0, HEAP_PAGE_SIZE);
	put16(HEAP_PAGE_LOWER, HEAP_PAGE_LINES);
	put16(HEAP_PAGE_UPPER, HEAP_PAGE_SIZE);
	put16(HEAP_PAGE_SPECIAL, HEAP_PAGE_SIZE);
}

static void
set_line(uint32_t number, uint32_t offset, uint32_t flags, uint32_t len)
{
	uint32_t	line = offset | flags << 15 | len << 17;

	memcpy(page + HEAP_PAGE_LINES + (number - 1) * 4, &line, 4);
}

static uint32_t
get_line(uint32_t number)
{
	uint32_t	line;

	memcpy(&line, page + HEAP_PAGE_LINES + (number - 1) * 4, 4);
	return line;
}

/* Add a line pointer without a tuple. */
static void
page_add_line(uint32_t flags)
{
	uint32_t	lower = get16(HEAP_PAGE_LOWER);

	put16(HEAP_PAGE_LOWER, lower + 4);
	set_line(page_nlines(), 0, flags, 0);
}

/* Add the row and make it empty again; false if there is no room. */
static bool
page_add(Row *row)
{
	uint32_t	bits = row->has_nulls ? (row->natts + 7) / 8 : 0;
	uint32_t	hoff = (HEAP_TUPLE_BITS + bits + 7) & ~7u;
	uint32_t	len = hoff + row->len;
	uint32_t	upper = get16(HEAP_PAGE_UPPER) - ((len + 7) & ~7u);
	uint32_t	lower = get16(HEAP_PAGE_LOWER) + 4;

	if ((int32_t) upper < (int32_t) lower)
		return false;
	put16(HEAP_PAGE_LOWER, lower);
	put16(HEAP_PAGE_UPPER, upper);
	set_line(page_nlines(), upper, HEAP_LINE_NORMAL, len);
	put16(upper + HEAP_TUPLE_INFOMASK2, row->natts | 0xe000);
	put16(upper + HEAP_TUPLE_INFOMASK, row->has_nulls ? 0x0901 : 0x0900);
	page[upper + HEAP_TUPLE_HOFF] = (char) hoff;
	memcpy(page + upper + HEAP_TUPLE_BITS, row->bits, bits);
	memcpy(page + upper + hoff, row->data, row->len);
	memset(row, 0, sizeof(Row));
	return true;
}

static DeformBuffer *
make_buffer(const ParamValue *params, uint32_t capacity)
{
	Program    *program = malloc(program_size(&builder));
	DeformBuffer *buffer;

	program_finish(&builder, program);
	buffer = deform_create(program, params, capacity, NULL);
	free(program);
	return buffer;
}

/* Deform the page into a new buffer; *status says how it went. */
static DeformBuffer *
deform(const ParamValue *params, const uint16_t *lines, uint32_t nlines, EngineStatus *status)
{
	PageRef		ref = {page, lines, nlines, 7, 3, 0};
	DeformBuffer *buffer = make_buffer(params, 1000);
	uint32_t	line = 0;

	message[0] = '\0';
	*status = deform_page(buffer, &ref, &line, message);
	if (*status == ENGINE_OK && line != nlines)
		*status = ENGINE_BUSY;
	return buffer;
}

static EngineStatus
status_of_page(void)
{
	EngineStatus status;

	deform_free(deform(NULL, NULL, page_nlines(), &status));
	return status;
}

static bool
is_null(const ColumnVector *column, uint32_t row)
{
	return column->validity && !(column->validity[row / 8] >> row % 8 & 1);
}

static bool
is_text(const ColumnVector *column, uint32_t row, const char *value, uint32_t len)
{
	return !is_null(column, row) &&
		column->offsets[row + 1] - column->offsets[row] == len &&
		memcmp((const char *) column->values + column->offsets[row], value, len) == 0;
}

static bool
is_int4(const ColumnVector *column, uint32_t row, int32_t value)
{
	return !is_null(column, row) && ((const int32_t *) column->values)[row] == value;
}

static bool
is_int8(const ColumnVector *column, uint32_t row, int64_t value)
{
	return !is_null(column, row) && ((const int64_t *) column->values)[row] == value;
}

/* All types, with their alignment. */
static const struct
{
	ValueType	type;
	int			align;
}			types[] = {
	{VT_BOOL, 1}, {VT_CHAR, 1}, {VT_INT2, 2}, {VT_INT4, 4}, {VT_INT8, 8},
	{VT_FLOAT4, 4}, {VT_FLOAT8, 8}, {VT_UUID, 1}, {VT_INT8, 8}
};

#define NTYPES ((int) (sizeof(types) / sizeof(types[0])))

/* In which row of 20 which type is NULL. */
static bool
type_is_null(bool with_nulls, int row, int t)
{
	return with_nulls && row % 7 == 5 && t == row % NTYPES;
}

/* 20 rows of all types, each behind a byte so that its alignment shows. */
static void
types_page(bool with_nulls)
{
	Row			row = {0};
	char		value[32];

	program_begin(&builder, SOURCE_PAGES);
	for (int t = 0; t < NTYPES; t++)
	{
		program_add_attr(&builder, 1, 1);
		program_add_attr(&builder, value_type_size(types[t].type), types[t].align);
	}
	/* the Program's order is not the table's; the last column comes twice */
	for (int t = NTYPES - 1; t >= 0; t--)
		program_add_column(&builder, 2 * t + 2, types[t].type, true, -1);
	program_add_column(&builder, 2 * NTYPES, VT_FLOAT8, true, -1);

	page_begin();
	for (int r = 0; r < 20; r++)
	{
		for (int t = 0; t < NTYPES; t++)
		{
			row_fixed(&row, "x", 1, 1);
			memset(value, 1 + r * NTYPES + t, sizeof(value));
			if (type_is_null(with_nulls, r, t))
				row_null(&row);
			else
				row_fixed(&row, value, (uint32_t) value_type_size(types[t].type),
						  (uint32_t) types[t].align);
		}
		page_add(&row);
	}
}

static void
test_types(bool with_nulls)
{
	const char *title = with_nulls ? "types and NULLs" : "types";
	EngineStatus status;
	DeformBuffer *buffer;
	const ColumnBatch *batch;

	types_page(with_nulls);
	buffer = deform(NULL, NULL, page_nlines(), &status);
	batch = deform_batch(buffer);
	ok(status == ENGINE_OK && batch->nrows == 20, "%s: 20 rows", title);
	for (int c = 0; c <= NTYPES; c++)
	{
		int			t = c < NTYPES ? NTYPES - 1 - c : NTYPES - 1;
		int			size = value_type_size(types[t].type);
		bool		good = true;

		for (int r = 0; r < 20; r++)
		{
			const char *value = (const char *) batch->columns[c].values + r * size;
			bool		null = type_is_null(with_nulls, r, t);
			char		expected[32];

			memset(expected, 1 + r * NTYPES + t, sizeof(expected));
			good &= is_null(&batch->columns[c], (uint32_t) r) == null &&
				(null || memcmp(value, expected, (size_t) size) == 0);
		}
		ok(good, "%s: column %d is %s", title, c, value_type_name(types[t].type));
	}
	ok((batch->columns[0].validity != NULL) <= with_nulls, "%s: bitmaps for NULLs only", title);
	deform_free(buffer);
}

/* int4, text, int2, int8, text, char: each can be NULL, in all combinations. */
static void
test_null_patterns(void)
{
	Row			row = {0};
	EngineStatus status;
	DeformBuffer *buffer;
	const ColumnVector *c;
	bool		good = true;

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 2, 2);
	program_add_attr(&builder, 8, 8);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 1, 1);
	program_add_column(&builder, 1, VT_INT4, true, -1);
	program_add_column(&builder, 2, VT_TEXT, true, -1);
	program_add_column(&builder, 3, VT_INT2, true, -1);
	program_add_column(&builder, 4, VT_INT8, true, -1);
	program_add_column(&builder, 5, VT_TEXT, true, -1);
	program_add_column(&builder, 6, VT_CHAR, true, -1);

	page_begin();
	for (int n = 0; n < 64; n++)
	{
		int16_t		i2 = (int16_t) (n * 100);

		n & 1 ? row_null(&row) : row_int4(&row, n);
		n & 2 ? row_null(&row) : row_short(&row, "shorts", (uint32_t) n % 7);
		n & 4 ? row_null(&row) : row_fixed(&row, &i2, 2, 2);
		n & 8 ? row_null(&row) : row_int8(&row, -n);
		n & 16 ? row_null(&row) : row_long(&row, "long", (uint32_t) n % 5, 4, 0);
		n & 32 ? row_null(&row) : row_fixed(&row, "c", 1, 1);
		good &= page_add(&row);
	}
	buffer = deform(NULL, NULL, page_nlines(), &status);
	c = deform_batch(buffer)->columns;
	good &= status == ENGINE_OK && deform_rows(buffer) == 64;
	for (uint32_t r = 0; r < 64 && good; r++)
	{
		good &= r & 1 ? is_null(&c[0], r) : is_int4(&c[0], r, (int32_t) r);
		good &= r & 2 ? is_null(&c[1], r) : is_text(&c[1], r, "shorts", r % 7);
		good &= r & 4 ? is_null(&c[2], r) :
			((const int16_t *) c[2].values)[r] == (int16_t) (r * 100);
		good &= r & 8 ? is_null(&c[3], r) : is_int8(&c[3], r, -(int64_t) r);
		good &= r & 16 ? is_null(&c[4], r) : is_text(&c[4], r, "long", r % 5);
		good &= r & 32 ? is_null(&c[5], r) : ((const char *) c[5].values)[r] == 'c';
		for (int i = 0; i < 6; i++)
			good &= is_null(&c[i], r) == (r >> i & 1);
	}
	ok(good, "all patterns of NULLs over six attributes");

	deform_reset(buffer);
	c = deform_batch(buffer)->columns;
	good = deform_rows(buffer) == 0;
	for (int i = 0; i < 6; i++)
		good &= c[i].validity == NULL;
	ok(good, "a reset forgets rows and NULLs");
	deform_free(buffer);
}

/* Tuples with the first 0 .. 6 of the attributes, and one with two NULLs. */
static void
short_tuples(void)
{
	Row			row = {0};

	page_begin();
	for (int natts = 0; natts <= 6; natts++)
	{
		if (natts > 0)
			row_int4(&row, 1);
		if (natts > 1)
			row_short(&row, "there", 5);
		if (natts > 2)
			row_fixed(&row, "ABCDEFGHIJKLMNOP", 16, 1);
		if (natts > 3)
			row_int4(&row, 4);
		if (natts > 4)
			row_int8(&row, 5);
		if (natts > 5)			/* more than the Program knows */
			row_int8(&row, 6);
		page_add(&row);
	}
	row_null(&row);
	row_null(&row);
	page_add(&row);
}

/* Rows from before columns were added: with 0 .. 5 of 5 attributes. */
static void
test_missing(void)
{
	char		uuid[17] = "0123456789abcdef";
	ParamValue	params[] = {
		{.type = VT_INT4,.word = -42},
		{.type = VT_TEXT,.bytes = {"was missing", 11}},
		{.type = VT_UUID,.bytes = {uuid, 16}},
		{.type = VT_INT4,.isnull = true}
	};
	EngineStatus status;
	DeformBuffer *buffer;
	const ColumnVector *c;

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 16, 1);
	program_add_attr(&builder, 4, 4);
	program_add_attr(&builder, 8, 8);
	program_add_column(&builder, 1, VT_INT4, true, 0);
	program_add_column(&builder, 2, VT_TEXT, true, 1);
	program_add_column(&builder, 3, VT_UUID, true, 2);
	program_add_column(&builder, 4, VT_INT4, true, 3);
	program_add_column(&builder, 5, VT_INT8, true, -1);

	short_tuples();
	buffer = deform(params, NULL, page_nlines(), &status);
	c = deform_batch(buffer)->columns;
	ok(status == ENGINE_OK && deform_rows(buffer) == 8, "short tuples: %s", message);
	for (uint32_t r = 0; r < 7; r++)
	{
		bool		good = is_int4(&c[0], r, r > 0 ? 1 : -42);
		const char *u = (const char *) c[2].values + 16 * r;

		good &= r > 1 ? is_text(&c[1], r, "there", 5) : is_text(&c[1], r, "was missing", 11);
		good &= memcmp(u, r > 2 ? "ABCDEFGHIJKLMNOP" : uuid, 16) == 0;
		good &= r > 3 ? is_int4(&c[3], r, 4) : is_null(&c[3], r);
		good &= r > 4 ? is_int8(&c[4], r, 5) : is_null(&c[4], r);
		ok(good, "a tuple with %u attributes", r);
	}
	ok(is_null(&c[0], 7) && is_null(&c[1], 7) &&
	   memcmp((const char *) c[2].values + 16 * 7, uuid, 16) == 0 &&
	   is_null(&c[3], 7) && is_null(&c[4], 7), "NULLs, then missing attributes");
	deform_free(buffer);
}

/* Dropped attributes stay in old tuples and are NULL in new ones. */
static void
test_dropped(void)
{
	Row			row = {0};
	EngineStatus status;
	DeformBuffer *buffer;
	const ColumnVector *c;

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 8, 8);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 4, 4);
	program_add_column(&builder, 3, VT_INT4, true, -1);

	page_begin();
	row_int8(&row, 1);
	row_short(&row, "gone", 4);
	row_int4(&row, 11);
	page_add(&row);
	row_null(&row);
	row_null(&row);
	row_int4(&row, 12);
	page_add(&row);
	buffer = deform(NULL, NULL, 2, &status);
	c = deform_batch(buffer)->columns;
	ok(status == ENGINE_OK && is_int4(&c[0], 0, 11) && is_int4(&c[0], 1, 12),
	   "attributes in front are stepped over");
	deform_free(buffer);
}

/* Varlena values of many lengths, at all offsets, before an int8. */
static void
test_varlena(uint32_t align)
{
	static char text[4000];
	static const uint32_t lens[] = {0, 1, 2, 3, 7, 60, 63, 125, 126, 127, 252, 1020, 4000};
	Row			row = {0};
	bool		good = true;

	for (uint32_t i = 0; i < sizeof(text); i++)
		text[i] = (char) i;
	for (int pad = 0; pad < 9; pad++)
	{
		program_begin(&builder, SOURCE_PAGES);
		for (int i = 0; i < pad; i++)
			program_add_attr(&builder, 1, 1);
		program_add_attr(&builder, -1, (int) align);
		program_add_attr(&builder, 8, 8);
		program_add_column(&builder, pad + 1, VT_TEXT, true, -1);
		program_add_column(&builder, pad + 2, VT_INT8, true, -1);

		for (uint32_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
			for (int is_short = 0; is_short <= (lens[i] <= 126); is_short++)
			{
				EngineStatus status;
				DeformBuffer *buffer;
				const ColumnVector *c;

				page_begin();
				for (int p = 0; p < pad; p++)
					row_fixed(&row, "\xff", 1, 1);
				if (is_short)
					row_short(&row, text, lens[i]);
				else
					row_long(&row, text, lens[i], align, 0);
				row_int8(&row, lens[i]);
				page_add(&row);
				buffer = deform(NULL, NULL, 1, &status);
				c = deform_batch(buffer)->columns;
				good &= status == ENGINE_OK && is_text(&c[0], 0, text, lens[i]) &&
					is_int8(&c[1], 0, lens[i]);
				deform_free(buffer);
			}
	}
	ok(good, "varlena values of all lengths at all offsets, aligned to %u", align);
}

/* Compressed values and values out of line: needed, or stepped over. */
static void
test_toast(void)
{
	for (int needed = 0; needed <= 1; needed++)
		for (int kind = 0; kind < 3; kind++)
		{
			static const char *const names[] = {"plain", "compressed", "external"};
			Row			row = {0};
			EngineStatus status;
			DeformBuffer *buffer;

			program_begin(&builder, SOURCE_PAGES);
			program_add_attr(&builder, 1, 1);
			program_add_attr(&builder, -1, 4);
			program_add_attr(&builder, 4, 4);
			if (needed)
				program_add_column(&builder, 2, VT_TEXT, true, -1);
			program_add_column(&builder, 3, VT_INT4, true, -1);

			page_begin();
			row_fixed(&row, "x", 1, 1);
			if (kind == 2)
				row_external(&row, VARLENA_TAG_ONDISK);
			else
				row_long(&row, "sizecompressed", 14, 4, kind == 1 ? 2 : 0);
			row_int4(&row, 99);
			page_add(&row);
			buffer = deform(NULL, NULL, 1, &status);
			if (needed && kind != 0)
			{
				ToastedRow	left[2];

				ok(status == ENGINE_OK && deform_left(buffer) != NULL &&
				   deform_left(buffer)[0] == 1 &&
				   deform_take_left(buffer, left, 2) == 1 && left[0].table == 3 &&
				   left[0].block == 7 && left[0].line == 1 &&
				   deform_take_left(buffer, left, 2) == 0,
				   "%s, needed: the row is left out", names[kind]);
			}
			else
				ok(status == ENGINE_OK && deform_left(buffer) == NULL &&
				   is_int4(&deform_batch(buffer)->columns[needed], 0, 99),
				   "%s, %s", names[kind], needed ? "needed" : "stepped over");
			deform_free(buffer);
		}
}

/*
 * Rows left out among others, through buffers of all capacities: the others are
 * there, the list has the left ones in their order, a row beyond repair is told.
 */
static void
test_left_rows(void)
{
	bool		good = true;
	Row			row = {0};

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 4, 4);
	program_add_column(&builder, 1, VT_INT4, true, -1);
	program_add_column(&builder, 2, VT_TEXT, true, -1);
	program_add_column(&builder, 3, VT_INT4, true, -1);
	page_begin();
	for (int i = 0; i < 60; i++)
	{
		i % 7 == 2 ? row_null(&row) : row_int4(&row, i);
		i % 3 == 1 ? row_external(&row, VARLENA_TAG_ONDISK) : row_short(&row, "text", 4);
		row_int4(&row, -i);
		good &= page_add(&row);
	}
	for (uint32_t capacity = 1; capacity <= 70; capacity++)
	{
		PageRef		ref = {page, NULL, 60, 7, 3, 0};
		DeformBuffer *buffer = make_buffer(NULL, capacity);
		ToastedRow	left[7];
		uint32_t	line = 0;
		int			seen = 0;
		int			told = 0;
		int			n;

		while (line < 60 && good)
		{
			good &= deform_page(buffer, &ref, &line, message) == ENGINE_OK;
			for (uint32_t r = 0; r < deform_rows(buffer); r++, seen++)
			{
				const ColumnVector *c = deform_batch(buffer)->columns;
				bool		out = deform_left(buffer) && deform_left(buffer)[r];

				good &= out == (seen % 3 == 1);
				good &= out || (is_text(&c[1], r, "text", 4) && is_int4(&c[2], r, -seen));
			}
			deform_reset(buffer);
			good &= deform_left(buffer) == NULL;
		}
		while ((n = deform_take_left(buffer, left, 7)) > 0)
			for (int i = 0; i < n; i++, told++)
				good &= left[i].line == 3 * told + 2;
		good &= seen == 60 && told == 20;
		deform_free(buffer);
	}
	ok(good, "rows left out among others, buffers of 1 to 70 rows");

	page_begin();
	row_int4(&row, 1);
	row_external(&row, VARLENA_TAG_ONDISK);
	page_add(&row);
	put16(HEAP_LINE_OFFSET(get_line(1)) + HEAP_TUPLE_INFOMASK2, 3);
	ok(status_of_page() == ENGINE_CORRUPT, "a row left out is checked to its end: %s", message);

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 8, 8);
	program_add_attr(&builder, -1, 4);
	program_add_key(&builder, program_add_column(&builder, 1, VT_FLOAT8, true, -1));
	program_add_column(&builder, 2, VT_TEXT, true, -1);
	page_begin();
	row_int8(&row, 1);
	row_external(&row, VARLENA_TAG_ONDISK);
	page_add(&row);
	ok(status_of_page() == ENGINE_INEXACT && strstr(message, "attribute 2"),
	   "none is left out under a float key: %s", message);
}

/* One int4 column, which is NOT NULL; rows 1 .. n. */
static void
one_column(int n)
{
	Row			row = {0};

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	program_add_column(&builder, 1, VT_INT4, false, -1);
	page_begin();
	for (int i = 1; i <= n; i++)
	{
		row_int4(&row, i);
		page_add(&row);
	}
}

static void
test_not_null(void)
{
	Row			row = {0};

	one_column(2);
	row_null(&row);
	page_add(&row);
	ok(status_of_page() == ENGINE_INEXACT, "NULL in a NOT NULL column: %s", message);
	one_column(2);
	page_add(&row);
	ok(status_of_page() == ENGINE_INEXACT, "missing from a NOT NULL column: %s", message);
}

static void
test_lines(void)
{
	uint16_t	lines[] = {6, 1, 1, 3, 4};
	uint16_t	normal[] = {1, 5, 6};
	EngineStatus status;
	DeformBuffer *buffer;
	const ColumnVector *c;
	Row			row = {0};

	one_column(1);
	page_add_line(HEAP_LINE_DEAD);
	page_add_line(HEAP_LINE_REDIRECT);
	page_add_line(HEAP_LINE_UNUSED);
	row_int4(&row, 5);
	page_add(&row);
	row_int4(&row, 6);
	page_add(&row);

	buffer = deform(NULL, normal, 3, &status);
	c = deform_batch(buffer)->columns;
	ok(status == ENGINE_OK && deform_rows(buffer) == 3 && is_int4(&c[0], 0, 1) &&
	   is_int4(&c[0], 1, 5) && is_int4(&c[0], 2, 6), "a list without dead line pointers");
	deform_free(buffer);

	buffer = deform(NULL, NULL, 1, &status);
	ok(status == ENGINE_OK && deform_rows(buffer) == 1,
	   "lines behind the given number do not count");
	deform_free(buffer);
	deform_free(deform(NULL, NULL, 2, &status));
	ok(status == ENGINE_CORRUPT, "a dead one among the first: %s", message);

	buffer = deform(NULL, lines, 3, &status);
	c = deform_batch(buffer)->columns;
	ok(status == ENGINE_OK && deform_rows(buffer) == 3 && is_int4(&c[0], 0, 6) &&
	   is_int4(&c[0], 1, 1) && is_int4(&c[0], 2, 1), "a list says which, in its order");
	deform_free(buffer);

	for (uint16_t bad = 0; bad < 9; bad++)
	{
		lines[4] = bad;
		deform_free(deform(NULL, lines + 4, 1, &status));
		ok(status == (bad == 1 || bad == 5 || bad == 6 ? ENGINE_OK : ENGINE_CORRUPT),
		   "listed line pointer %d: %s", bad, message);
	}
	deform_free(deform(NULL, NULL, 7, &status));
	ok(status == ENGINE_CORRUPT, "more lines than there are: %s", message);

	memset(page, 0, HEAP_PAGE_SIZE);
	deform_free(deform(NULL, NULL, 0, &status));
	ok(status == ENGINE_OK, "a new page has no rows");
}

static void
test_count(void)
{
	uint16_t	lines[] = {3, 2, 1};
	EngineStatus status;
	DeformBuffer *buffer;

	one_column(3);
	page_add_line(HEAP_LINE_DEAD);
	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	buffer = deform(NULL, NULL, 3, &status);
	ok(status == ENGINE_OK && deform_batch(buffer)->nrows == 3, "rows without columns");
	deform_free(buffer);
	buffer = deform(NULL, lines, 2, &status);
	ok(status == ENGINE_OK && deform_rows(buffer) == 2, "listed rows without columns");
	deform_free(buffer);
	lines[0] = 4;
	deform_free(deform(NULL, lines, 1, &status));
	ok(status == ENGINE_CORRUPT, "a dead one listed: %s", message);
	deform_free(deform(NULL, NULL, 4, &status));
	ok(status == ENGINE_CORRUPT, "a dead one among the first: %s", message);
}

/* int4 and text, 100 rows of several kinds, through buffers of all capacities. */
static void
test_capacity(bool count_only)
{
	char		text[] = "abcdefghij";
	Row			row = {0};
	PageRef		ref = {page, NULL, 100, 7, 3, 0};
	bool		good = true;

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	program_add_attr(&builder, -1, 4);
	if (!count_only)
	{
		program_add_column(&builder, 1, VT_INT4, true, -1);
		program_add_column(&builder, 2, VT_TEXT, true, -1);
	}
	page_begin();
	for (int i = 0; i < 100; i++)
	{
		i % 10 == 3 ? row_null(&row) : row_int4(&row, i);
		i % 10 == 4 ? row_null(&row) : row_short(&row, text, (uint32_t) i % 10);
		good &= page_add(&row);
	}
	for (uint32_t capacity = 1; capacity <= 101; capacity++)
	{
		DeformBuffer *buffer = make_buffer(NULL, capacity);
		uint32_t	line = 0;
		uint32_t	seen = 0;

		while (line < 100 && good)
		{
			const ColumnVector *c;

			good &= deform_page(buffer, &ref, &line, message) == ENGINE_OK;
			good &= deform_rows(buffer) <= capacity;
			good &= deform_full(buffer) || line == 100;
			c = deform_batch(buffer)->columns;
			for (uint32_t r = 0; r < deform_rows(buffer); r++, seen++)
			{
				if (count_only)
					continue;
				good &= seen % 10 == 3 ? is_null(&c[0], r) : is_int4(&c[0], r, (int32_t) seen);
				good &= seen % 10 == 4 ? is_null(&c[1], r) : is_text(&c[1], r, text, seen % 10);
			}
			deform_reset(buffer);
		}
		good &= seen == 100;
		deform_free(buffer);
	}
	ok(good, "buffers of 1 to 101 rows for a page of 100%s", count_only ? ", no columns" : "");
}

/* Several pages in a batch; TEXT columns grow. */
static void
test_growth(void)
{
	char		text[1000];
	Row			row = {0};
	PageRef		ref = {page, NULL, 7, 7, 3, 0};
	DeformBuffer *buffer;
	size_t		before;
	bool		good = true;

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, -1, 4);
	program_add_column(&builder, 1, VT_TEXT, true, -1);
	page_begin();
	for (int i = 0; i < 7; i++)
	{
		memset(text, 'a' + i, sizeof(text));
		row_long(&row, text, sizeof(text), 4, 0);
		page_add(&row);
	}
	buffer = make_buffer(NULL, 1000);
	before = deform_memory(buffer);
	for (int i = 0; i < 100; i++)
	{
		uint32_t	line = 0;

		good &= deform_page(buffer, &ref, &line, message) == ENGINE_OK && line == 7;
	}
	for (uint32_t r = 0; r < 700; r++)
	{
		memset(text, 'a' + (int) (r % 7), sizeof(text));
		good &= is_text(&deform_batch(buffer)->columns[0], r, text, sizeof(text));
	}
	ok(good, "100 pages of text in a batch");
	ok(deform_memory(buffer) >= before + 700000 - 4096, "memory is counted");
	deform_free(buffer);
}

/* Three rows (char, text, int4), of which the second is the one to spoil. */
static void
sound_page(uint32_t *tuple)
{
	Row			row = {0};

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 1, 1);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 4, 4);
	program_add_column(&builder, 2, VT_TEXT, true, -1);
	program_add_column(&builder, 3, VT_INT4, true, -1);
	page_begin();
	for (int i = 0; i < 3; i++)
	{
		row_fixed(&row, "x", 1, 1);
		row_short(&row, "value", 5);
		row_int4(&row, i);
		page_add(&row);
	}
	*tuple = HEAP_LINE_OFFSET(get_line(2));
}

#define CORRUPT(what, ...) \
	do { \
		sound_page(&t); \
		__VA_ARGS__; \
		deform_free(deform(NULL, NULL, 3, &status)); \
		ok(status == ENGINE_CORRUPT && strncmp(message, "block 7", 7) == 0, \
		   "%s: %s", what, message); \
	} while (0)

static void
test_corrupt(void)
{
	uint32_t	t;
	EngineStatus status;

	sound_page(&t);
	ok(status_of_page() == ENGINE_OK, "the page to spoil is sound");

	CORRUPT("pd_lower in the header", put16(HEAP_PAGE_LOWER, 20));
	CORRUPT("pd_lower behind pd_upper", put16(HEAP_PAGE_LOWER, 8188));
	CORRUPT("pd_upper behind pd_special", put16(HEAP_PAGE_SPECIAL, 4096));
	CORRUPT("pd_special behind the page", put16(HEAP_PAGE_SPECIAL, 8200));
	CORRUPT("no line pointers", put16(HEAP_PAGE_LOWER, HEAP_PAGE_LINES));

	CORRUPT("tuple in the header", set_line(2, 0, 1, 36));
	CORRUPT("tuple above pd_upper", set_line(2, get16(HEAP_PAGE_UPPER) - 8, 1, 36));
	CORRUPT("pd_upper behind a tuple", put16(HEAP_PAGE_UPPER, t));
	CORRUPT("tuple not aligned", set_line(2, t + 4, 1, 36));
	CORRUPT("tuple behind the page", set_line(2, 8192 - 8, 1, 36));
	CORRUPT("tuple far behind the page", set_line(2, 32760, 1, 32767));
	CORRUPT("tuple shorter than its header", set_line(2, t, 1, 22));
	CORRUPT("tuple shorter than its header, at the page's end", set_line(2, 8184, 1, 8));
	CORRUPT("tuple without a length", set_line(2, t, 1, 0));

	CORRUPT("t_hoff in the header", page[t + HEAP_TUPLE_HOFF] = 16);
	CORRUPT("t_hoff not aligned", page[t + HEAP_TUPLE_HOFF] = 28);
	CORRUPT("t_hoff behind the tuple", page[t + HEAP_TUPLE_HOFF] = 48);
	CORRUPT("too many attributes", put16(t + HEAP_TUPLE_INFOMASK2, 1665));
	CORRUPT("a bitmap for which t_hoff has no room",
			put16(t + HEAP_TUPLE_INFOMASK2, 9);
			put16(t + HEAP_TUPLE_INFOMASK, HEAP_TUPLE_HAS_NULL));

	CORRUPT("tuple cut off in the last attribute", set_line(2, t, 1, 24 + 8));
	CORRUPT("tuple cut off in the text", set_line(2, t, 1, 24 + 4));
	CORRUPT("tuple cut off before the text", set_line(2, t, 1, 24 + 1));
	CORRUPT("tuple cut off before its data", set_line(2, t, 1, 24));
	CORRUPT("short text that is too long", page[t + 25] = (char) 0xff);
	CORRUPT("long header that is not aligned", page[t + 25] = 0x20);
	CORRUPT("long text that is too long", page[t + 25] = 0; put16(t + 28, 0x4000));
	CORRUPT("long text without its header", page[t + 25] = 0; put16(t + 28, 3 << 2);
			put16(t + 30, 0));
	CORRUPT("compressed text without its header", page[t + 25] = 0;
			put16(t + 28, 7 << 2 | 2); put16(t + 30, 0));
	CORRUPT("padding up to the end", page[t + 25] = 0; set_line(2, t, 1, 24 + 2));
	CORRUPT("half a long header", page[t + 25] = 0; put16(t + 28, 4 << 2);
			set_line(2, t, 1, 24 + 6));
	CORRUPT("pointer that is cut off", page[t + 25] = 1; page[t + 26] = 18);
	CORRUPT("pointer without a tag", page[t + 25] = 1; set_line(2, t, 1, 24 + 2));
}

/*
 * A tuple that ends with the page, and a value of which nothing, or only its
 * first byte, is there: bytes in front of it, and that byte.
 */
static void
test_page_end(void)
{
	static const struct
	{
		int			before;
		char		first;
		const char *name;
	}			cases[] = {
		{8, 'x', "a value behind the page"},
		{7, 0, "padding up to the page's end"},
		{7, 1, "a pointer's tag behind the page"},
		{7, 2, "a long header that is not aligned, at the page's end"},
		{7, 9, "a short value behind the page"}
	};

	for (int i = 0; i < 5; i++)
	{
		Row			row = {0};

		program_begin(&builder, SOURCE_PAGES);
		for (int a = 0; a < cases[i].before; a++)
		{
			program_add_attr(&builder, 1, 1);
			row_fixed(&row, "x", 1, 1);
		}
		program_add_attr(&builder, -1, 4);
		program_add_column(&builder, cases[i].before + 1, VT_TEXT, true, -1);
		if (cases[i].before < 8)
			row_fixed(&row, &cases[i].first, 1, 1);
		else
			row.natts++;
		page_begin();
		page_add(&row);
		ok(status_of_page() == ENGINE_CORRUPT, "%s: %s", cases[i].name, message);
	}
}

/* Pointers that are never stored in tables, with room for any of them. */
static void
test_pointer_tags(void)
{
	bool		good = true;

	for (int tag = 0; tag < 256; tag++)
	{
		Row			row = {0};

		program_begin(&builder, SOURCE_PAGES);
		program_add_attr(&builder, -1, 4);
		program_add_column(&builder, 1, VT_TEXT, true, -1);
		row_external(&row, (char) tag);
		page_begin();
		page_add(&row);
		good &= status_of_page() ==
			(tag == VARLENA_TAG_ONDISK ? ENGINE_OK : ENGINE_CORRUPT);
	}
	ok(good, "one kind of pointer is stored in tables");
}

/* A page of rows of all kinds, and a Program that looks at all of it. */
static void
mixed_page(void)
{
	Row			row = {0};

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, 4, 4);
	program_add_attr(&builder, 8, 8);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 16, 1);
	program_add_attr(&builder, -1, 8);
	program_add_attr(&builder, 2, 2);
	program_add_column(&builder, 1, VT_INT4, true, -1);
	program_add_column(&builder, 2, VT_FLOAT8, true, -1);
	program_add_column(&builder, 3, VT_TEXT, true, -1);
	program_add_column(&builder, 4, VT_UUID, true, -1);
	program_add_column(&builder, 6, VT_INT2, true, -1);
	page_begin();
	do
	{
		uint32_t	n = page_nlines();

		n % 5 == 3 ? row_null(&row) : row_int4(&row, (int32_t) n);
		row_int8(&row, n);
		n % 2 ? row_short(&row, "shorter", n % 8) : row_long(&row, "longer", n % 7, 4, 0);
		n % 5 == 4 ? row_null(&row) : row_fixed(&row, "ABCDEFGHIJKLMNOP", 16, 1);
		n % 3 ? row_external(&row, 18) : row_long(&row, "compressed", 4 + n % 6, 8, 2);
		row_fixed(&row, "yz", 2, 2);
	} while (page_add(&row));
}

/* Deform whatever the page is; false: a status that no page can be blamed for. */
static bool
survives(DeformBuffer *buffer, const uint16_t *lines, uint32_t nlines, int counts[])
{
	PageRef		ref = {page, lines, nlines, 7, 3, 0};
	uint32_t	line = 0;
	EngineStatus status = ENGINE_OK;

	deform_reset(buffer);
	while (line < nlines && status == ENGINE_OK)
	{
		status = deform_page(buffer, &ref, &line, message);
		if (deform_full(buffer))
			deform_reset(buffer);
	}
	counts[status]++;
	return status == ENGINE_OK || status == ENGINE_CORRUPT || status == ENGINE_INEXACT;
}

/* Every single bit of a sound page is wrong once. */
static void
test_mutations(void)
{
	int			counts[ENGINE_FAILED + 1] = {0};
	DeformBuffer *buffer;
	bool		good = true;
	uint32_t	nlines;

	mixed_page();
	nlines = page_nlines();
	buffer = make_buffer(NULL, 50);
	good &= survives(buffer, NULL, nlines, counts);
	ok(counts[ENGINE_OK] == 1, "the page to mutate is sound");
	for (int at = 0; at < HEAP_PAGE_SIZE; at++)
		for (int bit = 0; bit < 8; bit++)
		{
			page[at] ^= 1 << bit;
			good &= survives(buffer, NULL, nlines, counts);
			page[at] ^= 1 << bit;
		}
	ok(good && counts[ENGINE_CORRUPT] > 100,
	   "single bits changed: %d pages read, %d corrupt, %d inexact",
	   counts[ENGINE_OK], counts[ENGINE_CORRUPT], counts[ENGINE_INEXACT]);
	deform_free(buffer);
}

static uint32_t
next_random(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t) (state >> 32);
}

/*
 * Random bytes: everywhere (level 0), behind a sound page header (1), behind
 * sound line pointers (2), behind plausible tuple headers (3).
 */
static void
random_page(int level)
{
	for (int i = 0; i < HEAP_PAGE_SIZE; i++)
		page[i] = (char) next_random();
	if (level >= 1)
	{
		put16(HEAP_PAGE_LOWER, HEAP_PAGE_LINES + 4 * 50);
		put16(HEAP_PAGE_UPPER, HEAP_PAGE_LINES + 4 * 50);
		put16(HEAP_PAGE_SPECIAL, HEAP_PAGE_SIZE);
	}
	for (uint32_t n = 1; n <= 50 && level >= 2; n++)
	{
		uint32_t	len = 24 + next_random() % 100;
		uint32_t	offset = (8192 - len - next_random() % 7000) & ~7u;

		set_line(n, n % 10 == 1 ? (8192 - len) & ~7u : offset, HEAP_LINE_NORMAL, len);
		if (level >= 3)
		{
			page[offset + HEAP_TUPLE_HOFF] = (char) (24 + 8 * (next_random() % 2));
			put16(offset + HEAP_TUPLE_INFOMASK2, next_random() % 8);
		}
	}
}

static void
test_random(void)
{
	for (int level = 0; level <= 3; level++)
	{
		int			counts[ENGINE_FAILED + 1] = {0};
		uint16_t	lines[50];
		bool		good = true;
		DeformBuffer *buffer;

		mixed_page();
		buffer = make_buffer(NULL, 50);
		for (int i = 0; i < 1000; i++)
		{
			random_page(level);
			good &= survives(buffer, NULL, 50, counts);
			for (int n = 0; n < 50; n++)
			{
				/* one at a time, as the first bad one ends a run */
				lines[n] = (uint16_t) (level > 1 ? n + 1u : next_random());
				good &= survives(buffer, &lines[n], 1, counts);
			}
		}
		ok(good, "random pages, level %d: %d read, %d corrupt, %d inexact", level,
		   counts[ENGINE_OK], counts[ENGINE_CORRUPT], counts[ENGINE_INEXACT]);
		deform_free(buffer);
	}
}

#define MAX_LAYOUT 14

/* Attributes of random types, each of which is a column; their number. */
static int
random_layout(int *lens)
{
	static const int kinds[] = {1, 2, 4, 8, -1, -1};
	int			natts = 1 + (int) (next_random() % MAX_LAYOUT);

	program_begin(&builder, SOURCE_PAGES);
	for (int i = 0; i < natts; i++)
	{
		lens[i] = kinds[next_random() % 6];
		program_add_attr(&builder, lens[i], lens[i] > 0 ? lens[i] : 4);
		program_add_column(&builder, i + 1,
						   lens[i] == 1 ? VT_BOOL : lens[i] == 2 ? VT_INT2 :
						   lens[i] == 4 ? VT_INT4 : lens[i] == 8 ? VT_INT8 : VT_TEXT, true, -1);
	}
	return natts;
}

/* A page full of such rows; some have NULLs, are short, or have toasted values. */
static void
random_rows(const int *lens, int natts)
{
	static const char bytes[] = "abcdefghijklmnopqrstuvwxyz";
	Row			row = {0};

	page_begin();
	do
	{
		bool		odd = next_random() % 3 == 0;
		int			stored = odd ? (int) (next_random() % (natts + 1)) : natts;

		for (int i = 0; i < stored; i++)
		{
			uint64_t	value = next_random();

			if (odd && value % 4 == 0)
				row_null(&row);
			else if (lens[i] > 0)
				row_fixed(&row, &value, (uint32_t) lens[i], (uint32_t) lens[i]);
			else if (value % 16 == 0)
				row_external(&row, VARLENA_TAG_ONDISK);
			else if (value % 2)
				row_short(&row, bytes, value % 26);
			else
				row_long(&row, bytes, value % 26, 4, 0);
		}
	} while (page_add(&row));
}

static bool
same_value(const ColumnVector *a, uint32_t i, const ColumnVector *b, uint32_t j, int len)
{
	if (is_null(a, i) || is_null(b, j))
		return is_null(a, i) && is_null(b, j);
	if (len < 0)
		return is_text(a, i, (const char *) b->values + b->offsets[j],
					   b->offsets[j + 1] - b->offsets[j]);
	return memcmp((const char *) a->values + i * (uint32_t) len,
				  (const char *) b->values + j * (uint32_t) len, (size_t) len) == 0;
}

/*
 * One pass over tuples of which `numbers` are the numbers in `all`: are its columns
 * what they are there?  Then some of the tuples are dropped.
 */
static bool
check_pass(DeformBuffer *all, DeformBuffer *buffer, const DeformPass *pass,
		   const bool *wanted, const int *lens, int natts,
		   DeformTuple *tuples, uint32_t *numbers, uint32_t *n)
{
	const ColumnVector *expected = deform_batch(all)->columns;
	const uint8_t *left = deform_left(all);
	const ColumnVector *columns;
	uint32_t	kept = 0;
	bool		good;

	deform_reset(buffer);
	good = deform_read(buffer, pass, tuples, *n, message) == ENGINE_OK &&
		deform_rows(buffer) == *n;
	columns = deform_batch(buffer)->columns;
	for (uint32_t r = 0; r < *n && good; r++)
	{
		bool		out = deform_left(buffer) && deform_left(buffer)[r];

		good &= !out || left[numbers[r]];
		for (int c = 0; c < natts && !out; c++)
			good &= !wanted[c] ||
				same_value(&columns[c], r, &expected[c], numbers[r], lens[c]);
		tuples[kept] = tuples[r];
		numbers[kept] = numbers[r];
		kept += !out && next_random() % 3 > 0;
	}
	*n = kept;
	return good;
}

/* Passes over some columns each, of fewer tuples each, and what one over all reads. */
static bool
passes_agree(const int *lens, int natts)
{
	PageRef		ref = {page, NULL, page_nlines(), 7, 3, 0};
	DeformBuffer *all = make_buffer(NULL, 400);
	DeformBuffer *buffer = make_buffer(NULL, 400);
	DeformPass *pass = NULL;
	DeformTuple tuples[400];
	uint32_t	numbers[400];
	uint32_t	line = 0;
	uint32_t	n = 0;
	bool		good = deform_page(all, &ref, &line, message) == ENGINE_OK;

	line = 0;
	good &= deform_find(buffer, &ref, &line, tuples, &n, 400, message) == ENGINE_OK;
	good &= n == deform_rows(all) && line == ref.nlines;
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	for (int k = 0; k < 4 && good; k++)
	{
		DeformPass *before = pass;
		bool		wanted[MAX_LAYOUT];

		for (int c = 0; c < natts; c++)
			wanted[c] = next_random() % 4 == 0;
		pass = deform_pass_create(buffer, wanted, before);
		deform_pass_free(before);
		good &= check_pass(all, buffer, pass, wanted, lens, natts, tuples, numbers, &n);
	}
	deform_pass_free(pass);
	deform_free(all);
	deform_free(buffer);
	return good;
}

static void
test_passes(void)
{
	int			lens[MAX_LAYOUT];
	bool		good = true;

	for (int i = 0; i < 1000 && good; i++)
	{
		int			natts = random_layout(lens);

		random_rows(lens, natts);
		good &= passes_agree(lens, natts);
	}
	ok(good, "passes over some columns read what one over all reads: %s", message);
}

/* Whether one of some attributes is NULL, by their bits one by one. */
static void
test_null_ranges(void)
{
	uint8_t		header[64];
	HeapTuple	tuple = {header + 40, 0, 100, 40, true};
	bool		good = true;

	for (int i = 0; i < 100; i++)
	{
		for (int at = HEAP_TUPLE_BITS; at < 40; at++)
			header[at] = (uint8_t) (next_random() | next_random() | next_random());
		for (uint32_t first = 0; first < 100; first++)
		{
			bool		null = false;

			for (uint32_t last = first; last < 100; last++)
			{
				null |= heap_attribute_is_null(&tuple, last);
				good &= heap_has_null_among(&tuple, first, last) == null;
			}
		}
	}
	tuple.has_nulls = false;
	ok(good && !heap_has_null_among(&tuple, 0, 99), "NULLs among attributes");
}

/* What a pass does not come to is not read, unless the row is left out. */
static void
test_pass_end(void)
{
	PageRef		ref = {page, NULL, 1, 7, 3, 0};
	const bool	wanted[] = {true, false};

	for (int external = 0; external <= 1; external++)
	{
		Row			row = {0};
		DeformBuffer *buffer;
		DeformPass *pass;
		DeformTuple tuple;
		EngineStatus status;
		uint32_t	line = 0;
		uint32_t	n = 0;

		program_begin(&builder, SOURCE_PAGES);
		program_add_attr(&builder, -1, 4);
		program_add_attr(&builder, 8, 8);
		program_add_column(&builder, 1, VT_TEXT, true, -1);
		program_add_column(&builder, 2, VT_INT8, true, -1);
		page_begin();
		if (external)
			row_external(&row, VARLENA_TAG_ONDISK);
		else
			row_short(&row, "text", 4);
		page_add(&row);
		put16(HEAP_LINE_OFFSET(get_line(1)) + HEAP_TUPLE_INFOMASK2, 2);
		buffer = make_buffer(NULL, 1);
		pass = deform_pass_create(buffer, wanted, NULL);
		status = deform_find(buffer, &ref, &line, &tuple, &n, 1, message);
		ok(status == ENGINE_OK &&
		   deform_read(buffer, pass, &tuple, 1, message) == (external ? ENGINE_CORRUPT : ENGINE_OK),
		   "a tuple that ends behind what a pass reads, %s", external ? "left out" : "read");
		deform_pass_free(pass);
		deform_free(buffer);
	}
}

/* Deform a page of ten tuples with texts of so many bytes; another one is expected. */
static bool
good_before(const PageRef *expected, uint32_t len)
{
	char		text[126] = {0};
	PageRef		ref = {page, NULL, 10, 7, 3, 0};
	DeformBuffer *buffer;
	uint32_t	line = 0;
	bool		good = true;
	Row			row = {0};

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, 4, 4);
	program_add_column(&builder, 3, VT_INT4, false, -1);
	page_begin();
	for (int i = 0; i < 10; i++)
	{
		row_short(&row, text, len);
		row_short(&row, text, len);
		row_int4(&row, i);
		page_add(&row);
	}
	buffer = make_buffer(NULL, 10);
	/* twice, since how far tuples are read is learned from the first ones */
	for (int times = 0; times < 2; times++, line = 0)
	{
		deform_reset(buffer);
		deform_expect(buffer, expected);
		good &= deform_page(buffer, &ref, &line, message) == ENGINE_OK && line == 10;
		for (uint32_t i = 0; i < 10 && good; i++)
			good = is_int4(&deform_batch(buffer)->columns[0], i, (int32_t) i);
	}
	deform_free(buffer);
	return good;
}

/* Nothing of a page that is expected is believed, nor read outside of it. */
static void
test_expected_page(void)
{
	const uint16_t lines[] = {0, 65535, 2043, 2042, 1, 3, 2, 32768, 0, 65535};
	char	   *bytes = malloc(HEAP_PAGE_SIZE);

	for (int value = 0; value <= 0xff; value += 0x55)
	{
		PageRef		refs[] = {{bytes, lines, 10, 8, 3, 0}, {bytes, NULL, 10000000, 8, 3, 0},
		{bytes, NULL, 0, 8, 3, 0}};

		memset(bytes, value, HEAP_PAGE_SIZE);
		for (int i = 0; i < 3; i++)
			for (uint32_t len = 2; len <= 122; len += 120)
				ok(good_before(&refs[i], len), "before a page of bytes %d, lines %d, %u bytes a text",
				   value, i, len);
	}
	ok(good_before(NULL, 2) && good_before(NULL, 122), "before no page");
	free(bytes);
}

/* A filter of two texts, the second one's condition being the dearer one. */
static Program *
two_conditions(ParamValue params[2])
{
	Program    *program;
	int			first;
	int			second;

	program_begin(&builder, SOURCE_PAGES);
	program_add_attr(&builder, -1, 4);
	program_add_attr(&builder, -1, 4);
	for (int i = 0; i < 2; i++)
	{
		program_add_param(&builder, VT_TEXT);
		params[i] = (ParamValue) {.type = VT_TEXT,.bytes = {i == 0 ? "a" : "b", 1}};
	}
	first = program_add_column(&builder, 1, VT_TEXT, true, -1);
	second = program_add_column(&builder, 2, VT_TEXT, true, -1);
	first = program_add_op(&builder, OP_text_eq, first, program_add_param_ref(&builder, 0));
	second = program_add_op(&builder, OP_text_eq, second, program_add_param_ref(&builder, 1));
	program_set_filter(&builder, program_add_op(&builder, OP_and, first, second));
	program_add_acc(&builder, ACC_COUNT, -1, -1);
	program = malloc(program_size(&builder));
	program_finish(&builder, program);
	return program;
}

/* 100 rows, whose first texts are "a", or toasted. */
static void
two_texts(bool toasted, const char *second)
{
	Row			row = {0};

	page_begin();
	for (int i = 0; i < 100; i++)
	{
		toasted ? row_external(&row, VARLENA_TAG_ONDISK) : row_short(&row, "a", 1);
		row_short(&row, second, 1);
		page_add(&row);
	}
}

/* Filter the page so often; the rows of it that were left out the last time. */
static uint32_t
left_out(RowFilter *filter, int times)
{
	PageRef		ref = {page, NULL, 100, 7, 3, 0};
	FilteredTuples result = {0};

	for (int i = 0; i < times; i++)
	{
		uint32_t	line = 0;
		ToastedRow	rows[100];

		if (filter_find(filter, &ref, &line, message) != ENGINE_OK ||
			filter_tuples(filter, &result, message) != ENGINE_OK || result.n > 0)
			return UINT32_MAX;
		filter_take_left(filter, rows, 100);
	}
	return result.left;
}

/*
 * A condition that has refused all tuples is evaluated first, whatever it costs, and what the
 * other one would read is not read; but not where rows may be hidden.
 */
static void
test_learned_order(bool hides_rows)
{
	ParamValue	params[2];
	Program    *program = two_conditions(params);
	EngineHints hints = {0};
	Evaluator  *eval = eval_create(program, params, &hints);
	DeformBuffer *rest = deform_create(program, params, 1000, NULL);
	RowFilter  *filter;
	uint32_t	before;
	uint32_t	after;

	program->hides_rows = hides_rows;
	filter = filter_create(program, params, eval, rest);
	two_texts(true, "c");
	before = left_out(filter, 1);
	two_texts(false, "c");
	left_out(filter, 100);
	two_texts(true, "c");
	after = left_out(filter, 1);
	ok(before == 100 && after == (hides_rows ? 100 : 0),
	   "conditions in the order of what they refuse%s: of 100 rows %u are left out, then %u",
	   hides_rows ? ", but for hidden rows" : "", before, after);
	filter_free(filter);
	deform_free(rest);
	eval_free(eval);
	free(program);
}

int
main(void)
{
	page = malloc(HEAP_PAGE_SIZE);
	test_types(false);
	test_types(true);
	test_null_patterns();
	test_missing();
	test_dropped();
	test_varlena(4);
	test_varlena(8);
	test_toast();
	test_left_rows();
	test_not_null();
	test_lines();
	test_count();
	test_capacity(false);
	test_capacity(true);
	test_growth();
	test_corrupt();
	test_page_end();
	test_pointer_tags();
	test_mutations();
	test_random();
	test_passes();
	test_null_ranges();
	test_pass_end();
	test_expected_page();
	test_learned_order(false);
	test_learned_order(true);
	free(page);
	return done_testing();
}
