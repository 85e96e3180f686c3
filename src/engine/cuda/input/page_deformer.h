/*
 * page_deformer.h
 *	  From heap pages to columns, on the device.
 */
#ifndef GPUAGG_PAGE_DEFORMER_H
#define GPUAGG_PAGE_DEFORMER_H

#include "engine/cuda/cache/kernel_cache.h"
#include "engine/cuda/input/input_buffer.h"

/* Begins as zeros; not opened if the Program reads no pages. */
typedef struct PageDeformer
{
	LoadedModule *module;
	DeviceKernel *kernel;
	DeviceKernel *gather;		/* gather.c */
	DeformAttr *host;			/* what is uploaded; freed by close */
	DeviceBuffer attrs;			/* DeformAttr, then DeviceColumn */
	uint32_t	nattrs;
} PageDeformer;

/* Whatever a failure leaves, page_deformer_close takes. */
extern EngineStatus page_deformer_open(RunCore *run, PageDeformer *deformer);
extern void page_deformer_close(RunCore *run, PageDeformer *deformer);

/* Launch, in the work stream, for a buffer whose pages are on the device. */
extern EngineStatus page_deformer_launch(RunCore *run, const PageDeformer *deformer,
										 const InputLayout *input,
										 const InputBuffer *buffer);

#endif							/* GPUAGG_PAGE_DEFORMER_H */
