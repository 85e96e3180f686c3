/*
 * device_values.c
 *	  The arena of what extremes refer to: made, cleaned, grown.
 *
 * Values that were beaten stay in the arena as garbage (values.cuh).  When rows
 * find no room, the values in use are copied to another arena; if these alone
 * take much of it, to a larger one.  All of it goes through the run's work
 * stream, after whatever has been launched with the old arena.
 */
#include "engine/cuda/run/run.h"

/*
 * The first arena: units of 8 bytes, for each extreme of an expected group, and
 * at least, for the many threads that begin at once with a value each.
 */
#define VALUE_UNITS 4
#define VALUES_MIN_UNITS (UINT64_C(1) << 20)

/* Of the memory limit, what the first arena takes at most. */
#define VALUES_FIRST_SHARE 64

/* How much more room there is than values in use, after a cleaning. */
#define VALUES_ROOM 4

/* References have 32 bits for a place. */
#define VALUES_MAX_UNITS (UINT64_C(1) << 32)

static int
values_of_group(const CudaRun *run)
{
	return run->layouts[0].nvalues;
}

static EngineStatus
make_arena(CudaRun *run, uint64_t units)
{
	EngineStatus status;

	if (units >= VALUES_MAX_UNITS)
		return run_fail(run, ENGINE_NO_MEMORY, "extremes take too much memory");
	status = run_alloc(run, units * 8, &run->table_values);
	if (status != ENGINE_OK)
		return status;
	run->table.values = run->table_values.ptr;
	run->table.values_size = units;
	return run_device(run, run->device_ops->fill(run->device, run->work,
												 run->counters.ptr + COUNTERS_OF_TABLE +
												 offsetof(TableCounters, values_top),
												 0, sizeof(uint64_t)),
					  "could not clear a counter");
}

EngineStatus
device_values_create(CudaRun *run, uint64_t groups)
{
	uint64_t	units = groups * VALUE_UNITS * (uint64_t) values_of_group(run);
	uint64_t	most = run->memory_limit / VALUES_FIRST_SHARE / 8;

	if (values_of_group(run) == 0)
		return ENGINE_OK;
	if (units < VALUES_MIN_UNITS)
		units = VALUES_MIN_UNITS;
	if (units > most)
		units = most;
	return make_arena(run, units > 0 ? units : 1);
}

/* Copy the values in use to a new arena; *used: what they take. */
static EngineStatus
move_values(CudaRun *run, uint64_t units, uint64_t *used)
{
	DeviceBuffer old = run->table_values;
	TableArgs	args = {0};
	TableCounters counters;
	EngineStatus status;

	args.old = run->table;
	run->table_values = (DeviceBuffer) {0};
	status = make_arena(run, units);
	args.table = run->table;
	if (status == ENGINE_OK)
		status = kernels_launch(run, run->kernels.values_move, run->table.capacity, 256, 0,
								&args);
	if (status == ENGINE_OK)
		status = device_table_counters(run, &counters);
	if (status == ENGINE_OK)
		*used = counters.values_top;
	if (status != ENGINE_OK)
		(void) run->device_ops->stream_wait(run->device, run->work);
	run_free(run, &old);
	return status;
}

/* Make room, for at least one value of so many units. */
EngineStatus
device_values_grow(CudaRun *run, uint64_t units)
{
	uint64_t	size = run->table.values_size;
	uint64_t	used;
	EngineStatus status;

	status = move_values(run, size, &used);
	if (status == ENGINE_OK && size < (used + units) * VALUES_ROOM)
		status = move_values(run, (used + units) * VALUES_ROOM, &used);
	return status;
}

void
device_values_free(CudaRun *run)
{
	run_free(run, &run->table_values);
}
