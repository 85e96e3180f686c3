/*
 * device_table.c
 *	  The group table on the device: made, grown, freed.
 *
 * A table grows when rows of a batch found no room: a larger one is made, the
 * groups are moved by a kernel, and the caller runs these rows again.  All of it
 * goes through the run's work stream, after whatever has been launched into the
 * old table.
 */
#include "engine/cuda/strategy/choose.h"

/* Fewer slots than that save nothing. */
#define TABLE_MIN_SLOTS 16384
#define TABLE_MAX_SLOTS (UINT32_C(1) << 31)

/* A table is twice as large as the groups it takes. */
#define TABLE_LOAD 2

/* How much larger a table gets at once, at least and at most. */
#define TABLE_GROW_MIN 4
#define TABLE_GROW_MAX 64

/* Of the memory limit, what the first table takes at most. */
#define FIRST_TABLE_SHARE 8

/* SUM_INT128's low words are good for 2^31 rows. */
#define NORMALIZE_ROWS (UINT64_C(1) << 30)

/* The arena at first, in units of 8 bytes a slot. */
#define ARENA_UNITS_PER_SLOT 2

static const KernelLayout *
table_layout(const CudaRun *run)
{
	return &run->layouts[run->choice.table];
}

/* Bytes of a slot, its cold words included. */
static uint64_t
slot_size(const CudaRun *run)
{
	const KernelLayout *layout = table_layout(run);

	return 8 * (uint64_t) (layout->stride + layout->nwords - layout->nhot);
}

static uint64_t
slots_for(uint64_t groups)
{
	uint64_t	slots = TABLE_MIN_SLOTS;

	while (slots < groups * TABLE_LOAD && slots < TABLE_MAX_SLOTS)
		slots *= 2;
	return slots;
}

/* Memory for a table with that many slots, its fields, empty slots. */
static EngineStatus
make_table(CudaRun *run, uint64_t slots, uint64_t arena_units)
{
	const KernelLayout *layout = table_layout(run);
	const DeviceOps *ops = run->device_ops;
	TableArgs	args = {0};
	EngineStatus status;

	status = run_alloc(run, slots * slot_size(run), &run->table_slots);
	if (status == ENGINE_OK && layout->has_text && arena_units > 0)
		status = run_alloc(run, arena_units * 8, &run->table_arena);
	if (status != ENGINE_OK)
		return status;
	run->table.slots = run->table_slots.ptr;
	run->table.capacity = (uint32_t) slots;
	run->table.limit = (uint32_t) (slots / TABLE_LOAD);
	run->table.direct_min = run->choice.direct_min;
	run->table.counters = run->counters.ptr + COUNTERS_OF_TABLE;
	run->table.arena = run->table_arena.ptr;
	run->table.arena_size = layout->has_text ? run->table_arena.size / 8 : 0;
	/* not what the arena holds: that stays */
	status = run_device(run, ops->fill(run->device, run->work,
									   run->table.counters + offsetof(TableCounters, groups),
									   0, sizeof(uint32_t)), "could not clear a counter");
	if (status == ENGINE_OK)
		status = run_device(run, ops->fill(run->device, run->work, run->table.counters +
										   offsetof(TableCounters, arena_missed),
										   0, sizeof(uint64_t)), "could not clear a counter");
	if (status != ENGINE_OK)
		return status;
	args.table = run->table;
	return kernels_launch(run, run->kernels.table_init, slots * slot_size(run) / 8, 256, 0,
						  &args);
}

EngineStatus
device_table_create(CudaRun *run, uint64_t groups)
{
	uint64_t	slots;

	if (run->program->nkeys == 0)
		slots = 1;
	else if (run->choice.table == TABLE_DIRECT)
		slots = run->choice.direct_range + 1;
	else
	{
		slots = slots_for(groups);
		/* an expectation may be wrong, and growing is cheap */
		while (slots > TABLE_MIN_SLOTS &&
			   slots * slot_size(run) > run->memory_limit / FIRST_TABLE_SHARE)
			slots /= 2;
	}
	return make_table(run, slots, slots * ARENA_UNITS_PER_SLOT);
}

/* What the table holds: wait for all that has been launched. */
EngineStatus
device_table_counters(CudaRun *run, TableCounters *counters)
{
	const DeviceOps *ops = run->device_ops;
	char	   *result = (char *) run->results.data + COUNTERS_OF_TABLE;
	DeviceStatus status;

	status = ops->download(run->device, run->work, result,
						   run->table.counters, sizeof(TableCounters));
	if (status == DEVICE_OK)
		status = ops->stream_wait(run->device, run->work);
	*counters = *(const TableCounters *) result;
	return run_device(run, status, "could not read the table's counters");
}

