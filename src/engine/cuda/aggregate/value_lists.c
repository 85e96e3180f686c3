/*
 * value_lists.c
 *	  The lists of values of a run, on the device, and what is read from them.
 *
 * Once a batch's groups are all in the table, its rows add their values (lists.cuh).  A list
 * grows before a batch's launch, to twice its room at least: at first to what the expected rows
 * would take.  When all rows are there, the pairs of each list are sorted by passes from one
 * list to another (sort.cuh), and statistics are read into words by slots (statistics.cuh,
 * distinct.cuh), from where groups take them when they leave.
 *
 * All of it goes through the run's work stream.
 */
#include <string.h>

#include "engine/cuda/aggregate/value_lists.h"
#include "program/order_statistic.h"

/* Threads of a block of the kernels of statistics.cuh and distinct.cuh. */
#define STATISTIC_THREADS 256

/* Blocks of a multiprocessor that sort: two of them have room. */
#define SORT_BLOCKS 2

/* Places in tops and told, in words of 8 bytes. */
#define TOLD_RANGES ARGS_MAX_LISTS	/* of each list: LIST_RANGE_WORDS words */
#define TOLD_ERRORS (TOLD_RANGES + LIST_RANGE_WORDS * ARGS_MAX_LISTS)
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

/* What the values of a list are, and how many pairs it has. */
typedef struct ValueRange
{
	uint64_t	n;
	uint64_t	bits;			/* those that differ */
	uint64_t	least;
	uint64_t	most;
} ValueRange;

static ValueRange
told_range(const ValueLists *lists, int list)
{
	int			first = TOLD_RANGES + LIST_RANGE_WORDS * list;

	return (ValueRange) {
		told(lists, list), told(lists, first + LIST_ANY) & told(lists, first + LIST_NOT_ALL),
			~told(lists, first + LIST_NOT_LEAST), told(lists, first + LIST_MOST)
	};
}

/* Bits that numbers up to this one have. */
static uint32_t
bits_of(uint64_t most)
{
	return most == 0 ? 0 : 64 - (uint32_t) __builtin_clzll(most);
}

/* One pass of a sort, after which the words are where they were to go. */
static EngineStatus
sort_pass(RunCore *run, const StatisticKernels *kernels, SortArgs *args)
{
	uint64_t	threads = (uint64_t) args->parts * SORT_THREADS;
	EngineStatus status = kernels_launch(run, kernels->sort_count, threads, SORT_THREADS, 0, args);

	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->sort_starts, SORT_BINS * SORT_BINS, SORT_BINS, 0, args);
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->sort_move, threads, SORT_THREADS, 0, args);
	return status;
}

static void
turn(SortArray *array)
{
	uint64_t	from = array->from;

	array->from = array->to;
	array->to = from;
}

/* Sort by the bytes of the key in which some of these bits are set; the result is at `from`. */
static EngineStatus
sort_bytes(RunCore *run, const StatisticKernels *kernels, uint64_t bits, SortArgs *args)
{
	EngineStatus status = ENGINE_OK;

	for (args->shift = 0; args->shift < 64 && status == ENGINE_OK; args->shift += 8)
	{
		if (((bits >> args->shift) & (SORT_BINS - 1)) == 0)
			continue;
		status = sort_pass(run, kernels, args);
		turn(&args->key);
		turn(&args->other);
	}
	return status;
}

/* How the words are divided among blocks, and memory for what blocks count. */
static EngineStatus
divide(RunCore *run, uint64_t n, SortArgs *args, DeviceBuffer *counts)
{
	uint64_t	tiles = (n + SORT_TILE - 1) / SORT_TILE;
	uint64_t	parts = (uint64_t) run->device->info.multiprocessors * SORT_BLOCKS;
	uint64_t	each;
	EngineStatus status;

	if (parts > tiles)
		parts = tiles;
	each = (tiles + parts - 1) / parts;
	args->n = n;
	args->part = each * SORT_TILE;
	args->parts = (uint32_t) ((tiles + each - 1) / each);
	status = run_alloc(run, (args->parts + UINT64_C(1)) * SORT_BINS * sizeof(uint32_t), counts);
	args->totals = counts->ptr;
	args->starts = counts->ptr + SORT_BINS * sizeof(uint32_t);
	return status;
}

