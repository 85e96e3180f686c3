/*
 * test_wide.c
 *	  Numbers of 128 bits against the compiler's own, and stored numerics of that
 *	  size.
 */
#include <stdlib.h>

#include "numeric_writer.h"
#include "program/ops.h"
#include "random.h"
#include "tap.h"

/* Of any size, often near a power of two or its negative. */
static __int128
random_int128(void)
{
	__int128	value = (__int128) (((unsigned __int128) random_u64() << 64) | random_u64());

	value >>= random_u64() % 128;
	if (random_u64() % 4 == 0)
		value = (__int128) (((unsigned __int128) 1 << random_u64() % 128) - random_u64() % 3);
	return random_u64() % 2 ? value : (__int128) (0 - (unsigned __int128) value);
}

static Wide
wide(__int128 value)
{
	return wide_of_words((uint64_t) value, (uint64_t) (value >> 64));
}

static __int128
int128(Wide value)
{
	return (__int128) (((unsigned __int128) value.w[1] << 64) | value.w[0]);
}

/* Does an operation give the value, or the error, that the compiler's gives? */
#define AGREES(call, overflows, expected) \
	do { \
		bool		error = false; \
		__int128	got = int128(call); \
		good = good && error == (overflows) && (error || got == (expected)); \
	} while (0)

static void
test_arithmetic(void)
{
	bool		good = true;
	__int128	c = 0;
	__int128	least = (__int128) ((unsigned __int128) 1 << 127);

	for (int i = 0; i < 300000; i++)
	{
		__int128	a = random_int128();
		__int128	b = random_int128();
		bool		over;

		over = __builtin_add_overflow(a, b, &c);
		AGREES(wide_add(wide(a), wide(b), &error), over, c);
		over = __builtin_sub_overflow(a, b, &c);
		AGREES(wide_sub(wide(a), wide(b), &error), over, c);
		/* the least number is never made by a product */
		over = __builtin_mul_overflow(a, b, &c) || c == least;
		AGREES(wide_mul(wide(a), wide(b), &error), over, c);
		over = __builtin_sub_overflow((__int128) 0, a, &c);
		AGREES(wide_neg(wide(a), &error), over, c);
		AGREES(wide_abs(wide(a), &error), a < 0 && over, a < 0 ? c : a);
		good = good && int128(wide_product((int64_t) a, (int64_t) b)) ==
			(__int128) (int64_t) a * (int64_t) b;
	}
	ok(good, "sums, differences, products");
	good = true;
	for (int i = 0; i < 100000; i++)
	{
		__int128	a = random_int128();
		__int128	b = i % 5 == 0 ? a : random_int128();

		good = good && wide_eq(wide(a), wide(b)) == (a == b) && wide_ne(wide(a), wide(b)) == (a != b) &&
			wide_lt(wide(a), wide(b)) == (a < b) && wide_le(wide(a), wide(b)) == (a <= b) &&
			wide_gt(wide(a), wide(b)) == (a > b) && wide_ge(wide(a), wide(b)) == (a >= b);
	}
	ok(good, "comparisons");
}

static void
test_parts(void)
{
	bool		good = true;

	for (int i = 0; i < 100000; i++)
	{
		__int128	a = random_int128();
		bool		error = false;
		int64_t		narrow = wide_to_int8(wide(a), &error);

		good = good && error == (a != (int64_t) a) && (error || narrow == (int64_t) a) &&
			int128(wide_of_int8((int64_t) a)) == (int64_t) a &&
			int128(wide_make((int64_t) a, (int64_t) (a >> 64))) == a;
		error = false;
		narrow = wide_high(wide(a), &error);
		good = good && (error || ((__int128) narrow * ((__int128) 1 << 64)) + wide_low(wide(a)) == a) &&
			(!error || a >= (((__int128) INT64_MAX << 64) | INT64_MIN));
	}
	ok(good, "parts");
}

/* Rounded, by the compiler's division. */
static __int128
rounded(__int128 value, __int128 unit)
{
	__int128	quotient = value / unit;
	__int128	rest = value % unit;

	if (unit > 1 && rest >= unit / 2)
		return quotient + 1;
	if (unit > 1 && rest <= -(unit / 2))
		return quotient - 1;
	return quotient;
}

