/*
 * filter.h
 *	  A Program's filter over the tuples of heap pages, before anything else of them
 *	  is read.
 *
 * Plain C99 without postgres.h; all memory comes from malloc.
 */
#ifndef GPUAGG_FILTER_H
#define GPUAGG_FILTER_H

#include "engine/cpu/deform.h"
#include "engine/cpu/eval.h"

typedef struct RowFilter RowFilter;

/*
 * For a Program with a filter that reads columns.  rest: the buffer for the columns
 * that keys and accumulators need of tuples that pass.  All arguments must
 * outlive it.  NULL: no memory.
 */
extern RowFilter *filter_create(const Program *program, const ParamValue *params,
								Evaluator *eval, const DeformBuffer *rest);
extern void filter_free(RowFilter *filter);
extern size_t filter_memory(const RowFilter *filter);

/* Has the Program a filter, and does it read columns? */
extern bool filter_reads(const Program *program);

/*
 * Append visible tuples of a page, as deform_find.  The pages must stay readable
 * until all tuples have been taken.  full: no more can be appended.
 */
extern EngineStatus filter_find(RowFilter *filter, const PageRef *page, uint32_t *line,
								char *message);
extern bool filter_full(const RowFilter *filter);

/* The page behind the one whose tuples are found next, as deform_expect. */
extern void filter_expect(RowFilter *filter, const PageRef *page);

/* Which of the tuples pass, and what became of the others. */
typedef struct FilteredTuples
{
	uint32_t	found;
	uint32_t	left;			/* left out, and noted for filter_take_left */
	uint32_t	n;				/* passed */
	DeformTuple *tuples;		/* these, until the next call of filter_find */
} FilteredTuples;

/*
 * Evaluate the filter for all tuples, and forget them.  Fails as deform_page for
 * what the filter reads, with INEXACT if the filter is an error for a tuple, and with
 * FAILED if interrupted.
 */
extern EngineStatus filter_tuples(RowFilter *filter, FilteredTuples *result, char *message);

/* As EngineOps.toasted. */
extern int	filter_take_left(RowFilter *filter, ToastedRow *rows, int max);

/* Read what is needed of tuples that have passed into the buffer `rest`. */
extern EngineStatus filter_read_rest(RowFilter *filter, DeformBuffer *rest,
									 DeformTuple *tuples, uint32_t n, char *message);

/* Compute the registers that keys and accumulators need; as eval_run. */
extern bool filter_eval_rest(const RowFilter *filter, const ColumnBatch *batch);

#endif							/* GPUAGG_FILTER_H */
