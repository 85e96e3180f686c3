/*
 * check_settings.c
 *	  Checks of PostgreSQL's settings and gpuagg's, and the rows of all checks:
 *	  gpuagg_check().
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "executor/nodeHash.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "postmaster/bgworker.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "exec/sql/gpuagg_check.h"
#include "guc.h"
#include "stats/stats.h"

#define COLUMNS 4

/* Groups that take more than this of a process's memory are no rarity. */
#define ENOUGH_HASH_MEMORY (32 * 1024 * 1024)

void
check_put(ReturnSetInfo *result, const char *name, CheckStatus status,
		  const char *seen, const char *advice)
{
	static const char *const names[] = {
		[CHECK_OK] = "ok",
		[CHECK_NOTICE] = "notice",
		[CHECK_WARNING] = "warning"
	};
	Datum		values[COLUMNS] = {0};
	bool		isnull[COLUMNS] = {false};

	values[0] = CStringGetTextDatum(name);
	values[1] = CStringGetTextDatum(names[status]);
	values[2] = CStringGetTextDatum(seen);
	isnull[3] = advice == NULL;
	if (advice != NULL)
		values[3] = CStringGetTextDatum(advice);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

bool
check_may_see_all(void)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_SETTINGS);
}

/* The version that the module is compiled for is the server's, or it could not be loaded. */
void
check_server(ReturnSetInfo *result)
{
	bool		tested = PG_MAJORVERSION_NUM != 16;

	check_put(result, "server version", tested ? CHECK_OK : CHECK_NOTICE, PG_VERSION,
			  tested ? NULL : "gpuagg is not tested on PostgreSQL 16; use another version.");
}

/* The views of statistics tell everybody whether the module is preloaded. */
void
check_shared_libraries(ReturnSetInfo *result)
{
	if (stats_are_kept())
		check_put(result, "shared_preload_libraries", CHECK_OK, "has gpuagg", NULL);
	else
		check_put(result, "shared_preload_libraries", CHECK_NOTICE, "does not have gpuagg",
				  "Add gpuagg and restart the server: for statistics, for a device process that is "
				  "there from the start, and for faster parallel queries.");
}

void
check_mode(ReturnSetInfo *result)
{
	const char *seen = psprintf("gpuagg.mode = %s", GetConfigOption("gpuagg.mode", false, false));

	if (gpuagg_mode == MODE_OFF)
		check_put(result, "mode", CHECK_WARNING, seen,
				  "Set gpuagg.mode to auto: no query is taken now.");
	else if (gpuagg_mode == MODE_FORCE)
		check_put(result, "mode", CHECK_NOTICE, seen,
				  "Set gpuagg.mode to auto, unless for a test: costs are not looked at now.");
	else
		check_put(result, "mode", CHECK_OK, seen, NULL);
}

void
check_memory(ReturnSetInfo *result)
{
	size_t		limit = gpuagg_memory_limit > 0 ? (size_t) gpuagg_memory_limit * 1024 * 1024
		: get_hash_memory_limit();
	bool		enough = limit >= ENOUGH_HASH_MEMORY;
	const char *of = gpuagg_memory_limit > 0 ? "gpuagg.memory_limit"
		: psprintf("work_mem %d kB * hash_mem_multiplier %g", work_mem, hash_mem_multiplier);

	check_put(result, "work_mem", enough ? CHECK_OK : CHECK_NOTICE,
			  psprintf("%zu MB for groups: %s", limit / (1024 * 1024), of),
			  enough ? NULL
			  : "Raise work_mem where queries have many groups: what is beyond goes to temporary "
			  "files.");
}

/* Workers have to be allowed three times: for a query, for all queries, and at all. */
void
check_workers(ReturnSetInfo *result)
{
	const char *advice = NULL;

	if (max_parallel_workers_per_gather == 0)
		advice = "Raise max_parallel_workers_per_gather: queries use one core now.";
	else if (max_parallel_workers < max_parallel_workers_per_gather)
		advice = "Raise max_parallel_workers: one query is allowed more workers than there may be.";
	else if (max_worker_processes < max_parallel_workers)
		advice = "Raise max_worker_processes, which takes a restart: it is below max_parallel_workers.";
	check_put(result, "parallel workers", advice == NULL ? CHECK_OK : CHECK_NOTICE,
			  psprintf("max_parallel_workers_per_gather = %d, max_parallel_workers = %d, "
					   "max_worker_processes = %d",
					   max_parallel_workers_per_gather, max_parallel_workers, max_worker_processes),
			  advice);
}

/* Engines do not need it; what it compiles is PostgreSQL's part of a plan. */
void
check_jit(ReturnSetInfo *result)
{
	bool		used = jit_enabled && jit_above_cost >= 0;

	check_put(result, "jit", used ? CHECK_NOTICE : CHECK_OK, jit_enabled ? "jit = on" : "jit = off",
			  used ? "Set jit to off where EXPLAIN ANALYZE shows much time below JIT: engines do "
			  "not use it." : NULL);
}
