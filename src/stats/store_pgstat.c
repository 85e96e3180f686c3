/*
 * store_pgstat.c
 *	  Cumulative statistics as PostgreSQL's own keep them, from 18 on.
 *
 * They have a kind of their own, whose entries have the database's Oid and the
 * subject's number as key.  PostgreSQL does the rest: it adds what a process has
 * counted when no transaction is open, at most once a second; writes all to a file at
 * a clean shutdown and reads it at the start; and drops a database's entries with
 * the database.
 */
#include "postgres.h"

#if PG_VERSION_NUM >= 180000

#include "miscadmin.h"
#include "utils/pgstat_internal.h"

#include "compat.h"
#include "stats/store.h"

/* A number for those that have reserved none. */
#define STATS_KIND PGSTAT_KIND_EXPERIMENTAL

typedef struct SharedEntry
{
	PgStatShared_Common header;
	StatsEntry	entry;
} SharedEntry;

static bool
flush_entry(PgStat_EntryRef *ref, bool nowait)
{
	if (!pgstat_lock_entry(ref, nowait))
		return false;
	store_add(&((SharedEntry *) ref->shared_stats)->entry, ref->pending);
	pgstat_unlock_entry(ref);
	return true;
}

static void
set_reset_time(PgStatShared_Common *header, TimestampTz time)
{
	((SharedEntry *) header)->entry.reset = time;
}

static const PgStat_KindInfo kind = {
	.name = "gpuagg",
	.fixed_amount = false,
	.accessed_across_databases = true,
	.write_to_file = true,
	.shared_size = sizeof(SharedEntry),
	.shared_data_off = offsetof(SharedEntry, entry),
	.shared_data_len = sizeof(StatsEntry),
	.pending_size = STATS_COUNTERS * sizeof(int64),
	.flush_pending_cb = flush_entry,
	.reset_timestamp_cb = set_reset_time,
};

void
store_init(void)
{
	pgstat_register_kind(STATS_KIND, &kind);
}

int64 *
store_pending(StatsSubject subject)
{
	return pgstat_prep_pending_entry(STATS_KIND, MyDatabaseId, subject, NULL)->pending;
}

bool
store_fetch(Oid database, StatsSubject subject, StatsEntry *entry)
{
	const StatsEntry *found = compat_fetch_stats(STATS_KIND, database, subject);

	if (found != NULL)
		*entry = *found;
	return found != NULL;
}

void
store_reset(Oid database, StatsSubject subject)
{
	pgstat_reset(STATS_KIND, database, subject);
}

#endif							/* PG_VERSION_NUM >= 180000 */
