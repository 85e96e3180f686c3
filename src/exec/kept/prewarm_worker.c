/*
 * prewarm_worker.c
 *	  A background worker that has columns of a database's tables kept again.
 *
 * The device worker starts it (service/worker/rewarm.c).  It reads the names of what was kept, and goes
 * through the tables that are still there, as gpuagg_prewarm does, each in a transaction of its
 * own: what fails is logged, and the next table's turn comes.  Partitions and children are tables
 * of their own here.
 *
 * As the commands that maintain tables do, it becomes the table's owner for so long, in an
 * operation that can change nothing: planning a query can run functions of the table's indexes,
 * which no superuser shall run for their sake.  What these set does not outlast the table: the next
 * owner's functions would run by that search_path.
 *
 * It waits for a table's lock and for device memory for a while only.  Others may wait for the table
 * that it has locked, also such as have the memory.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/dbcommands.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "exec/kept/prewarm.h"
#include "service/wire/kept_names.h"
#include "service/worker/directory.h"
#include "source/visibility.h"

/* The columns of one table, of those whose names the file has. */
typedef struct WantedTable
{
	Oid			relid;
	Bitmapset  *attnos;
} WantedTable;

/* Settings of the database or of all sessions could keep it from its work. */
static void
set_worker_settings(void)
{
	const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "on"},
		{"lock_timeout", "10s"},
#if PG_VERSION_NUM >= 170000
		{"transaction_timeout", "0"},
#endif
		{"gpuagg.queue_timeout", "1min"},
		{"gpuagg.verify", "0"},
	};

	for (int i = 0; i < (int) lengthof(settings); i++)
		SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * The tables of this database in the names, each with its columns.  The names of a table's columns
 * follow one another.
 */
static List *
tables_of(const KeptName *names, uint32 n)
{
	List	   *tables = NIL;
	WantedTable  *table = NULL;

	for (uint32 i = 0; i < n; i++)
	{
		if (names[i].database != MyDatabaseId)
			continue;
		if (table == NULL || table->relid != names[i].relation)
		{
			table = palloc0(sizeof(WantedTable));
			table->relid = names[i].relation;
			tables = lappend(tables, table);
		}
		table->attnos = bms_add_member(table->attnos, names[i].attno);
	}
	return tables;
}

static List *
read_tables(void)
{
	uint32		n;
	bool		damaged;
	KeptName   *names = kept_names_read(&n, &damaged);
	List	   *tables = tables_of(names, n);

	free(names);
	return tables;
}

/* Is it a table with rows, whose columns can be kept? */
static bool
is_suitable(Relation relation)
{
	char		relkind = relation->rd_rel->relkind;

	return (relkind == RELKIND_RELATION || relkind == RELKIND_MATVIEW) &&
		table_columns_may_stay(relation);
}

/* Those of the columns that the table still has. */
static Bitmapset *
columns_there(Relation relation, const Bitmapset *attnos)
{
	TupleDesc	desc = RelationGetDescr(relation);
	Bitmapset  *there = NULL;

	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped && bms_is_member(i + 1, attnos))
			there = bms_add_member(there, i + 1);
	return there;
}

/* Read an open table as its owner. */
static void
prewarm_as_owner(Relation relation, Bitmapset *attnos)
{
	KeepRequest request = {.relid = RelationGetRelid(relation),.attnos = attnos};
	int			level = NewGUCNestLevel();
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(relation->rd_rel->relowner, context | SECURITY_RESTRICTED_OPERATION);
	(void) prewarm_columns(relation, false, &request);
	AtEOXact_GUC(false, level);
	SetUserIdAndSecContext(user, context);
}

/* False: the table is not there any more, or not as it was. */
static bool
prewarm_table(const WantedTable *table)
{
	char	   *name = get_rel_name(table->relid);
	Bitmapset  *attnos = NULL;
	Relation	relation;

	if (name == NULL)
		return false;
	pgstat_report_activity(STATE_RUNNING, psprintf("gpuagg prewarm of table \"%s\"", name));
	relation = try_relation_open(table->relid, AccessShareLock);
	if (relation == NULL)
		return false;
	if (is_suitable(relation))
		attnos = columns_there(relation, table->attnos);
	if (attnos != NULL)
		prewarm_as_owner(relation, attnos);
	relation_close(relation, NoLock);
	return attnos != NULL;
}

/* The current error, to the log, and the end of its transaction. */
static void
log_failure(const WantedTable *table)
{
	ErrorData  *error = CopyErrorData();

	FlushErrorState();
	AbortCurrentTransaction();
	ereport(LOG,
			(errcode(error->sqlerrcode),
			 errmsg("gpuagg could not prewarm the table with OID %u: %s",
					table->relid, error->message),
			 error->detail != NULL ? errdetail_internal("%s", error->detail) : 0));
	FreeErrorData(error);
}

/* In a transaction of its own. */
static bool
prewarm_in_transaction(const WantedTable *table)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool done = false;

	PG_TRY();
	{
		SetCurrentStatementStartTimestamp();
		StartTransactionCommand();
		done = prewarm_table(table);
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		log_failure(table);
		done = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	pgstat_report_activity(STATE_IDLE, NULL);
	return done;
}

static void
report(int done, int wanted)
{
	StartTransactionCommand();
	ereport(LOG,
			(errmsg("gpuagg has prewarmed %d of %d tables of database \"%s\"",
					done, wanted, get_database_name(MyDatabaseId))));
	CommitTransactionCommand();
}

void
gpuagg_prewarm_worker(Datum arg)
{
	List	   *tables;
	ListCell   *lc;
	int			done = 0;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(arg), InvalidOid, 0);
	set_worker_settings();
	tables = read_tables();
	foreach(lc, tables)
	{
		CHECK_FOR_INTERRUPTS();
		if (prewarm_in_transaction(lfirst(lc)))
			done++;
		else if (!directory_answers())
			break;
	}
	report(done, list_length(tables));
}
