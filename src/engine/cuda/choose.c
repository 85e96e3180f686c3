/*
 * choose.c
 *	  The strategy, from a sample of rows.
 *
 * The numbers that separate strategies come from measurements on an H200: what
 * an update costs on L2 and in shared memory at so many groups.  A wrong choice
 * costs time, never a result: all strategies take every row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/choose.h"

/* Runs that long are better scanned than updated row by row. */
#define SCAN_RUN_LENGTH 4.0

/* Larger states are long to scan, and their kernel long to compile. */
#define SCAN_MAX_WORDS 32

/* Lanes with the same key, in the mean, that pay for finding them. */
#define PEERS_PER_WARP 3.0

/*
 * In a hash table of that many groups, finding a slot costs so much that looking
 * for equal keys first is free (measured: 25.6 against 23.5 G rows/s at 10^6).
 */
#define PEERS_HASHED_GROUPS 131072

/* Fewer keys than that are few even if they stand near each other. */
#define CLUSTERED_KEYS 128

/* A key with that share of rows slows down plain atomics. */
#define HEAVY_SHARE 0.02

/* One key that `vote` can keep aside, if the next ones are not heavy, too. */
#define VOTE_SHARE 0.15

/* Share of rows that shared tables must take off the group table to pay. */
#define BLOCK_COVERED 0.25

/* Copies of a state with which a heavy key's rows hardly meet. */
#define BLOCK_CALM_REPLICAS 8

/* Direct addressing: slots for each group that is expected, and at all. */
#define DIRECT_SPREAD 8
#define DIRECT_MIN_SLOTS (UINT64_C(1) << 20)
#define DIRECT_MAX_SLOTS (UINT64_C(1) << 27)

/* Of the memory limit, what a table addressed directly takes at most. */
#define DIRECT_TABLE_SHARE 8

/* Tables of shared memory: twice as many slots as groups, at least a warp's. */
#define BLOCK_MIN_SLOTS 32
#define BLOCK_MAX_REPLICAS 32
#define BLOCK_STATIC_SHARED 1024	/* left for the compiler */

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	x = ((const SampledRow *) a)->hash;
	uint64_t	y = ((const SampledRow *) b)->hash;

	return (x > y) - (x < y);
}

/* A key of the sample: its rows stand behind one another. */
typedef struct SampledKey
{
	uint32_t	first;
	uint32_t	count;
} SampledKey;

static int
compare_counts(const void *a, const void *b)
{
	uint32_t	x = ((const SampledKey *) a)->count;
	uint32_t	y = ((const SampledKey *) b)->count;

	return (x < y) - (x > y);
}

/*
 * How a chunk's keys follow each other: *distinct keys in its first half, *fresh
 * ones in the second.
 */
static void
chunk_keys(const SampledRow *rows, uint32_t n, uint32_t *distinct, uint32_t *fresh)
{
	uint64_t	seen[2 * SAMPLE_CHUNK];
	bool		used[2 * SAMPLE_CHUNK] = {0};

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = (uint32_t) (rows[i].hash >> 32) % (2 * SAMPLE_CHUNK);

		if (!rows[i].passes)
			continue;
		while (used[at] && seen[at] != rows[i].hash)
			at = (at + 1) % (2 * SAMPLE_CHUNK);
		if (used[at])
			continue;
		used[at] = true;
		seen[at] = rows[i].hash;
		if (i < n / 2)
			(*distinct)++;
		else
			(*fresh)++;
	}
}

/* Keys that so many neighbouring rows have. */
static double
keys_of_rows(const SampledRow *rows, uint32_t nrows, uint64_t neighbours)
{
	uint32_t	distinct = 0;
	uint32_t	fresh = 0;
	double		chunks = (double) nrows / SAMPLE_CHUNK;

	for (uint32_t i = 0; i < nrows; i += SAMPLE_CHUNK)
		chunk_keys(rows + i, nrows - i < SAMPLE_CHUNK ? nrows - i : SAMPLE_CHUNK,
				   &distinct, &fresh);
	return (distinct + fresh * 2.0 * neighbours / SAMPLE_CHUNK) / chunks;
}

/* Rows of one window of 32 that have no equal row before them there. */
static uint32_t
window_distinct(const SampledRow *rows, uint32_t n)
{
	uint32_t	distinct = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = 0;

		while (j < i && rows[j].hash != rows[i].hash)
			j++;
		distinct += j == i;
	}
	return distinct;
}

