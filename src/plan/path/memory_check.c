/*
 * memory_check.c
 *	  Does the device memory that settings allow hold the groups that are expected?
 *
 * A device has no files: a run whose table does not fit gives up, and its time is lost.
 * What an engine says it needs without a limit is its input's buffers and the table; the
 * difference to what it needs for no groups is the table.  Buffers get smaller where
 * memory is short.
 *
 * Without a setting, the limit is the device's own, which planning does not ask for.
 */
#include "postgres.h"

#include "guc.h"
#include "plan/path/memory_check.h"

/* In bytes; 0: no setting limits it. */
static uint64
allowed_memory(void)
{
	int			megabytes = gpuagg_memory_limit;

	if (gpuagg_max_device_memory > 0 && (megabytes == 0 || gpuagg_max_device_memory < megabytes))
		megabytes = gpuagg_max_device_memory;
	return (uint64) megabytes << 20;
}

bool
device_holds_groups(const EngineOps *engine, const Program *program, double groups,
					char *reason, size_t len)
{
	EngineHints expected = {.groups = groups};
	EngineHints none = {0};
	uint64		allowed = allowed_memory();
	uint64		table;

	if (engine->memory_needed == NULL || allowed == 0)
		return true;
	table = engine->memory_needed(program, &expected) - engine->memory_needed(program, &none);
	if (table <= allowed)
		return true;
	snprintf(reason, len, "the expected groups take " UINT64_FORMAT " MB of device memory, and "
			 UINT64_FORMAT " MB are allowed", table >> 20, allowed >> 20);
	return false;
}
