/*
 * tuple_filter.h
 *	  Which tuples a device need not read of pages in the host's memory, and whether that
 *	  pays.
 */
#ifndef GPUAGG_TUPLE_FILTER_H
#define GPUAGG_TUPLE_FILTER_H

#include "engine/cuda/kernels/kernel_args.h"
#include "engine/engine.h"

/* Begins as zeros. */
typedef struct TupleFilter
{
	uint32_t	n;				/* 0: no condition can be tested */
	GatherCondition conditions[GATHER_CONDITIONS];
	uint32_t	refused_column; /* of a row that the first one refuses, */
	int64_t		refused;		/* and its value there */
	uint32_t	sectors;		/* quarters of sectors that a test reads of a tuple */
	double		copied;			/* share of the rows tested last that were not refused */
	uint32_t	untested;		/* buffers since then */
} TupleFilter;

/* The conditions of a Program over pages that can be tested. */
extern void tuple_filter_find(const Program *program, const ParamValue *params,
							  TupleFilter *filter);

/* Should tuples be tested in the buffer that begins with these pages? */
extern bool tuple_filter_pays(TupleFilter *filter, const PageRef *pages, uint32_t n);

/* What came of a buffer: rows tested, and those of them that were refused. */
extern void tuple_filter_learn(TupleFilter *filter, uint32_t tested, uint32_t refused);

/* The parameters of `gather_tuples` that tell the conditions. */
extern void tuple_filter_tell(const TupleFilter *filter, GatherTuplesArgs *args);

#endif							/* GPUAGG_TUPLE_FILTER_H */
