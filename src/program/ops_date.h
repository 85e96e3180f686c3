/*
 * ops_date.h
 *	  Operations over dates (days since 2000-01-01, int4) and timestamps
 *	  (microseconds since then, int8).
 *
 * The least and the greatest number of each are -infinity and infinity.  The
 * limits of both types are PostgreSQL's (datatype/timestamp.h), given here in
 * the types' own counting.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_DATE_H
#define GPUAGG_OPS_DATE_H

#include "fn.h"

#define MINUS_INFINITE_DATE (-2147483647 - 1)
#define INFINITE_DATE 2147483647
#define DATE_FIRST (-2451545)		/* 4714-11-24 BC */
#define DATE_END 2145031949			/* the day after the last, 5874897-12-31 */
#define DATE_TIMESTAMP_END 106751983	/* first day that no timestamp has */

#define INFINITE_TIMESTAMP ((int64_t) (~(uint64_t) 0 >> 1))
#define MINUS_INFINITE_TIMESTAMP (-INFINITE_TIMESTAMP - 1)
#define DAY_MICROSECONDS ((int64_t) 1000 * 1000 * 86400)

GA_FN bool
date_is_infinite(int32_t date)
{
	return date == MINUS_INFINITE_DATE || date == INFINITE_DATE;
}

/* A date moved to `days`, unless it is infinite: infinity stays. */
GA_FN int32_t
date_moved(int32_t date, int64_t days, bool *error)
{
	if (date_is_infinite(date))
		return date;
	*error |= days < DATE_FIRST || days >= DATE_END;
	return (int32_t) days;
}

GA_FN int32_t
date_add(int32_t date, int32_t days, bool *error)
{
	return date_moved(date, (int64_t) date + days, error);
}

GA_FN int32_t
date_sub(int32_t date, int32_t days, bool *error)
{
	return date_moved(date, (int64_t) date - days, error);
}

/* Days between two dates; an error if one is infinite. */
GA_FN int32_t
date_diff(int32_t a, int32_t b, bool *error)
{
	*error |= date_is_infinite(a) || date_is_infinite(b);
	return (int32_t) ((uint32_t) a - (uint32_t) b);
}

GA_FN int64_t
date_to_timestamp(int32_t date, bool *error)
{
	if (date == MINUS_INFINITE_DATE)
		return MINUS_INFINITE_TIMESTAMP;
	if (date == INFINITE_DATE)
		return INFINITE_TIMESTAMP;
	*error |= date >= DATE_TIMESTAMP_END;
	return (int64_t) ((uint64_t) (int64_t) date * (uint64_t) DAY_MICROSECONDS);
}

GA_FN int32_t
timestamp_to_date(int64_t timestamp, bool *error)
{
	int64_t		days = timestamp / DAY_MICROSECONDS;

	if (timestamp == MINUS_INFINITE_TIMESTAMP)
		return MINUS_INFINITE_DATE;
	if (timestamp == INFINITE_TIMESTAMP)
		return INFINITE_DATE;
	if (timestamp % DAY_MICROSECONDS < 0)
		days--;
	*error |= days < DATE_FIRST;
	return (int32_t) days;
}

/*
 * Less, equal or greater than zero, as date is to timestamp.  A date later than
 * all timestamps is still earlier than infinity.
 */
GA_FN int
date_timestamp_order(int32_t date, int64_t timestamp)
{
	bool		beyond = false;
	int64_t		start = date_to_timestamp(date, &beyond);

	if (beyond)
		return timestamp == INFINITE_TIMESTAMP ? -1 : 1;
	return (start > timestamp) - (start < timestamp);
}

GA_FN uint8_t
date_eq_timestamp(int32_t a, int64_t b)
{
	return date_timestamp_order(a, b) == 0;
}

GA_FN uint8_t
date_ne_timestamp(int32_t a, int64_t b)
{
	return date_timestamp_order(a, b) != 0;
}

GA_FN uint8_t
date_lt_timestamp(int32_t a, int64_t b)
{
	return date_timestamp_order(a, b) < 0;
}

GA_FN uint8_t
date_le_timestamp(int32_t a, int64_t b)
{
	return date_timestamp_order(a, b) <= 0;
}

GA_FN uint8_t
date_gt_timestamp(int32_t a, int64_t b)
{
	return date_timestamp_order(a, b) > 0;
}

GA_FN uint8_t
date_ge_timestamp(int32_t a, int64_t b)
{
	return date_timestamp_order(a, b) >= 0;
}

GA_FN uint8_t
timestamp_eq_date(int64_t a, int32_t b)
{
	return 0 == date_timestamp_order(b, a);
}

GA_FN uint8_t
timestamp_ne_date(int64_t a, int32_t b)
{
	return 0 != date_timestamp_order(b, a);
}

GA_FN uint8_t
timestamp_lt_date(int64_t a, int32_t b)
{
	return 0 < date_timestamp_order(b, a);
}

GA_FN uint8_t
timestamp_le_date(int64_t a, int32_t b)
{
	return 0 <= date_timestamp_order(b, a);
}

GA_FN uint8_t
timestamp_gt_date(int64_t a, int32_t b)
{
	return 0 > date_timestamp_order(b, a);
}

GA_FN uint8_t
timestamp_ge_date(int64_t a, int32_t b)
{
	return 0 >= date_timestamp_order(b, a);
}

#endif							/* GPUAGG_OPS_DATE_H */
