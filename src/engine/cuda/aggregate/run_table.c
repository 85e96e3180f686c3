/*
 * run_table.c
 *	  A run's group table on the device: made, grown, freed.
 *
 * A table grows when rows of a batch found no room: a larger one is made, the
 * groups are moved by a kernel, and the caller runs these rows again.  All of it
 * goes through the run's work stream, after whatever has been launched into the
 * old table.
 */
#include "engine/cuda/aggregate/run_table.h"

/* How many times larger a table gets at once, at least and at most. */
#define TABLE_GROW_MIN 4
#define TABLE_GROW_MAX 64

/* Of the memory limit, what the first table takes at most. */
#define FIRST_TABLE_SHARE 8

/* SUM_INT128's low words have room for the sum of 2^31 rows at least: see state.h. */
#define NORMALIZE_ROWS (UINT64_C(1) << 30)

/* The arena at first, in 8-byte words a slot. */
#define ARENA_WORDS_PER_SLOT 2

static uint64_t
slot_size(const RunCore *run, const Kernels *kernels)
{
	return layout_slot_size(&run->layouts[kernels->choice.table]);
}

/* The slots of the first table of hashed keys. */
static uint64_t
first_slots(const KernelLayout *layout, uint64_t groups, uint64_t memory_limit)
{
	uint64_t	slots = layout_slots_for(groups);

	/* an expectation may be wrong, and growing is cheap */
	while (slots > TABLE_MIN_SLOTS &&
		   slots * layout_slot_size(layout) > memory_limit / FIRST_TABLE_SHARE)
		slots /= 2;
	return slots;
}

uint64_t
run_table_memory(const Program *program, const KernelLayout *layout, uint64_t groups,
				 uint64_t memory_limit)
{
	uint64_t	slots = program->nkeys == 0 ? 1 : first_slots(layout, groups, memory_limit);
	uint64_t	arena = layout->has_text ? 8 * ARENA_WORDS_PER_SLOT : 0;

	return slots * (layout_slot_memory(layout) + arena);
}

/* Clear a counter of the table, of that many bytes. */
static EngineStatus
clear_counter(RunCore *run, const RunTable *table, size_t place, size_t size)
{
	return run_device(run, run->device_ops->fill(run->device, run->work,
												 table->table.counters + place, 0, size),
					  "could not clear a counter");
}

/*
 * Memory for a table with that many slots, its fields, empty slots.  arena_size: in
 * 8-byte words, of a new arena; 0: the old one stays.
 */
static EngineStatus
make_table(RunCore *run, const Kernels *kernels, uint64_t slots, uint64_t arena_size,
		   RunTable *table)
{
	const KernelLayout *layout = &run->layouts[kernels->choice.table];
	TableArgs	args = {0};
	EngineStatus status;

	status = run_alloc(run, slots * slot_size(run, kernels), &table->slots);
	if (status == ENGINE_OK && layout->has_text && arena_size > 0)
		status = run_alloc(run, arena_size * 8, &table->arena);
	if (status != ENGINE_OK)
		return status;
	table->table.slots = table->slots.ptr;
	table->table.capacity = (uint32_t) slots;
	table->table.limit = (uint32_t) (slots / TABLE_LOAD);
	table->table.direct_min = kernels->choice.direct_min;
	table->table.counters = run->counters.ptr + COUNTERS_OF_TABLE;
	table->table.script = kernels->script;
	table->table.arena = table->arena.ptr;
	table->table.arena_size = layout->has_text ? table->arena.size / 8 : 0;
	/* arena_top stays: the arena's texts are copied to the same places */
	status = clear_counter(run, table, offsetof(TableCounters, groups), sizeof(uint32_t));
	if (status == ENGINE_OK)
		status = clear_counter(run, table, offsetof(TableCounters, arena_missed),
							   sizeof(uint64_t));
	if (status != ENGINE_OK)
		return status;
	args.table = table->table;
	return kernels_launch(run, kernels->table_init, slots * slot_size(run, kernels) / 8, 256,
						  0, &args);
}

EngineStatus
run_table_create(RunCore *run, const Kernels *kernels, uint64_t groups, RunTable *table)
{
	uint64_t	slots;

	if (run->program->nkeys == 0)
		slots = 1;
	else if (kernels->choice.table == TABLE_DIRECT)
		slots = kernels->choice.direct_range + 1;
	else
		slots = first_slots(&run->layouts[kernels->choice.table], groups, run->memory_limit);
	return make_table(run, kernels, slots, slots * ARENA_WORDS_PER_SLOT, table);
}

EngineStatus
run_table_counters(RunCore *run, const RunTable *table, TableCounters *counters)
{
	char	   *result = (char *) run->results.data + COUNTERS_OF_TABLE;
	DeviceStatus device;
	EngineStatus status;

	device = run->device_ops->download(run->device, run->work, result,
									   table->table.counters, sizeof(TableCounters));
	status = run_wait(run, device, "could not read the table's counters");
	*counters = *(const TableCounters *) result;
	return status;
}

