/*
 * table_values.c
 *	  The arena of what a table's extremes refer to: made, cleaned, grown.
 *
 * Values that were beaten stay in the arena as garbage (values.cuh).  When rows
 * find no room, the values in use are copied to another arena; if these alone
 * take much of it, to a larger one.  All of it goes through the run's work
 * stream, after whatever has been launched with the old arena.  Sizes are in 8-byte
 * words.
 */
#include "engine/cuda/aggregate/table_values.h"

/*
 * The first arena: for each extreme of an expected group, and at least, for the
 * many threads that begin at once with a value each.
 */
#define VALUE_SIZE 4
#define VALUES_MIN_SIZE (UINT64_C(1) << 20)

/* Of the memory limit, what the first arena takes at most. */
#define VALUES_FIRST_SHARE 64

/* How much more room there is than values in use, after a cleaning. */
#define VALUES_ROOM 4

/* References have 32 bits for a place. */
#define VALUES_MAX_SIZE (UINT64_C(1) << 32)

/* A new arena, the table's from now on; the old one is the caller's. */
static EngineStatus
make_arena(RunCore *run, uint64_t size, RunTable *table)
{
	EngineStatus status;

	if (size >= VALUES_MAX_SIZE)
		return run_fail(run, ENGINE_NO_MEMORY, "extremes take too much memory");
	status = run_alloc(run, size * 8, &table->values);
	if (status != ENGINE_OK)
		return status;
	table->table.values = table->values.ptr;
	table->table.values_size = size;
	return run_device(run, run->device_ops->fill(run->device, run->work,
												 run->counters.ptr + COUNTERS_OF_TABLE +
												 offsetof(TableCounters, values_top),
												 0, sizeof(uint64_t)),
					  "could not clear a counter");
}

EngineStatus
table_values_create(RunCore *run, uint64_t groups, RunTable *table)
{
	uint64_t	extremes = (uint64_t) run->layouts[0].nvalues;
	uint64_t	size = groups * VALUE_SIZE * extremes;
	uint64_t	most = run->memory_limit / VALUES_FIRST_SHARE / 8;

	if (extremes == 0)
		return ENGINE_OK;
	if (size < VALUES_MIN_SIZE)
		size = VALUES_MIN_SIZE;
	if (size > most)
		size = most;
	return make_arena(run, size > 0 ? size : 1, table);
}

/* Copy the values in use to a new arena; *used: what they take. */
static EngineStatus
move_values(RunCore *run, const Kernels *kernels, uint64_t size, RunTable *table,
			uint64_t *used)
{
	DeviceBuffer old = table->values;
	TableArgs	args = {0};
	TableCounters counters;
	EngineStatus status;

	args.old = table->table;
	table->values = (DeviceBuffer) {0};
	status = make_arena(run, size, table);
	args.table = table->table;
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->values_move, table->table.capacity, 256, 0,
								&args);
	if (status == ENGINE_OK)
		status = run_table_counters(run, table, &counters);
	if (status == ENGINE_OK)
		*used = counters.values_top;
	if (status != ENGINE_OK)
		(void) run->device_ops->stream_wait(run->device, run->work);
	run_free(run, &old);
	return status;
}

EngineStatus
table_values_grow(RunCore *run, const Kernels *kernels, uint64_t size, RunTable *table)
{
	uint64_t	room = table->table.values_size;
	uint64_t	used;
	EngineStatus status;

	status = move_values(run, kernels, room, table, &used);
	if (status == ENGINE_OK && room < (used + size) * VALUES_ROOM)
		status = move_values(run, kernels, (used + size) * VALUES_ROOM, table, &used);
	return status;
}

void
table_values_free(RunCore *run, RunTable *table)
{
	run_free(run, &table->values);
}
