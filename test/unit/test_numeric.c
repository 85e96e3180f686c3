/*
 * test_numeric.c
 *	  Stored numerics to fixed-point numbers, alone and from heap pages, and the
 *	  operations of numeric.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/cpu/deform.h"
#include "numeric_writer.h"
#include "page_writer.h"
#include "program/numeric_page.h"
#include "program/ops.h"
#include "random.h"
#include "tap.h"

/* Read bytes at an odd address that end where the heap block ends. */
static bool
read_exactly(const uint8_t *data, uint32_t len, int scale, int64_t *value)
{
	uint8_t    *copy = malloc(len + 1);
	bool		good;

	memcpy(copy + 1, data, len);
	good = numeric_to_scaled(copy + 1, len, scale, value);
	free(copy);
	return good;
}

/* Does a value, written in both forms, come back, or fail if it must? */
static bool
comes_back(__int128 value, int scale)
{
	bool		fits = value <= INT64_MAX && value >= -(__int128) INT64_MAX;
	uint8_t		stored[NUMERIC_ROOM];
	int64_t		got = 0;

	for (int is_long = 0; is_long < 2; is_long++)
	{
		uint32_t	len = numeric_of_scaled(stored, is_long, value, scale);

		if (read_exactly(stored, len, scale, &got) != fits || (fits && got != (int64_t) value))
		{
			printf("# %lld of scale %d gives %lld\n", (long long) value, scale, (long long) got);
			return false;
		}
	}
	return true;
}

static void
test_values(void)
{
	for (int scale = 0; scale <= NUMERIC64_MAX_SCALE; scale++)
	{
		__int128	power = 1;
		bool		edges = true;
		bool		some = true;

		for (int i = 0; i < 21; i++, power *= 10)
			edges = edges && comes_back(power, scale) && comes_back(-power, scale) &&
				comes_back(power - 1, scale) && comes_back(power * 3 + 1, scale);
		for (int i = -1; i <= 1; i++)
			edges = edges && comes_back((__int128) INT64_MAX + i, scale) &&
				comes_back(-(__int128) INT64_MAX + i, scale) &&
				comes_back((((__int128) 1 << 64) - 1 + i), scale);
		for (int i = 0; i < 2000; i++)
			some = some && comes_back((int64_t) random_u64() >> random_u64() % 64, scale);
		ok(edges, "scale %d: powers of 10 and what does not fit", scale);
		ok(some, "scale %d: random values", scale);
	}
}

