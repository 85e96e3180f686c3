/*
 * views.c
 *	  Cumulative statistics for SQL: the views gpuagg_stats and gpuagg_stats_reasons.
 *
 * The views call these functions once for each database, as pg_stat_database does.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "stats/stats.h"
#include "stats/store.h"

#define X(class, name) name,
static const char *const rejection_names[NUM_REJECTION_CLASSES] = {
	REJECTION_CLASSES(X)
};
static const char *const fallback_names[NUM_FALLBACK_CLASSES] = {
	FALLBACK_CLASSES(X)
};
#undef X

/* Columns of the functions' results. */
#define ENGINE_COLUMNS 21
#define REASON_COLUMNS 4

static void
check_kept(void)
{
	if (!stats_are_kept())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("statistics of gpuagg are not kept"),
				 errdetail("They need \"gpuagg\" in \"shared_preload_libraries\"."),
				 errhint("Add it there and restart the server.  Nothing else of gpuagg needs this.")));
}

static int64
count_fallbacks(const StatsEntry *entry)
{
	int64		n = 0;

	for (int i = 0; i < NUM_FALLBACK_CLASSES; i++)
		n += entry->counters[COUNTER_FALLBACKS + i];
	return n;
}

static void
put_engine(ReturnSetInfo *result, EngineId engine, const StatsEntry *entry)
{
	const int64 *counters = entry->counters;
	Datum		values[ENGINE_COLUMNS];
	bool		isnull[ENGINE_COLUMNS] = {false};
	int			n = 0;

	values[n++] = CStringGetTextDatum(engine_id_name(engine));
	values[n++] = Int64GetDatum(counters[COUNTER_AGGREGATIONS]);
	values[n++] = Int64GetDatum(count_fallbacks(entry));
	for (int i = COUNTER_ROWS; i <= COUNTER_BYTES; i++)
		values[n++] = Int64GetDatum(counters[i]);
	for (int i = COUNTER_COMPILE_NS; i <= COUNTER_OUTPUT_NS; i++)
		values[n++] = Float8GetDatum(counters[i] / 1e6);
	for (int i = COUNTER_VERIFIED; i <= COUNTER_BLOCKS_EVICTED; i++)
		values[n++] = Int64GetDatum(counters[i]);
	isnull[n] = entry->reset == 0;
	values[n++] = TimestampTzGetDatum(entry->reset);
	Assert(n == ENGINE_COLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

/* gpuagg_engine_stats(database): a row for each engine that has been used in it. */
PG_FUNCTION_INFO_V1(gpuagg_engine_stats);
Datum
gpuagg_engine_stats(PG_FUNCTION_ARGS)
{
	StatsEntry	entry;

	check_kept();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < NUM_ENGINES; i++)
		if (store_fetch(PG_GETARG_OID(0), SUBJECT_ENGINES + i, &entry))
			put_engine((ReturnSetInfo *) fcinfo->resultinfo, i, &entry);
	return (Datum) 0;
}

/* The classes that have been counted of an engine, or, with NULL, of the planner. */
static void
put_reasons(ReturnSetInfo *result, const char *engine, const char *event,
			const char *const *names, int nclasses, const int64 *counters)
{
	for (int i = 0; i < nclasses; i++)
	{
		Datum		values[REASON_COLUMNS];
		bool		isnull[REASON_COLUMNS] = {false};

		if (counters[i] == 0)
			continue;
		isnull[0] = engine == NULL;
		values[0] = isnull[0] ? (Datum) 0 : CStringGetTextDatum(engine);
		values[1] = CStringGetTextDatum(event);
		values[2] = CStringGetTextDatum(names[i]);
		values[3] = Int64GetDatum(counters[i]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
}

/* gpuagg_reason_stats(database): a row for each class of reasons that there was. */
PG_FUNCTION_INFO_V1(gpuagg_reason_stats);
Datum
gpuagg_reason_stats(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	StatsEntry	entry;

	check_kept();
	InitMaterializedSRF(fcinfo, 0);
	if (store_fetch(PG_GETARG_OID(0), SUBJECT_PLANNER, &entry))
		put_reasons(result, NULL, "rejection", rejection_names,
					NUM_REJECTION_CLASSES, entry.counters);
	for (int i = 0; i < NUM_ENGINES; i++)
		if (store_fetch(PG_GETARG_OID(0), SUBJECT_ENGINES + i, &entry))
			put_reasons(result, engine_id_name(i), "fallback", fallback_names,
						NUM_FALLBACK_CLASSES, entry.counters + COUNTER_FALLBACKS);
	return (Datum) 0;
}

/* gpuagg_stats_reset(): of the current database, as pg_stat_reset(). */
PG_FUNCTION_INFO_V1(gpuagg_stats_reset);
Datum
gpuagg_stats_reset(PG_FUNCTION_ARGS)
{
	check_kept();
	for (int i = 0; i < NUM_SUBJECTS; i++)
		store_reset(MyDatabaseId, i);
	PG_RETURN_VOID();
}
