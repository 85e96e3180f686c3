/*
 * range_sift.h
 *	  Rows of a batch that the filter's ranges let pass, found before the batch is decoded.
 *
 * Plain C99 without postgres.h; all memory comes from malloc.
 */
#ifndef GPUAGG_CPU_KEPT_RANGE_SIFT_H
#define GPUAGG_CPU_KEPT_RANGE_SIFT_H

#include "engine/cpu/kept/encode.h"

/* Which values a column must have for a row to pass. */
typedef struct SiftRange
{
	int			column;
	int64_t		least;
	int64_t		most;
	bool		refuses_nulls;

	/* In the stripe that has begun: */
	bool		refuses_all;	/* no value of the stripe is in the range */
	uint64_t	low;			/* the least number, or plain value, in the range */
	uint64_t	span;			/* what may be added to it */
} SiftRange;

typedef struct RangeSift
{
	bool		is_known;		/* have the filter's ranges been found? */
	int			n;
	SiftRange  *ranges;
	int			ntested;		/* the first ones, which refuse rows of the stripe */
	uint8_t		passes[CPU_BATCH];	/* a row of the batch each */
	uint16_t	rows[CPU_BATCH];
} RangeSift;

/* For so many columns; begins as zeros.  False: no memory. */
extern bool range_sift_create(RangeSift *sift, int ncolumns);
extern void range_sift_free(RangeSift *sift);

/* Begin with a stripe. */
extern void range_sift_begin(RangeSift *sift, const Program *program, const ParamValue *params,
							 const DecodedColumn *columns);

/*
 * Of the nrows rows of the batch that all columns have moved to, those that can pass: sift->rows,
 * *npass of them.  False: they are not few enough to be decoded by themselves.  left: a byte a row,
 * whether it does not count; NULL: all do.  *ncount: how many do.
 */
extern bool range_sift_batch(RangeSift *sift, const DecodedColumn *columns, uint32_t nrows,
							 const uint8_t *left, uint32_t *npass, uint32_t *ncount);

#endif							/* GPUAGG_CPU_KEPT_RANGE_SIFT_H */