/* A numeric written from parts. */
#define READS(scale, expected, is_long, negative, dscale, weight, ...) \
	do { \
		static const uint16_t digits[] = {__VA_ARGS__}; \
		uint8_t		stored[NUMERIC_ROOM]; \
		uint32_t	len = numeric_write(stored, is_long, negative, dscale, weight, digits, \
										sizeof(digits) / 2); \
		int64_t		got = 0; \
		bool		good = read_exactly(stored, len, scale, &got) && got == (expected); \
		ok(good, \
		   "scale %d, weight %d, digits %s is %lld", dscale, weight, #__VA_ARGS__, (long long) got); \
	} while (0)
#define REFUSES(name, scale, is_long, dscale, weight, ...) \
	do { \
		static const uint16_t digits[] = {__VA_ARGS__}; \
		uint8_t		stored[NUMERIC_ROOM]; \
		uint32_t	len = numeric_write(stored, is_long, false, dscale, weight, digits, \
										sizeof(digits) / 2); \
		int64_t		got; \
		ok(!read_exactly(stored, len, scale, &got), "refuses %s", name); \
	} while (0)

static void
test_parts(void)
{
	static const uint16_t digits[] = {1, 65500};
	uint8_t		stored[NUMERIC_ROOM];
	int64_t		value;
	Wide		wide;

	READS(2, 123450, false, false, 2, 0, 1234, 5000);
	READS(2, -123450, true, true, 2, 0, 1234, 5000);
	READS(2, 12340000, false, false, 2, 1, 12, 3400);
	READS(2, 1, false, false, 2, -1, 100);
	READS(4, 1, false, false, 4, -1, 1);
	READS(8, 1, false, false, 8, -2, 1);
	READS(18, -100, false, true, 18, -4, 1);
	READS(9, 5, true, false, 9, -3, 5000);
	READS(0, 10000, false, false, 0, 1, 1);
	READS(0, 1000000000000000000, true, false, 0, 4, 100);

	REFUSES("another display scale", 2, false, 3, 0, 1234, 5000);
	REFUSES("a lesser display scale", 2, false, 1, 0, 1234, 5000);
	REFUSES("a digit beyond the scale", 2, false, 2, 0, 1234, 5001);
	REFUSES("a group beyond the scale", 2, false, 2, 0, 1234, 5000, 1000);
	REFUSES("a group beyond scale 0", 0, false, 0, 0, 1234, 1);
	REFUSES("a group beyond scale 4", 4, false, 4, -2, 1);
	REFUSES("a weight far below the scale", 2, true, 2, -300, 1);
	REFUSES("a weight far beyond 64 bits", 2, true, 2, 300, 1);
	REFUSES("10^20", 0, true, 0, 5, 1);
	REFUSES("the greatest weight", 0, true, 0, 32767, 1);
	REFUSES("the least weight", 0, true, 0, -32768, 1);

	/* what PostgreSQL never stores, and shows otherwise than as a number */
	REFUSES("a zero at the begin", 9, true, 9, -2, 0, 5000);
	REFUSES("a zero at the end", 4, true, 4, 0, 1234, 0);
	REFUSES("a digit of 10000", 0, false, 0, 1, 10000, 1);
	REFUSES("a digit of 65500 behind the point", 2, false, 2, 0, 1, 65500);
	ok(!numeric_to_wide(stored, numeric_write(stored, false, false, 2, 0, digits, 2), 2, true, &wide) &&
	   !numeric_to_wide(stored, numeric_write(stored, false, false, 4, 0, digits, 2), 4, true, &wide),
	   "refuses it in 128 bits");
	ok(!read_exactly((const uint8_t *) "\x80\xa0", 2, 1, &value) &&
	   !read_exactly((const uint8_t *) "\x81\x80", 2, 1, &value), "refuses zeros that have a sign or a weight");
}

static void
test_no_numbers(void)
{
	static const uint16_t specials[] = {0xc000, 0xd000, 0xf000, 0xffff};
	static const uint16_t zero = 0x8000 | 2 << 7;
	int64_t		value;
	bool		refused = true;
	bool		safe = true;

	for (int i = 0; i < 4; i++)
		refused = refused && !read_exactly((const uint8_t *) &specials[i], 2, 0, &value);
	ok(refused, "refuses NaN and infinities");
	ok(read_exactly((const uint8_t *) &zero, 2, 2, &value) && value == 0, "zero has no digits");
	ok(!read_exactly((const uint8_t *) "", 0, 0, &value) &&
	   !read_exactly((const uint8_t *) "\0\0", 1, 0, &value) &&
	   !read_exactly((const uint8_t *) "\0\0\0", 2, 0, &value) &&
	   !read_exactly((const uint8_t *) "\0\0\0", 3, 0, &value), "refuses headers cut short");
	/* whatever stands there, nothing behind it is read: the sanitizers watch */
	for (int i = 0; i < 100000; i++)
	{
		uint64_t	bytes[3] = {random_u64(), random_u64(), random_u64()};

		safe = safe && (!read_exactly((const uint8_t *) bytes, random_u64() % 24,
									  random_u64() % 19, &value) || value != INT64_MIN);
	}
	ok(safe, "reads random bytes safely");
}

/* A stored numeric in units of another scale than its own. */
static bool
has_units(__int128 value, int own, int scale, bool fits, int64_t expected)
{
	uint8_t		stored[NUMERIC_ROOM];
	bool		good = true;

	for (int is_long = 0; is_long < 2; is_long++)
	{
		uint32_t	len = numeric_of_scaled(stored, is_long, value, own);
		uint8_t    *copy = malloc(len + 1);
		int64_t		got = 0;
		int32_t		shown = 0;

		memcpy(copy + 1, stored, len);
		good = good && numeric_read_part(NUMERIC_UNITS, false, copy + 1, len, scale, &got) == fits &&
			(!fits || got == expected) &&
			numeric_read_part(NUMERIC_SHOWN, false, copy + 1, len, scale, &shown) && shown == own &&
			numeric_read_part(NUMERIC_EXACT, false, copy + 1, len, scale, &got) == (fits && own == scale);
		free(copy);
	}
	return good;
}

static void
test_units(void)
{
	static const uint16_t digits[] = {1234, 5000};
	static const uint16_t nan = 0xc000;
	uint8_t		stored[NUMERIC_ROOM];
	uint32_t	len;
	int64_t		value;
	int32_t		shown;
	bool		good = true;

	ok(has_units(150, 2, 2, true, 150) && has_units(15, 1, 2, true, 150) &&
	   has_units(-15, 1, 3, true, -1500) && has_units(0, 0, 18, true, 0), "lesser display scales");
	ok(has_units(15000, 4, 2, true, 150) && has_units(-150, 2, 1, true, -15) &&
	   has_units(0, 40, 2, true, 0) && has_units(1000000, 6, 0, true, 1),
	   "larger display scales with zeros at the end");
	ok(has_units(15001, 4, 2, false, 0) && has_units(1, 1, 0, false, 0) &&
	   has_units(1, 40, 18, false, 0) && has_units(-19, 1, 0, false, 0), "digits beyond the scale");
	ok(has_units(INT64_MAX, 0, 1, false, 0) && has_units(INT64_MAX / 10, 0, 1, true, INT64_MAX / 10 * 10) &&
	   has_units(-(__int128) INT64_MAX, 3, 3, true, -INT64_MAX) && has_units(10, 0, 18, false, 0) &&
	   has_units(-9, 0, 18, true, INT64_C(-9000000000000000000)), "what does not fit at the larger scale");

	/* more digits than the display scale says */
	len = numeric_write(stored, false, false, 0, 0, digits, 2);
	ok(!numeric_to_units(stored, len, 4, &value), "refuses digits that are not shown");
	len = numeric_write(stored, true, false, NUMERIC_MAX_SHOWN + 1, 0, digits, 1);
	ok(!numeric_read_part(NUMERIC_SHOWN, false, stored, len, 0, &shown) &&
	   !numeric_read_part(NUMERIC_SHOWN, false, (const uint8_t *) &nan, 2, 0, &shown) &&
	   !numeric_read_part(NUMERIC_SHOWN, false, (const uint8_t *) "", 0, 0, &shown) &&
	   !numeric_to_units((const uint8_t *) &nan, 2, 0, &value), "refuses display scales of none");
	for (int i = 0; i < 100000; i++)
	{
		uint64_t	bytes[3] = {random_u64(), random_u64(), random_u64()};
		uint32_t	size = random_u64() % 24;
		uint8_t    *copy = malloc(size);

		memcpy(copy, bytes, size);
		good = good && (!numeric_to_units(copy, size, random_u64() % 19, &value) || value != INT64_MIN);
		numeric_least_scale(numeric_header(copy, size));
		free(copy);
	}
	ok(good, "reads random bytes safely");
	len = numeric_of_scaled(stored, false, 1234500, 6);
	ok(numeric_least_scale(numeric_header(stored, len)) == 4, "digits without zeros at the end");
	len = numeric_of_scaled(stored, false, 7000, 3);
	ok(numeric_least_scale(numeric_header(stored, len)) == 0, "digits of an integer");
	len = numeric_of_scaled(stored, false, 1, 18);
	ok(numeric_least_scale(numeric_header(stored, len)) == 18, "digits of the least number");
}

static void
test_ops(void)
{
	bool		error = false;

	ok(numeric_round(149, 100) == 1 && numeric_round(150, 100) == 2 &&
	   numeric_round(-149, 100) == -1 && numeric_round(-150, 100) == -2 &&
	   numeric_round(7, 1) == 7 && numeric_round(0, 10) == 0 &&
	   numeric_round(INT64_MAX, 10) == 922337203685477581 &&
	   numeric_round(INT64_MIN, 10) == -922337203685477581, "halves are rounded away from zero");
	ok(numeric_round(5, 0) == 5, "no unit does not trap");
	ok(numeric_fit(999, 1000, &error) == 999 && numeric_fit(-999, 1000, &error) == -999 && !error,
	   "precision is kept");
	numeric_fit(1000, 1000, &error);
	ok(error, "precision is exceeded");
	error = false;
	numeric_fit(-1000, 1000, &error);
	ok(error, "precision is exceeded below zero");
	error = false;
	ok(numeric_to_float8(12345, 1000, &error) == 12.345 &&
	   numeric_to_float8(-1, 10, &error) == -0.1 &&
	   numeric_to_float8(((int64_t) 1 << 53), 1, &error) == ldexp(1, 53) && !error,
	   "doubles are the nearest ones");
	numeric_to_float8(((int64_t) 1 << 53) + 1, 10, &error);
	ok(error, "a double of more than 53 bits is refused");
	error = false;
	ok(display_scale_max(2, 3) == 3 && display_scale_max(3, 2) == 3 &&
	   display_scale_sum(2, 998, &error) == 1000 && !error, "display scales of results");
	display_scale_sum(2, 999, &error);
	ok(error, "a display scale that is too large");
	error = false;
	ok(display_scale_is(4, 4, &error) && !error, "the display scale that is expected");
	display_scale_is(4, 3, &error);
	ok(error, "another display scale");
}

/* A page: int4, numeric of scale 2 (short or long varlena), numeric of scale 5. */
static void
add_row(char *page, const uint8_t *first, uint32_t first_len, bool is_short,
		const uint8_t *second, uint32_t second_len)
{
	TupleWriter tuple;
	int32_t		id = 1;

	tuple_begin(&tuple);
	tuple_fixed(&tuple, &id, 4, 4);
	if (first == NULL)
		tuple_null(&tuple);
	else
		tuple_text(&tuple, (const char *) first, first_len, is_short);
	if (second != NULL)
		tuple_text(&tuple, (const char *) second, second_len, true);
	page_add(page, &tuple, HEAP_LINE_NORMAL);
}

static DeformBuffer *
make_buffer(const ParamValue *missing)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	DeformBuffer *buffer;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_attr(b, -1, 4);
	program_add_numeric_column(b, 2, NUMERIC_EXACT, 2, true, -1);
	program_add_numeric_column(b, 3, NUMERIC_EXACT, 5, true, program_add_param(b, VT_INT8));
	program_add_numeric_column(b, 3, NUMERIC_UNITS, 7, true, program_add_param(b, VT_INT8));
	program_add_numeric_column(b, 3, NUMERIC_SHOWN, 0, true, program_add_param(b, VT_INT4));
	program = calloc(1, program_size(b));
	program_finish(b, program);
	buffer = deform_create(program, missing, 100, NULL);
	free(program);
	free(b);
	return buffer;
}

