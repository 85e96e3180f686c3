/*
 * top_list.c
 *	  The slots of those groups that can be among the first ones of an order.
 *
 * The kernels of top.cuh look at all groups, once for each few bits of a word.  Nothing
 * comes to the host but the selection, in which the list's length is.
 */
#include "engine/cuda/output/top_list.h"

/* Of a smaller table the groups leave as fast as they can be chosen from. */
#define LEAST_SLOTS 1024

#define SELECTION_SIZE (sizeof(TopSelection) + TOP_BINS * sizeof(uint32_t))

/* Where the table has a word of its states. */
static TopPlace
place_of_word(const KernelLayout *layout, const DeviceTable *table, int word)
{
	if (word < layout->nhot)
		return (TopPlace) {(uint64_t) (layout->state + word), (uint64_t) layout->stride};
	return (TopPlace)
	{
		(uint64_t) table->capacity * (uint64_t) layout->stride +
			(uint64_t) (word - layout->nhot),
		(uint64_t) (layout->nwords - layout->nhot)
	};
}

/* Where it has the i-th word of an accumulator, of one that has parts. */
static TopPlace
place_of_acc(const KernelLayout *layout, const DeviceTable *table,
			 int acc, int i)
{
	const DeviceWord *part = &layout->parts[layout->part_of[acc][0]];

	if (i >= part->nwords)
	{
		i -= part->nwords;
		part = &layout->parts[layout->part_of[acc][1]];
	}
	return place_of_word(layout, table, layout_word(part, i));
}

/* Tell by which word a slot shows that it has a group: as group_exists. */
static void
tell_key(const KernelLayout *layout, TopArgs *args)
{
	bool		direct = layout->table == TABLE_DIRECT;

	args->key.first = direct ? (uint64_t) layout->presence : 0;
	args->key.stride = (uint64_t) layout->stride;
	args->empty = !direct && layout->key_words == 1 ? UINT64_MAX : 0;
}

static void
tell_order(const KernelLayout *layout, const DeviceTable *table,
		   const TopOrder *order, TopArgs *args)
{
	args->order = order->order;
	args->low = place_of_acc(layout, table, order->acc, 0);
	if (order->order & TOP_INT128)
		args->high = place_of_acc(layout, table, order->acc, 1);
	args->counted = order->count >= 0;
	if (order->count >= 0)
		args->count = place_of_acc(layout, table, order->count, 0);
}

/* Find the last word that leaves, from its highest bits to its lowest, and list. */
static EngineStatus
launch(RunCore *run, const TopKernels *kernels, TopArgs *args)
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
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->list, args->capacity, TOP_THREADS, 0, args);
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
open_list(RunCore *run, uint32_t room, TopList *top)
{
	EngineStatus status = kernels_load_top(run, &top->module, &top->kernels);

	if (status == ENGINE_OK)
		status = run_alloc(run, SELECTION_SIZE, &top->selection);
	if (status == ENGINE_OK)
		status = run_alloc(run, room * sizeof(uint32_t), &top->list);
	if (status != ENGINE_OK)
		return status;
	return run_device(run, run->device_ops->fill(run->device, run->work, top->selection.ptr,
												 0, SELECTION_SIZE),
					  "could not clear the groups' selection");
}

EngineStatus
top_list_make(RunCore *run, const KernelLayout *layout, const RunTable *table,
			  uint32_t room, TopList *top)
{
	TopArgs		args = {0};
	TopSelection selection = {0};
	TopOrder	order;
	EngineStatus status;

	if (table->table.capacity < LEAST_SLOTS || run->hints.top.groups > room ||
		!top_order_make(run->program, &run->hints.top, &order))
		return ENGINE_OK;
	status = open_list(run, room, top);
	args.slots = table->table.slots;
	args.selection = top->selection.ptr;
	args.bins = top->selection.ptr + sizeof(TopSelection);
	args.list = top->list.ptr;
	args.capacity = table->table.capacity;
	args.wanted = run->hints.top.groups;
	args.room = room;
	tell_key(layout, &args);
	tell_order(layout, &table->table, &order, &args);
	if (status == ENGINE_OK)
		status = launch(run, &top->kernels, &args);
	if (status == ENGINE_OK)
		status = read_selection(run, top, &selection);
	if (status != ENGINE_OK)
		return status;
	if (selection.leaving > room)
	{
		run_free(run, &top->list);
		return ENGINE_OK;
	}
	top->nslots = selection.listed;
	run->head.stats.groups += selection.groups;
	run->head.stats.groups_left_out = selection.groups - selection.listed;
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
