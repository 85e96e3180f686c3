/*
 * scatter.c
 *	  Strategy `scatter`: a batch's rows are partitioned, then aggregated.
 *
 * The kernels are those of scatter.cuh.  The memory belongs to the batch's buffer, since
 * undone rows, which run again when the table has grown, are numbers of partitioned rows;
 * it stays there for the next batch.
 */
#include <string.h>

#include "engine/cuda/aggregate/scatter.h"

/* Rows of a column: partitions begin at multiples of SCATTER_ALIGN. */
#define CAPACITY_ALIGN 256

/* Where what stands in the memory, in bytes. */
typedef struct WorkPlaces
{
	uint64_t	bins[2];		/* counts, starts and cursors of each pass's bins */
	uint64_t	counters;		/* ScatterUnits of both lists of units */
	uint64_t	tiles;			/* units of the second pass */
	uint64_t	units;			/* of scatter_aggregate */
	uint64_t	size;
} WorkPlaces;

/* Bins of a pass: the last one's are partitions. */
static uint64_t
bins_of_pass(const ScatterPlan *plan, int pass)
{
	return pass == 0 ? plan->nbins : (uint64_t) plan->nbins << plan->bin_shift;
}

static uint64_t
capacity_for(uint64_t nrows, const ScatterPlan *plan)
{
	uint64_t	rows = nrows + bins_of_pass(plan, 1) * (SCATTER_ALIGN - 1);

	return (rows + CAPACITY_ALIGN - 1) / CAPACITY_ALIGN * CAPACITY_ALIGN;
}

/* Bytes of an array of 32-bit words, one for each bin of a pass. */
static uint64_t
bins_size(const ScatterPlan *plan, int pass)
{
	return (bins_of_pass(plan, pass) * 4 + 15) / 16 * 16;
}

static void
work_places(uint64_t nrows, const ScatterPlan *plan, WorkPlaces *places)
{
	uint64_t	tiles = plan->bin_shift > 0 ? nrows / plan->tile_rows + plan->nbins : 0;

	places->bins[0] = 0;
	places->bins[1] = 3 * bins_size(plan, 0);
	places->counters = places->bins[1] + (plan->bin_shift > 0 ? 3 * bins_size(plan, 1) : 0);
	places->tiles = places->counters + 2 * sizeof(ScatterUnits);
	places->units = places->tiles + tiles * sizeof(ScatterUnit);
	places->size = places->units +
		(nrows / plan->unit_rows + plan->npartitions) * sizeof(ScatterUnit);
}

/*
 * Room of that size in a buffer; false: there is no memory for it.  Half of what is left
 * is for a group table that grows.
 */
static bool
make_room(RunCore *run, uint64_t size, DeviceBuffer *buffer)
{
	if (buffer->size >= size)
		return true;
	run_free(run, buffer);
	return size <= (run->memory_limit - run->memory_used) / 2 &&
		run_alloc(run, size, buffer) == ENGINE_OK;
}

static bool
make_all_room(RunCore *run, uint64_t nrows, const ScatterPlan *plan, uint64_t work,
			  Scattered *scattered)
{
	uint64_t	columns = capacity_for(nrows, plan) * run->layouts[0].row_bytes;

	return make_room(run, columns, &scattered->columns[0]) &&
		(plan->bin_shift == 0 || make_room(run, columns, &scattered->columns[1])) &&
		make_room(run, work, &scattered->work);
}

/* Clear all counts and counters. */
static EngineStatus
clear_work(RunCore *run, const WorkPlaces *places, DevicePtr work)
{
	return run_device(run, run->device_ops->fill(run->device, run->work, work, 0,
												 places->tiles),
					  "could not clear counts");
}

/* Let the kernels see a pass's bins. */
static void
use_bins(const ScatterPlan *plan, const WorkPlaces *places, DevicePtr work, int pass,
		 ScatterArgs *args)
{
	args->counts = work + places->bins[pass];
	args->starts = args->counts + bins_size(plan, pass);
	args->cursors = args->starts + bins_size(plan, pass);
}

/* Units of the bins that are seen: so many, each of 2^shift partitions. */
static EngineStatus
make_units(RunCore *run, const Kernels *kernels, uint32_t nbins, uint32_t shift, uint32_t rows,
		   ScatterArgs *args)
{
	args->nbins = nbins;
	args->bin_shift = shift;
	args->unit_rows = rows;
	return kernels_launch(run, kernels->scatter_units, nbins, 256, 0, args);
}

/* How many rows the bins that are seen have. */
static EngineStatus
count_rows(RunCore *run, const Kernels *kernels, uint32_t nbins, uint32_t shift,
		   ScatterArgs *args)
{
	args->nbins = nbins;
	args->bin_shift = shift;
	return kernels_launch(run, kernels->scatter_count, args->rows.batch.nrows,
						  SCATTER_THREADS, nbins * 4, args);
}

/* How many rows the first pass's bins have, and, if they are counted once, partitions. */
static EngineStatus
count_first(RunCore *run, const Kernels *kernels, const ScatterPlan *plan,
			const WorkPlaces *places, DevicePtr work, ScatterArgs *args)
{
	EngineStatus status;

	if (!plan->counted_once)
	{
		use_bins(plan, places, work, 0, args);
		return count_rows(run, kernels, plan->nbins, plan->bin_shift, args);
	}
	use_bins(plan, places, work, 1, args);
	status = count_rows(run, kernels, plan->npartitions, 0, args);
	args->parts = args->counts;
	use_bins(plan, places, work, 0, args);
	args->nbins = plan->nbins;
	args->bin_shift = plan->bin_shift;
	if (status != ENGINE_OK)
		return status;
	return kernels_launch(run, kernels->scatter_bins, (uint64_t) plan->nbins * 32, 256, 0, args);
}

