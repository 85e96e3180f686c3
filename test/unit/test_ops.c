/*
 * test_ops.c
 *	  The scalar operations at their edges: limits of the types, division by
 *	  zero, NaN and infinities, rounding, dates beyond timestamps, the calendar,
 *	  LIKE, characters of several bytes, blanks.
 *
 * What is expected here is what PostgreSQL answers to the same question.
 */
#include <float.h>

#include "program/ops.h"
#include "random.h"
#include "tap.h"

/* An expression, with E for its error, gives a value or fails. */
#define E (&failed)
#define GIVES(expr, expected) \
	do { \
		bool failed = false; \
		bool same = (expr) == (expected); \
		ok(same && !failed, "%s is %s", #expr, #expected); \
	} while (0)
#define FAILS(expr) \
	do { \
		bool failed = false; \
		(void) (expr); \
		ok(failed, "%s fails", #expr); \
	} while (0)

#define MIN2 INT16_MIN
#define MAX2 INT16_MAX
#define MIN4 INT32_MIN
#define MAX4 INT32_MAX
#define MIN8 INT64_MIN
#define MAX8 INT64_MAX

/* All six comparisons agree with the order of an ascending array's members. */
#define TEST_ORDER(prefix, ctype, ...) \
	do { \
		static const ctype v[] = {__VA_ARGS__}; \
		bool good = true; \
		for (int i = 0; i < (int) (sizeof(v) / sizeof(v[0])); i++) \
			for (int j = 0; j < (int) (sizeof(v) / sizeof(v[0])); j++) \
				good &= prefix##_eq(v[i], v[j]) == (i == j) && \
					prefix##_ne(v[i], v[j]) == (i != j) && \
					prefix##_lt(v[i], v[j]) == (i < j) && \
					prefix##_le(v[i], v[j]) == (i <= j) && \
					prefix##_gt(v[i], v[j]) == (i > j) && \
					prefix##_ge(v[i], v[j]) == (i >= j); \
		ok(good, "order of %s: %s", #prefix, #__VA_ARGS__); \
	} while (0)

static void
test_comparisons(void)
{
	TEST_ORDER(bool, uint8_t, 0, 1);
	TEST_ORDER(int4, int32_t, MIN4, -1, 0, 1, MAX4);
	TEST_ORDER(int8, int64_t, MIN8, -4294967296, -1, 0, 1, 4294967296, MAX8);
	TEST_ORDER(float8, double, -INFINITY, -DBL_MAX, -1, 0, 5e-324, 1,
			   DBL_MAX, INFINITY, NAN);
	GIVES(float8_eq(0.0, -0.0), 1);
	GIVES(float8_lt(-0.0, 0.0), 0);
	GIVES(float8_eq(NAN, -NAN), 1);
	GIVES(float8_eq(float4_to_float8(0.1f), 0.1), 0);
	GIVES(bool_not(0), 1);
	GIVES(bool_not(1), 0);
}

static __int128
square_of(int64_t a)
{
	return ((__int128) int8_square_high(a) << 64) + int8_square_low(a);
}

static void
test_squares(void)
{
	static const int64_t values[] = {
		0, 1, -1, 3037000499, 3037000500, -3037000500, 4294967295, 4294967296,
		-4294967297, 6074000999, 6074001000, 9223372032559808512, MAX8 - 1, MAX8, MIN8, MIN8 + 1
	};

	GIVES(int4_product(MIN4, MIN4), INT64_C(1) << 62);
	GIVES(int4_product(MAX4, MAX4), INT64_C(4611686014132420609));
	GIVES(int4_product(MIN4, MAX4), INT64_C(-4611686016279904256));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		ok(square_of(values[i]) == (__int128) values[i] * values[i],
		   "the square of %lld", (long long) values[i]);
}

static void
test_int2(void)
{
	GIVES(int2_add(MAX2, -1, E), 32766);
	GIVES(int2_add(MIN2, MAX2, E), -1);
	FAILS(int2_add(MAX2, 1, E));
	FAILS(int2_add(MIN2, -1, E));
	GIVES(int2_sub(-1, MAX2, E), MIN2);
	FAILS(int2_sub(0, MIN2, E));
	GIVES(int2_mul(-256, 128, E), MIN2);
	FAILS(int2_mul(256, 128, E));
	FAILS(int2_mul(MIN2, MIN2, E));
	GIVES(int2_div(-7, 2, E), -3);
	GIVES(int2_div(MIN2, 1, E), MIN2);
	FAILS(int2_div(MIN2, -1, E));
	FAILS(int2_div(1, 0, E));
	GIVES(int2_mod(-7, 3, E), -1);
	GIVES(int2_mod(MIN2, -1, E), 0);
	FAILS(int2_mod(0, 0, E));
	GIVES(int2_neg(MAX2, E), -MAX2);
	FAILS(int2_neg(MIN2, E));
	GIVES(int2_abs(-5, E), 5);
	FAILS(int2_abs(MIN2, E));
}

static void
test_int4(void)
{
	GIVES(int4_add(MAX4, MIN4, E), -1);
	FAILS(int4_add(MAX4, 1, E));
	FAILS(int4_add(MIN4, -1, E));
	GIVES(int4_sub(-1, MAX4, E), MIN4);
	FAILS(int4_sub(0, MIN4, E));
	GIVES(int4_mul(-65536, 32768, E), MIN4);
	FAILS(int4_mul(65536, 32768, E));
	FAILS(int4_mul(MIN4, -1, E));
	GIVES(int4_div(7, -2, E), -3);
	GIVES(int4_div(MAX4, -1, E), -MAX4);
	FAILS(int4_div(MIN4, -1, E));
	FAILS(int4_div(0, 0, E));
	GIVES(int4_mod(7, -3, E), 1);
	GIVES(int4_mod(MIN4, -1, E), 0);
	FAILS(int4_mod(MIN4, 0, E));
	GIVES(int4_gcd(-12, 18, E), 6);
	GIVES(int4_gcd(0, MAX4, E), MAX4);
	GIVES(int4_gcd(0, 0, E), 0);
	GIVES(int4_gcd(MIN4, 6, E), 2);
	FAILS(int4_gcd(MIN4, 0, E));
	GIVES(int4_lcm(-4, 6, E), 12);
	GIVES(int4_lcm(0, MIN4, E), 0);
	GIVES(int4_lcm(MAX4, -1, E), MAX4);
	FAILS(int4_lcm(MIN4, 1, E));
	FAILS(int4_lcm(65536, 32769, E));
	GIVES(int4_neg(MAX4, E), -MAX4);
	FAILS(int4_neg(MIN4, E));
	GIVES(int4_abs(-MAX4, E), MAX4);
	FAILS(int4_abs(MIN4, E));
}

static void
test_int8(void)
{
	GIVES(int8_add(MAX8, MIN8, E), -1);
	GIVES(int8_gcd(MIN8, 12, E), 4);
	FAILS(int8_gcd(MIN8, MIN8, E));
	GIVES(int8_lcm(MAX8, MAX8, E), MAX8);
	FAILS(int8_lcm(MIN8, 1, E));
	FAILS(int8_lcm(MAX8, 2, E));
	FAILS(int8_add(MAX8, 1, E));
	FAILS(int8_add(MIN8, -1, E));
	GIVES(int8_sub(-1, MAX8, E), MIN8);
	FAILS(int8_sub(0, MIN8, E));
	FAILS(int8_sub(MIN8, 1, E));
	GIVES(int8_mul(INT64_C(4294967296), INT64_C(-2147483648), E), MIN8);
	GIVES(int8_mul(MIN8, 1, E), MIN8);
	GIVES(int8_mul(1, MIN8, E), MIN8);
	GIVES(int8_mul(MIN8, 0, E), 0);
	GIVES(int8_mul(0, MIN8, E), 0);
	GIVES(int8_mul(-1, MAX8, E), -MAX8);
	GIVES(int8_mul(-3037000499, 3037000499, E), -INT64_C(9223372030926249001));
	FAILS(int8_mul(3037000500, 3037000500, E));
	FAILS(int8_mul(INT64_C(4294967296), INT64_C(2147483648), E));
	FAILS(int8_mul(MIN8, -1, E));
	FAILS(int8_mul(-1, MIN8, E));
	FAILS(int8_mul(MIN8, MIN8, E));
	FAILS(int8_mul(MIN8, 2, E));
	GIVES(int8_div(-7, 2, E), -3);
	FAILS(int8_div(MIN8, -1, E));
	FAILS(int8_div(MAX8, 0, E));
	GIVES(int8_mod(-7, 3, E), -1);
	GIVES(int8_mod(MIN8, -1, E), 0);
	FAILS(int8_mod(1, 0, E));
	GIVES(int8_neg(MAX8, E), -MAX8);
	FAILS(int8_neg(MIN8, E));
	GIVES(int8_abs(-MAX8, E), MAX8);
	FAILS(int8_abs(MIN8, E));
}

static void
test_int_casts(void)
{
	GIVES(bool_to_int4(1), 1);
	GIVES(bool_to_int4(0), 0);
	GIVES(int4_to_bool(MIN4), 1);
	GIVES(int4_to_bool(0), 0);
	GIVES(int2_to_int4(MIN2), -32768);
	GIVES(int2_to_int8(MIN2), -32768);
	GIVES(int4_to_int8(MIN4), -2147483648LL);
	GIVES(int8_to_int2(MIN2, E), MIN2);
	FAILS(int8_to_int2(32768, E));
	FAILS(int8_to_int2(65536, E));
	GIVES(int8_to_int4(MIN4, E), MIN4);
	FAILS(int8_to_int4(2147483648, E));
	FAILS(int8_to_int4(-2147483649, E));
	FAILS(int8_to_int4(INT64_C(4294967296), E));
}

static void
test_float8(void)
{
	GIVES(float8_add(0.1, 0.2, E), 0.30000000000000004);
	FAILS(float8_add(DBL_MAX, DBL_MAX, E));
	GIVES(float8_add(INFINITY, DBL_MAX, E), INFINITY);
	GIVES(isnan(float8_add(INFINITY, -INFINITY, E)), 1);
	FAILS(float8_sub(-DBL_MAX, DBL_MAX, E));
	GIVES(float8_sub(DBL_MIN, DBL_MIN, E), 0.0);
	FAILS(float8_mul(1e200, 1e200, E));
	FAILS(float8_mul(1e-200, 1e-200, E));
	GIVES(float8_mul(0.0, 1e-200, E), 0.0);
	GIVES(isnan(float8_mul(0.0, INFINITY, E)), 1);
	GIVES(float8_mul(-INFINITY, 2, E), -INFINITY);
	FAILS(float8_div(1, 0.0, E));
	FAILS(float8_div(1, -0.0, E));
	FAILS(float8_div(INFINITY, 0.0, E));
	GIVES(isnan(float8_div(NAN, 0.0, E)), 1);
	GIVES(float8_div(1, INFINITY, E), 0.0);
	GIVES(isnan(float8_div(INFINITY, INFINITY, E)), 1);
	FAILS(float8_div(1e200, 1e-200, E));
	FAILS(float8_div(1e-200, 1e200, E));
	GIVES(signbit(float8_neg(0.0)) != 0, true);
	GIVES(float8_abs(-INFINITY), INFINITY);
	GIVES(signbit(float8_abs(-0.0)) != 0, false);
}

static void
test_float4(void)
{
	GIVES(float4_add(16777216.0f, 1.0f, E), 16777216.0f);
	GIVES(float4_sub(0.3f, 0.1f, E), 0.20000002f);
	GIVES(float4_mul(0.1f, 0.1f, E), 0.010000001f);
	GIVES(float4_div(1.0f, 3.0f, E), 0.33333334f);
	FAILS(float4_add(FLT_MAX, FLT_MAX, E));
	FAILS(float4_sub(-FLT_MAX, FLT_MAX, E));
	FAILS(float4_mul(1e30f, 1e30f, E));
	FAILS(float4_mul(1e-30f, 1e-30f, E));
	FAILS(float4_div(1.0f, 0.0f, E));
	FAILS(float4_div(1e-30f, 1e30f, E));
	FAILS(float4_div(1e30f, 1e-30f, E));
	GIVES(isnan(float4_div(NAN, 0.0f, E)), 1);
	GIVES(float4_neg(1.5f), -1.5f);
	GIVES(float4_abs(-1.5f), 1.5f);
	GIVES(float4_to_float8(0.1f), 0.10000000149011612);
	GIVES(float8_to_float4(0.1, E), 0.1f);
	FAILS(float8_to_float4(1e39, E));
	FAILS(float8_to_float4(1e-46, E));
	GIVES(float8_to_float4(INFINITY, E), INFINITY);
	GIVES(float8_to_float4(-0.0, E), 0.0f);
	GIVES(isnan(float8_to_float4(NAN, E)), 1);
}

static void
test_float_casts(void)
{
	GIVES(float8_to_int2(32767.4, E), MAX2);
	FAILS(float8_to_int2(32767.5, E));
	GIVES(float8_to_int2(-32768.5, E), MIN2);
	FAILS(float8_to_int2(-32768.6, E));
	GIVES(float8_to_int4(0.5, E), 0);
	GIVES(float8_to_int4(1.5, E), 2);
	GIVES(float8_to_int4(2.5, E), 2);
	GIVES(float8_to_int4(-2.5, E), -2);
	GIVES(float8_to_int4(2147483647.49, E), MAX4);
	FAILS(float8_to_int4(2147483647.5, E));
	GIVES(float8_to_int4(-2147483648.5, E), MIN4);
	FAILS(float8_to_int4(-2147483648.6, E));
	FAILS(float8_to_int4(2147483648.0f, E));
	FAILS(float8_to_int4(NAN, E));
	FAILS(float8_to_int4(INFINITY, E));
	GIVES(float8_to_int8(9223372036854774784.0, E), INT64_C(9223372036854774784));
	FAILS(float8_to_int8(9223372036854775808.0, E));
	GIVES(float8_to_int8(-9223372036854775808.0, E), MIN8);
	FAILS(float8_to_int8(-9223372036854777856.0, E));
	FAILS(float8_to_int8(NAN, E));
	FAILS(float8_to_int8(-INFINITY, E));
	GIVES(int4_to_float4(16777217), 16777216.0f);
	GIVES(int4_to_float8(MIN4), -2147483648.0);
	/* a detour over double would round twice, to 9007199254740992 */
	GIVES(int8_to_float4(INT64_C(9007199791611905)), 9007200328482816.0f);
	GIVES(int8_to_float4(INT64_C(36028799166447617)), 36028801313931264.0f);
	GIVES(int8_to_float8(INT64_C(9007199254740993)), 9007199254740992.0);
	GIVES(int8_to_float8(MAX8), 9223372036854775808.0);
}

static void
test_dates(void)
{
	static const int64_t day = INT64_C(86400000000);

	GIVES(date_add(0, 1, E), 1);
	GIVES(date_add(INFINITE_DATE, -1, E), INFINITE_DATE);
	GIVES(date_add(MINUS_INFINITE_DATE, MAX4, E), MINUS_INFINITE_DATE);
	GIVES(date_add(2145031947, 1, E), 2145031948);
	FAILS(date_add(2145031948, 1, E));
	FAILS(date_add(2145031948, MAX4, E));
	GIVES(date_add(-2451544, -1, E), -2451545);
	FAILS(date_add(-2451545, -1, E));
	FAILS(date_add(-2451545, MIN4, E));
	GIVES(date_sub(1, 2, E), -1);
	GIVES(date_sub(INFINITE_DATE, 1, E), INFINITE_DATE);
	FAILS(date_sub(-2451545, 1, E));
	FAILS(date_sub(1, MIN4, E));
	GIVES(date_diff(2145031948, -2451545, E), 2147483493);
	FAILS(date_diff(INFINITE_DATE, 0, E));
	FAILS(date_diff(0, MINUS_INFINITE_DATE, E));
	GIVES(date_to_timestamp(-1, E), -day);
	GIVES(date_to_timestamp(-2451545, E), -2451545 * day);
	GIVES(date_to_timestamp(106751982, E), INT64_C(9223371244800000000));
	FAILS(date_to_timestamp(106751983, E));
	GIVES(date_to_timestamp(INFINITE_DATE, E), MAX8);
	GIVES(date_to_timestamp(MINUS_INFINITE_DATE, E), MIN8);
	GIVES(timestamp_to_date(day, E), 1);
	GIVES(timestamp_to_date(day - 1, E), 0);
	GIVES(timestamp_to_date(-1, E), -1);
	GIVES(timestamp_to_date(-day, E), -1);
	GIVES(timestamp_to_date(-2451545 * day, E), -2451545);
	GIVES(timestamp_to_date(INT64_C(9223371331199999999), E), 106751982);
	GIVES(timestamp_to_date(MAX8, E), INFINITE_DATE);
	GIVES(timestamp_to_date(MIN8, E), MINUS_INFINITE_DATE);
}

/* All twelve comparisons of a date with a timestamp; order: -1, 0, 1. */
static void
test_date_timestamp(int32_t date, int64_t timestamp, int order)
{
	bool		good;

	good = date_eq_timestamp(date, timestamp) == (order == 0) &&
		date_ne_timestamp(date, timestamp) == (order != 0) &&
		date_lt_timestamp(date, timestamp) == (order < 0) &&
		date_le_timestamp(date, timestamp) == (order <= 0) &&
		date_gt_timestamp(date, timestamp) == (order > 0) &&
		date_ge_timestamp(date, timestamp) == (order >= 0);
	ok(good, "date %d and timestamp %lld", date, (long long) timestamp);
	good = timestamp_eq_date(timestamp, date) == (order == 0) &&
		timestamp_ne_date(timestamp, date) == (order != 0) &&
		timestamp_lt_date(timestamp, date) == (order > 0) &&
		timestamp_le_date(timestamp, date) == (order >= 0) &&
		timestamp_gt_date(timestamp, date) == (order < 0) &&
		timestamp_ge_date(timestamp, date) == (order <= 0);
	ok(good, "timestamp %lld and date %d", (long long) timestamp, date);
}

static void
test_dates_and_timestamps(void)
{
	test_date_timestamp(0, 0, 0);
	test_date_timestamp(0, 1, -1);
	test_date_timestamp(1, INT64_C(86399999999), 1);
	test_date_timestamp(-1, -1, -1);
	test_date_timestamp(INFINITE_DATE, MAX8, 0);
	test_date_timestamp(MINUS_INFINITE_DATE, MIN8, 0);
	test_date_timestamp(INFINITE_DATE, MAX8 - 1, 1);
	test_date_timestamp(2145031948, INT64_C(9223371331199999999), 1);
	test_date_timestamp(2145031948, MAX8, -1);
	test_date_timestamp(2145031948, MIN8, 1);
}

/* Days one after the other, as a calendar on the wall has them. */
static void
test_calendar(void)
{
	CivilDate	at = civil_date(DATE_FIRST);
	bool		good = at.year == -4713 && at.month == 11 && at.day == 24;

	for (int32_t day = DATE_FIRST; day < 1000000 && good; day++)
	{
		CivilDate	date = civil_date(day);

		good = date.year == at.year && date.month == at.month && date.day == at.day &&
			civil_days(at.year, at.month, at.day) == day;
		if (at.day++ == month_length(at.year, at.month))
		{
			at.day = 1;
			at.year += at.month == 12;
			at.month = at.month % 12 + 1;
		}
	}
	ok(good, "all days from 4714 BC to 4737");
	GIVES(civil_days(2000, 1, 1), 0);
	GIVES(civil_date(2145031948).year, 5874897);
	GIVES(civil_date(2145031948).day, 31);
	GIVES(month_length(1900, 2), 28);
	GIVES(month_length(2000, 2), 29);
	GIVES(month_length(0, 2), 29);
	GIVES(month_length(-4, 2), 29);
	GIVES(iso_weekday(0), 6);
	GIVES(iso_weekday(-5), 1);
	GIVES(iso_weekday(-6), 7);
	GIVES(iso_weekday(DATE_FIRST), 1);
	GIVES(date_isfinite(INFINITE_DATE), 0);
	GIVES(date_isfinite(0), 1);
	GIVES(timestamp_isfinite(MIN8), 0);
	GIVES(timestamp_isfinite(-1), 1);
}

/* Days: 2000-01-01 is 0, 0001-01-01 is -730119, 1 BC ends the day before. */
static void
test_date_fields(void)
{
	GIVES(date_extract(-730119, FIELD_YEAR, E), 1);
	GIVES(date_extract(-730120, FIELD_YEAR, E), -1);
	GIVES(date_extract(-730119, FIELD_CENTURY, E), 1);
	GIVES(date_extract(-730120, FIELD_CENTURY, E), -1);
	GIVES(date_extract(-730120, FIELD_MILLENNIUM, E), -1);
	GIVES(date_extract(-730119, FIELD_DECADE, E), 0);
	GIVES(date_extract(-730120, FIELD_DECADE, E), 0);
	GIVES(date_extract(-730120 - 366, FIELD_DECADE, E), -1);
	GIVES(date_extract(0, FIELD_CENTURY, E), 20);
	GIVES(date_extract(366, FIELD_CENTURY, E), 21);
	GIVES(date_extract(0, FIELD_MILLENNIUM, E), 2);
	GIVES(date_extract(0, FIELD_WEEK, E), 52);
	GIVES(date_extract(0, FIELD_ISOYEAR, E), 1999);
	GIVES(date_extract(2, FIELD_WEEK, E), 1);
	GIVES(date_extract(0, FIELD_DOW, E), 6);
	GIVES(date_extract(1, FIELD_DOW, E), 0);
	GIVES(date_extract(1, FIELD_ISODOW, E), 7);
	GIVES(date_extract(59, FIELD_DOY, E), 60);
	GIVES(date_extract(59, FIELD_DAY, E), 29);
	GIVES(date_extract(59, FIELD_MONTH, E), 2);
	GIVES(date_extract(90, FIELD_QUARTER, E), 1);
	GIVES(date_extract(91, FIELD_QUARTER, E), 2);
	GIVES(date_extract(0, FIELD_JULIAN, E), 2451545);
	GIVES(date_extract(-10957, FIELD_EPOCH, E), 0);
	FAILS(date_extract(INFINITE_DATE, FIELD_YEAR, E));
	FAILS(date_extract(MINUS_INFINITE_DATE, FIELD_EPOCH, E));
}

static void
test_timestamp_fields(void)
{
	static const int64_t second = 1000000;
	static const int64_t day = INT64_C(86400000000);

	GIVES(timestamp_extract(-1, FIELD_MICROSECONDS, E), 59999999);
	GIVES(timestamp_extract(-1, FIELD_MILLISECONDS, E), 60000);
	GIVES(timestamp_extract(-1, FIELD_SECOND, E), 60);
	GIVES(timestamp_extract(499999, FIELD_SECOND, E), 0);
	GIVES(timestamp_extract(500000, FIELD_SECOND, E), 1);
	GIVES(timestamp_extract(-1, FIELD_HOUR, E), 23);
	GIVES(timestamp_extract(-1, FIELD_MINUTE, E), 59);
	GIVES(timestamp_extract(-1, FIELD_YEAR, E), 1999);
	GIVES(timestamp_extract(day / 2 - 1, FIELD_JULIAN, E), 2451545);
	GIVES(timestamp_extract(day / 2, FIELD_JULIAN, E), 2451546);
	GIVES(timestamp_extract(-10957 * day - second / 2, FIELD_EPOCH, E), -1);
	GIVES(timestamp_extract(-10957 * day - second / 2 + 1, FIELD_EPOCH, E), 0);
	GIVES(timestamp_extract(-10957 * day + second / 2, FIELD_EPOCH, E), 1);
	FAILS(timestamp_extract(MAX8, FIELD_YEAR, E));
	GIVES(timestamp_part(-500000, FIELD_SECOND), 59.5);
	GIVES(timestamp_part(1500, FIELD_MILLISECONDS), 1.5);
	GIVES(timestamp_part(day / 4, FIELD_JULIAN), 2451545.25);
	GIVES(timestamp_part(-10957 * day - 1, FIELD_EPOCH), -0.000001);
	GIVES(timestamp_part(MAX8, FIELD_EPOCH), INFINITY);
	GIVES(timestamp_part(MIN8, FIELD_YEAR), -INFINITY);
	GIVES(timestamp_trunc(-1, FIELD_MILLISECONDS, E), -1000);
	GIVES(timestamp_trunc(-1, FIELD_HOUR, E), -3600 * second);
	GIVES(timestamp_trunc(-1, FIELD_DAY, E), -day);
	GIVES(timestamp_trunc(-1, FIELD_MONTH, E), -31 * day);
	GIVES(timestamp_trunc(day, FIELD_WEEK, E), -5 * day);
	GIVES(timestamp_trunc(2 * day, FIELD_WEEK, E), 2 * day);
	GIVES(timestamp_trunc(400 * day, FIELD_CENTURY, E), 366 * day);
	GIVES(timestamp_trunc(MAX8, FIELD_YEAR, E), MAX8);
	GIVES(timestamp_trunc(-2451545 * day, FIELD_DAY, E), -2451545 * day);
	FAILS(timestamp_trunc(-2451545 * day, FIELD_MONTH, E));
	FAILS(timestamp_trunc(-2451545 * day, FIELD_MILLENNIUM, E));
}

static void
test_intervals(void)
{
	static const int64_t day = INT64_C(86400000000);
	int64_t		first = -2451545 * day;
	int64_t		last = 106751983 * day - 1;

	GIVES(timestamp_add_months(30 * day + 5, 1, E), 59 * day + 5);	/* 31 January */
	GIVES(timestamp_add_months(30 * day, 13, E), (366 + 58) * day);
	GIVES(timestamp_add_months(59 * day, 12, E), (366 + 58) * day); /* 29 February */
	GIVES(timestamp_add_months(0, -1, E), -31 * day);
	GIVES(timestamp_add_months(0, -12, E), -365 * day);
	GIVES(timestamp_add_months(MIN8, MAX4, E), MIN8);
	FAILS(timestamp_add_months(last, 1, E));
	FAILS(timestamp_add_months(first, -1, E));
	FAILS(timestamp_add_months(0, MAX4, E));
	FAILS(timestamp_add_months(0, MIN4, E));
	GIVES(timestamp_add_days(-1, 1, E), day - 1);
	GIVES(timestamp_add_days(MAX8, 1, E), MAX8);
	GIVES(timestamp_add_days(first + day, -1, E), first);
	FAILS(timestamp_add_days(first, -1, E));
	FAILS(timestamp_add_days(last, 1, E));
	FAILS(timestamp_add_days(0, MAX4, E));
	GIVES(timestamp_add_time(last - 1, 1, E), last);
	FAILS(timestamp_add_time(last, 1, E));
	GIVES(timestamp_add_time(first + 1, -1, E), first);
	FAILS(timestamp_add_time(first, -1, E));
	FAILS(timestamp_add_time(last, MAX8, E));
	FAILS(timestamp_add_time(first, MIN8, E));
	GIVES(timestamp_add_time(MIN8, MAX8, E), MIN8);
}

static bool
is_span(TimeSpan a, int32_t month, int32_t day, int64_t time)
{
	return a.month == month && a.day == day && a.time == time;
}

static void
test_whole_numerics(void)
{
	GIVES(numeric_trunc(-199, 100), -1);
	GIVES(numeric_trunc(199, 100), 1);
	GIVES(numeric_floor(-199, 100), -2);
	GIVES(numeric_floor(-200, 100), -2);
	GIVES(numeric_floor(199, 100), 1);
	GIVES(numeric_floor(MIN8, 1), MIN8);
	GIVES(numeric_ceil(-199, 100), -1);
	GIVES(numeric_ceil(101, 100), 2);
	GIVES(numeric_ceil(100, 100), 1);
	GIVES(numeric_ceil(MAX8, 1), MAX8);
	GIVES(numeric_floor(5, 0), 5);
	GIVES(numeric_sign(MIN8), -1);
	GIVES(numeric_sign(0), 0);
	GIVES(numeric_sign(1), 1);
}

static void
test_interval_products(int64_t day)
{
	static const TimeSpan mixed = {-61000001, 5, -14};

	GIVES(is_span(interval_product(mixed, -3, E), 42, -15, 183000003), 1);
	GIVES(is_span(interval_product(mixed, 0, E), 0, 0, 0), 1);
	GIVES(is_span(interval_product((TimeSpan) {1, 0, 0}, MAX4, E), 0, 0, MAX4), 1);
	GIVES(is_span(interval_product((TimeSpan) {0, -1, 0}, MAX4 + INT64_C(1), E), 0, MIN4, 0), 1);
	FAILS(interval_product((TimeSpan) {0, 1, 0}, MAX4 + INT64_C(1), E));
	FAILS(interval_product((TimeSpan) {0, 0, -2}, MAX4, E));
	FAILS(interval_product((TimeSpan) {0, 3, 0}, MAX8, E));
	FAILS(interval_product((TimeSpan) {day, 0, 0}, INT64_C(1) << 40, E));
	FAILS(interval_product((TimeSpan) {MAX8, MAX4, MAX4}, 1, E));
	GIVES(is_span(interval_of_time(-day), 0, 0, -day), 1);
	GIVES(interval_days(mixed), 5);
	GIVES(interval_months(mixed, E), -14);
	FAILS(interval_months((TimeSpan) {MIN8, MIN4, MIN4}, E));
}

static void
test_spans(void)
{
	static const int64_t day = INT64_C(86400000000);
	TimeSpan	hour = {day / 24, 0, 0};
	TimeSpan	month = {0, 0, 1};
	TimeSpan	days = {0, 30, 0};
	TimeSpan	least = {MIN8, MIN4, MIN4};
	TimeSpan	most = {MAX8, MAX4, MAX4};
	TimeSpan	mixed = {-61000001, 5, -14};

	GIVES(interval_eq(month, days), 1);
	GIVES(interval_ne(month, days), 0);
	GIVES(interval_lt(hour, days), 1);
	GIVES(interval_le(month, days), 1);
	GIVES(interval_gt(least, most), 0);
	GIVES(interval_ge(most, least), 1);
	GIVES(is_span(interval_add(hour, days, E), 0, 30, day / 24), 1);
	GIVES(is_span(interval_sub(hour, month, E), -1, 0, day / 24), 1);
	GIVES(is_span(interval_neg(mixed, E), 14, -5, 61000001), 1);
	FAILS(interval_add(most, hour, E));
	FAILS(interval_add((TimeSpan) {0, MAX4, 0}, days, E));
	FAILS(interval_sub((TimeSpan) {MIN8, 0, 0}, hour, E));
	FAILS(interval_neg((TimeSpan) {0, 0, MIN4}, E));
	FAILS(interval_neg(least, E));
	GIVES(is_span(timestamp_diff(day + 1, -day, E), 0, 2, 1), 1);
	GIVES(is_span(timestamp_diff(0, day + 1, E), 0, -1, -1), 1);
	GIVES(interval_whole_length((TimeSpan) {-1, -1, 0}, E), -day - 1);
	GIVES(interval_whole_length((TimeSpan) {day - 1, 0, 0}, E), day - 1);
	FAILS(interval_whole_length((TimeSpan) {day, 0, 0}, E));
	FAILS(interval_whole_length((TimeSpan) {-1, 1, 0}, E));
	FAILS(interval_whole_length(month, E));
	FAILS(interval_whole_length((TimeSpan) {0, MAX4, 0}, E));
	GIVES(interval_months_and_days(mixed), -14 * (INT64_C(1) << 32) + 5);
	GIVES(interval_time(mixed), -61000001);
	GIVES(int8_size(0), 0);
	GIVES(int8_size(-1), 1);
	GIVES(int8_size(INT64_C(1) << 32), 1);
	GIVES(int8_size(-(INT64_C(1) << 32) - 1), 2);
	GIVES(int8_size(MIN8), INT64_C(1) << 31);
	GIVES(interval_size(mixed), 20);
	GIVES(interval_size(least), INT64_C(1) << 31);
	FAILS(timestamp_diff(MAX8, 0, E));
	FAILS(timestamp_diff(0, MIN8, E));
	FAILS(timestamp_diff(MAX8 - 1, -2, E));
	GIVES(interval_extract(mixed, FIELD_MICROSECONDS, E), -1000001);
	GIVES(interval_extract(mixed, FIELD_MINUTE, E), -1);
	GIVES(interval_extract(mixed, FIELD_HOUR, E), 0);
	GIVES(interval_extract(mixed, FIELD_DAY, E), 5);
	GIVES(interval_extract(mixed, FIELD_MONTH, E), -2);
	GIVES(interval_extract(mixed, FIELD_YEAR, E), -1);
	GIVES(interval_extract(mixed, FIELD_EPOCH_MICROSECONDS, E),
		  INT64_C(-31557600000000) - 60 * day + 5 * day - 61000001);
	FAILS(interval_extract(most, FIELD_DAY, E));
	FAILS(interval_extract((TimeSpan) {0, 0, MAX4}, FIELD_EPOCH_MICROSECONDS, E));
	GIVES(interval_part(mixed, FIELD_SECOND, E), -1.000001);
	GIVES(interval_part(mixed, FIELD_MILLISECONDS, E), -1000.001);
	GIVES(interval_part(month, FIELD_EPOCH, E), 2592000.0);
	FAILS(interval_part(least, FIELD_EPOCH, E));
	GIVES(time_product(0.5, 1, E), 0);
	GIVES(time_product(1.5, 1, E), 2);
	GIVES(time_product(-2, day, E), -2 * day);
	test_interval_products(day);
	FAILS(time_product(NAN, 1, E));
	FAILS(time_product(INFINITY, 0, E));
	FAILS(time_product(1e19, 1, E));
	GIVES(timestamp_time(-1), day - 1);
	GIVES(timestamp_time(day), 0);
}

static void
test_made_times(void)
{
	static const int64_t day = INT64_C(86400000000);

	GIVES(float8_to_timestamp(0, E), -10957 * day);
	GIVES(float8_to_timestamp(946684800.0000005, E), 0);
	GIVES(float8_to_timestamp(946684800.5, E), 500000);
	GIVES(float8_to_timestamp(INFINITY, E), MAX8);
	GIVES(float8_to_timestamp(-INFINITY, E), MIN8);
	FAILS(float8_to_timestamp(NAN, E));
	FAILS(float8_to_timestamp(9224318016000.0, E));
	FAILS(float8_to_timestamp(-210866803201.0, E));
	GIVES(float8_to_timestamp(-210866803200.0, E), -2451545 * day);
	GIVES(month_start(2000, 2, E), 31);
	GIVES(month_start(-1, 1, E), -730485);
	FAILS(month_start(0, 1, E));
	FAILS(month_start(2000, 13, E));
	FAILS(month_start(MIN4, 1, E));
	FAILS(month_start(MAX4, 1, E));
	GIVES(month_day(31, 29, E), 59);
	FAILS(month_day(31, 30, E));
	FAILS(month_day(31, 0, E));
	FAILS(month_day(31, MIN4, E));
	GIVES(month_day(month_start(-4714, 11, E), 24, E), -2451545);
	FAILS(month_day(month_start(-4714, 11, E), 23, E));
	GIVES(month_day(month_start(5874897, 12, E), 31, E), 2145031948);
}

static void
test_buckets(void)
{
	static const double ten[] = {0, 10, 5, 1};
	static const double falling[] = {10, 0, 5, 1};
	static const double all[] = {-DBL_MAX, DBL_MAX, 4, 1};
	static const double most[] = {0, 1, MAX4, 1};
	static const double early[] = {0, 100, 100, 0};
	static const double by_part[] = {0, 100, 100, 1};
	static const double wide[] = {-DBL_MAX, DBL_MAX, 4, 0};
	static const int64_t units[] = {1000, 0, 4};
	static const int64_t rising[] = {-7, 0, 3};
	static const double steps[] = {-1, 0, 0, NAN};
	static const int64_t whole[] = {MIN8, 3, 3, MAX8};
	static const int64_t bins[] = {10, 3};
	static const int64_t late[] = {10, INT64_C(9223371331199999999)};
	Bytes		b = {(const char *) ten, sizeof(ten)};
	Bytes		f = {(const char *) falling, sizeof(falling)};
	Bytes		a = {(const char *) all, sizeof(all)};
	Bytes		m = {(const char *) most, sizeof(most)};
	Bytes		e = {(const char *) early, sizeof(early)};
	Bytes		p = {(const char *) by_part, sizeof(by_part)};
	Bytes		d = {(const char *) wide, sizeof(wide)};
	Bytes		u = {(const char *) units, sizeof(units)};
	Bytes		r = {(const char *) rising, sizeof(rising)};
	Bytes		s = {(const char *) steps, sizeof(steps)};
	Bytes		w = {(const char *) whole, sizeof(whole)};
	Bytes		t = {(const char *) bins, sizeof(bins)};
	Bytes		l = {(const char *) late, sizeof(late)};
	Bytes		none = {"", 0};

	GIVES(float8_width_bucket(-5e-324, b, E), 0);
	GIVES(float8_width_bucket(0, b, E), 1);
	GIVES(float8_width_bucket(2, b, E), 2);
	GIVES(float8_width_bucket(9.999999999999998, b, E), 5);
	GIVES(float8_width_bucket(10, b, E), 6);
	GIVES(float8_width_bucket(INFINITY, b, E), 6);
	FAILS(float8_width_bucket(NAN, b, E));
	FAILS(float8_width_bucket(1, none, E));
	GIVES(float8_width_bucket(10, f, E), 1);
	GIVES(float8_width_bucket(8, f, E), 2);
	GIVES(float8_width_bucket(0, f, E), 6);
	GIVES(float8_width_bucket(11, f, E), 0);
	GIVES(float8_width_bucket(0, a, E), 3);
	GIVES(float8_width_bucket(-DBL_MAX, a, E), 1);
	GIVES(float8_width_bucket(0.9999999999999999, m, E), MAX4);
	FAILS(float8_width_bucket(1, m, E));
	GIVES(float8_width_bucket(29, e, E), 30);
	GIVES(float8_width_bucket(29, p, E), 29);
	GIVES(float8_width_bucket(2.9999999999999996, p, E), 3);
	FAILS(float8_width_bucket(0, d, E));
	GIVES(int8_width_bucket(1001, u), 0);
	GIVES(int8_width_bucket(1000, u), 1);
	GIVES(int8_width_bucket(750, u), 2);
	GIVES(int8_width_bucket(1, u), 4);
	GIVES(int8_width_bucket(0, u), 5);
	GIVES(int8_width_bucket(-8, r), 0);
	GIVES(int8_width_bucket(-5, r), 1);
	GIVES(int8_width_bucket(-4, r), 2);
	GIVES(int8_width_bucket(MAX8, r), 4);
	GIVES(int8_width_bucket(1, none), 0);
	GIVES(float8_bucket(-2, s), 0);
	GIVES(float8_bucket(-0.0, s), 3);
	GIVES(float8_bucket(INFINITY, s), 3);
	GIVES(float8_bucket(NAN, s), 4);
	GIVES(float8_bucket(1, none), 0);
	GIVES(int8_bucket(MIN8, w), 1);
	GIVES(int8_bucket(3, w), 3);
	GIVES(int8_bucket(MAX8, w), 4);
	GIVES(int8_bucket(1, none), 0);
	GIVES(timestamp_bin(3, t, E), 3);
	GIVES(timestamp_bin(12, t, E), 3);
	GIVES(timestamp_bin(2, t, E), -7);
	GIVES(timestamp_bin(-7, t, E), -7);
	GIVES(timestamp_bin(-8, t, E), -17);
	GIVES(timestamp_bin(MAX8, t, E), MAX8);
	GIVES(timestamp_bin(MIN8, t, E), MIN8);
	FAILS(timestamp_bin(-2451545 * DAY_MICROSECONDS, t, E));
	FAILS(timestamp_bin(-2451545 * DAY_MICROSECONDS, l, E));
	FAILS(timestamp_bin(1, none, E));
}

static Bytes
bytes(const char *text)
{
	Bytes		result = {text, strlen(text)};

	return result;
}

static void
test_bytes(void)
{
	Uuid		a = {{1, 2}};
	Uuid		b = {{1, 3}};
	Uuid		c = {{0, 2}};

	GIVES(char_eq(-1, -1), 1);
	GIVES(char_ne(-1, 1), 1);
	GIVES(uuid_eq(a, a), 1);
	GIVES(uuid_eq(a, b), 0);
	GIVES(uuid_ne(a, c), 1);
	GIVES(uuid_first(b), 1);
	GIVES(uuid_second(b), 3);
	GIVES(text_eq(bytes(""), bytes("")), 1);
	GIVES(text_eq(bytes("ab"), bytes("ab")), 1);
	GIVES(text_eq(bytes("ab"), bytes("ac")), 0);
	GIVES(text_eq(bytes("ab"), bytes("ab ")), 0);
	GIVES(text_ne(bytes("ab"), bytes("abc")), 1);
	GIVES(bpchar_eq(bytes("ab"), bytes("ab  ")), 1);
	GIVES(bpchar_eq(bytes("   "), bytes("")), 1);
	GIVES(bpchar_eq(bytes(" ab"), bytes("ab")), 0);
	GIVES(bpchar_eq(bytes("ab\t"), bytes("ab")), 0);
	GIVES(bpchar_ne(bytes("ab "), bytes("ab")), 0);
	GIVES(bpchar_ne(bytes("a b"), bytes("ab")), 1);
}

#define LIKE(text, pattern) text_like(bytes(text), bytes(pattern))

static void
test_like(void)
{
	GIVES(text_starts_with(bytes("abc"), bytes("ab")), 1);
	GIVES(text_starts_with(bytes("a"), bytes("ab")), 0);
	GIVES(text_ends_with(bytes("abc"), bytes("bc")), 1);
	GIVES(text_ends_with(bytes("c"), bytes("bc")), 0);
	GIVES(text_contains(bytes("aabab"), bytes("bab")), 1);
	GIVES(text_contains(bytes("aaba"), bytes("bab")), 0);
	GIVES(text_contains(bytes(""), bytes("")), 1);
	GIVES(text_contains(bytes(""), bytes("a")), 0);
	GIVES(LIKE("", ""), 1);
	GIVES(LIKE("", "%%"), 1);
	GIVES(LIKE("", "_"), 0);
	GIVES(LIKE("ab", "a"), 0);
	GIVES(LIKE("ab", "_b"), 1);
	GIVES(LIKE("ababac", "%aba_"), 1);
	GIVES(LIKE("ababac", "%aba%a%b%"), 0);
	GIVES(LIKE("aXbXc", "a%b%c"), 1);
	GIVES(LIKE("aXbX", "a%b%c"), 0);
	GIVES(LIKE("%", "\\%"), 1);
	GIVES(LIKE("a", "\\%"), 0);
	GIVES(LIKE("a%b", "%\\%b"), 1);
	GIVES(LIKE("a_b", "a\\_b"), 1);
	GIVES(LIKE("\\", "\\\\"), 1);
	GIVES(LIKE("\xc3\xa9", "_"), 1);
	GIVES(LIKE("\xc3\xa9", "__"), 0);
	GIVES(LIKE("\xf0\x9f\x98\x80z", "%_z"), 1);
	GIVES(LIKE("\xf0\x9f\x98\x80z", "%__z"), 0);
}

/* LIKE of bytes, as it is defined: each % takes any number of them. */
static bool
like_by_definition(Bytes a, Bytes pattern)
{
	Bytes		rest = {pattern.data + 1, pattern.len - 1};

	if (pattern.len == 0)
		return a.len == 0;
	if (pattern.data[0] == '%')
	{
		for (uint32_t i = 0; i <= a.len; i++)
			if (like_by_definition((Bytes) {a.data + i, a.len - i}, rest))
				return true;
		return false;
	}
	if (pattern.data[0] == '\\')
	{
		pattern = rest;
		rest = (Bytes) {rest.data + 1, rest.len - 1};
		return a.len > 0 && a.data[0] == pattern.data[0] &&
			like_by_definition((Bytes) {a.data + 1, a.len - 1}, rest);
	}
	return a.len > 0 && (pattern.data[0] == '_' || a.data[0] == pattern.data[0]) &&
		like_by_definition((Bytes) {a.data + 1, a.len - 1}, rest);
}

static uint32_t
random_text(char *to, uint32_t most, const char *letters, uint32_t nletters)
{
	uint32_t	len = (uint32_t) (random_u64() % (most + 1));

	for (uint32_t i = 0; i < len; i++)
		to[i] = letters[random_u64() % nletters];
	return len;
}

/* Texts of few letters, so that patterns are often found in part; shorter and longer than vectors. */
static void
test_like_at_random(void)
{
	char		text[80];
	char		pattern[12];
	uint32_t	wrong = 0;
	uint32_t	found = 0;

	for (int i = 0; i < 200000; i++)
	{
		Bytes		a = {text, random_text(text, i % sizeof(text), "aab", 2 + i % 2)};
		Bytes		p = {pattern, random_text(pattern, i % 2 ? 6 : 10, "aba%%_", i % 3 ? 5 : 6)};
		Bytes		part;
		bool		expected = like_by_definition(a, p);

		found += expected;
		wrong += text_like(a, p) != expected;
		/* what a text has of itself */
		part = (Bytes) {text + (a.len > 0 ? random_u64() % a.len : 0), 0};
		part.len = (uint32_t) (random_u64() % (text + a.len - part.data + 1));
		wrong += !text_contains(a, part);
		if (part.len > 0)
		{
			uint32_t	place = text_find(a, part, 0);

			wrong += place > a.len - part.len || memcmp(a.data + place, part.data, part.len) != 0;
			for (uint32_t before = 0; before < place && before <= a.len - part.len; before++)
				wrong += memcmp(a.data + before, part.data, part.len) == 0;
		}
	}
	ok(wrong == 0, "LIKE, and where a part is, at random: %u wrong", wrong);
	ok(found > 20000 && found < 180000, "%u of 200000 are LIKE the pattern", found);
}

/* Is it this part of the text? */
#define PART(part, expected) GIVES(text_eq(part, bytes(expected)), 1)

static void
test_text_parts(void)
{
	Bytes		text = bytes("a\xc3\xa9z");

	GIVES(text_chars(text), 3);
	GIVES(text_octets(text), 4);
	GIVES(text_chars(bytes("")), 0);
	GIVES(bpchar_chars(bytes("\xc3\xa9  ")), 1);
	PART(text_first(text, 2), "a\xc3\xa9");
	PART(text_first(text, 9), "a\xc3\xa9z");
	PART(text_first(text, 0), "");
	PART(text_first(text, -1), "a\xc3\xa9");
	PART(text_first(text, -3), "");
	PART(text_first(text, -MAX4), "");
	PART(text_after(text, 1), "\xc3\xa9z");
	PART(text_after(text, 2), "z");
	PART(text_after(text, MAX4), "");
	PART(text_after(text, -1), "z");
	PART(text_after(text, -9), "a\xc3\xa9z");
	PART(bpchar_trimmed(bytes("a  ")), "a");
}

static void
test_text_order(void)
{
	GIVES(text_lt(bytes("a"), bytes("ab")), 1);
	GIVES(text_lt(bytes("b"), bytes("ab")), 0);
	GIVES(text_le(bytes("ab"), bytes("ab")), 1);
	GIVES(text_gt(bytes("\xc3\xa9"), bytes("z")), 1);
	GIVES(text_ge(bytes(""), bytes("")), 1);
	GIVES(bpchar_lt(bytes("a "), bytes("a\t")), 1);
	GIVES(bpchar_ge(bytes("a"), bytes("a  ")), 1);
	GIVES(bpchar_le(bytes("a  "), bytes("a")), 1);
	GIVES(bpchar_gt(bytes("a"), bytes("a ")), 0);
	GIVES(text_position(bytes("a\xc3\xa9z"), bytes("z")), 3);
	GIVES(text_position(bytes("a\xc3\xa9z"), bytes("\xa9")), 0);
	GIVES(text_position(bytes(""), bytes("")), 1);
	GIVES(text_position(bytes("a"), bytes("ab")), 0);
	PART(text_trimmed(bytes("  a b ")), "a b");
	PART(text_trimmed(bytes("   ")), "");
	PART(text_ltrimmed(bytes("  a ")), "a ");
}

/* Is it that number, and has it that sign?  NaN is NaN. */
static bool
is_float(double a, double b)
{
	return isnan(b) ? isnan(a) : a == b && signbit(a) == signbit(b);
}

#define FLOAT(expr, expected) GIVES(is_float(expr, expected), true)

static void
test_libm(void)
{
	FLOAT(float8_exp(-INFINITY, E), 0.0);
	FLOAT(float8_exp(INFINITY, E), INFINITY);
	FLOAT(float8_exp(NAN, E), NAN);
	FLOAT(float8_exp(-0.0, E), 1.0);
	FAILS(float8_exp(710, E));
	FAILS(float8_exp(-746, E));
	FLOAT(float8_ln(1, E), 0.0);
	FLOAT(float8_ln(INFINITY, E), INFINITY);
	FLOAT(float8_ln(NAN, E), NAN);
	FAILS(float8_ln(-0.0, E));
	FAILS(float8_ln(-5e-324, E));
	FLOAT(float8_log10(1000, E), 3.0);
	FAILS(float8_log10(0, E));
	FAILS(float8_log10(-INFINITY, E));
	FLOAT(float8_cbrt(-27), -3.0);
	FLOAT(float8_cbrt(-0.0), -0.0);
	FLOAT(float8_sin(-0.0, E), -0.0);
	FLOAT(float8_cos(NAN, E), NAN);
	FAILS(float8_sin(INFINITY, E));
	FAILS(float8_cos(-INFINITY, E));
	FAILS(float8_tan(INFINITY, E));
	FAILS(float8_cot(INFINITY, E));
	FLOAT(float8_cot(-0.0, E), -INFINITY);
	FLOAT(float8_asin(-1, E), -acos(-1) / 2);
	FAILS(float8_asin(nextafter(1, 2), E));
	FLOAT(float8_acos(1, E), 0.0);
	FAILS(float8_acos(-INFINITY, E));
	FLOAT(float8_atan(INFINITY), acos(-1) / 2);
	FLOAT(float8_atan2(-0.0, -1), -acos(-1));
	FLOAT(float8_atan2(NAN, 1), NAN);
	FLOAT(float8_sinh(-711), -INFINITY);
	FLOAT(float8_cosh(-711), INFINITY);
	FLOAT(float8_tanh(-DBL_MAX), -1.0);
	FLOAT(float8_asinh(-INFINITY), -INFINITY);
	FLOAT(float8_acosh(1, E), 0.0);
	FAILS(float8_acosh(0.5, E));
	FLOAT(float8_atanh(-1, E), -INFINITY);
	FAILS(float8_atanh(1.5, E));
}

static void
test_power(void)
{
	FLOAT(float8_power(NAN, 0, E), 1.0);
	FLOAT(float8_power(1, NAN, E), 1.0);
	FLOAT(float8_power(NAN, NAN, E), NAN);
	FLOAT(float8_power(0, NAN, E), NAN);
	FLOAT(float8_power(-2, 3, E), -8.0);
	FLOAT(float8_power(-0.0, 3, E), -0.0);
	FLOAT(float8_power(-1, INFINITY, E), 1.0);
	FLOAT(float8_power(0.5, -INFINITY, E), INFINITY);
	FLOAT(float8_power(0.5, INFINITY, E), 0.0);
	FLOAT(float8_power(2, -INFINITY, E), 0.0);
	FLOAT(float8_power(INFINITY, 0, E), 1.0);
	FLOAT(float8_power(INFINITY, -0.5, E), 0.0);
	FLOAT(float8_power(-INFINITY, 3, E), -INFINITY);
	FLOAT(float8_power(-INFINITY, 2, E), INFINITY);
	FLOAT(float8_power(-INFINITY, -3, E), -0.0);
	FLOAT(float8_power(-INFINITY, -2, E), 0.0);
	FAILS(float8_power(0, -1, E));
	FAILS(float8_power(-0.0, -INFINITY, E));
	FAILS(float8_power(-2, 0.5, E));
	FAILS(float8_power(-INFINITY, 0.5, E));
	FAILS(float8_power(10, 309, E));
	FAILS(float8_power(10, -400, E));
}

static void
test_bits(void)
{
	GIVES(int2_shl(1, 15, E), MIN2);
	FAILS(int2_shl(1, 16, E));
	FAILS(int2_shr(1, -1, E));
	GIVES(int4_shl(-1, 31, E), MIN4);
	GIVES(int4_shr(MIN4, 31, E), -1);
	FAILS(int4_shl(1, 32, E));
	GIVES(int8_shl(1, 63, E), MIN8);
	FAILS(int8_shr(1, 64, E));
	GIVES(int2_not(0), -1);
	GIVES(int8_xor(MIN8, -1), MAX8);
	FAILS(float8_sqrt(-DBL_MIN, E));
	GIVES(float8_sqrt(2.25, E), 1.5);
	FAILS(float8_fraction(-DBL_MIN, E));
	FAILS(float8_fraction(1 + DBL_EPSILON, E));
	FAILS(float8_fraction(NAN, E));
	GIVES(float8_fraction(1, E), 1);
	GIVES(signbit(float8_fraction(-0.0, E)), 0);
	GIVES(float8_round(2.5), 2);
	GIVES(float8_trunc(-2.5), -2);
	GIVES(float8_sign(NAN), 0);
}

/* One hour more from the hour 1000 on, and less again from 2000 to 3000. */
static void
test_zones(void)
{
	static const int64_t hour = 3600 * SECOND_MICROSECONDS;
	static const ZoneSpan spans[] = {
		{INT64_MIN, 0},
		{1000 * 3600 * SECOND_MICROSECONDS, 3600 * SECOND_MICROSECONDS},
		{2000 * 3600 * SECOND_MICROSECONDS, 0},
		{3000 * 3600 * SECOND_MICROSECONDS, ZONE_UNKNOWN}
	};
	Bytes		zone = {(const char *) spans, sizeof(spans)};
	Bytes		none = {"", 0};

	GIVES(timestamptz_local(1000 * hour - 1, zone, E), 1000 * hour - 1);
	GIVES(timestamptz_local(1000 * hour, zone, E), 1001 * hour);
	GIVES(timestamptz_local(2000 * hour, zone, E), 2000 * hour);
	FAILS(timestamptz_local(3000 * hour, zone, E));
	FAILS(timestamptz_local(0, none, E));
	GIVES(timestamptz_local(MAX8, none, E), MAX8);
	GIVES(timestamp_utc(999 * hour, zone, E), 999 * hour);
	/* left out: as before; twice: as after */
	GIVES(timestamp_utc(1000 * hour + hour / 2, zone, E), 1000 * hour + hour / 2);
	GIVES(timestamp_utc(1001 * hour, zone, E), 1000 * hour);
	GIVES(timestamp_utc(2000 * hour, zone, E), 2000 * hour);
	GIVES(timestamp_utc(2001 * hour - 1, zone, E), 2001 * hour - 1);
	FAILS(timestamp_utc(2999 * hour, zone, E));
	FAILS(timestamp_utc(0, none, E));
	GIVES(timestamp_utc(MIN8, zone, E), MIN8);
}

static void
test_sets(void)
{
	static const struct
	{
		SetHeader	header;
		int64_t		values[3];
	}			numbers = {{3, 1}, {-5, 0, MAX8}};
	static const struct
	{
		SetHeader	header;
		uint32_t	places[4];
		char		data[4];
	}			texts = {{3, 0}, {24, 24, 25, 27}, "ab\xc3"};
	Bytes		set = {(const char *) &numbers, sizeof(numbers)};
	Bytes		words = {(const char *) &texts, sizeof(texts)};
	Bytes		none = {"", 0};

	GIVES(int8_in(-5, set), 1);
	GIVES(int8_in(MAX8, set), 1);
	GIVES(int8_in(MIN8, set), 0);
	GIVES(int8_in(1, set), 0);
	GIVES(int8_in(1, none), 0);
	GIVES(set_has_null(set), 1);
	GIVES(set_has_element(none), 0);
	GIVES(text_in(bytes(""), words), 1);
	GIVES(text_in(bytes("a"), words), 1);
	GIVES(text_in(bytes("b\xc3"), words), 1);
	GIVES(text_in(bytes("b"), words), 0);
	GIVES(text_in(bytes("z"), words), 0);
	GIVES(text_in(bytes("z"), none), 0);
}

static bool
is_text(Bytes a, const char *expected)
{
	return text_eq(a, bytes(expected));
}

static void
test_fields(void)
{
	GIVES(is_text(text_before(bytes("a,b"), bytes(",")), "a"), 1);
	GIVES(is_text(text_before(bytes("ab"), bytes(",")), "ab"), 1);
	GIVES(is_text(text_before(bytes(",b"), bytes(",")), ""), 1);
	GIVES(is_text(text_before(bytes("ab"), bytes("")), "ab"), 1);
	GIVES(is_text(text_behind(bytes("a,b,c"), bytes(",")), "b,c"), 1);
	GIVES(is_text(text_behind(bytes("a,"), bytes(",")), ""), 1);
	GIVES(is_text(text_behind(bytes("ab"), bytes(",")), ""), 1);
	GIVES(is_text(text_behind(bytes("a"), bytes("ab")), ""), 1);
	GIVES(is_text(text_behind(bytes("a::b:"), bytes("::")), "b:"), 1);
	GIVES(is_text(text_behind_last(bytes("a,b,c"), bytes(",")), "c"), 1);
	GIVES(is_text(text_behind_last(bytes("a,b,"), bytes(",")), ""), 1);
	GIVES(is_text(text_behind_last(bytes("abc"), bytes(",")), "abc"), 1);
	GIVES(is_text(text_behind_last(bytes("aaa"), bytes("aa")), "a"), 1);
	GIVES(is_text(text_behind_last(bytes("abc"), bytes("")), "abc"), 1);
	GIVES(is_text(text_from(bytes("aé€b"), 0), "aé€b"), 1);
	GIVES(is_text(text_from(bytes("aé€b"), INT32_MIN), "aé€b"), 1);
	GIVES(is_text(text_from(bytes("aé€b"), 1), "aé€b"), 1);
	GIVES(is_text(text_from(bytes("aé€b"), 3), "€b"), 1);
	GIVES(is_text(text_from(bytes("aé€b"), 5), ""), 1);
	GIVES(is_text(text_from(bytes("aé€b"), INT32_MAX), ""), 1);
	GIVES(is_text(text_last(bytes("aé€b"), 0), ""), 1);
	GIVES(is_text(text_last(bytes("aé€b"), 2), "€b"), 1);
	GIVES(is_text(text_last(bytes("aé€b"), 9), "aé€b"), 1);
	GIVES(is_text(text_last(bytes("aé€b"), -3), "b"), 1);
	GIVES(is_text(text_last(bytes("aé€b"), -4), ""), 1);
	GIVES(is_text(text_last(bytes("aé€b"), INT32_MIN), "aé€b"), 1);
	GIVES(text_code(bytes("")), 0);
	GIVES(text_code(bytes("az")), 97);
	GIVES(text_code(bytes("\xc3\xa9x")), 233);
	GIVES(text_code(bytes("\xe2\x82\xac")), 8364);
	GIVES(text_code(bytes("\xf0\x9f\x98\x80")), 128512);
	GIVES(text_code(bytes("\xf0\x9f")), 0x1f);
	GIVES(text_ascii(bytes("az\x7f"), &failed).len, 3);
	GIVES(text_ascii(bytes(""), &failed).len, 0);
	FAILS(text_ascii(bytes("a\xc3\xa9"), &failed));
}

/* An object of one pair, and what is asked of it. */
static void
test_json(void)
{
	/* {"a": "xy"}: a header, an entry of the key, one of the value, and their bytes */
	static const char object[] = "\x01\x00\x00\x20\x01\x00\x00\x80\x02\x00\x00\x00" "axy";
	Bytes		a = {object, sizeof(object) - 1};
	Bytes		short_one = {object, sizeof(object) - 2};

	GIVES(jsonb_place(a, bytes("a")), 1);
	GIVES(jsonb_place(a, bytes("b")), JSON_NO_KEY);
	GIVES(jsonb_place(bytes(""), bytes("a")), JSON_NO_KEY);
	GIVES(text_eq(jsonb_text(a, 1, E), bytes("xy")), 1);
	FAILS(jsonb_text(short_one, 1, E));
	GIVES(jsonb_text(a, JSON_NO_KEY, E).len, 0);
	GIVES(jsonb_inside(a, 1).len, 0);
	GIVES(jsonb_has(a, bytes("a")), 1);
	GIVES(text_int2(bytes("-32768"), E), MIN2);
	FAILS(text_int2(bytes("-32769"), E));
	GIVES(text_int8(bytes("-9223372036854775808"), E), MIN8);
	FAILS(text_int8(bytes("9223372036854775808"), E));
	FAILS(text_int4(bytes("+"), E));
	GIVES(text_float8(bytes("-1.25e2"), E), -125.0);
	GIVES(text_float8(bytes("0.1"), E), 0.1);
	GIVES(text_bool(bytes(" oFF"), E), 0);
	FAILS(text_bool(bytes("o"), E));
}

/* Any bytes can be asked; what is read stays within them, as sanitizers see. */
static void
test_damaged_json(void)
{
	uint64_t	seed = 1;
	uint64_t	answers = 0;
	char		number[JSON_NUMBER_LENGTH];

	for (int trial = 0; trial < 20000; trial++)
	{
		uint32_t	len = (uint32_t) (trial % 60);
		char	   *data = malloc(len + 1);
		Bytes		a = {data, len};
		bool		failed = false;

		for (uint32_t i = 0; i < len; i++)
		{
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			data[i] = (char) (seed >> 60);
		}
		/* mostly an object of few pairs, or an array of few elements */
		if (len > 4)
		{
			data[0] = (char) (data[0] & 3);
			data[1] = data[2] = 0;
			data[3] = trial % 5 == 0 ? 0x40 : 0x20;
			for (uint32_t i = 7; i < len; i += 4)
				data[i] = (char) (data[i] << 4);
			for (uint32_t i = 5; i < len; i += trial % 3 == 0 ? 1 : 4)
				data[i] = 0;
		}
		for (int32_t place = -2; place < 9; place++)
		{
			Bytes		text = json_text(a, place, number, &failed);
			Bytes		inside = jsonb_inside(a, place);

			answers += text_chars(text) + text_chars(inside);
		}
		answers += jsonb_place(a, bytes("a")) > 0;
		answers += jsonb_has(a, bytes(""));
		free(data);
	}
	ok(answers > 0, "damaged documents are asked for their values");
}

int
main(void)
{
	test_json();
	test_damaged_json();
	test_text_order();
	test_bits();
	test_libm();
	test_power();
	test_zones();
	test_sets();
	test_comparisons();
	test_squares();
	test_int2();
	test_int4();
	test_int8();
	test_int_casts();
	test_float8();
	test_float4();
	test_float_casts();
	test_dates();
	test_dates_and_timestamps();
	test_calendar();
	test_date_fields();
	test_timestamp_fields();
	test_intervals();
	test_whole_numerics();
	test_spans();
	test_made_times();
	test_buckets();
	test_bytes();
	test_like();
	test_like_at_random();
	test_text_parts();
	test_fields();
	return done_testing();
}
