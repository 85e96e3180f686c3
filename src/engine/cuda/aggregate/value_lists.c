/*
 * value_lists.c
 *	  The lists of values of a run, on the device, and what is read from them.
 *
 * Once a batch's groups are all in the table, its rows add their values (lists.cuh).  A list
 * grows before a batch's launch, to twice its room at least: at first to what the expected rows
 * would take.  When all rows are there, the pairs of each list are sorted by passes from one
 * list to another (sort.cuh), and statistics are read into words by slots (statistics.cuh),
 * from where groups take them when they leave.
 *
 * All of it goes through the run's work stream.
 */
#include <string.h>

#include "engine/cuda/aggregate/value_lists.h"
#include "program/order_statistic.h"

/* Threads of a block of the kernels of statistics.cuh. */
#define STATISTIC_THREADS 256

/* Blocks of a multiprocessor that sort: two of them have room. */
#define SORT_BLOCKS 2

/* Places in tops and told, in words of 8 bytes. */
#define TOLD_BITS ARGS_MAX_LISTS	/* of each list: two words */
#define TOLD_ERRORS (TOLD_BITS + 2 * ARGS_MAX_LISTS)
#define TOLD_SIZE ((TOLD_ERRORS + 1) * sizeof(uint64_t))

/* Places of pairs have 32 bits. */
#define MOST_PAIRS UINT32_MAX

static EngineStatus
clear(RunCore *run, const DeviceBuffer *buffer)
{
	return run_device(run, run->device_ops->fill(run->device, run->work, buffer->ptr, 0,
												 buffer->size),
					  "could not clear memory of statistics");
}

static EngineStatus
open_lists(RunCore *run, ValueLists *lists)
{
	EngineStatus status = kernels_load_statistics(run, &lists->module, &lists->kernels);

	if (status == ENGINE_OK)
		status = run_alloc(run, TOLD_SIZE, &lists->tops);
	if (status == ENGINE_OK)
		status = run_take_stage(run, TOLD_SIZE, &lists->told);
	if (status == ENGINE_OK)
		status = clear(run, &lists->tops);
	lists->open = true;
	return status;
}

static DeviceList
device_list(const PairList *list)
{
	return (DeviceList) {list->slots.ptr, list->values.ptr, list->room};
}

static void
free_pairs(RunCore *run, PairList *list)
{
	run_free(run, &list->slots);
	run_free(run, &list->values);
	list->room = 0;
}

static EngineStatus
make_pairs(RunCore *run, uint64_t room, PairList *list)
{
	EngineStatus status = run_alloc(run, room * sizeof(uint32_t), &list->slots);

	if (status == ENGINE_OK)
		status = run_alloc(run, room * sizeof(uint64_t), &list->values);
	if (status == ENGINE_OK)
		list->room = room;
	else
		free_pairs(run, list);
	return status;
}

static EngineStatus
launch(RunCore *run, DeviceKernel *kernel, uint64_t threads, StatisticArgs *args)
{
	return kernels_launch(run, kernel, threads, STATISTIC_THREADS, 0, args);
}

/* Where the device tells how many pairs a list has. */
static DevicePtr
top_of(const ValueLists *lists, int i)
{
	return lists->tops.ptr + (uint64_t) i * sizeof(uint64_t);
}

/* Let a list have that much room. */
static EngineStatus
grow_list(RunCore *run, ValueLists *lists, int i, uint64_t room)
{
	PairList	old = lists->lists[i];
	PairList	new = {{0}, {0}, 0};
	StatisticArgs args = {0};
	EngineStatus status = make_pairs(run, room, &new);

	if (status != ENGINE_OK)
		return status;
	args.list = device_list(&old);
	args.to = device_list(&new);
	args.top = top_of(lists, i);
	if (old.room > 0)
		status = launch(run, lists->kernels.list_copy, lists->most, &args);
	free_pairs(run, &old);
	lists->lists[i] = new;
	return status;
}

