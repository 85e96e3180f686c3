/*
 * zone.c
 *	  A time zone's rules as data, for parameters.
 *
 * The backend's time zone library gives the changes of a zone's offset one after
 * the other.  The table lists those of four centuries; before and after these it
 * has an offset only if nothing changes there.
 */
#include "postgres.h"

#include "parser/scansup.h"
#include "utils/datetime.h"

#include "compat.h"
#include "exec/values/value_parts.h"
#include "program/ops_zone.h"

/* From 1800 to 2200, in seconds since 1970. */
#define FIRST_SECOND (INT64CONST(-62091) * SECS_PER_DAY)
#define LAST_SECOND (INT64CONST(84006) * SECS_PER_DAY)

/* More changes than any zone has in that time. */
#define MAX_SPANS 4096

/* What comes before all timestamps. */
#define EARLIEST_SECOND ((DATE_FIRST + (int64) UNIX_DAYS - 2) * SECS_PER_DAY)

static int64
microseconds(pg_time_t seconds)
{
	return (seconds - (int64) UNIX_DAYS * SECS_PER_DAY) * USECS_PER_SEC;
}

/* One change of the offset: false if there is none after that time. */
typedef struct Change
{
	long int	before;
	long int	after;
	pg_time_t	at;
} Change;

static int
next_change(pg_tz *zone, pg_time_t after, Change *change)
{
	int			isdst;

	return pg_next_dst_boundary(&after, &change->before, &isdst, &change->at,
								&change->after, &isdst, zone);
}

/* Does PostgreSQL turn that time into local time with that offset? */
static bool
offset_is(pg_tz *zone, pg_time_t at, long int offset)
{
	struct pg_tm *local = pg_localtime(&at, zone);

	return local != NULL && local->tm_gmtoff == offset;
}

bool
zone_table(pg_tz *zone, Bytes *table, char **reason)
{
	ZoneSpan   *spans = palloc(MAX_SPANS * sizeof(ZoneSpan));
	pg_time_t	at = EARLIEST_SECOND;
	Change		change;
	int			n = 0;
	int			more = next_change(zone, at, &change);

	/* the offset before FIRST_SECOND is not known, even if nothing changes */
	spans[n].from = PG_INT64_MIN;
	spans[n++].offset = ZONE_UNKNOWN;
	if (more > 0 && change.at < FIRST_SECOND)
	{
		at = FIRST_SECOND;
		more = next_change(zone, at, &change);
		spans[n].from = microseconds(at);
		spans[n++].offset = change.before * USECS_PER_SEC;
	}
	else if (more >= 0 && offset_is(zone, at, change.before))
		spans[0].offset = change.before * USECS_PER_SEC;

	for (; more > 0; more = next_change(zone, at, &change))
	{
		if (n == MAX_SPANS || change.at <= at || !offset_is(zone, change.at, change.after))
		{
			more = -1;
			break;
		}
		at = change.at;
		spans[n].from = microseconds(at);
		spans[n].offset = at < LAST_SECOND ? change.after * USECS_PER_SEC : ZONE_UNKNOWN;
		if (spans[n++].offset == ZONE_UNKNOWN)
			break;
	}
	if (more < 0)
	{
		*reason = psprintf("the rules of time zone \"%s\" cannot be determined",
						   pg_get_timezone_name(zone));
		return false;
	}
	table->data = (const char *) spans;
	table->len = n * sizeof(ZoneSpan);
	return true;
}

static void
fixed_table(int64 offset, Bytes *table)
{
	ZoneSpan   *span = palloc(sizeof(ZoneSpan));

	span->from = PG_INT64_MIN;
	span->offset = offset * USECS_PER_SEC;
	table->data = (const char *) span;
	table->len = sizeof(ZoneSpan);
}

/*
 * Abbreviations come before names, as PostgreSQL looks for them.  One whose
 * offset depends on the time is left to PostgreSQL, and so is an unknown name.
 */
bool
zone_table_named(const char *name, Bytes *table, char **reason)
{
	char	   *lower_name = downcase_truncate_identifier(name, strlen(name), false);
	int			offset;
	pg_tz	   *zone;
	int			type = compat_decode_zone_abbreviation(lower_name, &offset, &zone);

	if (type == TZ || type == DTZ)
	{
		fixed_table(offset, table);
		return true;
	}
	zone = type == DYNTZ || strlen(name) > TZ_STRLEN_MAX ? NULL : pg_tzset(name);
	if (zone != NULL)
		return zone_table(zone, table, reason);
	*reason = psprintf("time zone \"%s\" has no rules", name);
	return false;
}
