/*
 * cpu_cache.c
 *	  The memory in which the CPU engine keeps columns.
 *
 * It is part of the server's shared memory, so only the postmaster can ask for it, and all
 * processes have it at the same address.  It is there for as long as the server runs, and is made
 * anew after a crash.  As of other shared memory, the machine gives what is written only.
 *
 * One LWLock is over all of it (engine/cpu/kept/area.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/guc.h"
#include "utils/rel.h"

#include "compat.h"
#include "engine/cpu/kept/area.h"
#include "guc.h"
#include "handle/cpu_cache.h"
#include "service/device/process.h"

#define TRANCHE "gpuagg_cpu_cache"
#define SETTING "gpuagg.cpu_cache_size"

/* The memory is nearly full if less than this share of it is free. */
#define SMALL_SHARE 8

/*
 * What shared_buffers has is divided by this for the default size: encoded columns take a tenth to
 * a third of their tables, so it holds those of tables that shared_buffers has the pages of.
 */
#define BUFFERS_SHARE 4

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static LWLock *cache_lock = NULL;

static void lock_cache(void);
static void unlock_cache(void);
static void evict_gone(void);

static CpuKeptHost host = {NULL, lock_cache, unlock_cache, evict_gone};

static void
lock_cache(void)
{
	LWLockAcquire(cache_lock, LW_EXCLUSIVE);
}

static void
unlock_cache(void)
{
	LWLockRelease(cache_lock);
}

/* In a call of an engine: no memory is asked for, and no error raised. */
static void
evict_gone(void)
{
	uint32		files[CPU_KEPT_COLUMNS][3];
	int			n = 0;

	lock_cache();
	for (int i = 0; i < CPU_KEPT_COLUMNS; i++)
		if (host.area->columns[i].stripes > 0)
			memcpy(files[n++], host.area->columns[i].name.file, sizeof(files[0]));
	unlock_cache();
	for (int i = 0; i < n; i++)
	{
		if (!table_file_is_gone(files[i]))
			continue;
		lock_cache();
		(void) cpu_kept_evict(host.area, files[i], NULL);
		unlock_cache();
	}
}

static Size
cache_size(void)
{
	return (Size) gpuagg_cpu_cache_size << 20;
}

/* Have the setting be what -1 stands for, as wal_buffers is. */
static void
choose_size(void)
{
	char		size[32];

	snprintf(size, sizeof(size), "%d", (int) ((int64) NBuffers * BLCKSZ / BUFFERS_SHARE >> 20));
	SetConfigOption(SETTING, size, PGC_POSTMASTER, PGC_S_DYNAMIC_DEFAULT);
	/* the configuration file may say -1 itself */
	if (gpuagg_cpu_cache_size == -1)
		SetConfigOption(SETTING, size, PGC_POSTMASTER, PGC_S_OVERRIDE);
}

static void
request_memory(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	if (gpuagg_cpu_cache_size == -1)
		choose_size();
	if (gpuagg_cpu_cache_size == 0)
		return;
	RequestAddinShmemSpace(cache_size());
	RequestNamedLWLockTranche(TRANCHE, 1);
}

static void
start_memory(void)
{
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	host.area = NULL;
	if (gpuagg_cpu_cache_size == 0)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	host.area = ShmemInitStruct("gpuagg columns", cache_size(), &found);
	/* all of it would be written if it were filled with zeros, as it is already */
	if (!found && !cpu_kept_create(host.area, cache_size()))
		host.area = NULL;
	LWLockRelease(AddinShmemInitLock);
	cache_lock = &GetNamedLWLockTranche(TRANCHE)->lock;
}

void
cpu_cache_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_memory;
}

/* The engine has the memory only where there can be locks: the device process is no backend. */
bool
cpu_cache_is_on(void)
{
	if (host.area == NULL || MyProc == NULL)
		return false;
	cpu_kept_host = &host;
	return true;
}

bool
cpu_cache_is_full(void)
{
	bool		full;

	if (!cpu_cache_is_on())
		return false;
	lock_cache();
	full = host.area->nfree < host.area->npages / SMALL_SHARE;
	unlock_cache();
	return full;
}

/* One lock, and none while memory is asked for. */
CpuCacheColumn *
cpu_cache_columns(int *n)
{
	CpuCacheColumn *columns;

	*n = 0;
	if (!cpu_cache_is_on())
		return NULL;
	columns = palloc(sizeof(CpuCacheColumn) * CPU_KEPT_COLUMNS);
	lock_cache();
	for (int i = 0; i < CPU_KEPT_COLUMNS; i++)
	{
		const CpuKeptColumn *column = &host.area->columns[i];
		CpuCacheColumn *to = &columns[*n];

		if (column->stripes == 0)
			continue;
		memcpy(to->file, column->name.file, sizeof(to->file));
		to->relation = column->relation;
		to->attno = column->name.key.attno;
		to->rows = column->rows;
		to->bytes = column->pages * CPU_KEPT_PAGE;
		to->plain_bytes = column->plain_bytes;
		to->blocks = column->blocks;
		to->hits = column->hits;
		to->last_used = column->last_used;
		(*n)++;
	}
	unlock_cache();
	return columns;
}

int64
cpu_cache_evict(Relation relation, const uint8 *attributes)
{
	const uint32 file[3] = COMPAT_FILE(relation->rd_locator);
	uint64		bytes;

	if (!cpu_cache_is_on())
		return 0;
	lock_cache();
	bytes = cpu_kept_evict(host.area, file, attributes);
	unlock_cache();
	return (int64) bytes;
}