/* Leave the rows that pass; how they follow each other. */
static uint32_t
neighbour_facts(SampledRow *rows, uint32_t nrows, SampleFacts *facts)
{
	uint32_t	n = 0;
	uint32_t	runs = 0;
	uint32_t	distinct = 0;

	for (uint32_t i = 0; i < nrows; i++)
		if (rows[i].passes)
			rows[n++] = rows[i];
	for (uint32_t i = 0; i < n; i++)
		runs += i == 0 || rows[i].hash != rows[i - 1].hash;
	for (uint32_t i = 0; i < n; i += 32)
		distinct += window_distinct(rows + i, n - i < 32 ? n - i : 32);
	facts->run_length = runs ? (double) n / runs : 1;
	facts->peers = distinct ? (double) n / distinct : 1;
	facts->min = INT64_MAX;
	facts->max = INT64_MIN;
	for (uint32_t i = 0; i < n; i++)
		if (!rows[i].isnull)
		{
			facts->min = rows[i].value < facts->min ? rows[i].value : facts->min;
			facts->max = rows[i].value > facts->max ? rows[i].value : facts->max;
		}
	return n;
}

/* Of so many keys, if all are as frequent, what n rows meet. */
static double
keys_met(double groups, double n)
{
	return -groups * expm1(-n / groups);
}

/*
 * Keys in all rows, if all were as frequent.  A sample that has nearly only new
 * keys tells nothing but that there are many.
 */
static double
estimate_groups(double n, double distinct)
{
	double		low = distinct;
	double		high = n * 1000;

	if (distinct >= n * 0.999)
		return high;
	for (int i = 0; i < 60; i++)
	{
		double		g = (low + high) / 2;

		if (keys_met(g, n) < distinct)
			low = g;
		else
			high = g;
	}
	return low;
}

/* What is known from the keys, the most frequent ones first. */
static void
key_facts(const SampledRow *rows, uint32_t n, const SampledKey *keys, uint32_t nkeys,
		  SampleFacts *facts)
{
	uint64_t	covered = 0;

	facts->distinct = nkeys;
	facts->groups = estimate_groups(n, nkeys);
	facts->heaviest = (double) keys[0].count / n;
	facts->second = nkeys > 1 ? (double) keys[1].count / n : 0;
	for (uint32_t i = 0; i < nkeys && i < SAMPLE_HOT && keys[i].count >= SAMPLE_HOT_ROWS; i++)
	{
		facts->hot[facts->nhot++] = rows[keys[i].first];
		covered += keys[i].count;
	}
	facts->covered = (double) covered / n;
}

void
sample_facts(SampledRow *rows, uint32_t nrows, uint64_t block_rows, SampleFacts *facts)
{
	double		block_keys = keys_of_rows(rows, nrows, block_rows);
	uint32_t	n = neighbour_facts(rows, nrows, facts);
	SampledKey *keys = calloc(n + 1, sizeof(*keys));
	uint32_t	nkeys = 0;

	facts->rows = n;
	facts->block_keys = block_keys;
	facts->distinct = 0;
	facts->groups = 0;
	facts->heaviest = facts->second = facts->covered = 0;
	facts->nhot = 0;
	if (n > 0 && keys != NULL)
	{
		qsort(rows, n, sizeof(*rows), compare_hashes);
		for (uint32_t i = 0; i < n; i++)
		{
			if (i == 0 || rows[i].hash != rows[i - 1].hash)
				keys[nkeys++].first = i;
			keys[nkeys - 1].count++;
		}
		qsort(keys, nkeys, sizeof(*keys), compare_counts);
		key_facts(rows, n, keys, nkeys, facts);
	}
	free(keys);
}

void
probable_facts(double groups, SampleFacts *facts)
{
	groups = groups > 1 ? groups : 1;
	*facts = (SampleFacts) {0};
	facts->rows = SAMPLE_ROWS;
	facts->distinct = (uint32_t) keys_met(groups, SAMPLE_ROWS);
	facts->groups = groups;
	facts->run_length = groups > 1 ? groups / (groups - 1) : SAMPLE_ROWS;
	facts->peers = 32 / keys_met(groups, 32);
	facts->heaviest = facts->second = 1 / groups;
	if (SAMPLE_ROWS / groups >= SAMPLE_HOT_ROWS)
		facts->covered = groups > SAMPLE_HOT ? SAMPLE_HOT / groups : 1;
	facts->max = groups < INT32_MAX ? (int64_t) groups : INT32_MAX;
	facts->block_keys = groups;
}

/*----------
 * Choice
 *----------
 */
uint32_t
block_table_size(const KernelLayout *layout, bool direct, uint32_t slots, uint32_t replicas)
{
	uint32_t	size = (uint32_t) layout->nwords * 8 * slots * replicas;

	if (!direct)
		size += slots * (8 + 4);
	return size;
}

