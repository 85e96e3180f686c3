/*
 * ops_interval.h
 *	  Operations over intervals, and of times of day.
 *
 * An interval with all of its parts at an end of their range is infinite, from
 * PostgreSQL 17 on.  Whatever has to do with one is an error, so that PostgreSQL
 * answers.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_INTERVAL_H
#define GPUAGG_OPS_INTERVAL_H

#include "fn.h"
#include "interval_order.h"
#include "ops_calendar.h"
#include "ops_float.h"
#include "ops_int.h"

#define MOST_INT4 2147483647

GA_FN bool
interval_is_infinite(TimeSpan a)
{
	return (a.time == INFINITE_TIMESTAMP && a.day == MOST_INT4 && a.month == MOST_INT4) ||
		(a.time == MINUS_INFINITE_TIMESTAMP && a.day == -MOST_INT4 - 1 &&
		 a.month == -MOST_INT4 - 1);
}

GA_FN uint8_t
interval_eq(TimeSpan a, TimeSpan b)
{
	return interval_order(a, b) == 0;
}

GA_FN uint8_t
interval_ne(TimeSpan a, TimeSpan b)
{
	return interval_order(a, b) != 0;
}

GA_FN uint8_t
interval_lt(TimeSpan a, TimeSpan b)
{
	return interval_order(a, b) < 0;
}

GA_FN uint8_t
interval_le(TimeSpan a, TimeSpan b)
{
	return interval_order(a, b) <= 0;
}

GA_FN uint8_t
interval_gt(TimeSpan a, TimeSpan b)
{
	return interval_order(a, b) > 0;
}

GA_FN uint8_t
interval_ge(TimeSpan a, TimeSpan b)
{
	return interval_order(a, b) >= 0;
}

/* A sum, difference or negation, of finite operands. */
GA_FN TimeSpan
interval_finite(TimeSpan result, bool *error)
{
	*error |= interval_is_infinite(result);
	return result;
}

GA_FN TimeSpan
interval_add(TimeSpan a, TimeSpan b, bool *error)
{
	TimeSpan	result;

	*error |= interval_is_infinite(a) || interval_is_infinite(b);
	result.month = int4_add(a.month, b.month, error);
	result.day = int4_add(a.day, b.day, error);
	result.time = int8_add(a.time, b.time, error);
	return interval_finite(result, error);
}

GA_FN TimeSpan
interval_sub(TimeSpan a, TimeSpan b, bool *error)
{
	TimeSpan	result;

	*error |= interval_is_infinite(a) || interval_is_infinite(b);
	result.month = int4_sub(a.month, b.month, error);
	result.day = int4_sub(a.day, b.day, error);
	result.time = int8_sub(a.time, b.time, error);
	return interval_finite(result, error);
}

GA_FN TimeSpan
interval_neg(TimeSpan a, bool *error)
{
	TimeSpan	result;

	*error |= interval_is_infinite(a);
	result.month = int4_neg(a.month, error);
	result.day = int4_neg(a.day, error);
	result.time = int8_neg(a.time, error);
	return interval_finite(result, error);
}

/* timestamp - timestamp */
GA_FN TimeSpan
timestamp_diff(int64_t a, int64_t b, bool *error)
{
	*error |= timestamp_is_infinite(a) || timestamp_is_infinite(b);
	return interval_of_length(int8_sub(a, b, error));
}

/*
 * The length of an interval that is written as differences of timestamps are, so that no
 * other one of these has the same length.
 */
GA_FN int64_t
interval_whole_length(TimeSpan a, bool *error)
{
	int64_t		length = int8_add(int8_mul(a.day, DAY_MICROSECONDS, error), a.time, error);

	*error |= !interval_is_same(interval_of_length(length), a);
	return length;
}

/* What sums of intervals are made of. */
GA_FN int64_t
interval_time(TimeSpan a)
{
	return a.time;
}

/* 2^32 * months + days */
GA_FN int64_t
interval_months_and_days(TimeSpan a)
{
	return (int64_t) ((uint64_t) (int64_t) a.month << 32) + a.day;
}

/*
 * Sizes, by whose sum those of int8 values are known to be in range (SIZE_LIMIT): a unit is
 * 2^32.
 */
GA_FN int64_t
int8_size(int64_t a)
{
	uint64_t	magnitude = a < 0 ? 0 - (uint64_t) a : (uint64_t) a;

	return (int64_t) ((magnitude >> 32) + ((uint32_t) magnitude != 0));
}

/* Likewise of months, days and times; 2^31 of those whose sums are never known to be in range. */
GA_FN int64_t
interval_size(TimeSpan a)
{
	int64_t		month = a.month < 0 ? -(int64_t) a.month : a.month;
	int64_t		day = a.day < 0 ? -(int64_t) a.day : a.day;
	int64_t		size = month + day + int8_size(a.time);

	return size < INT64_C(1) << 31 ? size : INT64_C(1) << 31;
}

/* The seconds of an interval's months and days: a year has 365.25 of them, a month 30. */
GA_FN int64_t
interval_day_seconds(TimeSpan a)
{
	return ((int64_t) (a.month / 12) * 1461 + (int64_t) (a.month % 12) * 120 +
			(int64_t) a.day * 4) * 21600;
}