static void
test_rounding(void)
{
	bool		good = true;
	bool		error = false;
	__int128	unit = 1;

	for (int digits = 0; digits <= 38; digits++)
	{
		good = good && int128(wide_power_of_10(digits)) == unit;
		for (int i = 0; i < 3000; i++)
		{
			__int128	value = random_int128();

			if (i % 3 == 0)
				value = unit / 2 * (__int128) (random_u64() % 4) - (__int128) (random_u64() % 2);
			if (value == (__int128) ((unsigned __int128) 1 << 127))
				continue;
			good = good && int128(wide_round(wide(value), digits)) == rounded(value, unit);
		}
		if (digits < 38)
			unit *= 10;
	}
	ok(good, "halves are rounded away from zero");
	ok(int128(wide_round(wide(7), -5)) == 7 && int128(wide_power_of_10(1000000)) == unit, "nonsense does not hang");
	wide_fit(wide(unit - 1), wide(unit), &error);
	wide_fit(wide(1 - unit), wide(unit), &error);
	ok(!error, "precision is kept");
	wide_fit(wide(unit), wide(unit), &error);
	ok(error, "precision is exceeded");
	error = false;
	wide_fit(wide(-unit), wide(unit), &error);
	ok(error, "precision is exceeded below zero");
}

/* A quotient in units of 10^-digits, by the compiler's division. */
static __int128
divided(int64_t a, int64_t b, int digits, bool *over)
{
	unsigned __int128 divisor = b < 0 ? -(__int128) b : b;
	unsigned __int128 number = a < 0 ? -(__int128) a : a;
	unsigned __int128 quotient = number / divisor;
	unsigned __int128 rest = number % divisor;

	*over = false;
	for (int i = 0; i < digits; i++)
	{
		*over |= quotient > ((unsigned __int128) 1 << 127) / 10 - 2;
		quotient = quotient * 10 + rest * 10 / divisor;
		rest = rest * 10 % divisor;
	}
	quotient += rest >= divisor - rest;
	return (a < 0) != (b < 0) ? -(__int128) quotient : (__int128) quotient;
}

static void
test_quotients(void)
{
	bool		good = true;
	bool		error = false;

	for (int i = 0; i < 300000; i++)
	{
		int64_t		a = (int64_t) random_int128();
		int64_t		b = (int64_t) random_int128() >> (4 + random_u64() % 60);
		int			digits = (int) (random_u64() % 39);
		bool		over;
		__int128	expected = b == 0 ? 0 : divided(a, b, digits, &over);

		error = false;
		if (b != 0 && !over)
			good = good && int128(numeric_quotient(a, quotient_divisor(b, digits), &error)) == expected && !error;
	}
	ok(good, "quotients are those of the compiler");
	numeric_quotient(1, quotient_divisor(0, 3), &error);
	ok(error, "division by zero");
	error = false;
	numeric_quotient(INT64_MAX, quotient_divisor(1, 30), &error);
	ok(error, "a quotient beyond 128 bits");
	error = false;
	numeric_quotient(1, quotient_divisor(3, -1), &error);
	ok(error, "a scale below zero");
	ok(numeric_leading(12345678, 4) == 64 * LEADING_PLACE + 1234 && numeric_leading(-5, 2) == 63 * LEADING_PLACE + 500 &&
	   numeric_leading(100000000, 0) == 66 * LEADING_PLACE + 1 && numeric_leading(0, 7) == 64 * LEADING_PLACE &&
	   numeric_leading(INT64_MIN, -9) == 68 * LEADING_PLACE + 922, "leading digits");
	/* 10 / 3, 1 / 3, 9999 / 0.0001, 0 / 70000 */
	ok(quotient_scale(numeric_leading(10, 0), numeric_leading(3, 0)) == 16 &&
	   quotient_scale(numeric_leading(1, 0), numeric_leading(3, 0)) == 20 &&
	   quotient_scale(numeric_leading(99990000, 4), numeric_leading(1, 4)) == 12 &&
	   quotient_scale(numeric_leading(0, 0), numeric_leading(70000, 0)) == 24, "scales of quotients");
	error = false;
	ok(int128(wide_raise(wide(-12), 20, &error)) == (__int128) -12 * 10000000000 * 10000000000 && !error, "raised");
	wide_raise(wide(18), 37, &error);
	ok(error, "raised beyond 128 bits");
	error = false;
	wide_raise(wide(18), -1, &error);
	ok(error, "lowered");
}

