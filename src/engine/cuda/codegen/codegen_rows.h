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
 * (fixed_value in cuda/fixed.cuh).
 */
extern void codegen_row_fixed(const Program *program, const KernelLayout *layout,
							  Text *text);

#endif							/* GPUAGG_CODEGEN_ROWS_H */
