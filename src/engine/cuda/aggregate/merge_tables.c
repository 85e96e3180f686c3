/*
 * merge_tables.c
 *	  The groups of a run on another device into the run's table.
 *
 * The other table's slots are copied from device to device, and a kernel takes group after group of
 * the copy, as if it were a row with the group's state.  Groups that find no room, or are out of
 * the range of a table that is addressed directly, stay in the copy while the table grows.
 */
#include <string.h>

#include "engine/cuda/aggregate/merge_tables.h"

/* Free until groups leave. */
#define COUNTERS_OF_MERGE COUNTERS_OF_OUTPUT(0)

static const KernelLayout *
layout_of(const RunCore *run, const Aggregation *aggregation)
{
	return &run->layouts[aggregation->kernels.choice.table];
}

static bool
is_direct(const Aggregation *aggregation)
{
	return aggregation->kernels.choice.table == TABLE_DIRECT;
}

/* Is there memory for a table of hashed keys that all of its slots' groups find room in? */
static bool
can_hash(const RunCore *run, const Aggregation *aggregation)
{
	uint64_t	slots = layout_slots_for(aggregation->table.table.capacity);

	return slots * layout_slot_size(&run->layouts[TABLE_HASH]) <=
		run->memory_limit - run->memory_used;
}

/* A copy of the other table on the run's device; without memory for it: from->slots 0. */
static EngineStatus
copy_table(RunCore *run, const RunCore *other, const RunTable *table, DeviceBuffer *slots,
		   DeviceTable *from)
{
	EngineStatus status = run_alloc(run, table->slots.size, slots);

	*from = (DeviceTable) {0};
	if (status != ENGINE_OK)
		return status == ENGINE_NO_MEMORY ? ENGINE_OK : status;
	*from = table->table;
	from->slots = slots->ptr;
	return run_device(run, run->device_ops->copy_from(run->device, run->work, slots->ptr,
													  other->device, table->slots.ptr,
													  table->slots.size),
					  "could not copy groups from another device");
}

/* Merge what is in the copy.  *undone: groups that found no room, and are still there. */
static EngineStatus
take_copy(RunCore *run, const Aggregation *aggregation, const DeviceTable *from, bool direct,
		  uint32_t *undone)
{
	const DeviceOps *ops = run->device_ops;
	Counters   *result = (Counters *) ((char *) run->results.data + COUNTERS_OF_MERGE);
	MergeArgs	args = {0};
	DeviceStatus device;
	EngineStatus status;

	args.rows.table = aggregation->table.table;
	args.rows.counters = run->counters.ptr + COUNTERS_OF_MERGE;
	args.from = *from;
	args.from_direct = direct;
	device = ops->fill(run->device, run->work, args.rows.counters, 0, sizeof(Counters));
	status = run_device(run, device, "could not clear counters");
	if (status == ENGINE_OK)
		status = kernels_launch(run, aggregation->kernels.table_merge, from->capacity, 256, 0,
								&args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, result, args.rows.counters, sizeof(Counters));
	status = run_wait(run, device, "could not merge groups of another device");
	*undone = result->undone;
	return status;
}

static EngineStatus
take_all(RunCore *run, Aggregation *aggregation, const DeviceTable *from, bool direct)
{
	EngineStatus status;
	uint32_t	undone;

	while ((status = take_copy(run, aggregation, from, direct, &undone)) == ENGINE_OK &&
		   undone > 0)
	{
		status = run_table_grow(run, &aggregation->kernels, undone, &aggregation->table);
		if (status != ENGINE_OK)
			break;
	}
	return status;
}

/*
 * Carry low words of the run's sums over, if those of the other's rows could make them run over.
 * These rows count from now on.
 */
static EngineStatus
normalize(RunCore *run, Aggregation *aggregation, const RunTable *other)
{
	RunTable   *table = &aggregation->table;
	uint64_t	rows = other->rows_since_normalize;
	EngineStatus status = run_table_normalize(run, &aggregation->kernels, rows, table);

	if (table->rows_since_normalize < rows)
		table->rows_since_normalize = rows;
	return status;
}

/* All that the other run was given has been done; its message is the run's. */
static EngineStatus
wait_for_other(RunCore *run, RunCore *other)
{
	EngineStatus status = run_wait(other, DEVICE_OK, "the device failed");

	if (status != ENGINE_OK)
		memcpy(run->head.message, other->head.message, sizeof(run->head.message));
	return status;
}

/* The other has groups, and both have tables that can be merged. */
static EngineStatus
merge_groups(RunCore *run, Aggregation *aggregation, RunCore *other,
			 Aggregation *other_aggregation, bool *merged)
{
	RunTable   *table = &other_aggregation->table;
	DeviceBuffer slots = {0};
	DeviceTable from = {0};
	EngineStatus status = ENGINE_OK;

	/* hashed keys can be anywhere */
	if (is_direct(aggregation) && !is_direct(other_aggregation))
	{
		if (!can_hash(run, aggregation))
			return ENGINE_OK;
		status = run_table_grow(run, &aggregation->kernels, 0, &aggregation->table);
	}
	if (status == ENGINE_OK)
		status = normalize(run, aggregation, table);
	if (status == ENGINE_OK)
		status = wait_for_other(run, other);
	if (status == ENGINE_OK)
		status = copy_table(run, other, table, &slots, &from);
	if (status == ENGINE_OK && from.slots != 0)
	{
		status = take_all(run, aggregation, &from, is_direct(other_aggregation));
		*merged = status == ENGINE_OK;
	}
	run_free(run, &slots);
	return status;
}

EngineStatus
merge_tables(RunCore *run, Aggregation *aggregation, RunCore *other,
			 Aggregation *other_aggregation, bool *merged)
{
	*merged = !other_aggregation->chosen;
	if (*merged || !aggregation->chosen || !layout_of(run, aggregation)->merges ||
		!layout_of(other, other_aggregation)->merges)
		return ENGINE_OK;
	return merge_groups(run, aggregation, other, other_aggregation, merged);
}
