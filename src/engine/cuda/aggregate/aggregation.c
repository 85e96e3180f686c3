/*
 * aggregation.c
 *	  How a run's rows meet their groups: chosen at the first batch, then launched
 *	  over every batch.
 */
#include <string.h>

#include "engine/cuda/aggregate/aggregation.h"
#include "engine/cuda/aggregate/table_values.h"
#include "engine/cuda/codegen/codegen.h"
#include "engine/cuda/strategy/prefilter.h"

static bool
needs_frequent_keys(const StrategyChoice *choice)
{
	return choice->only_frequent || choice->block_hot;
}

/* Where the sample's frequent keys are on the device, behind the bits. */
static DevicePtr
frequent_keys(const Aggregation *aggregation)
{
	return aggregation->frequent.ptr + FREQUENT_BITS / 8;
}

/*
 * Tell the device the frequent keys, and mark their bits there, where the keys' form
 * is known.
 */
static EngineStatus
tell_frequent_keys(RunCore *run, Aggregation *aggregation)
{
	const DeviceOps *ops = run->device_ops;
	const SampleFacts *facts = &aggregation->facts;
	size_t		size = FREQUENT_BITS / 8 + sizeof(facts->frequent);
	AggregateArgs args = {0};
	DeviceStatus device;
	EngineStatus status;

	status = run_alloc(run, size, &aggregation->frequent);
	if (status != ENGINE_OK)
		return status;
	args.table = aggregation->table.table;
	args.frequent = aggregation->frequent.ptr;
	args.sampled = frequent_keys(aggregation);
	args.nfrequent = facts->nfrequent;
	device = ops->fill(run->device, run->work, args.frequent, 0, FREQUENT_BITS / 8);
	if (device == DEVICE_OK)
		device = ops->upload(run->device, run->work, args.sampled, facts->frequent,
							 sizeof(facts->frequent));
	status = run_wait(run, device, "could not tell the device the frequent keys");
	if (status == ENGINE_OK)
		status = kernels_launch(run, aggregation->kernels.frequent_bits, facts->nfrequent,
								32, 0, &args);
	return status;
}

/*
 * Groups from which on it pays to unpack rows for `scatter`: of 40 million rows with a sum and a
 * count, 10^5 groups take 3.4 ms so and 3.2 by `atomic`, 10^6 2.5 and 2.6, 10^7 5.0 and 5.9 (on an
 * H200, to the first group).
 */
#define UNPACK_MIN_GROUPS 500000

/* Rows that a batch has at least of which a sample is taken where there are no keys. */
#ifdef GPUAGG_TESTING
#define SAMPLED_WITHOUT_KEYS 4096
#else
#define SAMPLED_WITHOUT_KEYS (UINT64_C(1) << 20)
#endif

/* The rows of a batch that `scatter` can partition: those of segments only if they are unpacked. */
static uint64_t
rows_to_scatter(const SampleFacts *facts, const RowBatch *batch, bool unpacks)
{
	if (batch == NULL)
		return 0;
	return batch->segments == 0 || (unpacks && facts->groups >= UNPACK_MIN_GROUPS) ?
		batch->nrows : 0;
}

/*
 * A sole key that is a code may be any of them, of which a sample misses rare ones.  If it has
 * met codes of half of the range at least, the table has the others, too.
 */
static void
take_all_codes(const RunCore *run, SampleFacts *facts)
{
	uint8_t		coded = run->layouts[TABLE_DIRECT].keys[0].coded;
	int64_t		last;

	if (run->kernel_program->nkeys != 1 || coded == 0 || facts->min > facts->max)
		return;
	last = (int64_t) run->ncoded[coded - 1] - 1;
	if (last > 2 * (facts->max - facts->min))
		return;
	facts->min = 0;
	facts->max = last > facts->max ? last : facts->max;
}

/* What the sample tells of the strategy, if kernels may use so much shared memory of a block. */
static StrategyChoice
choose_strategy(const RunCore *run, const SampleFacts *facts, const RowBatch *batch, bool unpacks,
				uint32_t shared_limit)
{
	if (run->program->nkeys == 0)
		return choose_first(run->kernel_program, run->layouts, run->forced);
	return choose_from_facts(run->kernel_program, run->layouts, facts, &run->hints,
							 run->memory_limit, rows_to_scatter(facts, batch, unpacks), run->forced,
							 shared_limit);
}

