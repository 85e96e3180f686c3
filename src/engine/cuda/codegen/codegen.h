/*
 * codegen.h
 *	  From a Program to the text of its kernels.
 */
#ifndef GPUAGG_CODEGEN_H
#define GPUAGG_CODEGEN_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/strategy.h"
#include "engine/cuda/codegen/text.h"

/*
 * Modules of a Program.  The sample module has the kernel `sample` only, the
 * others `aggregate`, `table_init`, `table_move`, `table_normalize`, `emit`, and
 * what else the strategy, float sums or extremes need.
 */
typedef enum KernelPart
{
	PART_SAMPLE,
	PART_AGGREGATE
} KernelPart;

/*
 * Append the text of a module's kernels.  block_direct: the private tables of
 * strategies `block` and `scatter` have no keys, but the slots of a group table that has none;
 * block_copies: of states that they have room for; scatter_rows: that a thread of
 * scatter_move has of a tile.
 */
extern void codegen(const Program *program, const KernelLayout *layout,
					KernelPart part, Strategy strategy, bool block_direct,
					uint32_t block_copies, uint32_t scatter_rows, Text *text);

/* Threads of a block of its kernel `aggregate`. */
extern uint32_t codegen_threads(const Program *program, const KernelLayout *layout,
								Strategy strategy);

/* Append that of the interpreter's kernels, which run every Program that has a script. */
extern void codegen_interpreter(Text *text);

/*
 * The same of the kernels `gather`, `gather_tuples` and `deform`.  numeric: there are columns of
 * that type.
 */
extern void codegen_deform(bool numeric, Text *text);

/* The same of the kernels of top.cuh; of those that sort lists of values and read them. */
extern void codegen_top(Text *text);
extern void codegen_statistics(Text *text);

#endif							/* GPUAGG_CODEGEN_H */
