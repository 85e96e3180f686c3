/*
 * check_machine.c
 *	  Checks of engines, devices and the machine: gpuagg_check().
 *
 * What of the machine matters only to a device is looked at where one would be used.
 */
#include "postgres.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include "storage/bufmgr.h"
#include "storage/dsm_impl.h"
#include "utils/guc.h"

#include "compat.h"
#include "exec/sql/gpuagg_check.h"
#include "guc.h"
#include "handle/cpu_cache.h"
#include "handle/select.h"
#include "service/client/service.h"
#include "service/client/session.h"
#include "stats/stats.h"

#define MEGABYTE (1024 * 1024)

/* Parallel queries and the device process share memory with sessions by it. */
#define SHARED_MEMORY "/dev/shm"
#define ENOUGH_SHARED_MEMORY (256 * (uint64) MEGABYTE)

/* Buffers from which on huge pages are worth being set. */
#define MANY_BUFFERS (8 * (uint64) 1024 * MEGABYTE / BLCKSZ)

/* Does gpuagg.engine, as it is set and with what there is, use a device? */
static bool
device_is_used(void)
{
	const EngineOps *ops = engine_chosen(gpuagg_engine);

	return ops == NULL ? engine_device_answers() : ops->traits->on_device;
}

void
check_engine(ReturnSetInfo *result)
{
	const EngineOps *ops = engine_chosen(gpuagg_engine);
	const char *name = engine_choice_name(gpuagg_engine);
	char		reason[256];

	if (ops == NULL)
		check_put(result, "engine", CHECK_OK,
				  psprintf("gpuagg.engine = %s: %s", name,
						   engine_device_answers() ? "cuda or cpu, by costs" : "cpu"),
				  NULL);
	else if (engine_is_available(ops, reason, sizeof(reason)))
		check_put(result, "engine", CHECK_OK, psprintf("gpuagg.engine = %s", name), NULL);
	else
		check_put(result, "engine", CHECK_WARNING, psprintf("gpuagg.engine = %s: %s", name, reason),
				  "Set gpuagg.engine to auto or cpu: queries that are taken end with an error now.");
}

static void
take_devices(Message *answer, void *argument)
{
	ReturnSetInfo *result = argument;

	for (uint32 i = 0; i < answer->devices.ndevices; i++)
	{
		const DeviceInfo *info = &message_devices(answer)[i].info;

		check_put(result, "device", info->usable ? CHECK_OK : CHECK_WARNING,
				  psprintf("%s: %s", info->name, info->usable ? "usable" : info->reason),
				  info->usable ? NULL : "Provide what is missing, or set gpuagg.engine to cpu.");
	}
	if (answer->devices.ndevices == 0)
		check_put(result, "device", CHECK_NOTICE, answer->devices.why,
				  "Nothing, if the machine has no GPU: the CPU engine is used.");
}

/* As gpuagg_devices, which everybody may read. */
void
check_devices(ReturnSetInfo *result)
{
	char		why[256] = "no CUDA device";

	if (gpuagg_engine == CHOICE_CPU)
	{
		check_put(result, "device", CHECK_OK, "not looked for, with gpuagg.engine = cpu", NULL);
		return;
	}
	service_look_again();
	if (!service_start(why, sizeof(why)) ||
		!session_ask(QUESTION_DEVICES, InvalidOid, take_devices, result, why))
		check_put(result, "device", CHECK_NOTICE, why,
				  "Nothing, if the machine has no GPU: the CPU engine is used.");
}

/*
 * The memory of columns that the CPU engine keeps; not where gpuagg.engine names another engine.
 * How full it is tells of the values of tables, hidden ones too.
 */
void
check_cpu_cache(ReturnSetInfo *result)
{
	const EngineOps *ops = engine_chosen(gpuagg_engine);
	const char *advice = NULL;
	bool		full = false;

	if (ops != NULL && ops->stripes == NULL)
		return;
	if (gpuagg_cpu_cache_size == 0)
		advice = "Set gpuagg.cpu_cache_size to a tenth to a third of the size of the tables that are "
			"asked again and again, and restart the server: the CPU engine reads their pages each "
			"time now.";
	else if (!stats_are_kept())
		advice = "Add gpuagg to shared_preload_libraries and restart the server: the CPU engine keeps "
			"no columns now.";
	else if (!cpu_cache_is_on())
		advice = "Raise gpuagg.cpu_cache_size and restart the server: this is too little for any "
			"column.";
	else if (check_may_see_all() && cpu_cache_is_full())
	{
		full = true;
		advice = "Raise gpuagg.cpu_cache_size and restart the server, if EXPLAIN ANALYZE of queries "
			"that are asked again and again shows few Blocks Resident.";
	}
	check_put(result, "cpu_cache_size", advice == NULL ? CHECK_OK : CHECK_NOTICE,
			  psprintf("gpuagg.cpu_cache_size = %s%s",
					   GetConfigOptionByName("gpuagg.cpu_cache_size", NULL, false),
					   full ? ", more than 7/8 of it taken" : ""),
			  advice);
}

/* The device process inherits the limit from the postmaster, as this process does. */
void
check_locked_memory(ReturnSetInfo *result)
{
	struct rlimit limit;
	bool		unlimited;
	bool		enough;

	if (!device_is_used() || !check_may_see_all() || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		return;
	unlimited = limit.rlim_cur == RLIM_INFINITY;
	enough = unlimited || limit.rlim_cur >= (uint64) NBuffers * BLCKSZ;
	check_put(result, "locked memory", enough ? CHECK_OK : CHECK_NOTICE,
			  unlimited ? "unlimited"
			  : psprintf("at most %llu MB a process", (unsigned long long) limit.rlim_cur / MEGABYTE),
			  enough ? NULL : "Raise the limit (LimitMEMLOCK of the service, ulimit -l) if EXPLAIN "
			  "ANALYZE shows Pages Copied and not Pages Read in Place.");
}

void
check_shared_memory(ReturnSetInfo *result)
{
	struct statvfs files;
	uint64		size;

	if (dynamic_shared_memory_type != DSM_IMPL_POSIX || !check_may_see_all() ||
		statvfs(SHARED_MEMORY, &files) != 0)
		return;
	size = (uint64) files.f_blocks * files.f_frsize;
	check_put(result, SHARED_MEMORY, size >= ENOUGH_SHARED_MEMORY ? CHECK_OK : CHECK_WARNING,
			  psprintf("%llu MB, %llu MB free", (unsigned long long) size / MEGABYTE,
					   (unsigned long long) files.f_bavail * files.f_frsize / MEGABYTE),
			  size >= ENOUGH_SHARED_MEMORY ? NULL
			  : "Make it larger (of a container by --shm-size=1g): parallel queries need it.");
}

void
check_huge_pages(ReturnSetInfo *result)
{
	const char *status = GetConfigOption("huge_pages_status", true, false);
	const char *setting = GetConfigOption("huge_pages", false, false);
	bool		wanted;

	if (!device_is_used())
		return;
	/* before PostgreSQL 17 nobody knows what became of "try" */
	wanted = (uint64) NBuffers >= MANY_BUFFERS &&
		strcmp(status != NULL ? status : setting, "off") == 0;
	check_put(result, "huge pages", wanted ? CHECK_NOTICE : CHECK_OK,
			  psprintf("huge_pages = %s%s%s", setting, status != NULL ? ", huge_pages_status = " : "",
					   status != NULL ? status : ""),
			  wanted ? "Set huge_pages to try, and vm.nr_hugepages to what "
			  "shared_memory_size_in_huge_pages says." : NULL);
}
