/*
 * sample_facts.h
 *	  What a sample of rows tells of their keys.
 */
#ifndef GPUAGG_SAMPLE_FACTS_H
#define GPUAGG_SAMPLE_FACTS_H

#include "engine/cuda/kernels/kernel_args.h"

/*
 * A sample has one of SAMPLE_SHARE of the input's rows, but SAMPLE_LEAST_ROWS at least
 * and SAMPLE_ROWS at most; and how many of them a chunk has.
 */
#define SAMPLE_ROWS 32768
#define SAMPLE_LEAST_ROWS 8192
#define SAMPLE_SHARE 16
#define SAMPLE_CHUNK 256

/* Frequent keys that are remembered at most, and rows of the sample that each has. */
#define SAMPLE_FREQUENT 128
#define SAMPLE_FREQUENT_ROWS 12

/* Which of the filter's conditions are true (KernelLayout.candidates), in so many ways. */
#define SAMPLE_CONDITIONS 256

/* What a sample tells of the keys of rows that pass the filter, and of the filter's conditions. */
typedef struct SampleFacts
{
	uint32_t	sampled;		/* rows, whether they pass or not */
	uint32_t	conditions[SAMPLE_CONDITIONS];	/* of these, by the conditions that are true */
	uint32_t	rows;			/* that pass */
	uint32_t	distinct;		/* keys among them */
	double		groups;			/* keys in all rows, estimated */
	double		least_groups;	/* the same, but for keys that are rarer than others */
	double		run_length;		/* mean of runs of equal neighbours */
	double		peers;			/* mean of rows a key in 32 neighbouring rows */
	double		heaviest;		/* share of the most frequent key */
	double		second;			/* of the next one */
	double		covered;		/* share of the frequent keys below */
	int64_t		min;			/* of the values, if the key is one integer */
	int64_t		max;
	double		block_keys;		/* of the neighbouring rows that a block takes */
	uint32_t	nfrequent;		/* keys with SAMPLE_FREQUENT_ROWS at least */
	SampledRow	frequent[SAMPLE_FREQUENT];	/* their first rows, the most frequent first */
} SampleFacts;

/* How many rows are sampled of an input of so many; 0: it is not known. */
extern uint32_t sample_size(double input_rows);

/*
 * Facts of SAMPLE_ROWS sampled rows at most; chunks begin at multiples of SAMPLE_CHUNK.
 * block_rows: about what a block of strategy `block` takes.  Without memory for them, as
 * if no row had passed.
 */
extern void sample_facts(const SampledRow *rows, uint32_t nrows, uint64_t block_rows,
						 SampleFacts *facts);

/*
 * What a sample of so many rows would probably show of so many groups: keys as frequent
 * as each other, in no order, and numbered one after another.
 */
extern void expected_facts(double groups, uint32_t nrows, SampleFacts *facts);

/* Of so many keys, if all are as frequent, what n rows meet. */
extern double keys_met(double groups, double n);

#endif							/* GPUAGG_SAMPLE_FACTS_H */
