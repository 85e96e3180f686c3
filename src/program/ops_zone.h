/*
 * ops_zone.h
 *	  Operations on timestamps that need a time zone's rules.
 *
 * The rules are data: a parameter's bytes, filled when execution begins, that are
 * an array of ZoneSpan.  The first span begins before all timestamps, each
 * ends where the next one begins, and where the rules are not listed the
 * offset is ZONE_UNKNOWN, which makes the result an error, so that PostgreSQL
 * answers.  Timestamps with time zone count from 2000-01-01 00:00 UTC, those
 * without from the local time of that name.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_ZONE_H
#define GPUAGG_OPS_ZONE_H

#include "fn.h"
#include "ops_calendar.h"

typedef struct ZoneSpan
{
	int64_t		from;			/* UTC */
	int64_t		offset;			/* local time - UTC, in microseconds */
} ZoneSpan;

#define ZONE_UNKNOWN MINUS_INFINITE_TIMESTAMP

/* Which of the zone's spans, of which there is one, a time in UTC is in. */
GA_FN uint32_t
zone_span(Bytes zone, int64_t at)
{
	const ZoneSpan *spans = (const ZoneSpan *) zone.data;
	uint32_t	first = 0;
	uint32_t	n = zone.len / sizeof(ZoneSpan);

	while (n > 1)
	{
		uint32_t	half = n / 2;

		if (spans[first + half].from <= at)
			first += half;
		n -= half;
	}
	return first;
}

/* timestamptz to timestamp */
GA_FN int64_t
timestamptz_local(int64_t at, Bytes zone, bool *error)
{
	int64_t		offset = ZONE_UNKNOWN;

	if (timestamp_is_infinite(at))
		return at;
	if (zone.len >= sizeof(ZoneSpan))
		offset = ((const ZoneSpan *) zone.data)[zone_span(zone, at)].offset;
	*error |= offset == ZONE_UNKNOWN;
	return timestamp_add_time(at, offset, error);
}

GA_FN int64_t
minus_wrapping(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a - (uint64_t) b);
}

/*
 * The offset of a local time, whole seconds.  It is looked at from the day
 * before: where the next change of the offset lies between its two
 * interpretations, what came before the change is taken if the time was left
 * out, and what came after it if the time came twice.
 */
GA_FN int64_t
local_offset(int64_t local, Bytes zone)
{
	const ZoneSpan *spans = (const ZoneSpan *) zone.data;
	uint32_t	n = zone.len / sizeof(ZoneSpan);
	uint32_t	span = zone_span(zone, minus_wrapping(local, DAY_MICROSECONDS));
	int64_t		before = spans[span].offset;
	int64_t		after;
	int64_t		change;
	int64_t		if_before;
	int64_t		if_after;

	if (span + 1 >= n || before == ZONE_UNKNOWN)
		return before;
	after = spans[span + 1].offset;
	if (after == ZONE_UNKNOWN)
		return after;
	change = spans[span + 1].from;
	if_before = minus_wrapping(local, before);
	if_after = minus_wrapping(local, after);
	if (if_before < change && if_after < change)
		return before;
	if (if_before > change && if_after >= change)
		return after;
	return if_before > if_after ? before : after;
}

/* timestamp to timestamptz */
GA_FN int64_t
timestamp_utc(int64_t local, Bytes zone, bool *error)
{
	int64_t		fraction = local % SECOND_MICROSECONDS;
	int64_t		offset = ZONE_UNKNOWN;

	if (timestamp_is_infinite(local))
		return local;
	if (fraction < 0)
		fraction += SECOND_MICROSECONDS;
	if (zone.len >= sizeof(ZoneSpan))
		offset = local_offset(minus_wrapping(local, fraction), zone);
	*error |= offset == ZONE_UNKNOWN;
	return timestamp_add_time(local, minus_wrapping(0, offset), error);
}

#endif							/* GPUAGG_OPS_ZONE_H */