/*
 * Slots and arena of the larger table.  The limit of growth is for batches in
 * which one group has many of the rows that found no room.
 */
static void
larger_size(const CudaRun *run, const TableCounters *counters, uint64_t more_groups,
			uint64_t *slots, uint64_t *arena)
{
	uint64_t	most = (uint64_t) run->table.capacity * TABLE_GROW_MAX;
	uint64_t	arena_needed = counters->arena_top + counters->arena_missed;
	bool		arena_full = run->table.arena_size > 0 &&
		(counters->arena_top > run->table.arena_size / 2 ||
		 arena_needed > run->table.arena_size);

	*slots = slots_for(counters->groups + more_groups);
	if (*slots > most)
		*slots = most;
	if (*slots < (uint64_t) run->table.capacity * TABLE_GROW_MIN && !arena_full)
		*slots = (uint64_t) run->table.capacity * TABLE_GROW_MIN;
	while (*slots > (uint64_t) run->table.capacity * 2 &&
		   *slots * slot_size(run) > run->memory_limit - run->memory_used)
		*slots /= 2;
	if (*slots < run->table.capacity)
		*slots = run->table.capacity;
	*arena = arena_full ? run->table.arena_size * TABLE_GROW_MIN : 0;
	if (arena_full && *arena < arena_needed)
		*arena = arena_needed;	/* a single text is that long */
}

/* Move the groups of the old table into the new one, and free the old one. */
static EngineStatus
move_groups(CudaRun *run, const DeviceTable *old, bool old_direct)
{
	TableArgs	args = {0};
	EngineStatus status;

	args.table = run->table;
	args.old = *old;
	args.old_direct = old_direct;
	status = kernels_launch(run, run->kernels.table_move, old->capacity, 256, 0, &args);
	if (status != ENGINE_OK)
		return status;
	return run_device(run, run->device_ops->stream_wait(run->device, run->work),
					  "could not move the groups");
}

/*
 * Make room for that many groups more.  Direct addressing gives way to hashing,
 * since the rows had keys out of its range.
 */
EngineStatus
device_table_grow(CudaRun *run, uint64_t more_groups)
{
	DeviceTable	old = run->table;
	DeviceBuffer old_slots = run->table_slots;
	DeviceBuffer old_arena = run->table_arena;
	bool		old_direct = run->choice.table == TABLE_DIRECT;
	uint64_t	slots;
	uint64_t	arena = 0;
	TableCounters counters;
	EngineStatus status;

	status = device_table_counters(run, &counters);
	if (status != ENGINE_OK)
		return status;
	if (old_direct)
	{
		slots = slots_for(old.capacity + more_groups);
		run->choice.table = TABLE_HASH;
		run->choice.hot = false;
		run->choice.block_direct = false;
		if (!block_dimensions(&run->layouts[TABLE_HASH], slots / TABLE_LOAD, 0,
							  run->device->info.shared_limit, &run->choice.block_slots,
							  &run->choice.block_replicas) &&
			run->choice.strategy == STRATEGY_BLOCK)
			run->choice.strategy = STRATEGY_ATOMIC;
		kernels_release(&run->kernels);
		status = kernels_load(run, &run->choice, PART_AGGREGATE, &run->kernels);
		if (status != ENGINE_OK)
			return status;
	}
	else
		larger_size(run, &counters, more_groups, &slots, &arena);
	run->table_slots = (DeviceBuffer) {0};
	if (arena > 0)
		run->table_arena = (DeviceBuffer) {0};
	status = make_table(run, slots, arena);
	if (status == ENGINE_OK)
		status = move_groups(run, &old, old_direct);
	run_free(run, &old_slots);
	if (arena > 0)
		run_free(run, &old_arena);
	return status;
}

EngineStatus
device_table_normalize(CudaRun *run, uint64_t rows)
{
	TableArgs	args = {0};

	run->rows_since_normalize += rows;
	if (run->rows_since_normalize < NORMALIZE_ROWS)
		return ENGINE_OK;
	run->rows_since_normalize = 0;
	args.table = run->table;
	return kernels_launch(run, run->kernels.table_normalize, run->table.capacity, 256, 0,
						  &args);
}

void
device_table_free(CudaRun *run)
{
	run_free(run, &run->table_slots);
	run_free(run, &run->table_arena);
}
