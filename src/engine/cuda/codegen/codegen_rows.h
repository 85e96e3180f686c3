/*
 * codegen_rows.h
 *	  Generates row_load and row_eval: a row's columns, its key, its words.
 */
#ifndef GPUAGG_CODEGEN_ROWS_H
#define GPUAGG_CODEGEN_ROWS_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/* Append Raw, Row, row_load, row_eval and, if it is needed, row_exponents. */
extern void codegen_rows(const Program *program, const KernelLayout *layout, Text *text);

/*
 * row_eval_fixed: row_eval, but that narrow sums of floats get fixed-point numbers
 * (fixed_value in cuda/fixed.cuh), and that a row that does not pass is computed as
 * well if codegen_rows_flat: it contributes nothing.
 */
extern void codegen_row_fixed(const Program *program, const KernelLayout *layout,
							  Text *text);

/*
 * Can rows that do not pass be computed as well?  Of several rows of a thread they are,
 * since its warp takes all branches anyway.  Not if something shows, or is read.
 */
extern bool codegen_rows_flat(const Program *program, const KernelLayout *layout);

#endif							/* GPUAGG_CODEGEN_ROWS_H */