bool
block_dimensions(const KernelLayout *layout, uint64_t groups, uint64_t direct_slots,
				 uint32_t shared_limit, uint32_t *slots, uint32_t *replicas)
{
	uint32_t	limit = shared_limit > BLOCK_STATIC_SHARED ?
		shared_limit - BLOCK_STATIC_SHARED : 0;
	uint64_t	per_slot = (uint64_t) layout->nwords * 8;
	bool		direct = direct_slots > 0;

	*replicas = 1;
	if (direct)
	{
		if (direct_slots * per_slot > limit)
			return false;
		*slots = (uint32_t) direct_slots;
	}
	else
	{
		*slots = BLOCK_MIN_SLOTS;
		if (block_table_size(layout, direct, *slots, 1) > limit)
			return false;
		while (*slots < 2 * groups && block_table_size(layout, direct, 2 * *slots, 1) <= limit)
			*slots *= 2;
	}
	while (*replicas < BLOCK_MAX_REPLICAS &&
		   block_table_size(layout, direct, *slots, 2 * *replicas) <= limit)
		*replicas *= 2;
	return true;
}

/* Groups to expect: the planner's word counts where the sample is of no use. */
static double
expected_groups(const SampleFacts *facts, const EngineHints *hints)
{
	bool		sorted = facts->run_length >= SCAN_RUN_LENGTH;
	bool		all_new = facts->distinct >= facts->rows * 0.999;

	if (hints->groups > facts->distinct && (sorted || all_new))
		return hints->groups;
	/* a sample full of new keys only tells that there are many */
	if (all_new)
		return hints->rows > facts->distinct ? hints->rows : facts->distinct;
	return facts->groups;
}

/* Can and should the groups be addressed directly?  Then the range. */
static bool
choose_direct(const Program *program, const SampleFacts *facts, double groups,
			  Choice *choice)
{
	uint64_t	span = (uint64_t) facts->max - (uint64_t) facts->min;
	uint64_t	margin;

	if (!layout_direct_possible(program) || facts->rows == 0 || facts->min > facts->max)
		return false;
	if (span >= DIRECT_MAX_SLOTS / 2 ||
		(span > DIRECT_MIN_SLOTS && span > DIRECT_SPREAD * groups))
		return false;
	/* room for values that the sample did not meet */
	margin = span / 16 + 64;
	choice->direct_min = facts->min < INT64_MIN + (int64_t) margin ? INT64_MIN :
		facts->min - (int64_t) margin;
	choice->direct_range = span + 2 * margin;
	return true;
}

/*
 * Do rows with the same key stand near each other, more than chance would have
 * it?  Then a block meets ever new keys, whatever the sample's number of them.
 */
static bool
is_clustered(const SampleFacts *facts)
{
	double		distinct = keys_met(facts->groups, 32);

	return facts->peers >= PEERS_PER_WARP && facts->distinct > CLUSTERED_KEYS &&
		facts->peers > 2 * 32 / distinct && facts->heaviest < VOTE_SHARE;
}

/*
 * Private tables for the keys that a block meets, with copies enough, where these
 * are few of a hash table's: so clustered keys need not be looked for in the warp.
 */
static bool
choose_clustered(const KernelLayout *layout, const SampleFacts *facts,
				 uint32_t shared_limit, Choice *choice)
{
	uint64_t	keys = (uint64_t) facts->block_keys;
	uint32_t	slots;
	uint32_t	replicas;

	if (choice->table != TABLE_HASH || !is_clustered(facts) ||
		!block_dimensions(layout, keys, 0, shared_limit, &slots, &replicas) ||
		slots < 2 * keys || replicas < BLOCK_CALM_REPLICAS)
		return false;
	choice->block_slots = slots;
	choice->block_replicas = replicas;
	return true;
}

/* Do a frequent key's rows meet in too few copies of its state? */
static bool
is_contended(const SampleFacts *facts, const Choice *choice)
{
	return facts->heaviest >= HEAVY_SHARE && choice->block_replicas < BLOCK_CALM_REPLICAS;
}

/*
 * fits: private tables hold all groups that are expected.  few: they hold those
 * that a block meets.
 */
