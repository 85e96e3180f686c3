/*
 * coded_rows.h
 *	  A Program's registers for rows whose texts have codes (encode_texts.h).
 */
#ifndef GPUAGG_CPU_KEPT_CODED_ROWS_H
#define GPUAGG_CPU_KEPT_CODED_ROWS_H

#include "engine/cpu/eval.h"
#include "engine/cpu/kept/encode.h"

typedef struct CodedRows CodedRows;

/* All arguments must outlive it; NULL: no memory. */
extern CodedRows *coded_create(const Program *program, const ParamValue *params, Evaluator *eval);
extern void coded_free(CodedRows *coded);
extern size_t coded_memory(const CodedRows *coded);

/* What becomes of a stripe. */
typedef enum CodedStatus
{
	CODED_NO_TEXTS,				/* no column has codes: evaluate rows as others */
	CODED_ROWS,					/* by the functions below */
	CODED_NONE_PASSES,			/* the filter is true for no row, and never an error */
	CODED_INTERRUPTED,
	CODED_NO_MEMORY
} CodedStatus;

/*
 * Begin with a stripe of so many rows: compute for each text what depends on its column alone.
 * columns: the Program's, which stay the caller's.
 */
extern CodedStatus coded_begin(CodedRows *coded, const DecodedColumn *columns, uint32_t nrows);

/*
 * Begin with a batch, which must stay until the next one.  by_conjuncts: not the filter is computed,
 * but its conjuncts, or there is none.
 */
extern void coded_begin_batch(CodedRows *coded, const ColumnBatch *batch, bool by_conjuncts);

/*
 * From now on there are only these rows of the batch, which ascend; batch: they, with other numbers.
 * Nothing has been computed of them.
 */
extern void coded_gather(CodedRows *coded, const ColumnBatch *batch, const uint16_t *rows, uint32_t n);

/*
 * Mark what is computed for a register of the filter or of a conjunct, itself included, and for all
 * that keys and accumulators need.  It is the same until another plan is made, for a stripe whose
 * columns have other texts.
 */
extern void coded_mark_register(const CodedRows *coded, int reg, bool *needed);
extern void coded_mark_groups(const CodedRows *coded, bool *needed);
extern uint32_t coded_plan_number(const CodedRows *coded);

/* Compute a register that has been marked so; those marked before it must have been.  As eval_run. */
extern bool coded_register(CodedRows *coded, int reg);

/* Compute the registers that accumulators need, then those that keys need, behind the filter's. */
extern bool coded_accs(CodedRows *coded);
extern bool coded_keys(CodedRows *coded);

/* Do the codes of a row tell its group? */
extern bool coded_tell_groups(const CodedRows *coded);

/*
 * Of rows[0 .. n - 1] of the batch those whose codes have no group yet, one for each of these
 * codes, in their order; how many they are.
 */
extern uint32_t coded_unknown(CodedRows *coded, const uint16_t *rows, uint32_t n,
							  uint16_t *unknown);

/* The groups of these n rows. */
extern void coded_set_groups(CodedRows *coded, uint32_t n, const uint32_t *groups);

/* The groups of the rows that coded_unknown was last called for, if none of them is unknown. */
extern void coded_groups(const CodedRows *coded, uint32_t n, uint32_t *groups);

/* The groups that were set are others' numbers now.  NULL is fine. */
extern void coded_forget_groups(CodedRows *coded);

#endif							/* GPUAGG_CPU_KEPT_CODED_ROWS_H */