/* One pass: args->rows.batch to args->to. */
static EngineStatus
move_rows(RunCore *run, const Kernels *kernels, const ScatterPlan *plan, ScatterArgs *args)
{
	uint64_t	tiles = (args->rows.batch.nrows + plan->tile_rows - 1) / plan->tile_rows;
	uint32_t	shared = scatter_tile_size(&run->layouts[0], plan->tile_rows);
	EngineStatus status;

	status = kernels_launch(run, kernels->scatter_starts,
							(uint64_t) args->nranges * SCATTER_THREADS,
							SCATTER_THREADS, 0, args);
	if (status != ENGINE_OK)
		return status;
	return kernels_launch(run, kernels->scatter_move, tiles * SCATTER_THREADS,
						  SCATTER_THREADS, shared, args);
}

/* The rows to their partitions, by one pass or by two. */
static EngineStatus
partition_rows(RunCore *run, const Kernels *kernels, const ScatterPlan *plan,
			   const WorkPlaces *places, Scattered *scattered, ScatterArgs *args)
{
	DevicePtr	work = scattered->work.ptr;
	EngineStatus status;

	status = count_first(run, kernels, plan, places, work, args);
	args->nranges = 1;
	args->to = scattered->columns[0].ptr;
	if (status == ENGINE_OK)
		status = move_rows(run, kernels, plan, args);
	args->rows.batch.columns = args->to;
	args->rows.batch.capacity = args->to_capacity;
	if (status != ENGINE_OK || plan->bin_shift == 0)
		return status;
	args->units = work + places->tiles;
	args->counters = work + places->counters;
	status = make_units(run, kernels, plan->nbins, plan->bin_shift, plan->tile_rows, args);
	args->ranges = args->starts;
	use_bins(plan, places, work, 1, args);
	if (status == ENGINE_OK && !plan->counted_once)
		status = count_rows(run, kernels, 1u << plan->bin_shift, 0, args);
	args->nbins = 1u << plan->bin_shift;
	args->bin_shift = 0;
	args->nranges = plan->nbins;
	args->to = scattered->columns[1].ptr;
	if (status == ENGINE_OK)
		status = move_rows(run, kernels, plan, args);
	args->rows.batch.columns = args->to;
	return status;
}

/* Rows in order of partitions into their groups. */
static EngineStatus
aggregate_rows(RunCore *run, const Kernels *kernels, const ScatterPlan *plan,
			   const WorkPlaces *places, DevicePtr work, ScatterArgs *args)
{
	const StrategyChoice *choice = &kernels->choice;
	const KernelLayout *layout = &run->layouts[choice->table];
	EngineStatus status;

	args->units = work + places->units;
	args->counters = work + places->counters + sizeof(ScatterUnits);
	status = make_units(run, kernels, plan->npartitions, 0, plan->unit_rows, args);
	if (status != ENGINE_OK)
		return status;
	return kernels_launch(run, kernels->scatter_aggregate,
						  (uint64_t) run->device->info.multiprocessors * SCATTER_THREADS,
						  SCATTER_THREADS, choose_block_size(layout, choice), args);
}

static EngineStatus
launch_plan(RunCore *run, const Kernels *kernels, const AggregateArgs *aggregate,
			const ScatterPlan *plan, const WorkPlaces *places, Scattered *scattered)
{
	DevicePtr	work = scattered->work.ptr;
	ScatterArgs args = {.rows = *aggregate};
	EngineStatus status;

	args.to_capacity = capacity_for(aggregate->batch.nrows, plan);
	args.npartitions = plan->npartitions;
	args.shift = plan->shift;
	status = clear_work(run, places, work);
	if (status == ENGINE_OK)
		status = partition_rows(run, kernels, plan, places, scattered, &args);
	scattered->rows = args.rows.batch.columns;
	scattered->capacity = args.to_capacity;
	if (status == ENGINE_OK)
		status = aggregate_rows(run, kernels, plan, places, work, &args);
	return status;
}

EngineStatus
scatter_launch(RunCore *run, const Kernels *kernels, const AggregateArgs *args,
			   Scattered *scattered)
{
	ScatterPlan plan;
	WorkPlaces	places;

	scattered->used = false;
	if (!scatter_plan(&kernels->choice, args->table.capacity, args->batch.nrows,
					  run->device->info.multiprocessors, &plan))
		return ENGINE_OK;
	if (capacity_for(args->batch.nrows, &plan) > UINT32_MAX)
		return ENGINE_OK;
	work_places(args->batch.nrows, &plan, &places);
	scattered->used = make_all_room(run, args->batch.nrows, &plan, places.size, scattered);
	if (!scattered->used)
		return ENGINE_OK;
	return launch_plan(run, kernels, args, &plan, &places, scattered);
}

void
scattered_free(RunCore *run, Scattered *scattered)
{
	run_free(run, &scattered->columns[0]);
	run_free(run, &scattered->columns[1]);
	run_free(run, &scattered->work);
}