/* And of the conditions that kernels evaluate first, which their layouts tell from now on. */
static StrategyChoice
choose(RunCore *run, const SampleFacts *facts, const RowBatch *batch, bool unpacks)
{
	uint32_t	shared_limit = run->device->info.shared_limit;
	Prefilter  *prefilter = &run->layouts[TABLE_HASH].prefilter;
	StrategyChoice choice = {0};
	bool		suits = false;

	prefilter_choose(run->kernel_program, run->constants.params, facts,
					 &run->layouts[TABLE_HASH]);
	if (prefilter->n > 0)
	{
		choice = choose_strategy(run, facts, batch, unpacks, shared_limit - PREFILTER_SHARED);
		suits = prefilter_suits(choice.strategy);
	}
	if (!suits)
	{
		*prefilter = (Prefilter) {0};
		choice = choose_strategy(run, facts, batch, unpacks, shared_limit);
	}
	run->layouts[TABLE_DIRECT].prefilter = *prefilter;
	return choice;
}

/* From now on kernels take segments; or columns. */
static void
take_segments(RunCore *run, bool segments)
{
	run->layouts[TABLE_HASH].segments = segments;
	run->layouts[TABLE_DIRECT].segments = segments;
}

/*
 * The kernels of a choice for rows that are unpacked.  If they have yet to be compiled, which is
 * begun, this run does without: the interpreter takes rows in segments as well.
 */
static EngineStatus
load_for_unpacked(RunCore *run, const StrategyChoice *choice, Kernels *kernels)
{
	EngineStatus status;

	take_segments(run, false);
	status = kernels_load(run, choice, PART_AGGREGATE, kernels);
	if (status == ENGINE_OK && kernels->interpreted)
	{
		kernels_release(kernels);
		take_segments(run, true);
	}
	return status;
}

EngineStatus
aggregation_choose_packed(RunCore *run, Aggregation *aggregation, const RowBatch *batch)
{
	StrategyChoice choice;

	kernels_release(&aggregation->kernels);
	take_segments(run, true);
	choice = choose(run, &aggregation->facts, batch, false);
	return kernels_load(run, &choice, PART_AGGREGATE, &aggregation->kernels);
}

/*
 * Is a sample worth it that tells of the filter's conditions only?  Of rows that are kept kernels
 * take the time, of others the link does.
 */
static bool
conditions_matter(const RunCore *run, const RowBatch *batch)
{
	return batch != NULL && batch->segments != 0 && batch->nrows >= SAMPLED_WITHOUT_KEYS &&
		run->layouts[TABLE_HASH].candidates.n > 0;
}

EngineStatus
aggregation_choose(RunCore *run, Aggregation *aggregation, const RowBatch *batch, bool unpacks)
{
	Kernels    *kernels = &aggregation->kernels;
	SampleFacts *facts = &aggregation->facts;
	StrategyChoice choice;
	EngineStatus status = ENGINE_OK;

	aggregation->key = batch != NULL ? sample_key(run, batch) : 0;
	if (run->program->nkeys > 0 || conditions_matter(run, batch))
		status = sample_rows(run, batch, aggregation->key, &aggregation->sample, facts);
	if (status != ENGINE_OK)
		return status;
	if (run->program->nkeys > 0)
		take_all_codes(run, facts);
	choice = choose(run, facts, batch, unpacks);
	if (batch != NULL && batch->segments != 0 && unpacks && strategy_scatters(choice.strategy))
	{
		status = load_for_unpacked(run, &choice, kernels);
		if (status != ENGINE_OK || kernels->module != NULL)
			return status;
		choice = choose(run, facts, batch, false);
	}
	return kernels_load(run, &choice, PART_AGGREGATE, kernels);
}

EngineStatus
aggregation_begin(RunCore *run, Aggregation *aggregation, const RowBatch *batch)
{
	const Kernels *kernels = &aggregation->kernels;
	const StrategyChoice *choice = &kernels->choice;
	EngineStatus status = float_units_choose(run, kernels, batch, aggregation->key,
											 &aggregation->units);

	if (status == ENGINE_OK)
		status = run_table_create(run, kernels, choice->groups, &aggregation->table);
	if (status == ENGINE_OK)
		status = table_values_create(run, choice->groups, &aggregation->table);
	if (status == ENGINE_OK && needs_frequent_keys(choice) && !kernels->interpreted)
		status = tell_frequent_keys(run, aggregation);
	aggregation->chosen = status == ENGINE_OK;
	return status;
}

EngineStatus
aggregation_compiled(RunCore *run, Aggregation *aggregation)
{
	Kernels		own = {0};
	EngineStatus status;

	if (!aggregation->kernels.interpreted)
		return ENGINE_OK;
	status = kernels_load_compiled(run, &aggregation->kernels.choice, &own);
	if (own.module == NULL)
		return status;
	/* the device may still be at work with the interpreter's */
	kernels_release(&aggregation->interpreter);
	aggregation->interpreter = aggregation->kernels;
	aggregation->kernels = own;
	if (status == ENGINE_OK && needs_frequent_keys(&own.choice))
		status = tell_frequent_keys(run, aggregation);
	return status;
}

