/*
 * input_layout.h
 *	  How large input buffers are, and what lies where in their stages.
 *
 * Pure functions of the Program, its layout, what is expected and the limit of memory.
 */
#ifndef GPUAGG_INPUT_LAYOUT_H
#define GPUAGG_INPUT_LAYOUT_H

#include <stddef.h>

#include "engine/cuda/codegen/layout.h"
#include "engine/engine.h"

typedef struct InputLayout
{
	uint32_t	rows;			/* of a buffer's columns on the device */
	uint32_t	pages;			/* of a buffer */
	uint32_t	bytes;			/* of pages with their lists, or of texts */
	uint32_t	batch_rows;		/* rows of column batches that a stage holds */
	size_t		stage;			/* bytes of a stage */
	uint32_t	text;			/* of these, for the texts of column batches */
	uint32_t	row_bytes;		/* of all columns, as KernelLayout.row_bytes */
} InputLayout;

/* For the rows or pages that are expected, if that is known. */
extern void input_layout(const Program *program, const KernelLayout *layout,
						 const EngineHints *hints, uint64_t memory_limit,
						 InputLayout *input);

/* Device memory of one buffer, but for constants, in bytes. */
extern uint64_t input_layout_memory(const Program *program, const InputLayout *input);

/* Tuples that a heap page can have at most. */
extern uint32_t input_page_lines(void);

/*
 * In a stage for pages, behind them: a DevicePage for each; then the lists of lines;
 * then, on the host only, for each page where kernels read it in place, or 0, and
 * the same of copied pages.
 */
extern size_t input_infos_place(const InputLayout *input);
extern size_t input_lines_place(const InputLayout *input);
extern size_t input_in_place_place(const InputLayout *input);
extern size_t input_copied_place(const InputLayout *input);

/* The texts' place in a stage for column batches, behind the columns. */
extern size_t input_texts_place(const InputLayout *input);

#endif							/* GPUAGG_INPUT_LAYOUT_H */
