/*
 * rewarm.c
 *	  In the device worker: what one device process has kept, the next one keeps again.
 *
 * The device process tells what it keeps (contents.c).  The worker writes the names of that to a
 * file (kept_names.c), now and then and when the server is shut down.  With
 * gpuagg.prewarm_at_start, when a device process begins to serve, the worker has it keep the
 * columns of that file: it starts a background worker for one database after the other
 * (exec/kept/prewarm_worker.c), which reads the tables.  The names are not written meanwhile, so that
 * a restart before the end forgets none.
 *
 * If the device process dies meanwhile, perhaps of what it is given, the next one is not given
 * the rest.  If the server crashes meanwhile, nothing is kept again the next time: it could crash
 * each time that it is started.
 */
#include "postgres.h"

#include <errno.h>
#include <sys/stat.h>

#include "catalog/pg_tablespace_d.h"
#include "common/relpath.h"
#include "compat.h"
#include "guc.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "service/wire/contents.h"
#include "service/wire/kept_names.h"
#include "service/worker/rewarm.h"
#include "utils/timestamp.h"

/* Milliseconds between two looks whether a database's worker has ended, */
#define WORKER_INTERVAL 100

/* and between two looks at what is kept. */
#define SAVE_INTERVAL 60000

/* The databases whose columns are to be kept again, and how many have had their workers. */
static Oid *databases = NULL;
static int	ndatabases = 0;
static int	nstarted = 0;

/* The worker of the last of these, until it has ended. */
static BackgroundWorkerHandle *handle = NULL;

/* Is it noted that this has begun? */
static bool noted = false;

static TimestampTz saved_at = 0;

static bool
is_under_way(void)
{
	return handle != NULL || nstarted < ndatabases;
}

/* Has the database a directory where the table's file was?  Else it has been dropped. */
static bool
database_is_there(const KeptName *name)
{
	struct stat status;
	char	   *path;
	bool		there;

	if (name->tablespace == GLOBALTABLESPACE_OID)
		return false;
	path = GetDatabasePath(name->database, name->tablespace);
	there = stat(path, &status) == 0;
	pfree(path);
	return there;
}

static bool
is_listed(Oid database)
{
	for (int i = 0; i < ndatabases; i++)
		if (databases[i] == database)
			return true;
	return false;
}

/* The databases of these names, each once, in the order of the names. */
static void
list_databases(const KeptName *names, uint32 n)
{
	Oid			last = InvalidOid;

	for (uint32 i = 0; i < n; i++)
	{
		if (names[i].database == last || is_listed(names[i].database))
			continue;
		last = names[i].database;
		if (!database_is_there(&names[i]))
			continue;
		databases = databases == NULL ? palloc(sizeof(Oid)) :
			repalloc(databases, (ndatabases + 1) * sizeof(Oid));
		databases[ndatabases++] = last;
	}
}

/* Note that this begins; false: it is not to. */
static bool
note_begin(void)
{
	noted = kept_names_begin();
	if (noted)
		return true;
	if (errno != EEXIST)
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not create a file beside \"%s\", no columns are kept again: %m",
						KEPT_NAMES_FILE)));
	else
	{
		ereport(LOG,
				(errmsg("no columns are kept again, since the server crashed while that was done last")));
		kept_names_end();
	}
	return false;
}

static void
note_end(void)
{
	if (noted)
		kept_names_end();
	noted = false;
}

void
rewarm_begin(void)
{
	KeptName   *names;
	uint32		n;
	bool		damaged;

	saved_at = GetCurrentTimestamp();
	if (is_under_way())
	{
		nstarted = ndatabases;
		return;
	}
	nstarted = ndatabases = 0;
	if (!gpuagg_prewarm_at_start || gpuagg_cache_size == 0)
		return;
	names = kept_names_read(&n, &damaged);
	if (damaged)
		ereport(LOG,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("file \"%s\" is damaged, no columns are kept again", KEPT_NAMES_FILE)));
	list_databases(names, n);
	free(names);
	if (ndatabases > 0 && !note_begin())
		ndatabases = 0;
}

/* Start the worker of the next database; without a slot for it, that was all. */
static void
start_worker(void)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION |
			BGWORKER_INTERRUPTIBLE,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_main_arg = ObjectIdGetDatum(databases[nstarted])
	};

	strlcpy(worker.bgw_name, "gpuagg prewarm worker", sizeof(worker.bgw_name));
	strlcpy(worker.bgw_type, "gpuagg prewarm worker", sizeof(worker.bgw_type));
	strlcpy(worker.bgw_library_name, "gpuagg", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "gpuagg_prewarm_worker", sizeof(worker.bgw_function_name));
	nstarted++;
	if (RegisterDynamicBackgroundWorker(&worker, &handle))
		return;
	handle = NULL;
	nstarted = ndatabases;
	ereport(LOG,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("no slot of max_worker_processes is free for a gpuagg prewarm worker")));
}

int
rewarm_go_on(void)
{
	pid_t		pid;

	/* the worker may end since the server shuts down, and then it has not done all */
	if (handle != NULL && !ShutdownRequestPending &&
		GetBackgroundWorkerPid(handle, &pid) == BGWH_STOPPED)
	{
		pfree(handle);
		handle = NULL;
	}
	if (handle == NULL && nstarted < ndatabases)
		start_worker();
	if (is_under_way())
		return WORKER_INTERVAL;
	note_end();
	if (TimestampDifferenceExceeds(saved_at, GetCurrentTimestamp(), SAVE_INTERVAL))
		rewarm_save();
	return SAVE_INTERVAL;
}

/*
 * What the device process tells of, but for rows' places, which are no column; one that is kept in
 * two ways comes twice.
 */
static KeptName *
names_of(const CacheRow *rows, uint32 nrows, uint32 *n)
{
	KeptName   *names = palloc0(Max(nrows, 1) * sizeof(KeptName));

	*n = 0;
	for (uint32 i = 0; i < nrows; i++)
		if (rows[i].attno != COLUMN_PLACE)
			names[(*n)++] = (KeptName)
		{
			.tablespace = rows[i].file[0],.database = rows[i].file[1],
				.relation = rows[i].relation,.attno = rows[i].attno
		};
	return names;
}

void
rewarm_save(void)
{
	static KeptName *last = NULL;
	static uint32 nlast = 0;
	uint32		nrows;
	uint32		n;
	CacheRow   *rows;
	KeptName   *names;

	saved_at = GetCurrentTimestamp();
	if (is_under_way() || (rows = contents_read(&nrows)) == NULL)
		return;
	names = names_of(rows, nrows, &n);
	free(rows);
	if (last != NULL && n == nlast && memcmp(names, last, n * sizeof(KeptName)) == 0)
	{
		pfree(names);
		return;
	}
	if (last != NULL)
		pfree(last);
	last = names;
	nlast = n;
	if (kept_names_write(names, n))
		return;
	ereport(LOG,
			(errcode_for_file_access(),
			 errmsg("could not write file \"%s\": %m", KEPT_NAMES_FILE)));
	pfree(last);
	last = NULL;
}

void
rewarm_end(void)
{
	note_end();
}
