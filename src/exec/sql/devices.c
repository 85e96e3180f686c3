/*
 * devices.c
 *	  What the device process says, for SQL: the views gpuagg_devices and
 *	  gpuagg_activity; the latter has the runs of the CPU engine, too.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "handle/select.h"
#include "service/client/service.h"
#include "service/client/session.h"
#include "stats/activity.h"

PG_FUNCTION_INFO_V1(gpuagg_device_list);
PG_FUNCTION_INFO_V1(gpuagg_activity_list);

/* A version as CUDA numbers it: 13000 is 13.0. */
static Datum
version_text(int version)
{
	return CStringGetTextDatum(psprintf("%d.%d", version / 1000, version % 1000 / 10));
}

/* A device, or, with none, what is missing. */
static void
put_device(ReturnSetInfo *result, const DeviceRow *row, const char *why)
{
	const DeviceInfo *info = &row->info;
	Datum		values[12];
	bool		isnull[12] = {false};
	bool		no_device = why != NULL;

	values[0] = Int32GetDatum((int32) row->number);
	values[1] = CStringGetTextDatum(info->name);
	values[2] = Int64GetDatum((int64) info->memory);
	values[3] = CStringGetTextDatum(psprintf("%d.%d", info->major, info->minor));
	values[4] = version_text(info->driver);
	values[5] = BoolGetDatum(!no_device && info->usable);
	values[6] = CStringGetTextDatum(no_device ? why : info->reason);
	/* version 1.0 of the extension has no more */
	values[7] = BoolGetDatum(row->used != 0);
	values[8] = Int32GetDatum((int32) row->runs);
	values[9] = Int64GetDatum((int64) row->memory_used);
	isnull[0] = isnull[1] = isnull[2] = isnull[3] = no_device;
	isnull[4] = info->driver == 0;
	isnull[6] = !no_device && info->reason[0] == '\0';
	values[10] = Int64GetDatum((int64) row->cache_used);
	values[11] = Int64GetDatum((int64) row->host_cache_used);
	isnull[8] = isnull[9] = row->used == 0;
	/* how much is kept of a table tells of values that policies may hide */
	isnull[10] = isnull[11] = row->used == 0 ||
		!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

static void
put_no_device(ReturnSetInfo *result, const char *why)
{
	DeviceRow	none = {.used = 0};

	put_device(result, &none, why);
}

static void
take_devices(Message *answer, void *argument)
{
	ReturnSetInfo *result = argument;

	for (uint32 i = 0; i < answer->devices.ndevices; i++)
		put_device(result, &message_devices(answer)[i], NULL);
	if (answer->devices.ndevices == 0)
		put_no_device(result, answer->devices.why);
}

/*
 * One row a device.  Without a driver, or without a device, one row that says
 * what is missing.
 */
Datum
gpuagg_device_list(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char		why[256] = "no CUDA device";

	InitMaterializedSRF(fcinfo, 0);
	service_look_again();
	if (!service_start(why, sizeof(why)) ||
		!session_ask(QUESTION_DEVICES, InvalidOid, take_devices, result, why))
		put_no_device(result, why);
	return (Datum) 0;
}

static const char *const phase_names[] = {
	[RUN_WAITING] = "waiting",
	[RUN_OPENING] = "opening",
	[RUN_READING] = "reading",
	[RUN_FINISHING] = "finishing"
};

/* As pg_stat_activity: what others run is for those who may read all statistics. */
static bool
may_see(Oid role)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		(OidIsValid(role) && has_privs_of_role(GetUserId(), role));
}

/* The numbers of the bits, as an array. */
static Datum
device_numbers(uint64 devices)
{
	Datum		numbers[DEVICES_MAX];
	int			n = 0;

	for (int i = 0; i < DEVICES_MAX; i++)
		if (devices >> i & 1)
			numbers[n++] = Int32GetDatum(i);
	return PointerGetDatum(construct_array(numbers, n, INT4OID, sizeof(int32), true,
										   TYPALIGN_INT));
}

static void
put_activity(ReturnSetInfo *result, const ActivityRow *row)
{
	Datum		values[11];
	bool		isnull[11] = {false};
	TimestampTz since = GetCurrentTimestamp() - (TimestampTz) (row->waited_ns / 1000);

	values[0] = Int32GetDatum(row->process_id);
	values[1] = CStringGetTextDatum(row->database);
	values[2] = CStringGetTextDatum(row->relation);
	values[3] = CStringGetTextDatum(engine_id_name(row->engine));
	values[4] = CStringGetTextDatum(phase_names[row->phase]);
	values[5] = Int64GetDatum((int64) row->pages);
	values[6] = Int64GetDatum((int64) row->total_pages);
	values[7] = Int64GetDatum((int64) row->rows);
	values[8] = Int64GetDatum((int64) row->memory);
	values[9] = TimestampTzGetDatum(since);
	values[10] = device_numbers(row->devices);
	isnull[2] = row->relation[0] == '\0';
	isnull[6] = row->total_pages == 0;
	isnull[9] = row->phase != RUN_WAITING;
	isnull[10] = row->devices == 0;
	if (!may_see(row->role))
		memset(&isnull[2], true, sizeof(isnull) - 2);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

static void
take_activity(Message *answer, void *argument)
{
	for (uint32 i = 0; i < answer->activity.nrows; i++)
		put_activity(argument, &message_activity(answer)[i]);
}

static void
put_cpu_activity(ReturnSetInfo *result, const Activity *activity)
{
	Datum		values[11] = {0};
	bool		isnull[11];
	char	   *database = get_database_name(activity->database);

	memset(isnull, true, sizeof(isnull));
	values[0] = Int32GetDatum(activity->pid);
	isnull[0] = false;
	if (database != NULL)
	{
		values[1] = CStringGetTextDatum(database);
		isnull[1] = false;
	}
	if (may_see(activity->role))
	{
		values[2] = CStringGetTextDatum(activity->relation);
		values[3] = CStringGetTextDatum(engine_id_name(engine_without_device()->traits->id));
		values[4] = CStringGetTextDatum(phase_names[activity->finishing ? RUN_FINISHING : RUN_READING]);
		values[5] = Int64GetDatum((int64) activity->pages);
		values[6] = Int64GetDatum((int64) activity->total_pages);
		values[7] = Int64GetDatum((int64) activity->rows);
		memset(&isnull[2], false, 6 * sizeof(bool));
		isnull[2] = activity->relation[0] == '\0';
		isnull[6] = activity->total_pages == 0;
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

/*
 * One row a run in the device process, if there is such a process, and one for each process
 * with a run of the CPU engine.
 */
Datum
gpuagg_activity_list(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char		why[256];
	Activity   *activities = NULL;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	(void) session_ask(QUESTION_ACTIVITY, InvalidOid, take_activity, result, why);
	n = activity_fetch(&activities);
	for (int i = 0; i < n; i++)
		put_cpu_activity(result, &activities[i]);
	return (Datum) 0;
}