/* Sort pairs whose words have less than 64 bits, or so many, as words. */
static EngineStatus
sort_words(RunCore *run, const StatisticKernels *kernels, const PairList *list, const DeviceBuffer *spare,
		   uint32_t slot_bits, SortPackArgs *pack, SortArgs *args)
{
	uint32_t	bits = pack->bits + slot_bits;
	EngineStatus status;

	pack->wide = args->key.wide = bits > 32;
	/* two arrays of words of 4 bytes are in the memory of one of 8 */
	args->key.from = pack->words = spare->ptr;
	args->key.to = pack->wide ? list->values.ptr : spare->ptr + pack->n * sizeof(uint32_t);
	status = kernels_launch(run, kernels->sort_pack, pack->n, STATISTIC_THREADS, 0, pack);
	if (status == ENGINE_OK && bits > 0)
		status = sort_bytes(run, kernels, UINT64_MAX >> (64 - bits), args);
	pack->words = args->key.from;
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->sort_unpack, pack->n, STATISTIC_THREADS, 0, pack);
	return status;
}

/* Sort pairs by values, and then by slots; spare takes the place of the list if the result is there. */
static EngineStatus
sort_pairs(RunCore *run, const StatisticKernels *kernels, uint64_t bits, uint32_t slot_bits,
		   PairList *list, PairList *spare, SortArgs *args)
{
	SortArray	values = {list->values.ptr, spare->values.ptr, .wide = true};
	SortArray	slots = {list->slots.ptr, spare->slots.ptr, .wide = false};
	PairList	sorted = *spare;
	EngineStatus status;

	args->key = values;
	args->other = slots;
	status = sort_bytes(run, kernels, bits, args);
	values = args->key;
	args->key = args->other;
	args->other = values;
	if (status == ENGINE_OK && slot_bits > 0)
		status = sort_bytes(run, kernels, UINT64_MAX >> (64 - slot_bits), args);
	if (args->key.from == spare->slots.ptr)
	{
		*spare = *list;
		*list = sorted;
	}
	return status;
}

/* Sort the pairs of a list by slots, and those of one by values. */
static EngineStatus
sort_list(RunCore *run, const StatisticKernels *kernels, const ValueRange *range,
		  uint32_t capacity, PairList *list)
{
	uint32_t	slot_bits = bits_of(capacity - UINT64_C(1));
	SortPackArgs	pack = {device_list(list), .n = range->n, .least = range->least};
	PairList	spare = {{0}, {0}, 0};
	DeviceBuffer counts = {0};
	SortArgs	args = {{0}, {0}, 0, 0, 0, 0, 0, 0};
	EngineStatus status;

	pack.shift = range->bits == 0 ? 0 : (uint32_t) __builtin_ctzll(range->bits);
	pack.bits = bits_of((range->most - range->least) >> pack.shift);
	status = divide(run, range->n, &args, &counts);
	if (status == ENGINE_OK)
		status = pack.bits + slot_bits <= 64 ? run_alloc(run, range->n * sizeof(uint64_t), &spare.values) :
			make_pairs(run, range->n, &spare);
	if (status == ENGINE_OK)
		status = pack.bits + slot_bits <= 64 ? sort_words(run, kernels, list, &spare.values, slot_bits, &pack, &args) :
			sort_pairs(run, kernels, range->bits, slot_bits, list, &spare, &args);
	free_pairs(run, &spare);
	run_free(run, &counts);
	return status;
}

/* The group table, which has the fractions of percentiles that differ by groups. */
typedef struct Fractions
{
	const DeviceTable *table;
	const KernelLayout *layout;
} Fractions;

/* The fraction of a percentile, or where the groups' are. */
static void
tell_fraction(const RunCore *run, const Fractions *fractions, const Accumulator *acc,
			  StatisticArgs *args)
{
	int			of_group = acc_of_fraction(acc);

	if (of_group < 0)
	{
		args->slots = 0;
		args->fraction = fraction_of(run->constants.params, acc);
		return;
	}
	args->slots = fractions->table->slots;
	args->fractions = layout_place(fractions->layout, args->capacity, of_group, 0);
}

