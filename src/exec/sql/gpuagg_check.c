/*
 * gpuagg_check.c
 *	  Whether the server's settings and the machine suit gpuagg, for SQL:
 *	  gpuagg_check().
 *
 * One row a check, some have several: name, status, what was seen, what to do.  Nothing is
 * changed.  A row tells no user what pg_settings and the catalogs would not: what only members
 * of pg_read_all_settings may see is left out for others (check_may_see_all).
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"

#include "compat.h"
#include "exec/sql/gpuagg_check.h"

PG_FUNCTION_INFO_V1(gpuagg_check);

static void (*const checks[]) (ReturnSetInfo *result) = {
	check_server,
	check_extension,
	check_shared_libraries,
	check_session_libraries,
	check_mode,
	check_engine,
	check_devices,
	check_cpu_cache,
	check_locked_memory,
	check_shared_memory,
	check_huge_pages,
	check_memory,
	check_workers,
	check_jit,
	check_visibility,
	check_default_collation,
};

Datum
gpuagg_check(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < (int) lengthof(checks); i++)
		checks[i] (result);
	return (Datum) 0;
}
