/*
 * store_shared.c
 *	  Cumulative statistics in shared memory of our own, before PostgreSQL 18.
 *
 * There is an array of entries, each with its database and its subject, and one
 * lock for all.  A process adds what it has counted when its transaction ends; most
 * transactions have counted nothing and take no lock.  If all entries are in use,
 * the one that was added to the longest time ago gives way, so that those of
 * dropped databases go in the end.
 *
 * The statistics end with the shared memory: when the server stops, or starts anew
 * after a crash.
 */
#include "postgres.h"

#if PG_VERSION_NUM < 180000

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "stats/store.h"

#define MAX_ENTRIES 512

typedef struct SharedEntry
{
	Oid			database;
	StatsSubject subject;
	uint64		last_use;		/* SharedStats.uses at that time */
	StatsEntry	entry;
} SharedEntry;

typedef struct SharedStats
{
	LWLock	   *lock;			/* of all that follows */
	uint64		uses;
	int			nentries;
	SharedEntry entries[MAX_ENTRIES];
} SharedStats;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static SharedStats *shared = NULL;

static int64 pending[NUM_SUBJECTS][STATS_COUNTERS];
static bool is_pending[NUM_SUBJECTS];

static void
request_memory(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(sizeof(SharedStats));
	RequestNamedLWLockTranche("gpuagg", 1);
}

static void
start_memory(void)
{
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("gpuagg", sizeof(SharedStats), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(SharedStats));
		shared->lock = &GetNamedLWLockTranche("gpuagg")->lock;
	}
	LWLockRelease(AddinShmemInitLock);
}

/* NULL: there is none.  Under the lock. */
static SharedEntry *
find_entry(Oid database, StatsSubject subject)
{
	for (int i = 0; i < shared->nentries; i++)
	{
		SharedEntry *entry = &shared->entries[i];

		if (entry->database == database && entry->subject == subject)
			return entry;
	}
	return NULL;
}

static SharedEntry *
unused_entry(void)
{
	SharedEntry *oldest = &shared->entries[0];

	if (shared->nentries < MAX_ENTRIES)
		return &shared->entries[shared->nentries++];
	for (int i = 1; i < MAX_ENTRIES; i++)
		if (shared->entries[i].last_use < oldest->last_use)
			oldest = &shared->entries[i];
	return oldest;
}

/* Under the lock, held exclusively. */
static SharedEntry *
find_or_make_entry(Oid database, StatsSubject subject)
{
	SharedEntry *entry = find_entry(database, subject);

	if (entry == NULL)
	{
		entry = unused_entry();
		memset(entry, 0, sizeof(SharedEntry));
		entry->database = database;
		entry->subject = subject;
	}
	return entry;
}

static void
flush_pending(void)
{
	for (int i = 0; i < NUM_SUBJECTS; i++)
	{
		SharedEntry *entry;

		if (!is_pending[i])
			continue;
		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		entry = find_or_make_entry(MyDatabaseId, i);
		entry->last_use = ++shared->uses;
		store_add(&entry->entry, pending[i]);
		LWLockRelease(shared->lock);
		is_pending[i] = false;
	}
}

static void
end_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			break;
		default:
			flush_pending();
	}
}

void
store_init(void)
{
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_memory;
	RegisterXactCallback(end_transaction, NULL);
}

int64 *
store_pending(StatsSubject subject)
{
	is_pending[subject] = true;
	return pending[subject];
}

bool
store_fetch(Oid database, StatsSubject subject, StatsEntry *entry)
{
	const SharedEntry *found;

	LWLockAcquire(shared->lock, LW_SHARED);
	found = find_entry(database, subject);
	if (found != NULL)
		*entry = found->entry;
	LWLockRelease(shared->lock);
	return found != NULL;
}

void
store_reset(Oid database, StatsSubject subject)
{
	TimestampTz now = GetCurrentTimestamp();
	SharedEntry *found;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	found = find_entry(database, subject);
	if (found != NULL)
		found->entry = (StatsEntry)
	{
		.reset = now
	};
	LWLockRelease(shared->lock);
}

#endif							/* PG_VERSION_NUM < 180000 */
