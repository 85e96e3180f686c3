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
	uint64_t	counts;
	uint64_t	starts;
	uint64_t	cursors;		/* of partitions */
	uint64_t	bin_cursors;	/* of the first pass's bins, if there are two */
	uint64_t	counters;		/* ScatterUnits of both lists of units */
	uint64_t	tiles;			/* units of the second pass */
	uint64_t	units;			/* of scatter_aggregate */
	uint64_t	size;
} WorkPlaces;

static uint64_t
capacity_for(uint64_t nrows, const ScatterPlan *plan)
{
	uint64_t	rows = nrows + (uint64_t) plan->npartitions * (SCATTER_ALIGN - 1);

	return (rows + CAPACITY_ALIGN - 1) / CAPACITY_ALIGN * CAPACITY_ALIGN;
}

static void
work_places(uint64_t nrows, const ScatterPlan *plan, WorkPlaces *places)
{
	uint64_t	each = ((uint64_t) plan->npartitions * 4 + 15) / 16 * 16;

	places->counts = 0;
	places->starts = each;
	places->cursors = 2 * each;
	places->bin_cursors = 3 * each;
	places->counters = 4 * each;
	places->tiles = places->counters + 2 * sizeof(ScatterUnits);
	places->units = places->tiles +
		(plan->bin_shift > 0 ? nrows / SCATTER_TILE + plan->nbins : 0) * sizeof(ScatterUnit);
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

/* Threads of as many blocks as the device runs at once, if a multiprocessor runs so many. */
static uint64_t
threads_for_all(const RunCore *run, uint32_t blocks)
{
	return (uint64_t) run->device->info.multiprocessors * blocks * SCATTER_THREADS;
}

/* How many rows the partitions have, and where these begin. */
static EngineStatus
count_partitions(RunCore *run, const Kernels *kernels, const ScatterPlan *plan,
				 const WorkPlaces *places, DevicePtr work, ScatterArgs *args)
{
	EngineStatus status;

	status = run_device(run, run->device_ops->fill(run->device, run->work, args->counts, 0,
												   (uint64_t) plan->npartitions * 4),
						"could not clear counts");
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->fill(run->device, run->work,
													   work + places->counters, 0,
													   2 * sizeof(ScatterUnits)),
							"could not clear counters");
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->scatter_count, args->rows.batch.nrows,
								SCATTER_COUNT_THREADS, plan->npartitions * 4, args);
	args->cursors = work + places->cursors;
	args->bin_shift = 0;
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->scatter_starts, 1, SCATTER_COUNT_THREADS, 0, args);
	args->cursors = work + places->bin_cursors;
	args->bin_shift = plan->bin_shift;
	if (status == ENGINE_OK && plan->bin_shift > 0)
		status = kernels_launch(run, kernels->scatter_starts, 1, SCATTER_COUNT_THREADS, 0, args);
	return status;
}

/* One pass: args->rows.batch to args->to. */
static EngineStatus
move_rows(RunCore *run, const Kernels *kernels, ScatterArgs *args)
{
	uint64_t	tiles = (args->rows.batch.nrows + SCATTER_TILE - 1) / SCATTER_TILE;

	return kernels_launch(run, kernels->scatter_move, tiles * SCATTER_MOVE_THREADS,
						  SCATTER_MOVE_THREADS, SCATTER_TILE_SHARED, args);
}

/* Units of bins or of partitions. */
static EngineStatus
make_units(RunCore *run, const Kernels *kernels, uint32_t rows, ScatterArgs *args)
{
	args->unit_rows = rows;
	return kernels_launch(run, kernels->scatter_units, (uint64_t) args->nbins * 32, 256, 0, args);
}

/* The rows to their partitions, by one pass or by two. */
static EngineStatus
partition_rows(RunCore *run, const Kernels *kernels, const ScatterPlan *plan,
			   const WorkPlaces *places, Scattered *scattered, ScatterArgs *args)
{
	DevicePtr	work = scattered->work.ptr;
	EngineStatus status;

	args->nbins = plan->nbins;
	args->cursors = work + (plan->bin_shift > 0 ? places->bin_cursors : places->cursors);
	args->bin_shift = plan->bin_shift;
	args->to = scattered->columns[0].ptr;
	args->units = 0;
	status = move_rows(run, kernels, args);
	args->rows.batch.columns = args->to;
	args->rows.batch.capacity = args->to_capacity;
	if (status != ENGINE_OK || plan->bin_shift == 0)
		return status;
	args->units = work + places->tiles;
	args->counters = work + places->counters;
	status = make_units(run, kernels, SCATTER_TILE, args);
	args->nbins = 1u << plan->bin_shift;
	args->cursors = work + places->cursors;
	args->bin_shift = 0;
	args->to = scattered->columns[1].ptr;
	if (status == ENGINE_OK)
		status = move_rows(run, kernels, args);
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

	args->nbins = plan->npartitions;
	args->units = work + places->units;
	args->counters = work + places->counters + sizeof(ScatterUnits);
	status = make_units(run, kernels, plan->unit_rows, args);
	if (status != ENGINE_OK)
		return status;
	return kernels_launch(run, kernels->scatter_aggregate, threads_for_all(run, 2),
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
	args.counts = work + places->counts;
	args.starts = work + places->starts;
	args.npartitions = plan->npartitions;
	args.shift = plan->shift;
	status = count_partitions(run, kernels, plan, places, work, &args);
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
					  run->device->info.multiprocessors * 2, &plan))
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