/* Pairs that there will be, by the share of the first rows that has passed. */
static uint64_t
expected_pairs(const RunCore *run, uint64_t rows, uint64_t passed)
{
	double		expected = rows == 0 ? 0 : run->hints.rows * ((double) passed / (double) rows);

	return expected < (double) MOST_PAIRS ? (uint64_t) expected : MOST_PAIRS;
}

/* Make room for so many pairs more; if need be, no more than that. */
static EngineStatus
make_room(RunCore *run, ValueLists *lists, uint64_t rows, uint64_t passed)
{
	uint64_t	needed = lists->most + passed;
	uint64_t	room = lists->most == 0 ? expected_pairs(run, rows, passed) : 2 * lists->most;
	EngineStatus status = ENGINE_OK;

	if (needed > MOST_PAIRS)
		return run_fail(run, ENGINE_NO_MEMORY, "a list of values has more than 2^32");
	for (int i = 0; i < run->layouts[0].nlists && status == ENGINE_OK; i++)
	{
		if (lists->lists[i].room >= needed)
			continue;
		status = room > needed ? grow_list(run, lists, i, room) : ENGINE_NO_MEMORY;
		if (status == ENGINE_NO_MEMORY)
			status = grow_list(run, lists, i, needed);
	}
	lists->most = needed;
	return status;
}

EngineStatus
value_lists_add(RunCore *run, const Kernels *kernels, ValueLists *lists, ListArgs *args,
				uint64_t passed)
{
	EngineStatus status = lists->open ? ENGINE_OK : open_lists(run, lists);

	if (status == ENGINE_OK)
		status = make_room(run, lists, args->rows.batch.nrows, passed);
	if (status != ENGINE_OK)
		return status;
	args->tops = lists->tops.ptr;
	for (int i = 0; i < run->layouts[0].nlists; i++)
		args->lists[i] = device_list(&lists->lists[i]);
	return kernels_launch(run, kernels->list_values, args->rows.batch.nrows, kernels->row_threads,
						  0, args);
}

EngineStatus
value_lists_move(RunCore *run, ValueLists *lists, DevicePtr moved)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < run->layouts[0].nlists && status == ENGINE_OK; i++)
	{
		StatisticArgs args = {0};

		args.list = device_list(&lists->lists[i]);
		args.top = top_of(lists, i);
		args.moved = moved;
		status = launch(run, lists->kernels.list_move, lists->most, &args);
	}
	return status;
}

/* What the device tells of the lists: waits. */
static EngineStatus
read_told(RunCore *run, const ValueLists *lists)
{
	return run_wait(run, run->device_ops->download(run->device, run->work, lists->told.data,
												   lists->tops.ptr, TOLD_SIZE),
					"could not read what lists of values have");
}

static uint64_t
told(const ValueLists *lists, int word)
{
	return ((const uint64_t *) lists->told.data)[word];
}

/* One pass of a sort. */
static EngineStatus
sort_pass(RunCore *run, const StatisticKernels *kernels, SortArgs *args)
{
	uint64_t	threads = (uint64_t) args->parts * SORT_THREADS;
	EngineStatus status = kernels_launch(run, kernels->sort_count, threads, SORT_THREADS, 0, args);

	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->sort_starts, SORT_BINS, SORT_BINS, 0, args);
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->sort_move, threads, SORT_THREADS, 0, args);
	return status;
}

/* Sort pairs by the bytes in which some of these bits are set, into one of two lists. */
static EngineStatus
sort_bytes(RunCore *run, const StatisticKernels *kernels, uint64_t bits, PairList *pairs,
		   PairList *spare, SortArgs *args)
{
	EngineStatus status = ENGINE_OK;

	for (args->shift = 0; args->shift < 64 && status == ENGINE_OK; args->shift += 8)
	{
		PairList	sorted = *spare;

		if (((bits >> args->shift) & (SORT_BINS - 1)) == 0)
			continue;
		args->from = device_list(pairs);
		args->to = device_list(spare);
		status = sort_pass(run, kernels, args);
		*spare = *pairs;
		*pairs = sorted;
	}
	return status;
}