/*
 * Slots of a larger table for so many groups, if the arena is full or not.  The
 * limit of growth is for batches in which one group has many of the rows that found
 * no room.
 */
static uint64_t
larger_slots(const RunCore *run, const Kernels *kernels, const DeviceTable *old,
			 uint64_t groups, bool arena_full)
{
	uint64_t	capacity = old->capacity;
	uint64_t	slots = layout_slots_for(groups);

	if (slots > capacity * TABLE_GROW_MAX)
		slots = capacity * TABLE_GROW_MAX;
	if (slots < capacity * TABLE_GROW_MIN && !arena_full)
		slots = capacity * TABLE_GROW_MIN;
	while (slots > capacity * 2 &&
		   slots * slot_size(run, kernels) > run->memory_limit - run->memory_used)
		slots /= 2;
	return slots < capacity ? capacity : slots;
}

/*
 * The size of a larger arena, in 8-byte words, or 0: the old one will do.  A single
 * text may be longer than the old one.
 */
static uint64_t
larger_arena(const DeviceTable *old, const TableCounters *counters)
{
	uint64_t	needed = counters->arena_top + counters->arena_missed;
	uint64_t	size = old->arena_size * TABLE_GROW_MIN;

	if (old->arena_size == 0 ||
		(counters->arena_top <= old->arena_size / 2 && needed <= old->arena_size))
		return 0;
	return size < needed ? needed : size;
}

/* Kernels for a table of hashed keys in place of those for direct addressing. */
static EngineStatus
load_hashing(RunCore *run, uint64_t slots, Kernels *kernels)
{
	StrategyChoice choice = kernels->choice;

	choose_hashing(run->layouts, slots / TABLE_LOAD, run->device->info.shared_limit, &choice);
	kernels_release(kernels);
	return kernels_load(run, &choice, PART_AGGREGATE, kernels);
}

/*
 * Move the groups of the old table into the new one, and with them their slots in lists of values
 * and their first rows; wait for it.
 */
static EngineStatus
move_groups(RunCore *run, const Kernels *kernels, const DeviceTable *old, bool old_direct,
			RunTable *table)
{
	TableArgs	args = {0};
	DeviceBuffer moved = {0};
	EngineStatus status = ENGINE_OK;

	args.table = table->table;
	args.old = *old;
	args.old_direct = old_direct;
	if (table->lists.open || table->rows.room > 0)
		status = run_alloc(run, old->capacity * sizeof(uint32_t), &moved);
	args.moved = moved.ptr;
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->table_move, old->capacity, 256, 0, &args);
	if (status == ENGINE_OK && table->lists.open)
		status = value_lists_move(run, &table->lists, moved.ptr);
	if (status == ENGINE_OK && table->rows.room > 0)
		status = group_rows_move(run, kernels, &table->rows, old->capacity, table->table.capacity,
								 moved.ptr);
	if (status == ENGINE_OK)
		status = run_wait(run, DEVICE_OK, "could not move the groups");
	run_free(run, &moved);
	return status;
}

EngineStatus
run_table_grow(RunCore *run, Kernels *kernels, uint64_t more_groups, RunTable *table)
{
	RunTable	old = *table;
	bool		old_direct = kernels->choice.table == TABLE_DIRECT;
	uint64_t	arena = 0;
	uint64_t	slots;
	TableCounters counters;
	EngineStatus status;

	status = run_table_counters(run, table, &counters);
	if (status != ENGINE_OK)
		return status;
	if (old_direct)
	{
		slots = layout_slots_for(old.table.capacity + more_groups);
		status = load_hashing(run, slots, kernels);
		if (status != ENGINE_OK)
			return status;
	}
	else
	{
		arena = larger_arena(&old.table, &counters);
		slots = larger_slots(run, kernels, &old.table, counters.groups + more_groups,
							 arena > 0);
	}
	table->growths++;
	table->slots = (DeviceBuffer) {0};
	if (arena > 0)
		table->arena = (DeviceBuffer) {0};
	status = make_table(run, kernels, slots, arena, table);
	if (status == ENGINE_OK)
		status = move_groups(run, kernels, &old.table, old_direct, table);
	run_free(run, &old.slots);
	if (arena > 0)
		run_free(run, &old.arena);
	return status;
}

EngineStatus
run_table_normalize(RunCore *run, const Kernels *kernels, uint64_t rows, RunTable *table)
{
	TableArgs	args = {0};

	table->rows_since_normalize += rows;
	if (table->rows_since_normalize < NORMALIZE_ROWS)
		return ENGINE_OK;
	table->rows_since_normalize = 0;
	args.table = table->table;
	return kernels_launch(run, kernels->table_normalize, table->table.capacity, 256, 0,
						  &args);
}

void
run_table_free(RunCore *run, RunTable *table)
{
	run_free(run, &table->slots);
	run_free(run, &table->arena);
	value_lists_close(run, &table->lists);
	group_rows_close(run, &table->rows);
}
