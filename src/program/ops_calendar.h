/*
 * ops_calendar.h
 *	  Operations on dates and timestamps that need the calendar: fields,
 *	  truncation, intervals.
 *
 * The calendar is the proleptic Gregorian one.  Years are counted with a year 0
 * (1 BC) until a field is given out, as PostgreSQL does.  A year is thought of
 * as beginning in March, so that the leap day is its last: then the day's place
 * in a cycle of 400 years (146097 days) gives year, month and day by divisions
 * alone.  Counting begins some cycles before the earliest day, which keeps all
 * numbers positive and unsigned, so that no bits in an operand trap.
 *
 * An infinite timestamp has no day.  Whoever lowers a call asks isfinite first
 * where PostgreSQL's answer is NULL.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_CALENDAR_H
#define GPUAGG_OPS_CALENDAR_H

#include "date_field.h"
#include "fn.h"
#include "ops_date.h"

#define CYCLE_YEARS 400
#define CYCLE_DAYS 146097
#define CYCLES_BEFORE 20		/* cycles counted before 1 March of year 0 */
#define MARCH_YEAR_0 730425		/* days from then to 2000-01-01 */
#define POSTGRES_JULIAN 2451545 /* the Julian day of 2000-01-01 */
#define UNIX_DAYS 10957			/* days from 1970-01-01 to 2000-01-01 */
#define SECOND_MICROSECONDS ((int64_t) 1000 * 1000)

typedef struct CivilDate
{
	int32_t		year;			/* with a year 0 */
	int32_t		month;			/* 1 to 12 */
	int32_t		day;			/* 1 to 31 */
} CivilDate;

/* A timestamp taken apart: time is the microseconds since midnight. */
typedef struct DayTime
{
	int64_t		day;
	int64_t		time;
} DayTime;

/* The day's number as a date in the calendar. */
GA_FN CivilDate
civil_date(int32_t days)
{
	uint32_t	count = (uint32_t) days + MARCH_YEAR_0 + CYCLES_BEFORE * CYCLE_DAYS;
	uint32_t	cycle = count / CYCLE_DAYS;
	uint32_t	day = count % CYCLE_DAYS;
	uint32_t	year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	uint32_t	month;
	CivilDate	date;

	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;	/* from March */
	date.day = (int32_t) (day - (153 * month + 2) / 5 + 1);
	date.month = (int32_t) (month < 10 ? month + 3 : month - 9);
	date.year = (int32_t) (cycle * CYCLE_YEARS + year) - CYCLES_BEFORE * CYCLE_YEARS +
		(month >= 10);
	return date;
}

/* The number of a day; years from -5000 to some millions. */
GA_FN int32_t
civil_days(int32_t year, int32_t month, int32_t day)
{
	uint32_t	from_march = (uint32_t) (month > 2 ? month - 3 : month + 9);
	uint32_t	count = (uint32_t) (year + CYCLES_BEFORE * CYCLE_YEARS - (month <= 2));
	uint32_t	rest = count % CYCLE_YEARS;

	return (int32_t) (count / CYCLE_YEARS * CYCLE_DAYS + rest * 365 + rest / 4 - rest / 100 +
					  (153 * from_march + 2) / 5 + (uint32_t) day - 1 -
					  MARCH_YEAR_0 - CYCLES_BEFORE * CYCLE_DAYS);
}

GA_FN int32_t
month_length(int32_t year, int32_t month)
{
	if (month == 2)
		return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
	return 30 + ((month + month / 8) & 1);
}

/* Monday is 1, Sunday 7.  2000-01-01 was a Saturday. */
GA_FN int32_t
iso_weekday(int32_t days)
{
	int32_t		since_monday = (int32_t) (((int64_t) days + 5) % 7);

	return (since_monday < 0 ? since_monday + 7 : since_monday) + 1;
}

GA_FN bool
timestamp_is_infinite(int64_t timestamp)
{
	return timestamp == MINUS_INFINITE_TIMESTAMP || timestamp == INFINITE_TIMESTAMP;
}

GA_FN DayTime
day_and_time(int64_t timestamp)
{
	DayTime		result;

	result.day = timestamp / DAY_MICROSECONDS;
	result.time = timestamp % DAY_MICROSECONDS;
	if (result.time < 0)
	{
		result.time += DAY_MICROSECONDS;
		result.day--;
	}
	return result;
}

/* The timestamp of a day and a time in it, if there is one. */
GA_FN int64_t
timestamp_at(int64_t day, int64_t time, bool *error)
{
	*error |= day < DATE_FIRST || day >= DATE_TIMESTAMP_END;
	return (int64_t) ((uint64_t) day * (uint64_t) DAY_MICROSECONDS + (uint64_t) time);
}

GA_FN uint8_t
date_isfinite(int32_t date)
{
	return !date_is_infinite(date);
}

GA_FN uint8_t
timestamp_isfinite(int64_t timestamp)
{
	return !timestamp_is_infinite(timestamp);
}

/* As years are written: there is 1 BC, -1, before 1 AD. */
GA_FN int32_t
year_without_zero(int32_t year)
{
	return year > 0 ? year : year - 1;
}

