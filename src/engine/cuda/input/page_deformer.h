/*
 * page_deformer.h
 *	  From heap pages to columns, on the device.
 */
#ifndef GPUAGG_PAGE_DEFORMER_H
#define GPUAGG_PAGE_DEFORMER_H

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/deform_attrs.h"
#include "engine/cuda/input/input_buffer.h"
#include "engine/cuda/input/tuple_filter.h"

/* Begins as zeros; not opened if the Program reads no pages. */
typedef struct PageDeformer
{
	bool		open;
	LoadedModule *module;
	PageKernels kernels;
	DeformAttrs attrs;			/* for the Program's columns */
	TupleFilter filter;
} PageDeformer;

/* Some of a buffer's pages, whose rows go into other columns besides. */
typedef struct KeepPages
{
	uint32_t	first;
	uint32_t	npages;
	const DeformAttrs *attrs;
	DevicePtr	columns;		/* as RowBatch.columns */
	uint64_t	capacity;
	DevicePtr	counters;		/* Counters of their own */
	DevicePtr	ranges;			/* ColumnRange, of each column */
} KeepPages;

/* Whatever a failure leaves, page_deformer_close takes. */
extern EngineStatus page_deformer_open(RunCore *run, PageDeformer *deformer);
extern void page_deformer_close(RunCore *run, PageDeformer *deformer);

/* Launch, in the work stream, for a buffer whose pages are on the device. */
extern EngineStatus page_deformer_launch(RunCore *run, const PageDeformer *deformer,
										 const InputLayout *input,
										 const InputBuffer *buffer);

/* The same for rows that are kept: those of pages with a DevicePage.kept. */
extern EngineStatus page_deformer_keep(RunCore *run, const PageDeformer *deformer,
									   const InputLayout *input, const InputBuffer *buffer,
									   const KeepPages *kept);

#endif							/* GPUAGG_PAGE_DEFORMER_H */
