/*
 * float_units.h
 *	  The units of float sums, from the first batch.
 */
#ifndef GPUAGG_FLOAT_UNITS_H
#define GPUAGG_FLOAT_UNITS_H

#include "engine/cuda/core/run_kernels.h"

typedef struct FloatUnits
{
	uint32_t	exponents[PROGRAM_MAX_ACCS];	/* by the numbers of the sums */
	int32_t		of_sums[PROGRAM_MAX_ACCS];	/* likewise */
	int32_t		of_accs[PROGRAM_MAX_ACCS];	/* by accumulators */
} FloatUnits;

/*
 * Look at the batch's values, by the kernels of the run's choice, unless they are known by
 * that key (sample_key); batch == NULL: there are no rows.  Once a run.
 */
extern EngineStatus float_units_choose(RunCore *run, const Kernels *kernels,
									   const RowBatch *batch, uint64_t key, FloatUnits *units);

#endif							/* GPUAGG_FLOAT_UNITS_H */