/* How the pairs are divided among blocks. */
static void
divide(const RunCore *run, SortArgs *args)
{
	uint64_t	tiles = (args->n + SORT_TILE - 1) / SORT_TILE;
	uint64_t	parts = (uint64_t) run->device->info.multiprocessors * SORT_BLOCKS;
	uint64_t	each;

	if (parts > tiles)
		parts = tiles;
	each = (tiles + parts - 1) / parts;
	args->part = each * SORT_TILE;
	args->parts = (uint32_t) ((tiles + each - 1) / each);
}

/* Sort the n pairs of a list, first by slots; bits: of values, those that differ. */
static EngineStatus
sort_list(RunCore *run, const StatisticKernels *kernels, uint64_t n, uint64_t bits,
		  uint32_t capacity, PairList *list)
{
	PairList	spare = {{0}, {0}, 0};
	DeviceBuffer starts = {0};
	SortArgs	args = {0};
	EngineStatus status;

	args.n = n;
	divide(run, &args);
	status = make_pairs(run, n, &spare);
	if (status == ENGINE_OK)
		status = run_alloc(run, (uint64_t) args.parts * SORT_BINS * sizeof(uint32_t), &starts);
	args.starts = starts.ptr;
	if (status == ENGINE_OK)
		status = sort_bytes(run, kernels, bits, list, &spare, &args);
	args.by_slot = true;
	if (status == ENGINE_OK && capacity > 1)
		status = sort_bytes(run, kernels, UINT64_MAX >> __builtin_clzll(capacity - UINT64_C(1)),
							list, &spare, &args);
	free_pairs(run, &spare);
	run_free(run, &starts);
	return status;
}

/* One accumulator that is read from the list. */
static EngineStatus
read_statistic(RunCore *run, const StatisticKernels *kernels, const Accumulator *acc,
			   const DeviceBuffer *modes, StatisticArgs *args)
{
	EngineStatus status;

	args->descending = acc->descending;
	if (acc->kind != ACC_MODE)
	{
		args->fraction = fraction_of(run->constants.params, acc);
		args->continuous = acc->kind == ACC_PERCENTILE_CONT;
		return launch(run, kernels->read_percentiles, args->capacity, args);
	}
	args->modes = modes->ptr;
	status = clear(run, modes);
	if (status == ENGINE_OK)
		status = launch(run, kernels->find_modes, args->n, args);
	if (status == ENGINE_OK)
		status = launch(run, kernels->read_modes, args->capacity, args);
	return status;
}

/* Memory by slots that reading a list takes. */
typedef struct Places
{
	DeviceBuffer starts;
	DeviceBuffer ends;
	DeviceBuffer modes;
} Places;

static EngineStatus
make_places(RunCore *run, uint32_t capacity, Places *places)
{
	EngineStatus status = run_alloc(run, capacity * sizeof(uint32_t), &places->starts);

	if (status == ENGINE_OK)
		status = run_alloc(run, capacity * sizeof(uint32_t), &places->ends);
	if (status == ENGINE_OK)
		status = run_alloc(run, capacity * sizeof(uint64_t), &places->modes);
	return status;
}

static void
free_places(RunCore *run, Places *places)
{
	run_free(run, &places->starts);
	run_free(run, &places->ends);
	run_free(run, &places->modes);
}