/* One accumulator that is read from the list. */
static EngineStatus
read_statistic(RunCore *run, const StatisticKernels *kernels, const Accumulator *acc,
			   const Fractions *fractions, const DeviceBuffer *modes, StatisticArgs *args)
{
	EngineStatus status;

	args->kind = acc->kind;
	args->descending = acc->descending;
	if (acc_reads_distinct((AccKind) acc->kind))
		return launch(run, kernels->read_distinct, args->n, args);
	if (acc->kind != ACC_MODE)
	{
		tell_fraction(run, fractions, acc, args);
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

/* Where the pairs of each slot are, if one of the list's readers looks for them. */
static EngineStatus
find_places(RunCore *run, const StatisticKernels *kernels, int acc, const Places *places,
			StatisticArgs *args)
{
	const Accumulator *accs = program_accs(run->program);
	bool		wanted = false;
	EngineStatus status;

	for (int i = 0; i < run->program->naccs; i++)
		wanted |= accs[i].arg == ACC_READ && accs[i].values == acc &&
			!acc_reads_distinct((AccKind) accs[i].kind);
	if (!wanted)
		return ENGINE_OK;
	status = clear(run, &places->starts);
	if (status == ENGINE_OK)
		status = clear(run, &places->ends);
	args->starts = places->starts.ptr;
	args->ends = places->ends.ptr;
	return status == ENGINE_OK ? launch(run, kernels->list_groups, args->n, args) : status;
}

/* All that is read from a sorted list; acc: the list's. */
static EngineStatus
read_list(RunCore *run, const StatisticKernels *kernels, int acc, const Fractions *fractions,
		  const Places *places, StatisticArgs *args)
{
	const Accumulator *accs = program_accs(run->program);
	const KernelLayout *layout = &run->layouts[0];
	EngineStatus status = find_places(run, kernels, acc, places, args);

	args->is_float = value_is_float((ValueType) program_insns(run->program)[accs[acc].arg].type);
	for (int i = 0; i < run->program->naccs && status == ENGINE_OK; i++)
	{
		if (accs[i].arg != ACC_READ || accs[i].values != acc)
			continue;
		args->word = (uint32_t) layout->statistic_of[i];
		status = read_statistic(run, kernels, &accs[i], fractions, &places->modes, args);
	}
	return status;
}

/* Sort each list and read from it. */
static EngineStatus
read_lists(RunCore *run, ValueLists *lists, const Fractions *fractions, const Places *places,
		   StatisticArgs *args)
{
	const KernelLayout *layout = &run->layouts[0];
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < layout->nlists && status == ENGINE_OK; i++)
	{
		PairList   *list = &lists->lists[i];
		ValueRange	range = told_range(lists, i);

		args->n = range.n;
		run->head.stats.values_ordered += args->n;
		if (args->n > 0)
			status = sort_list(run, &lists->kernels, &range, args->capacity, list);
		args->list = device_list(list);
		if (status == ENGINE_OK && args->n > 0)
			status = read_list(run, &lists->kernels, layout->lists[i].acc, fractions, places, args);
		free_pairs(run, list);
	}
	return status;
}

/* What their values are. */
static EngineStatus
find_ranges(RunCore *run, const ValueLists *lists)
{
	EngineStatus status = read_told(run, lists);

	for (int i = 0; i < run->layouts[0].nlists && status == ENGINE_OK; i++)
	{
		StatisticArgs args = {0};

		args.list = device_list(&lists->lists[i]);
		args.n = told(lists, i);
		args.bits = top_of(lists, TOLD_RANGES + LIST_RANGE_WORDS * i);
		if (args.n > 0)
			status = launch(run, lists->kernels.list_range, args.n, &args);
	}
	return status == ENGINE_OK ? read_told(run, lists) : status;
}

EngineStatus
value_lists_read(RunCore *run, ValueLists *lists, const DeviceTable *table,
				 const KernelLayout *layout)
{
	uint64_t	size = (uint64_t) table->capacity * layout->nstatistics * sizeof(uint64_t);
	Fractions	fractions = {table, layout};
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
	args.nwords = (uint32_t) layout->nstatistics;
	args.errors = top_of(lists, TOLD_ERRORS);
	args.capacity = table->capacity;
	status = make_places(run, table->capacity, &places);
	if (status == ENGINE_OK)
		status = find_ranges(run, lists);
	if (status == ENGINE_OK)
		status = read_lists(run, lists, &fractions, &places, &args);
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
