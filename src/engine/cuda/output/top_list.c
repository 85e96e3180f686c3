/*
 * top_list.c
 *	  The slots of those groups that may leave: which fulfil conditions, or can be among the
 *	  first ones of an order.
 *
 * The kernels of top.cuh look at all groups, once for each few bits of a word.  Nothing
 * comes to the host but the selection, in which the list's length is.
 */
#include "engine/cuda/output/top_list.h"

/* Of a smaller table the groups leave as fast as they can be chosen from. */
#define LEAST_SLOTS 1024

#define SELECTION_SIZE (sizeof(TopSelection) + TOP_BINS * sizeof(uint32_t))

/* Tell by which word a slot shows that it has a group: as group_exists. */
static void
tell_key(const KernelLayout *layout, TopArgs *args)
{
	bool		direct = layout->table == TABLE_DIRECT;

	args->key.first = direct ? (uint64_t) layout->presence : 0;
	args->key.stride = (uint32_t) layout->stride;
	args->empty = !direct && layout->key_words == 1 ? UINT64_MAX : 0;
}

/* An aggregate: words of its state. */
static void
tell_state(const KernelLayout *layout, const DeviceTable *table, const TopOrder *order,
		   const int32_t *units, TopValue *value)
{
	value->source = TOP_STATE;
	value->unit = order->order & TOP_SUM_FLOAT ? units[order->acc] : 0;
	for (uint32_t i = 0; i < order->nwords; i++)
		value->words[i] = layout_place(layout, table->capacity, order->acc, (int) i);
	if (order->count < 0)
		return;
	value->null_source = TOP_NULL_COUNT;
	value->nulls = layout_place(layout, table->capacity, order->count, 0);
}

static uint8_t
source_of_key(ValueType type)
{
	switch (value_class(type))
	{
		case CLASS_FLOAT:
			return TOP_KEY_FLOAT;
		case CLASS_TEXT:
			return TOP_KEY_TEXT;
		case CLASS_BYTES:
			return TOP_KEY_BYTES;
		case CLASS_WIDE:
			return TOP_KEY_WORDS;
		default:
			return TOP_KEY_INT;
	}
}

/* A key: bits of the slot's first words, or the slot's number. */
static void
tell_key_value(const RunCore *run, const KernelLayout *layout, const TopOrder *order,
			   TopValue *value)
{
	const KeyPlace *key = &layout->keys[order->key];

	if (key->coded)
		value->texts = run->coded[key->coded - 1];
	if (layout->table == TABLE_DIRECT)
	{
		value->source = TOP_KEY_SLOT;
		value->nwords = 0;
		value->null_source = TOP_NULL_SLOT;
		return;
	}
	value->source = source_of_key((ValueType) key->type);
	value->shift = key->shift;
	value->bits = key->bits;
	for (uint32_t i = 0; i < order->nwords; i++)
		value->words[i] = (WordPlace)
	{
		.first = (uint64_t) key->word + i,.stride = (uint32_t) layout->stride
	};
	if (!key->nullable)
		return;
	value->null_source = TOP_NULL_BIT;
	value->null_shift = key->null_shift;
	value->nulls = (WordPlace)
	{
		.first = (uint64_t) key->null_word,.stride = (uint32_t) layout->stride
	};
}

static void
tell_values(const RunCore *run, const KernelLayout *layout, const DeviceTable *table,
			const TopOrder *orders, uint32_t n, const int32_t *units, TopValue *values)
{
	for (uint32_t i = 0; i < n; i++)
	{
		TopValue   *value = &values[i];

		value->order = orders[i].order;
		value->nwords = orders[i].nwords;
		value->slack = orders[i].slack;
		if (orders[i].key < 0)
			tell_state(layout, table, &orders[i], units, value);
		else
			tell_key_value(run, layout, &orders[i], value);
	}
}

/* Find a column's last word, from its highest bits to its lowest. */
static EngineStatus
find_word(RunCore *run, const TopKernels *kernels, TopArgs *args)
{
	EngineStatus status = ENGINE_OK;
	uint32_t	left = 64;

	while (left > 0 && status == ENGINE_OK)
	{
		args->bits = left < TOP_BITS ? left : TOP_BITS;
		left -= args->bits;
		args->shift = left;
		status = kernels_launch(run, kernels->count, args->capacity, TOP_THREADS, 0, args);
		if (status == ENGINE_OK)
			status = kernels_launch(run, kernels->choose, TOP_THREADS, TOP_THREADS, 0, args);
	}
	return status;
}

/* Count groups, and find the words of the last one that leaves, column by column. */
static EngineStatus
find_last(RunCore *run, const TopKernels *kernels, TopArgs *args)
{
	EngineStatus status = kernels_launch(run, kernels->pass, args->capacity, TOP_THREADS, 0, args);

	for (args->column = 0; args->column < args->ncolumns && status == ENGINE_OK; args->column++)
		status = find_word(run, kernels, args);
	return status;
}

/* What became of it: waits. */
static EngineStatus
read_selection(RunCore *run, const TopList *top, TopSelection *selection)
{
	size_t		size = sizeof(TopSelection);
	Stage		stage = {0};
	EngineStatus status = run_take_stage(run, size, &stage);
	DeviceStatus device;

	if (status != ENGINE_OK)
		return status;
	device = run->device_ops->download(run->device, run->work, stage.data,
									   top->selection.ptr, size);
	status = run_wait(run, device, "could not read which groups leave");
	if (status == ENGINE_OK)
		*selection = *(const TopSelection *) stage.data;
	run_give_stage(run, &stage);
	return status;
}

