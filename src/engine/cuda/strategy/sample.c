/*
 * sample.c
 *	  What a sample of rows tells of their keys.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/cuda/strategy/sample.h"

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

double
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
	args.constants = run->slot_values.ptr;
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

EngineStatus
sample_batch(CudaRun *run, const RowBatch *batch, SampleFacts *facts)
{
	uint32_t	nrows = batch->nrows < SAMPLE_ROWS ? (uint32_t) batch->nrows : SAMPLE_ROWS;
	StrategyChoice		sampling = choose_first(run);
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