static Strategy
choose_strategy(const SampleFacts *facts, const KernelLayout *layout, const Choice *choice,
				bool fits, bool few)
{
	if (layout->nwords > LAYOUT_MERGE_WORDS)
		return STRATEGY_ATOMIC;
	if (facts->run_length >= SCAN_RUN_LENGTH)
		return layout->nwords <= SCAN_MAX_WORDS ? STRATEGY_SCAN : STRATEGY_PEERS;
	if (is_clustered(facts))
		return few ? STRATEGY_BLOCK : STRATEGY_PEERS;
	if (fits && !is_contended(facts, choice))
		return STRATEGY_BLOCK;
	if (facts->heaviest >= VOTE_SHARE && facts->second < HEAVY_SHARE)
		return STRATEGY_VOTE;
	if (facts->covered >= BLOCK_COVERED || fits)
		return STRATEGY_BLOCK;
	if (facts->peers >= PEERS_PER_WARP ||
		(choice->table == TABLE_HASH && choice->groups > PEERS_HASHED_GROUPS))
		return STRATEGY_PEERS;
	return STRATEGY_ATOMIC;
}

/*
 * Private tables for strategy `block`: for all groups where they fit and frequent
 * keys find copies enough, else for the frequent keys.
 */
static void
choose_block(const KernelLayout *layout, const SampleFacts *facts, uint32_t shared_limit,
			 bool fits, Choice *choice)
{
	if (fits && !(is_contended(facts, choice) && facts->covered >= BLOCK_COVERED))
		return;
	choice->hot = facts->nhot > 0;
	choice->block_direct = false;
	if (!block_dimensions(layout, choice->hot ? facts->nhot : choice->groups, 0,
						  shared_limit, &choice->block_slots, &choice->block_replicas))
		choice->strategy = STRATEGY_ATOMIC;
}

Choice
choose_from_facts(const Program *program, const KernelLayout *layouts,
				  const SampleFacts *facts, const EngineHints *hints,
				  uint64_t table_bytes, int forced, uint32_t shared_limit)
{
	double		groups = expected_groups(facts, hints);
	Choice		choice = {0};
	const KernelLayout *layout;
	bool		fits;
	bool		few;

	choice.groups = groups < UINT32_MAX ? (uint64_t) groups : UINT32_MAX;
	if (choose_direct(program, facts, groups, &choice) &&
		choice.direct_range * layouts[TABLE_DIRECT].stride * 8 <= table_bytes)
		choice.table = TABLE_DIRECT;
	else
		choice.table = TABLE_HASH;
	layout = &layouts[choice.table];
	choice.block_direct = choice.table == TABLE_DIRECT;
	fits = block_dimensions(layout, choice.groups,
							choice.block_direct ? choice.direct_range + 1 : 0,
							shared_limit, &choice.block_slots, &choice.block_replicas);
	if (!choice.block_direct)
		fits = fits && choice.block_slots >= choice.groups * 4 / 3;
	few = choose_clustered(layout, facts, shared_limit, &choice);
	choice.strategy = choose_strategy(facts, layout, &choice, fits, few);
	if (forced >= 0 && forced != STRATEGY_REDUCE && layout->nwords <= LAYOUT_MERGE_WORDS)
		choice.strategy = (Strategy) forced;
	if (choice.strategy == STRATEGY_BLOCK)
		choose_block(layout, facts, shared_limit, fits || few, &choice);
	return choice;
}

/*----------
 * Sampling
 *----------
 */

/* Sample the batch's rows on the device, into the host's memory. */
static EngineStatus
take_sample(CudaRun *run, const RowBatch *batch, const Kernels *kernels,
			DeviceBuffer *sampled, SampledRow *rows, uint32_t nrows)
{
	const DeviceOps *ops = run->device_ops;
	AggregateArgs args = {0};
	uint64_t	nchunks = (nrows + SAMPLE_CHUNK - 1) / SAMPLE_CHUNK;
	DeviceStatus device;
	EngineStatus status;

	status = run_alloc(run, nrows * sizeof(SampledRow), sampled);
	if (status != ENGINE_OK)
		return status;
	args.batch = *batch;
	args.batch.nrows = nrows;
	args.slots = run->slot_values.ptr;
	args.sampled = sampled->ptr;
	args.sample_chunk = SAMPLE_CHUNK;
	args.sample_stride = nchunks > 1 ? (batch->nrows - SAMPLE_CHUNK) / (nchunks - 1) : 0;
	status = kernels_launch(run, kernels->sample, nrows, 256, 0, &args);
	if (status != ENGINE_OK)
		return status;
	device = ops->download(run->device, run->work, rows, sampled->ptr,
						   nrows * sizeof(SampledRow));
	if (device == DEVICE_OK)
		device = ops->stream_wait(run->device, run->work);
	return run_device(run, device, "could not sample rows");
}

/* About how many neighbouring rows of a batch a block of strategy `block` takes. */
static uint64_t
rows_of_block(const CudaRun *run, uint64_t nrows)
{
	uint64_t	rows = nrows / run->device->info.multiprocessors;

	return rows > BLOCK_STRATEGY_ROWS ? rows : BLOCK_STRATEGY_ROWS;
}