/* The count of n years that a year is in, 1 from 1 AD, -1 before it. */
GA_FN int32_t
years_count(int32_t year, int32_t n)
{
	return year > 0 ? (year + n - 1) / n : -((n - year) / n);
}

/* The first year of such a count. */
GA_FN int32_t
years_start(int32_t year, int32_t n)
{
	return years_count(year, n) * n + (year > 0 ? 1 - n : 1);
}

GA_FN int32_t
decade_of(int32_t year)
{
	return (year >= 0 ? year : year - 9) / 10;
}

/* A week belongs to the year that its Thursday is in. */
GA_FN int32_t
iso_week_or_year(int32_t days, bool want_year)
{
	int32_t		thursday = (int32_t) ((uint32_t) days + 4 - (uint32_t) iso_weekday(days));
	int32_t		year = civil_date(thursday).year;

	if (want_year)
		return year_without_zero(year);
	return (int32_t) (((int64_t) thursday - civil_days(year, 1, 1)) / 7) + 1;
}

/* A field of a day. */
GA_FN int64_t
day_field(int32_t days, int32_t field)
{
	CivilDate	date = civil_date(days);

	switch (field)
	{
		case FIELD_DAY:
			return date.day;
		case FIELD_WEEK:
			return iso_week_or_year(days, false);
		case FIELD_MONTH:
			return date.month;
		case FIELD_QUARTER:
			return (date.month + 2) / 3;
		case FIELD_YEAR:
			return year_without_zero(date.year);
		case FIELD_DECADE:
			return decade_of(date.year);
		case FIELD_CENTURY:
			return years_count(date.year, 100);
		case FIELD_MILLENNIUM:
			return years_count(date.year, 1000);
		case FIELD_ISOYEAR:
			return iso_week_or_year(days, true);
		case FIELD_DOW:
			return iso_weekday(days) % 7;
		case FIELD_ISODOW:
			return iso_weekday(days);
		case FIELD_DOY:
			return (int64_t) days - civil_days(date.year, 1, 1) + 1;
		case FIELD_JULIAN:
			return (int64_t) days + POSTGRES_JULIAN;
		default:				/* FIELD_EPOCH */
			return ((int64_t) days + UNIX_DAYS) * 86400;
	}
}

/*
 * extract(field from date), cast to bigint.  An infinite date has no integer
 * for those fields that grow for ever.
 */
GA_FN int64_t
date_extract(int32_t date, int32_t field, bool *error)
{
	*error |= date_is_infinite(date);
	return day_field(date, field);
}

/* value / divisor, rounded; halves away from zero, as numeric rounds. */
GA_FN int64_t
rounded_quotient(int64_t value, int64_t divisor)
{
	int64_t		quotient = value / divisor;
	int64_t		rest = value % divisor;

	if (rest >= divisor - divisor / 2)
		quotient++;
	else if (rest <= divisor / 2 - divisor)
		quotient--;
	return quotient;
}

/* Microseconds since 1970. */
GA_FN int64_t
epoch_microseconds(int64_t timestamp, bool *error)
{
	int64_t		sum = (int64_t) ((uint64_t) timestamp + (uint64_t) (UNIX_DAYS * DAY_MICROSECONDS));

	*error |= sum < timestamp;
	return sum;
}

/* extract(field from timestamp), cast to bigint. */
GA_FN int64_t
timestamp_extract(int64_t timestamp, int32_t field, bool *error)
{
	DayTime		at = day_and_time(timestamp);
	int64_t		in_minute = at.time % (60 * SECOND_MICROSECONDS);

	if (timestamp_is_infinite(timestamp))
	{
		*error = true;
		return 0;
	}
	switch (field)
	{
		case FIELD_MICROSECONDS:
			return in_minute;
		case FIELD_MILLISECONDS:
			return rounded_quotient(in_minute, 1000);
		case FIELD_SECOND:
			return rounded_quotient(in_minute, SECOND_MICROSECONDS);
		case FIELD_MINUTE:
			return at.time / (60 * SECOND_MICROSECONDS) % 60;
		case FIELD_HOUR:
			return at.time / (3600 * SECOND_MICROSECONDS);
		case FIELD_JULIAN:
			return at.day + POSTGRES_JULIAN + (at.time >= DAY_MICROSECONDS / 2);
		case FIELD_EPOCH:

			/* whole days are whole seconds, so only the time needs rounding */
			if (at.day + UNIX_DAYS >= 0)
				return (at.day + UNIX_DAYS) * 86400 +
					rounded_quotient(at.time, SECOND_MICROSECONDS);
			return (at.day + UNIX_DAYS + 1) * 86400 +
				rounded_quotient(at.time - DAY_MICROSECONDS, SECOND_MICROSECONDS);
		case FIELD_EPOCH_MICROSECONDS:
			return epoch_microseconds(timestamp, error);
		default:
			return day_field((int32_t) at.day, field);
	}
}

/* An infinite timestamp's field that grows for ever. */
GA_FN double
infinite_part(int64_t timestamp)
{
	double		infinity = 1e308 * 10;

	return timestamp > 0 ? infinity : -infinity;
}

