/*
 * feed.h
 *	  The caller's pages and batches into input buffers, and full ones to the
 *	  device.
 */
#ifndef GPUAGG_FEED_H
#define GPUAGG_FEED_H

#include "engine/cuda/run/run.h"

/* As EngineOps.pages and EngineOps.columns. */
extern EngineStatus feed_pages(CudaRun *run, const PageRef *pages, int n);
extern EngineStatus feed_columns(CudaRun *run, const ColumnBatch *batch);

/* No more rows come: OK when all are in the table. */
extern EngineStatus feed_end(CudaRun *run);

#endif							/* GPUAGG_FEED_H */
