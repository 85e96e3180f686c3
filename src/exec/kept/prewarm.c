/*
 * prewarm.c
 *	  Having columns of a table kept, in device memory or for the CPU engine.
 *
 * The table's rows are counted by a query, whose plan says what is to be kept
 * (plan/path/prewarm_columns.c).  So all that holds for queries holds for it, too: locks, snapshot,
 * privileges, interrupts, parallel workers, gpuagg_activity.
 *
 * The query names the table, and what it reads must be the table that is open: a schema can be
 * renamed meanwhile, and another one's view of that name would run functions.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "exec/kept/prewarm.h"
#include "guc.h"
#include "handle/select.h"

/* Takes the query's one row. */
typedef struct CountReceiver
{
	DestReceiver receiver;
	int64		count;
} CountReceiver;

/* Does gpuagg.engine name an engine that keeps columns? */
static bool
chosen_keeps_columns(void)
{
	const EngineOps *ops = engine_chosen(gpuagg_engine);

	return ops != NULL && ops->kept != NULL;
}

/*
 * How the query runs, until the end of its nest level of settings.  The CPU engine keeps what it
 * has read also if a row's value fails the run.
 */
static void
set_prewarm_settings(bool in_memory)
{
	const EngineOps *engine = in_memory ? engine_without_device() : engine_with_device();
	const struct
	{
		const char *name;
		const char *value;
	}			settings[] = {
		{"gpuagg.mode", "force"},
		{"gpuagg.fallback", in_memory ? "on" : "off"},
		{"gpuagg.engine", !in_memory && chosen_keeps_columns() ? NULL :
		engine_choice_name(engine_choice(engine))},
	};

	for (int i = 0; i < (int) lengthof(settings); i++)
		if (settings[i].value != NULL)
			(void) set_config_option(settings[i].name, settings[i].value, PGC_USERSET,
									 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

static void
start_receiver(DestReceiver *self, int operation, TupleDesc desc)
{
}

static bool
receive_count(TupleTableSlot *slot, DestReceiver *self)
{
	bool		isnull;

	((CountReceiver *) self)->count = DatumGetInt64(slot_getattr(slot, 1, &isnull));
	return true;
}

static void
end_receiver(DestReceiver *self)
{
}

/* The analyzed query. */
static Query *
count_query(Relation relation, bool inherit, const char *text)
{
	RawStmt    *statement = linitial_node(RawStmt, pg_parse_query(text));
	Query	   *query = linitial_node(Query,
									  pg_analyze_and_rewrite_fixedparams(statement, text,
																		 NULL, 0, NULL));
	RangeTblEntry *table = linitial_node(RangeTblEntry, query->rtable);

	if (list_length(query->rtable) != 1 || table->rtekind != RTE_RELATION ||
		table->relid != RelationGetRelid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of table \"%s\" has been renamed meanwhile",
						RelationGetRelationName(relation))));
	table->inh = table->inh && inherit;
	return query;
}

/* Plan the query, with the request for what it is to keep. */
static PlannedStmt *
plan_count(Query *query, const char *text, KeepRequest *request)
{
	PlannedStmt *volatile plan = NULL;

	keep_columns_of(request);
	PG_TRY();
	{
		plan = compat_plan_query(query, text);
	}
	PG_FINALLY();
	{
		keep_columns_of(NULL);
	}
	PG_END_TRY();
	return plan;
}

static int64
run_count(PlannedStmt *plan, const char *text)
{
	CountReceiver receiver = {
		.receiver = {receive_count, start_receiver, end_receiver, end_receiver, DestNone}
	};
	QueryDesc  *query = CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot,
										&receiver.receiver, NULL, NULL, 0);

	ExecutorStart(query, 0);
	compat_run_query(query);
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	return receiver.count;
}

const char *
prewarm_place(bool in_memory)
{
	return in_memory ? "shared memory" : "device memory";
}

static void
check_can_keep(Relation relation, const KeepRequest *request)
{
	if (!request->taken)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("columns of table \"%s\" cannot be kept in %s",
						RelationGetRelationName(relation), prewarm_place(request->in_memory)),
				 request->refused != NULL ? errdetail_internal("%s", request->refused) :
				 errhint("gpuagg_explain('SELECT count(*) FROM ...') may say why.")));
}

int64
prewarm_columns(Relation relation, bool inherit, KeepRequest *request)
{
	int			level = NewGUCNestLevel();
	const char *schema = get_namespace_name(RelationGetNamespace(relation));
	char	   *text = psprintf("SELECT pg_catalog.count(*) FROM %s",
								quote_qualified_identifier(schema,
														   RelationGetRelationName(relation)));
	PlannedStmt *plan;
	int64		rows;

	request->context = CurrentMemoryContext;
	request->reasons = palloc0(sizeof(char *) * (PROGRAM_MAX_ATTRS + 1));
	set_prewarm_settings(request->in_memory);
	PushActiveSnapshot(GetTransactionSnapshot());
	plan = plan_count(count_query(relation, inherit, text), text, request);
	check_can_keep(relation, request);
	rows = run_count(plan, text);
	PopActiveSnapshot();
	AtEOXact_GUC(true, level);
	return rows;
}
