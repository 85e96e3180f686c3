/*
 * codegen_scatter.h
 *	  Generates what strategy `scatter` needs besides.
 */
#ifndef GPUAGG_CODEGEN_SCATTER_H
#define GPUAGG_CODEGEN_SCATTER_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/* Can its rows be partitioned?  Some are not worth it, or need their place in the batch. */
extern bool codegen_scatter_possible(const Program *program, const KernelLayout *layout);

/* SCATTER_ROWS, which are `rows`, SCATTER_ARRAYS and ROW_BYTES; before cuda/scatter.cuh. */
extern void codegen_scatter_sizes(const Program *program, const KernelLayout *layout,
								  uint32_t rows, Text *text);

/* scatter_fetch, scatter_array and scatter_needs; behind cuda/scatter.cuh. */
extern void codegen_scatter(const Program *program, const KernelLayout *layout, Text *text);

#endif							/* GPUAGG_CODEGEN_SCATTER_H */