/* Read bytes at an odd address that end where the heap block ends. */
static bool
read_wide(const uint8_t *data, uint32_t len, int scale, bool any, Wide *value)
{
	uint8_t    *copy = malloc(len + 1);
	bool		good;

	memcpy(copy + 1, data, len);
	good = numeric_read_part(any ? NUMERIC_UNITS : NUMERIC_EXACT, true, copy + 1, len, scale, value);
	free(copy);
	return good;
}

static void
test_stored(void)
{
	for (int scale = 0; scale <= NUMERIC128_MAX_SCALE; scale++)
	{
		bool		good = true;

		for (int i = 0; i < 4000; i++)
		{
			/* the writer takes up to three digits more */
			__int128	value = random_int128() >> 11;
			int			shown = (int) (random_u64() % 39);
			uint8_t		stored[NUMERIC_ROOM];
			uint32_t	len = numeric_of_scaled(stored, scale > 30 || i % 2, value, scale);
			__int128	expected = value;
			bool		fits = true;
			Wide		got;

			good = good && read_wide(stored, len, scale, false, &got) && int128(got) == value &&
				!read_wide(stored, len, scale + 1, false, &got);
			for (int s = scale; s < shown; s++)
				fits = fits && !__builtin_mul_overflow(expected, 10, &expected);
			for (int s = shown; s < scale; s++)
			{
				fits = fits && expected % 10 == 0;
				expected /= 10;
			}
			good = good && read_wide(stored, len, shown, true, &got) == fits &&
				(!fits || int128(got) == expected);
		}
		ok(good, "stored numerics of scale %d", scale);
	}
}

static void
test_no_numbers(void)
{
	static const uint16_t digits[] = {1234, 5000};
	static const uint16_t zeros[] = {1234, 0, 0};
	static const uint16_t specials[] = {0xc000, 0xd000, 0xf000};
	uint8_t		stored[NUMERIC_ROOM];
	uint32_t	len;
	Wide		value;
	bool		good = true;

	for (int i = 0; i < 3; i++)
		good = good && !read_wide((const uint8_t *) &specials[i], 2, 0, true, &value);
	ok(good && !read_wide((const uint8_t *) "", 0, 0, true, &value), "refuses NaN, infinities and nothing");
	len = numeric_write(stored, false, false, 0, 0, digits, 2);
	ok(!read_wide(stored, len, 4, true, &value), "refuses digits that are not shown");
	len = numeric_write(stored, true, false, 0, 10, digits, 2);
	ok(!read_wide(stored, len, 0, true, &value), "refuses 10^40 and more");
	len = numeric_write(stored, true, false, 0, 9, digits, 1);
	ok(!read_wide(stored, len, 0, true, &value), "refuses what is beyond 127 bits");
	len = numeric_write(stored, true, false, 2, -300, digits, 1);
	ok(!read_wide(stored, len, 2, true, &value), "refuses a weight far below the scale");
	len = numeric_write(stored, false, false, 2, 2, zeros, 3);
	ok(!read_wide(stored, len, 2, false, &value), "refuses zeros at the end");
	len = numeric_write(stored, false, false, 2, 2, zeros, 1);
	ok(read_wide(stored, len, 2, false, &value) && int128(value) == (__int128) 123400000000 * 100, "no zeros at the end");
	good = true;
	for (int i = 0; i < 200000; i++)
	{
		uint64_t	bytes[4] = {random_u64(), random_u64(), random_u64(), random_u64()};

		if (i % 2)
			bytes[0] = (bytes[0] & ~UINT64_C(0xffff)) | 0x8000 | (random_u64() & 0x1f8f);
		good = good && (!read_wide((const uint8_t *) bytes, random_u64() % 32, random_u64() % 39, true, &value) ||
						int128(value) != (__int128) ((unsigned __int128) 1 << 127));
	}
	ok(good, "reads random bytes safely");
}

int
main(void)
{
	test_arithmetic();
	test_parts();
	test_rounding();
	test_quotients();
	test_stored();
	test_no_numbers();
	return done_testing();
}
