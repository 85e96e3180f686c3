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
 * Look at the batch's values, by the kernels of the run's choice; batch == NULL:
 * there are no rows.  units stays where it is until the run has been waited for.
 */
extern EngineStatus float_units_choose(RunCore *run, const Kernels *kernels,
									   const RowBatch *batch, FloatUnits *units);

#endif							/* GPUAGG_FLOAT_UNITS_H */