/*
 * extract(field from interval), in microseconds where it has fractions.  Fields of a
 * negative interval are negative.
 */
GA_FN int64_t
interval_extract(TimeSpan a, int32_t field, bool *error)
{
	*error |= interval_is_infinite(a);
	switch (field)
	{
		case FIELD_MICROSECONDS:
			return a.time % (60 * SECOND_MICROSECONDS);
		case FIELD_MINUTE:
			return a.time / (60 * SECOND_MICROSECONDS) % 60;
		case FIELD_HOUR:
			return a.time / (3600 * SECOND_MICROSECONDS);
		case FIELD_DAY:
			return a.day;
		case FIELD_MONTH:
			return a.month % 12;
		case FIELD_YEAR:
			return a.month / 12;
		case FIELD_DECADE:
			return a.month / 120;
		case FIELD_CENTURY:
			return a.month / 1200;
		case FIELD_MILLENNIUM:
			return a.month / 12000;
		default:				/* FIELD_EPOCH_MICROSECONDS */
			return int8_add(int8_mul(interval_day_seconds(a), SECOND_MICROSECONDS, error),
							a.time, error);
	}
}

/* date_part(field, interval): the same sums of doubles as PostgreSQL's. */
GA_FN double
interval_part(TimeSpan a, int32_t field, bool *error)
{
	int64_t		in_minute = a.time % (60 * SECOND_MICROSECONDS);
	double		second = (double) (in_minute / SECOND_MICROSECONDS);
	double		fraction = (double) (in_minute % SECOND_MICROSECONDS);
	double		result;

	*error |= interval_is_infinite(a);
	switch (field)
	{
		case FIELD_MILLISECONDS:
			return second * 1000.0 + fraction / 1000.0;
		case FIELD_SECOND:
			return second + fraction / 1000000.0;
		case FIELD_EPOCH:
			result = (double) a.time / 1000000.0;
			result += 365.25 * 86400 * (a.month / 12);
			result += 30.0 * 86400 * (a.month % 12);
			result += 86400.0 * a.day;
			return result;
		default:
			return (double) interval_extract(a, field, error);
	}
}

/* Of intervals that differ from row to row, to be added to timestamps. */
GA_FN int32_t
interval_days(TimeSpan a)
{
	return a.day;
}

GA_FN int32_t
interval_months(TimeSpan a, bool *error)
{
	*error |= interval_is_infinite(a);
	return a.month;
}

/* The time of an interval that has nothing else, times a factor. */
GA_FN int64_t
time_product(double factor, int64_t time, bool *error)
{
	double		result = rint((double) time * factor);
	bool		fits = result >= -9223372036854775808.0 && result < 9223372036854775808.0;

	*error |= !fits || isinf(factor);
	return fits ? (int64_t) result : 0;
}

GA_FN TimeSpan
interval_of_time(int64_t time)
{
	TimeSpan	result = {time, 0, 0};

	return result;
}

/*
 * An interval times an integer.  PostgreSQL multiplies in doubles, and carries fractions of
 * months and days down, of which there are none.
 */
GA_FN TimeSpan
interval_product(TimeSpan a, int64_t factor, bool *error)
{
	TimeSpan	result;

	*error |= interval_is_infinite(a);
	result.month = int8_to_int4(int8_mul(a.month, factor, error), error);
	result.day = int8_to_int4(int8_mul(a.day, factor, error), error);
	result.time = time_product((double) factor, a.time, error);
	return interval_finite(result, error);
}

/* The time of day of a timestamp that is not infinite. */
GA_FN int64_t
timestamp_time(int64_t timestamp)
{
	return day_and_time(timestamp).time;
}

/* to_timestamp(seconds since 1970) */
GA_FN int64_t
float8_to_timestamp(double seconds, bool *error)
{
	double		result;

	if (isinf(seconds))
		return seconds > 0 ? INFINITE_TIMESTAMP : MINUS_INFINITE_TIMESTAMP;
	if (!(seconds >= 86400.0 * (DATE_FIRST + UNIX_DAYS) &&
		  seconds < 86400.0 * (DATE_TIMESTAMP_END + UNIX_DAYS)))
	{
		*error = true;
		return 0;
	}
	result = rint((seconds - 86400.0 * UNIX_DAYS) * 1000000.0);
	*error |= !(result >= (double) (DATE_FIRST * DAY_MICROSECONDS) &&
				result < (double) (DATE_TIMESTAMP_END * DAY_MICROSECONDS));
	return (int64_t) result;
}

/* The first day of a year's month, of make_date: a year before Christ is negative. */
GA_FN int32_t
month_start(int32_t year, int32_t month, bool *error)
{
	if (year == 0 || year < -4714 || year > 5874897 || month < 1 || month > 12)
	{
		*error = true;
		return 0;
	}
	return civil_days(year < 0 ? year + 1 : year, month, 1);
}

/* A day of the month that begins on a date. */
GA_FN int32_t
month_day(int32_t start, int32_t day, bool *error)
{
	CivilDate	date = civil_date(start);
	int64_t		days = (int64_t) start + day - 1;

	*error |= day < 1 || day > month_length(date.year, date.month) || days < DATE_FIRST ||
		days >= DATE_END;
	return (int32_t) days;
}

#endif							/* GPUAGG_OPS_INTERVAL_H */