static void
test_pages(void)
{
	static char page[HEAP_PAGE_SIZE] __attribute__((aligned(8)));
	ParamValue	missing[] = {
		{.type = VT_INT8,.word = 777}, {.type = VT_INT8,.word = 77700}, {.type = VT_INT4,.word = 9}
	};
	DeformBuffer *buffer = make_buffer(missing);
	uint8_t		a[NUMERIC_ROOM];
	uint8_t		b[NUMERIC_ROOM];
	uint32_t	alen = numeric_of_scaled(a, false, -123456789, 2);
	uint32_t	blen = numeric_of_scaled(b, true, 1234567, 5);
	PageRef		ref = {.page = page};
	uint32_t	line = 0;
	char		message[256];
	const ColumnBatch *batch;
	const int64_t *n2;
	const int64_t *n5;
	const int64_t *units;
	const int32_t *shown;

	page_begin(page);
	add_row(page, a, alen, true, b, blen);
	add_row(page, a, alen, false, b, blen);
	add_row(page, NULL, 0, true, b, blen);
	add_row(page, a, alen, true, NULL, 0);
	ref.nlines = page_nlines(page);
	ok(deform_page(buffer, &ref, &line, message) == ENGINE_OK && line == 4, "a page of numerics");
	batch = deform_batch(buffer);
	n2 = batch->columns[0].values;
	n5 = batch->columns[1].values;
	ok(n2[0] == -123456789 && n2[1] == -123456789 && n2[3] == -123456789 &&
	   batch->columns[0].validity[0] == (uint8_t) ~4u, "values and a NULL");
	ok(n5[0] == 1234567 && n5[2] == 1234567 && n5[3] == 777, "a value that is missing");
	units = batch->columns[2].values;
	shown = batch->columns[3].values;
	ok(units[0] == 123456700 && units[2] == 123456700 && units[3] == 77700 &&
	   shown[0] == 5 && shown[2] == 5 && shown[3] == 9, "units and display scales of one attribute");
	deform_reset(buffer);

	alen = numeric_of_scaled(a, false, 1, 3);
	page_begin(page);
	add_row(page, a, alen, true, b, blen);
	ref.nlines = 1;
	line = 0;
	ok(deform_page(buffer, &ref, &line, message) == ENGINE_INEXACT, "another scale: %s", message);
	deform_free(buffer);
}

int
main(void)
{
	test_values();
	test_parts();
	test_no_numbers();
	test_units();
	test_ops();
	test_pages();
	return done_testing();
}