/* How to sample; without keys there is no sample, and this is all. */
Choice
choose_first(const CudaRun *run)
{
	Choice		choice = {0};

	if (run->program->nkeys > 0)
	{
		if (layout_direct_possible(run->program))
			choice.table = TABLE_DIRECT;
		return choice;
	}
	choice.strategy = STRATEGY_REDUCE;
	if (run->forced >= 0 && run->forced != STRATEGY_BLOCK)
		choice.strategy = (Strategy) run->forced;
	if (run->layouts[TABLE_HASH].nwords > LAYOUT_MERGE_WORDS)
		choice.strategy = STRATEGY_ATOMIC;
	return choice;
}

bool
choose_probably(const CudaRun *run, const DeviceInfo *info, Choice *choice)
{
	uint64_t	memory = run->hints.memory_limit > 0 ? run->hints.memory_limit : info->memory;
	SampleFacts facts;

	if (run->program->nkeys == 0 || run->hints.groups <= 0)
		return false;
	probable_facts(run->hints.groups, &facts);
	*choice = choose_from_facts(run->program, run->layouts, &facts, &run->hints,
								memory / DIRECT_TABLE_SHARE, run->forced,
								info->shared_limit);
	return true;
}

/* The facts of a batch's sample. */
static EngineStatus
sample_batch(CudaRun *run, const RowBatch *batch, SampleFacts *facts)
{
	uint32_t	nrows = batch->nrows < SAMPLE_ROWS ? (uint32_t) batch->nrows : SAMPLE_ROWS;
	Choice		sampling = choose_first(run);
	Kernels		kernels = {0};
	DeviceBuffer sampled = {0};
	SampledRow *rows;
	EngineStatus status;

	rows = malloc(nrows * sizeof(*rows));
	run->host_sample = rows;
	if (rows == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	status = kernels_load(run, &sampling, PART_SAMPLE, &kernels);
	if (status == ENGINE_OK)
		status = take_sample(run, batch, &kernels, &sampled, rows, nrows);
	if (status == ENGINE_OK)
		sample_facts(rows, nrows, rows_of_block(run, batch->nrows), facts);
	run_free(run, &sampled);
	kernels_release(&kernels);
	return status;
}

/* Mark the frequent keys' bits, on the device, which knows the keys' form. */
static EngineStatus
mark_hot_keys(CudaRun *run, const SampleFacts *facts)
{
	const DeviceOps *ops = run->device_ops;
	size_t		size = HOT_BITS / 8 + sizeof(facts->hot);
	AggregateArgs args = {0};
	DeviceStatus device;
	EngineStatus status;

	status = run_alloc(run, size, &run->hot);
	if (status != ENGINE_OK)
		return status;
	args.table = run->table;
	args.hot = run->hot.ptr;
	args.sampled = run->hot.ptr + HOT_BITS / 8;
	args.nhot = facts->nhot;
	device = ops->fill(run->device, run->work, args.hot, 0, HOT_BITS / 8);
	if (device == DEVICE_OK)
		device = ops->upload(run->device, run->work, args.sampled, facts->hot,
							 sizeof(facts->hot));
	if (device == DEVICE_OK)
		device = ops->stream_wait(run->device, run->work);
	status = run_device(run, device, "could not tell the device the frequent keys");
	if (status == ENGINE_OK)
		status = kernels_launch(run, run->kernels.hot_bits, facts->nhot, 32, 0, &args);
	return status;
}

EngineStatus
choose(CudaRun *run, const RowBatch *batch)
{
	SampleFacts facts = {0};
	EngineStatus status = ENGINE_OK;

	if (run->program->nkeys == 0)
		run->choice = choose_first(run);
	else
	{
		status = sample_batch(run, batch, &facts);
		run->choice = choose_from_facts(run->program, run->layouts, &facts,
										&run->hints, run->memory_limit / DIRECT_TABLE_SHARE,
										run->forced,
										run->device->info.shared_limit);
	}
	if (status == ENGINE_OK)
		status = kernels_load(run, &run->choice, PART_AGGREGATE, &run->kernels);
	if (status == ENGINE_OK)
		status = units_choose(run, batch);
	if (status == ENGINE_OK)
		status = device_table_create(run, run->choice.groups);
	if (status == ENGINE_OK)
		status = device_values_create(run, run->choice.groups);
	if (status == ENGINE_OK && run->choice.hot)
		status = mark_hot_keys(run, &facts);
	if (status == ENGINE_OK)
		run->chosen = true;
	return status;
}
