/*
 * batch_filter.h
 *	  A Program's filter over column batches, and what is evaluated of the rows that pass.
 *
 * Plain C99 without postgres.h; all memory comes from malloc.
 */
#ifndef GPUAGG_BATCH_FILTER_H
#define GPUAGG_BATCH_FILTER_H

#include "engine/cpu/eval.h"
#include "engine/cpu/kept/coded_rows.h"

typedef struct BatchFilter BatchFilter;

/* What batch_filter_keep returns but for numbers of rows. */
#define BATCH_ROW_FAILS (-1)	/* the filter is an error for a row */
#define BATCH_INTERRUPTED (-2)

/* For a Program with a filter; all arguments must outlive it.  NULL: no memory. */
extern BatchFilter *batch_filter_create(const Program *program, const ParamValue *params,
										Evaluator *eval);
extern void batch_filter_free(BatchFilter *filter);
extern size_t batch_filter_memory(const BatchFilter *filter);

/*
 * Keep those of a batch's rows rows[0 .. n - 1], which ascend, that pass; returns how many.  From
 * then on they can have other numbers, by which registers have their values.  coded: the batch's
 * texts have codes, and a stripe has begun; NULL: they have none.
 */
extern int	batch_filter_keep(BatchFilter *filter, const ColumnBatch *batch, CodedRows *coded,
							  uint16_t *rows, int n);

/*
 * Compute the registers that keys and accumulators need, of n rows that have passed, which can get
 * other numbers; false: interrupted.  Coded rows may do without keys: coded_keys computes them.
 */
extern bool batch_filter_eval_rest(BatchFilter *filter, uint16_t *rows, int n);

#endif							/* GPUAGG_BATCH_FILTER_H */
