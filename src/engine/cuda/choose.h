/*
 * choose.h
 *	  The strategy, from a sample of rows.
 */
#ifndef GPUAGG_CHOOSE_H
#define GPUAGG_CHOOSE_H

#include "engine/cuda/run.h"

/* Rows of a sample at most, and of one of its chunks. */
#define SAMPLE_ROWS 32768
#define SAMPLE_CHUNK 256

/* Frequent keys that are remembered, and the rows of the sample each has. */
#define SAMPLE_HOT 128
#define SAMPLE_HOT_ROWS 12

/* What a sample tells of the keys of rows that pass the filter. */
typedef struct SampleFacts
{
	uint32_t	rows;			/* that pass */
	uint32_t	distinct;		/* keys among them */
	double		groups;			/* keys in all rows, estimated */
	double		run_length;		/* mean of runs of equal neighbours */
	double		peers;			/* mean of rows a key in 32 neighbouring rows */
	double		heaviest;		/* share of the most frequent key */
	double		second;			/* of the next one */
	double		covered;		/* share of the hot keys, see below */
	int64_t		min;			/* of the values, if the key is one integer */
	int64_t		max;
	double		block_keys;		/* of the neighbouring rows that a block takes */
	uint32_t	nhot;			/* keys frequent enough to be known as such */
	struct SampledRow hot[SAMPLE_HOT];	/* a row of each, the most frequent first */
} SampleFacts;

/*
 * Facts of sampled rows; chunks begin at multiples of SAMPLE_CHUNK.  block_rows:
 * about what a block of strategy `block` takes.  Reorders the rows.
 */
extern void sample_facts(struct SampledRow *rows, uint32_t nrows, uint64_t block_rows,
						 SampleFacts *facts);

/*
 * What a sample would probably show of so many groups: keys as frequent as each
 * other, in no order, and numbered one after another.
 */
extern void probable_facts(double groups, SampleFacts *facts);

/*
 * What to do: for a Program with keys.  forced: a Strategy, or -1; one that
 * cannot be used is passed over.  table_bytes: of a table addressed directly, at
 * most; shared_limit: of a block, in bytes.
 */
extern Choice choose_from_facts(const Program *program, const KernelLayout *layouts,
								const SampleFacts *facts, const EngineHints *hints,
								uint64_t table_bytes, int forced, uint32_t shared_limit);

/*
 * Slots and copies of strategy `block` for so many groups; false if no table of
 * use fits.
 */
extern bool block_dimensions(const KernelLayout *layout, uint64_t groups,
							 uint64_t direct_slots, uint32_t shared_limit,
							 uint32_t *slots, uint32_t *replicas);

#endif							/* GPUAGG_CHOOSE_H */
