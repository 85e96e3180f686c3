/*
 * sample_rows.h
 *	  A sample of a batch's rows, taken on the device.
 */
#ifndef GPUAGG_SAMPLE_ROWS_H
#define GPUAGG_SAMPLE_ROWS_H

#include "engine/cuda/core/run_kernels.h"

/*
 * Sample a batch; its facts.  *rows: the sample, malloc'd, which stays until the run
 * has been waited for and is the caller's to free, whatever is returned.  No sample is
 * taken, and *rows is NULL, of rows that stay and whose facts are known.
 */
extern EngineStatus sample_rows(RunCore *run, const RowBatch *batch, SampledRow **rows,
								SampleFacts *facts);

#endif							/* GPUAGG_SAMPLE_ROWS_H */
