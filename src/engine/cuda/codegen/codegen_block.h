/*
 * codegen_block.h
 *	  Generates what strategies `block` and `scatter` need besides: how its rows are loaded and
 *	  evaluated, and the words of its states.
 */
#ifndef GPUAGG_CODEGEN_BLOCK_H
#define GPUAGG_CODEGEN_BLOCK_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/strategy.h"
#include "engine/cuda/codegen/text.h"

/* Threads of a block of strategy `block`. */
extern uint32_t codegen_block_threads(const Program *program, const KernelLayout *layout);

/*
 * direct: the private tables have no keys; copies: of states that they have room for.
 * claims: keys get private slots without a slot of the group table, that is strategy
 * `scatter`.  Behind codegen_rows.
 */
extern void codegen_block(const Program *program, const KernelLayout *layout, bool direct,
						  uint32_t copies, bool claims, Text *text);

#endif							/* GPUAGG_CODEGEN_BLOCK_H */
