/*
 * activity.c
 *	  What runs of the CPU engine are doing, for all to see.
 *
 * Shared memory has a place for each process that can have a PGPROC of its own.  A
 * place is written by its process only, under its lock, which is held for a few
 * instructions.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"

#include "stats/activity.h"

typedef struct ActivityPlace
{
	slock_t		lock;			/* of all that follows */
	Activity	activity;		/* pid 0: there is none */
} ActivityPlace;

struct ActivityRun
{
	MemoryContextCallback callback;
};

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static ActivityPlace *places = NULL;

/* The run that this process's place is about, or NULL. */
static ActivityRun *current = NULL;

static Size
places_size(void)
{
	return mul_size(MaxBackends, sizeof(ActivityPlace));
}

static void
request_memory(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(places_size());
}

static void
start_memory(void)
{
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	places = ShmemInitStruct("gpuagg activity", places_size(), &found);
	if (!found)
	{
		memset(places, 0, places_size());
		for (int i = 0; i < MaxBackends; i++)
			SpinLockInit(&places[i].lock);
	}
	LWLockRelease(AddinShmemInitLock);
}

void
activity_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_memory;
}

static ActivityPlace *
own_place(void)
{
	return &places[MyProc - ProcGlobal->allProcs];
}

void
activity_end(ActivityRun *run)
{
	ActivityPlace *place;

	if (run == NULL || run != current)
		return;
	current = NULL;
	place = own_place();
	SpinLockAcquire(&place->lock);
	place->activity.pid = 0;
	SpinLockRelease(&place->lock);
}

static void
run_is_reset(void *run)
{
	activity_end(run);
}

ActivityRun *
activity_begin(const char *relation, double total_pages)
{
	ActivityPlace *place;
	ActivityRun *run;

	if (places == NULL)
		return NULL;
	run = palloc(sizeof(ActivityRun));
	run->callback.func = run_is_reset;
	run->callback.arg = run;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &run->callback);
	current = run;

	place = own_place();
	SpinLockAcquire(&place->lock);
	memset(&place->activity, 0, sizeof(Activity));
	place->activity.pid = MyProcPid;
	place->activity.database = MyDatabaseId;
	place->activity.role = GetUserId();
	place->activity.total_pages = (uint64) total_pages;
	if (relation != NULL)
		strlcpy(place->activity.relation, relation, NAMEDATALEN);
	SpinLockRelease(&place->lock);
	return run;
}

void
activity_read(int pages, uint64 rows)
{
	ActivityPlace *place;

	if (current == NULL)
		return;
	place = own_place();
	SpinLockAcquire(&place->lock);
	place->activity.pages += pages;
	place->activity.rows = rows;
	SpinLockRelease(&place->lock);
}

void
activity_finishing(void)
{
	ActivityPlace *place;

	if (current == NULL)
		return;
	place = own_place();
	SpinLockAcquire(&place->lock);
	place->activity.finishing = true;
	SpinLockRelease(&place->lock);
}

int
activity_fetch(Activity **activities)
{
	int			n = 0;

	if (places == NULL)
		return 0;
	*activities = palloc(sizeof(Activity) * MaxBackends);
	for (int i = 0; i < MaxBackends; i++)
	{
		SpinLockAcquire(&places[i].lock);
		(*activities)[n] = places[i].activity;
		SpinLockRelease(&places[i].lock);
		n += (*activities)[n].pid != 0;
	}
	return n;
}
