/*
 * input_steps.h
 *	  What is done with an input buffer: it is filled with pages or columns, and its rows
 *	  go to the device.
 */
#ifndef GPUAGG_INPUT_STEPS_H
#define GPUAGG_INPUT_STEPS_H

#include "engine/cuda/input/input_buffer.h"
#include "engine/cuda/input/page_calls.h"
#include "engine/cuda/input/page_deformer.h"

/*
 * columns.c: column batches into an input buffer.
 */

/* Bytes of the texts of n rows of a batch from `from` on. */
extern uint64_t columns_text_size(const Program *program, const ColumnBatch *batch,
								  uint32_t from, uint32_t n);

/* How many rows of a batch, from `from` on, still fit a buffer, texts included. */
extern uint32_t columns_rows_that_fit(const Program *program, const InputLayout *input,
									  const InputBuffer *buffer, const ColumnBatch *batch,
									  uint32_t from);

/* Take n rows from `from` on, which fit. */
extern void columns_take_rows(const RunCore *run, const InputLayout *input,
							  const ColumnBatch *batch, uint32_t from, uint32_t n,
							  InputBuffer *buffer);

/*
 * gather.c: an input buffer's pages into its bytes on the device, in the copy stream.
 */

/* Those that kernels read in place, of the buffer's pages from `first` on. */
extern EngineStatus gather_in_place(RunCore *run, const PageDeformer *deformer,
									const InputLayout *input, const InputBuffer *buffer,
									uint32_t first, PageCall *call);

/* Those that have been copied into its stage. */
extern EngineStatus gather_copied(RunCore *run, const PageDeformer *deformer,
								  const InputLayout *input, const InputBuffer *buffer);

/*
 * pages.c: heap pages into an input buffer.
 */

/*
 * Take as many of n pages into a buffer as it has room for: *taken.  Threads copy those
 * that kernels cannot read in place: they must stay until copier_wait has returned for
 * *ticket.  keeps: columns of pages are kept, so that those without rows have places, too.
 */
extern EngineStatus pages_take(RunCore *run, const InputLayout *input, bool keeps,
							   const PageRef *pages, uint32_t n, InputBuffer *buffer,
							   uint64_t *ticket, uint32_t *taken);

/*
 * upload.c: an input buffer's rows to the device, in the copy stream.
 */

/*
 * Copy pages with their lists, or columns with their texts.  The stage, in which all
 * copying has ended, must stay until the stream is done.
 */
extern EngineStatus input_upload(RunCore *run, const InputLayout *input,
								 const InputBuffer *buffer);

#endif							/* GPUAGG_INPUT_STEPS_H */
