/*
 * sample_rows.h
 *	  A sample of a batch's rows, taken on the device.
 */
#ifndef GPUAGG_SAMPLE_ROWS_H
#define GPUAGG_SAMPLE_ROWS_H

#include "engine/cuda/core/run_kernels.h"

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

#endif							/* GPUAGG_SAMPLE_ROWS_H */
