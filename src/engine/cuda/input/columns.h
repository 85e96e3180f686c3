/*
 * columns.h
 *	  Column batches into an input buffer.
 */
#ifndef GPUAGG_COLUMNS_H
#define GPUAGG_COLUMNS_H

#include "engine/cuda/input/input_buffer.h"

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

#endif							/* GPUAGG_COLUMNS_H */