Strategy
aggregation_strategy(const Aggregation *aggregation)
{
	const Kernels *kernels = &aggregation->kernels;

	return kernels->interpreted ? STRATEGY_INTERPRET : kernels->choice.strategy;
}

/* Shared memory of strategy `block`: see block.cuh. */
static uint32_t
shared_size(const RunCore *run, const StrategyChoice *choice)
{
	if (choice->strategy != STRATEGY_BLOCK)
		return 0;
	return choose_block_size(&run->layouts[choice->table], choice);
}

/* What kernels over a batch's rows are told. */
static void
row_args(const RunCore *run, const Aggregation *aggregation, const RowBatch *batch,
		 DevicePtr counters, AggregateArgs *args)
{
	memset(args, 0, sizeof(*args));
	args->batch = *batch;
	args->table = aggregation->table.table;
	args->constants = run->constants.values.ptr;
	args->counters = counters;
	memcpy(args->answers, run->answers, sizeof(args->answers));
	memcpy(args->units, aggregation->units.of_sums,
		   run->layouts[0].nsums * sizeof(args->units[0]));
}

EngineStatus
aggregation_launch(RunCore *run, const Aggregation *aggregation, const RowBatch *batch,
				   DevicePtr counters, Scattered *scattered)
{
	const Kernels *kernels = &aggregation->kernels;
	const StrategyChoice *choice = &kernels->choice;
	uint32_t	block = codegen_threads(run->kernel_program, &run->layouts[choice->table],
										choice->strategy);
	uint64_t	threads = batch->nrows;
	AggregateArgs args;

	if (batch->rows == 0)
		scattered->used = false;
	row_args(run, aggregation, batch, counters, &args);
	if (kernels->interpreted)
		return kernels_launch(run, kernels->aggregate, threads, kernels->row_threads,
							  kernels->row_shared, &args);
	args.frequent = choice->only_frequent ? aggregation->frequent.ptr : 0;
	args.block_slots = choice->block_slots;
	args.block_replicas = choice->block_replicas;
	args.block_hot = choice->block_hot;
	args.block_places = choice->block_places;
	args.sampled = choice->block_hot ? frequent_keys(aggregation) : 0;
	if (strategy_scatters(choice->strategy) && batch->rows == 0 && batch->segments == 0)
	{
		EngineStatus status = scatter_launch(run, kernels, &args, scattered);

		if (status != ENGINE_OK || scattered->used)
			return status;
	}
	if (choice->strategy == STRATEGY_BLOCK)
		threads = batch->nrows / BLOCK_STRATEGY_ROWS * block;
	return kernels_launch(run, kernels->aggregate, threads, block,
						  shared_size(run, choice), &args);
}

EngineStatus
aggregation_launch_values(RunCore *run, const Aggregation *aggregation,
						  const RowBatch *batch, DevicePtr counters)
{
	const Kernels *kernels = &aggregation->kernels;
	AggregateArgs args;

	row_args(run, aggregation, batch, counters, &args);
	args.task = TASK_VALUES_AGAIN;
	return kernels_launch(run, kernels->values_again, batch->nrows, kernels->row_threads,
						  kernels->row_shared, &args);
}

EngineStatus
aggregation_launch_lists(RunCore *run, Aggregation *aggregation, const RowBatch *batch,
						 uint64_t passed, DevicePtr counters)
{
	ListArgs	args;

	memset(&args, 0, sizeof(args));
	row_args(run, aggregation, batch, counters, &args.rows);
	return value_lists_add(run, &aggregation->kernels, &aggregation->table.lists, &args, passed);
}

EngineStatus
aggregation_launch_first_rows(RunCore *run, Aggregation *aggregation, const RowBatch *batch,
							  uint64_t passed, bool again, DevicePtr counters)
{
	RunTable   *table = &aggregation->table;
	FirstRowsArgs args;

	memset(&args, 0, sizeof(args));
	row_args(run, aggregation, batch, counters, &args.rows);
	return group_rows_add(run, &aggregation->kernels, &table->rows, table->table.capacity, &args,
						  passed, again);
}

void
aggregation_close(RunCore *run, Aggregation *aggregation)
{
	run_table_free(run, &aggregation->table);
	table_values_free(run, &aggregation->table);
	run_free(run, &aggregation->frequent);
	kernels_release(&aggregation->kernels);
	kernels_release(&aggregation->interpreter);
	run_give_stage(run, &aggregation->sample);
}
