/*
 * pack.h
 *	  How columns of a chunk are encoded, and the kernels that do it.
 */
#ifndef GPUAGG_PACK_H
#define GPUAGG_PACK_H

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/deform_attrs.h"
#include "engine/cuda/kept/kept_columns.h"

/* Rows of a stripe in plain arrays. */
typedef struct PackSource
{
	DevicePtr	plain;			/* as RowBatch.columns, of so many rows: */
	uint64_t	capacity;
	uint32_t	nrows;
	int			ncolumns;
	const DeformAttrs *attrs;	/* of these columns */
} PackSource;

/* Rows that plain arrays have room for, if they are to take so many.  Never 0. */
extern uint64_t pack_capacity(uint32_t nrows);

/*
 * Choose how a column stands in a chunk, from place `at` on, by its range; `column` of the
 * place stays as it is.  Where the next one begins.
 */
extern uint64_t pack_place(const Column *column, const ColumnRange *range,
						   const PackSource *source, uint64_t at, KeptPlace *place);

/* The same for the kernel. */
extern PackedColumn pack_describe(const Column *column, const KeptPlace *place);

/* Launch, in the work stream: find the ranges of all columns. */
extern EngineStatus pack_find_ranges(RunCore *run, const PageKernels *kernels,
									 const PackSource *source, DevicePtr ranges);

/* Likewise: write them to a chunk.  packed: a PackedColumn each. */
extern EngineStatus pack_launch(RunCore *run, const PageKernels *kernels,
								const PackSource *source, DevicePtr packed, DevicePtr to);

#endif							/* GPUAGG_PACK_H */
