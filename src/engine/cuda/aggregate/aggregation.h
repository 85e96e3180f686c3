/*
 * aggregation.h
 *	  How a run's rows meet their groups: chosen at the first batch, then launched
 *	  over every batch; and the sample that the choice is made from.
 */
#ifndef GPUAGG_AGGREGATION_H
#define GPUAGG_AGGREGATION_H

#include "engine/cuda/aggregate/float_units.h"
#include "engine/cuda/aggregate/run_table.h"
#include "engine/cuda/aggregate/scatter.h"

/* Begins as zeros. */
typedef struct Aggregation
{
	bool		chosen;			/* all the rest is there */
	Kernels		kernels;		/* and the choice they are for */
	Kernels		interpreter;	/* its kernels, once others have taken their place */
	SampleFacts facts;			/* what the choice was made from */
	uint64_t	key;			/* of the first batch's rows (sample_key), 0: they have none */
	RunTable	table;
	FloatUnits	units;
	DeviceBuffer frequent;		/* FREQUENT_BITS bits, if choice.only_frequent */
	Stage		sample;
} Aggregation;

/*
 * Choose the strategy from the first batch's rows, and load its kernels; batch == NULL: there
 * are no rows.  unpacks: rows in segments can be unpacked, if that makes a strategy possible;
 * run->layouts' `segments` is then false, and the caller has them unpacked.
 */
extern EngineStatus aggregation_choose(RunCore *run, Aggregation *aggregation,
									   const RowBatch *batch, bool unpacks);

/* Choose once more, since there is no room to unpack. */
extern EngineStatus aggregation_choose_packed(RunCore *run, Aggregation *aggregation,
											  const RowBatch *batch);

/* Then make the table; batch: the same rows, as the kernels take them. */
extern EngineStatus aggregation_begin(RunCore *run, Aggregation *aggregation,
									  const RowBatch *batch);

/* Go on with the Program's own kernels, if they have been compiled meanwhile. */
extern EngineStatus aggregation_compiled(RunCore *run, Aggregation *aggregation);

/* How its rows meet their groups now. */
extern Strategy aggregation_strategy(const Aggregation *aggregation);

/*
 * Launch, in the work stream, over all rows of a batch, or over those in its list.
 * counters: on the device, cleared; scattered: the batch's.
 */
extern EngineStatus aggregation_launch(RunCore *run, const Aggregation *aggregation,
									   const RowBatch *batch, DevicePtr counters,
									   Scattered *scattered);

/* The same only for extremes that found no room in the values' arena. */
extern EngineStatus aggregation_launch_values(RunCore *run, const Aggregation *aggregation,
											  const RowBatch *batch, DevicePtr counters);

/* Add the values of a batch's rows, of which so many have passed, to the run's lists. */
extern EngineStatus aggregation_launch_lists(RunCore *run, Aggregation *aggregation,
											 const RowBatch *batch, uint64_t passed,
											 DevicePtr counters);

/* Find which of them come first in their groups; again: some of them have found no room. */
extern EngineStatus aggregation_launch_first_rows(RunCore *run, Aggregation *aggregation,
												  const RowBatch *batch, uint64_t passed,
												  bool again, DevicePtr counters);

/* Free it; nothing is left that works on the device. */
extern void aggregation_close(RunCore *run, Aggregation *aggregation);

/*
 * sample_rows.c: a sample of a batch's rows, taken on the device.
 */

/*
 * What is known of a batch's rows is known by this key (known_facts.h); 0: they are not such as
 * stay.
 */
extern uint64_t sample_key(const RunCore *run, const RowBatch *batch);

/*
 * Sample a batch; its facts.  *rows: the sample, in page-locked memory, which stays until the
 * run has been waited for and is the caller's to give back, whatever is returned.  No sample
 * is taken, and *rows is empty, of rows with a key whose facts are known.
 */
extern EngineStatus sample_rows(RunCore *run, const RowBatch *batch, uint64_t key, Stage *rows,
								SampleFacts *facts);

#endif							/* GPUAGG_AGGREGATION_H */