/* All that is read from a sorted list; acc: the list's. */
static EngineStatus
read_list(RunCore *run, const StatisticKernels *kernels, int acc, const Places *places,
		  StatisticArgs *args)
{
	const Accumulator *accs = program_accs(run->program);
	const KernelLayout *layout = &run->layouts[0];
	EngineStatus status = clear(run, &places->starts);

	if (status == ENGINE_OK)
		status = clear(run, &places->ends);
	args->starts = places->starts.ptr;
	args->ends = places->ends.ptr;
	args->is_float = value_is_float((ValueType) program_insns(run->program)[accs[acc].arg].type);
	if (status == ENGINE_OK)
		status = launch(run, kernels->list_groups, args->n, args);
	for (int i = 0; i < run->program->naccs && status == ENGINE_OK; i++)
	{
		if (accs[i].arg != ACC_READ || accs[i].values != acc)
			continue;
		args->word = (uint32_t) layout->statistic_of[i];
		status = read_statistic(run, kernels, &accs[i], &places->modes, args);
	}
	return status;
}

/* Sort each list and read from it. */
static EngineStatus
read_lists(RunCore *run, ValueLists *lists, const Places *places, StatisticArgs *args)
{
	const KernelLayout *layout = &run->layouts[0];
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < layout->nlists && status == ENGINE_OK; i++)
	{
		PairList   *list = &lists->lists[i];
		uint64_t	any = told(lists, TOLD_BITS + 2 * i);
		uint64_t	not_all = told(lists, TOLD_BITS + 2 * i + 1);

		args->n = told(lists, i);
		run->head.stats.values_ordered += args->n;
		if (args->n > 0)
			status = sort_list(run, &lists->kernels, args->n, any & not_all, args->capacity, list);
		args->list = device_list(list);
		if (status == ENGINE_OK && args->n > 0)
			status = read_list(run, &lists->kernels, layout->lists[i].acc, places, args);
		free_pairs(run, list);
	}
	return status;
}

/* Which bits of their values differ. */
static EngineStatus
find_bits(RunCore *run, const ValueLists *lists)
{
	EngineStatus status = read_told(run, lists);

	for (int i = 0; i < run->layouts[0].nlists && status == ENGINE_OK; i++)
	{
		StatisticArgs args = {0};

		args.list = device_list(&lists->lists[i]);
		args.n = told(lists, i);
		args.bits = top_of(lists, TOLD_BITS + 2 * i);
		if (args.n > 0)
			status = launch(run, lists->kernels.list_bits, args.n, &args);
	}
	return status == ENGINE_OK ? read_told(run, lists) : status;
}

EngineStatus
value_lists_read(RunCore *run, ValueLists *lists, uint32_t capacity)
{
	uint64_t	size = (uint64_t) capacity * run->layouts[0].nstatistics * sizeof(uint64_t);
	Places		places = {{0}, {0}, {0}};
	StatisticArgs args = {0};
	EngineStatus status;

	if (size == 0)
		return ENGINE_OK;
	if (!fractions_are_good(run->program, run->constants.params))
		return run_fail(run, ENGINE_INEXACT, FRACTION_MESSAGE);
	status = run_alloc(run, size, &lists->results);
	if (status == ENGINE_OK)
		status = clear(run, &lists->results);
	if (status != ENGINE_OK || !lists->open)
		return status;
	args.results = lists->results.ptr;
	args.nwords = (uint32_t) run->layouts[0].nstatistics;
	args.errors = top_of(lists, TOLD_ERRORS);
	args.capacity = capacity;
	status = make_places(run, capacity, &places);
	if (status == ENGINE_OK)
		status = find_bits(run, lists);
	if (status == ENGINE_OK)
		status = read_lists(run, lists, &places, &args);
	if (status == ENGINE_OK)
		status = read_told(run, lists);
	free_places(run, &places);
	if (status == ENGINE_OK && told(lists, TOLD_ERRORS) != 0)
		return run_fail(run, ENGINE_INEXACT, AMBIGUOUS_MESSAGE);
	return status;
}

void
value_lists_close(RunCore *run, ValueLists *lists)
{
	for (int i = 0; i < ARGS_MAX_LISTS; i++)
		free_pairs(run, &lists->lists[i]);
	run_free(run, &lists->tops);
	run_free(run, &lists->results);
	run_give_stage(run, &lists->told);
	kernel_cache_release(lists->module);
	lists->module = NULL;
}
