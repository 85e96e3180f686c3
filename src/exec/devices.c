/*
 * devices.c
 *	  The machine's CUDA devices for SQL: the view gpuagg_devices.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "engine/devices.h"
#include "service/service.h"

#define MAX_DEVICES 64

PG_FUNCTION_INFO_V1(gpuagg_device_list);

/* A version as CUDA numbers it: 13000 is 13.0. */
static Datum
version_text(int version)
{
	return CStringGetTextDatum(psprintf("%d.%d", version / 1000, version % 1000 / 10));
}

/*
 * One row a device.  Without a driver, or without a device, one row that says
 * what is missing.
 */
Datum
gpuagg_device_list(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DeviceInfo *infos = palloc0(MAX_DEVICES * sizeof(DeviceInfo));
	char		why[256] = "no CUDA device";
	int			n = 0;

	service_look_again();
	if (service_start(why, sizeof(why)))
		n = cuda_devices(infos, MAX_DEVICES, why, sizeof(why));
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < Min(Max(n, 1), MAX_DEVICES); i++)
	{
		DeviceInfo *info = &infos[i];
		Datum		values[7];
		bool		isnull[7] = {false};
		bool		no_device = n == 0;

		values[0] = Int32GetDatum(i);
		values[1] = CStringGetTextDatum(info->name);
		values[2] = Int64GetDatum((int64) info->memory);
		values[3] = CStringGetTextDatum(psprintf("%d.%d", info->major, info->minor));
		values[4] = version_text(info->driver);
		values[5] = BoolGetDatum(!no_device && info->usable);
		values[6] = CStringGetTextDatum(no_device ? why : info->reason);
		isnull[0] = isnull[1] = isnull[2] = isnull[3] = no_device;
		isnull[4] = info->driver == 0;
		isnull[6] = !no_device && info->usable;
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}
