/*
 * interval_order.h
 *	  The order of intervals and their lengths, for states.
 *
 * PostgreSQL compares intervals by their length: a month is 30 days, a day 24
 * hours.  So intervals that are written differently can be equal, and which of
 * them is an extreme depends on the order of the rows.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_INTERVAL_ORDER_H
#define GPUAGG_INTERVAL_ORDER_H

#include "fn.h"
#include "ops_wide.h"

/* Microseconds of a day. */
#define INTERVAL_DAY INT64_C(86400000000)

/* An interval as two words of a state, and back. */
GA_FN uint64_t
interval_days_word(TimeSpan a)
{
	return (uint64_t) (uint32_t) a.month << 32 | (uint32_t) a.day;
}

GA_FN TimeSpan
interval_of_words(uint64_t time, uint64_t days)
{
	TimeSpan	result;

	result.time = (int64_t) time;
	result.day = (int32_t) (uint32_t) days;
	result.month = (int32_t) (uint32_t) (days >> 32);
	return result;
}

/* Its length in microseconds. */
GA_FN Wide
interval_length(TimeSpan a)
{
	int64_t		days = (int64_t) a.month * 30 + a.day;

	return wide_plus(wide_product(days, INTERVAL_DAY), wide_of_int8(a.time));
}

/* An interval of so many microseconds, as differences of timestamps are: whole days, and the rest. */
GA_FN TimeSpan
interval_of_length(int64_t length)
{
	TimeSpan	result;

	result.month = 0;
	result.day = (int32_t) (length / INTERVAL_DAY);
	result.time = length % INTERVAL_DAY;
	return result;
}

/* Less, equal or greater than zero. */
GA_FN int
interval_order(TimeSpan a, TimeSpan b)
{
	Wide		x = interval_length(a);
	Wide		y = interval_length(b);

	return wide_lt(y, x) - wide_lt(x, y);
}

GA_FN bool
interval_is_same(TimeSpan a, TimeSpan b)
{
	return a.time == b.time && a.day == b.day && a.month == b.month;
}

#endif							/* GPUAGG_INTERVAL_ORDER_H */