static EngineStatus
open_selection(RunCore *run, TopList *top)
{
	EngineStatus status = kernels_load_top(run, &top->module, &top->kernels);

	if (status == ENGINE_OK)
		status = run_alloc(run, SELECTION_SIZE, &top->selection);
	if (status != ENGINE_OK)
		return status;
	return run_device(run, run->device_ops->fill(run->device, run->work, top->selection.ptr,
												 0, SELECTION_SIZE),
					  "could not clear the groups' selection");
}

/* What the hints ask for, in the kernels' words; false: nothing that they can tell. */
static bool
make_args(const RunCore *run, const KernelLayout *layout, const RunTable *table,
		  const int32_t *units, uint32_t room, TopArgs *args)
{
	const TopHint *hint = &run->hints.top;
	TopOrder	orders[TOP_COLUMNS];
	TopOrder	of_conditions[TOP_CONDITIONS];
	TopCondition conditions[TOP_CONDITIONS];

	*args = (TopArgs) {0};
	args->slots = table->table.slots;
	args->statistics = table->lists.results.ptr;
	args->arena = table->table.arena;
	args->direct_min = table->table.direct_min;
	args->capacity = table->table.capacity;
	args->wanted = hint->groups;
	args->room = room;
	args->ties = UINT32_MAX;
	tell_key(layout, args);
	if (hint->groups <= room)
		args->ncolumns = (uint32_t) top_orders_make(run->program, hint, orders);
	args->nconditions = (uint32_t) top_conditions_make(run->program, hint, conditions,
													   of_conditions);
	tell_values(run, layout, &table->table, orders, args->ncolumns, units, args->columns);
	tell_values(run, layout, &table->table, of_conditions, args->nconditions, units,
				args->conditions);
	for (uint32_t i = 0; i < args->nconditions; i++)
	{
		args->conditions[i].least = conditions[i].least;
		args->conditions[i].most = conditions[i].most;
	}
	return args->ncolumns > 0 || args->nconditions > 0;
}

/*
 * Where any of the groups that are equal to the last one will do, let only as many of them leave
 * as are wanted.  Equal words must be those of equal values, in all columns of the order.
 */
static void
cut_ties(const TopHint *hint, TopArgs *args, TopSelection *selection)
{
	if (args->ncolumns == 0 || args->ncolumns < hint->ncolumns || hint->ties || selection->complete)
		return;
	for (uint32_t i = 0; i < args->ncolumns; i++)
		if (top_word_is_shared(selection->last[i]) || args->columns[i].slack > 0 ||
			(args->columns[i].order & TOP_BEGINNING))
			return;
	args->ties = args->wanted - selection->before;
	selection->leaving = args->wanted;
}

/*
 * List what has been selected, or if these are too many, all that fulfil the conditions.
 * Without memory for a list all leave.
 */
static EngineStatus
list_slots(RunCore *run, TopArgs *args, TopList *top, TopSelection *selection)
{
	EngineStatus status;

	if (args->ncolumns == 0 || selection->leaving > args->room)
	{
		if (selection->passing == selection->groups)
			return ENGINE_OK;
		args->ncolumns = 0;
		args->room = selection->passing > 0 ? selection->passing : 1;
	}
	status = run_alloc(run, args->room * (uint64_t) sizeof(uint32_t), &top->list);
	if (status == ENGINE_NO_MEMORY)
		return ENGINE_OK;
	args->list = top->list.ptr;
	if (status == ENGINE_OK)
		status = kernels_launch(run, top->kernels.list, args->capacity, TOP_THREADS, 0, args);
	if (status == ENGINE_OK)
		status = read_selection(run, top, selection);
	return status;
}

EngineStatus
top_list_make(RunCore *run, const KernelLayout *layout, const RunTable *table,
			  const int32_t *units, uint32_t room, TopList *top)
{
	TopArgs		args;
	TopSelection selection = {0};
	EngineStatus status;

	if (table->table.capacity < LEAST_SLOTS ||
		!make_args(run, layout, table, units, room, &args))
		return ENGINE_OK;
	status = open_selection(run, top);
	args.selection = top->selection.ptr;
	args.bins = top->selection.ptr + sizeof(TopSelection);
	if (status == ENGINE_OK)
		status = find_last(run, &top->kernels, &args);
	if (status == ENGINE_OK)
		status = read_selection(run, top, &selection);
	if (status == ENGINE_OK)
		cut_ties(&run->hints.top, &args, &selection);
	if (status == ENGINE_OK)
		status = list_slots(run, &args, top, &selection);
	if (status != ENGINE_OK || top->list.ptr == 0)
		return status;
	/* with slack, more may be listed */
	if (selection.listed > args.room)
	{
		run_free(run, &top->list);
		return ENGINE_OK;
	}
	top->nslots = selection.listed;
	run->head.stats.groups += selection.groups;
	run->head.stats.groups_removed = selection.groups - selection.passing;
	run->head.stats.groups_left_out = selection.passing - selection.listed;
	return ENGINE_OK;
}

void
top_list_free(RunCore *run, TopList *top)
{
	run_free(run, &top->selection);
	run_free(run, &top->list);
	kernel_cache_release(top->module);
	top->module = NULL;
}