/* date_part(field, timestamp): the same sums of doubles as PostgreSQL's. */
GA_FN double
timestamp_part(int64_t timestamp, int32_t field)
{
	DayTime		at = day_and_time(timestamp);
	double		second = (double) (at.time / SECOND_MICROSECONDS % 60);
	double		fraction = (double) (at.time % SECOND_MICROSECONDS);
	int64_t		epoch = -(int64_t) UNIX_DAYS * DAY_MICROSECONDS;
	bool		error = false;

	if (timestamp_is_infinite(timestamp))
		return infinite_part(timestamp);
	switch (field)
	{
		case FIELD_MILLISECONDS:
			return second * 1000.0 + fraction / 1000.0;
		case FIELD_SECOND:
			return second + fraction / 1000000.0;
		case FIELD_JULIAN:
			return (double) (at.day + POSTGRES_JULIAN) +
				((double) (at.time / SECOND_MICROSECONDS) + fraction / 1000000.0) / 86400.0;
		case FIELD_EPOCH:
			if (timestamp < INFINITE_TIMESTAMP + epoch)
				return (double) (timestamp - epoch) / 1000000.0;
			return ((double) timestamp - (double) epoch) / 1000000.0;
		default:
			return (double) timestamp_extract(timestamp, field, &error);
	}
}

/* The first day of the month, year or other field that a day is in, from FIELD_DAY. */
GA_FN int32_t
day_trunc(int32_t days, int32_t field)
{
	CivilDate	date = civil_date(days);

	switch (field)
	{
		case FIELD_WEEK:
			return days - iso_weekday(days) + 1;
		case FIELD_MONTH:
			return days - date.day + 1;
		case FIELD_QUARTER:
			return civil_days(date.year, (date.month - 1) / 3 * 3 + 1, 1);
		case FIELD_YEAR:
			return civil_days(date.year, 1, 1);
		case FIELD_DECADE:
			return civil_days(decade_of(date.year) * 10, 1, 1);
		case FIELD_CENTURY:
			return civil_days(years_start(date.year, 100), 1, 1);
		case FIELD_MILLENNIUM:
			return civil_days(years_start(date.year, 1000), 1, 1);
		default:				/* FIELD_DAY */
			return days;
	}
}

/* date_trunc(field, timestamp) */
GA_FN int64_t
timestamp_trunc(int64_t timestamp, int32_t field, bool *error)
{
	DayTime		at = day_and_time(timestamp);

	if (timestamp_is_infinite(timestamp))
		return timestamp;
	switch (field)
	{
		case FIELD_MICROSECONDS:
			return timestamp;
		case FIELD_MILLISECONDS:
			return timestamp_at(at.day, at.time - at.time % 1000, error);
		case FIELD_SECOND:
			return timestamp_at(at.day, at.time - at.time % SECOND_MICROSECONDS, error);
		case FIELD_MINUTE:
			return timestamp_at(at.day, at.time - at.time % (60 * SECOND_MICROSECONDS), error);
		case FIELD_HOUR:
			return timestamp_at(at.day, at.time - at.time % (3600 * SECOND_MICROSECONDS), error);
		default:
			return timestamp_at(day_trunc((int32_t) at.day, field), 0, error);
	}
}

/*
 * timestamp + an interval: its months, its days, its time, one after the other.
 * A day that the new month does not have becomes the month's last.
 */
GA_FN int64_t
timestamp_add_months(int64_t timestamp, int32_t months, bool *error)
{
	DayTime		at = day_and_time(timestamp);
	CivilDate	date = civil_date((int32_t) at.day);
	int64_t		month = ((int64_t) date.year + 5000) * 12 + date.month - 1 + months;
	int32_t		year = (int32_t) (month / 12 - 5000);
	int32_t		length;

	if (timestamp_is_infinite(timestamp))
		return timestamp;
	if (month < 0 || year > 300000)
	{
		*error = true;
		return 0;
	}
	length = month_length(year, (int32_t) (month % 12) + 1);
	return timestamp_at(civil_days(year, (int32_t) (month % 12) + 1,
								   date.day < length ? date.day : length),
						at.time, error);
}

GA_FN int64_t
timestamp_add_days(int64_t timestamp, int32_t days, bool *error)
{
	DayTime		at = day_and_time(timestamp);

	if (timestamp_is_infinite(timestamp))
		return timestamp;
	return timestamp_at(at.day + days, at.time, error);
}

GA_FN int64_t
timestamp_add_time(int64_t timestamp, int64_t time, bool *error)
{
	int64_t		sum = (int64_t) ((uint64_t) timestamp + (uint64_t) time);

	if (timestamp_is_infinite(timestamp))
		return timestamp;
	*error |= ((timestamp ^ sum) & (time ^ sum)) < 0 ||
		sum < DATE_FIRST * DAY_MICROSECONDS ||
		sum >= DATE_TIMESTAMP_END * DAY_MICROSECONDS;
	return sum;
}

#endif							/* GPUAGG_OPS_CALENDAR_H */
