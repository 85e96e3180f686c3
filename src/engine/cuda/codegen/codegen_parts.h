/*
 * codegen_parts.h
 *	  What the files of the code generator give each other.
 */
#ifndef GPUAGG_CODEGEN_PARTS_H
#define GPUAGG_CODEGEN_PARTS_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/strategy.h"
#include "engine/cuda/codegen/text.h"
#include "program/program.h"

/*
 * codegen_block.c: generates what strategies `block` and `scatter` need besides: how its rows are
 * loaded and evaluated, and the words of its states.
 */

/* Threads of a block of strategy `block`. */
extern uint32_t codegen_block_threads(const Program *program, const KernelLayout *layout);

/*
 * direct: the private tables have no keys; copies: of states that they have room for.
 * claims: keys get private slots without a slot of the group table, that is strategy
 * `scatter`.  Behind codegen_rows.
 */
extern void codegen_block(const Program *program, const KernelLayout *layout, bool direct,
						  uint32_t copies, bool claims, Text *text);

/*
 * codegen_emit.c: generates emit_group: a group's key and state to the output's vectors.
 */

/* Append emit_group. */
extern void codegen_emit(const Program *program, const KernelLayout *layout, Text *text);

/*
 * codegen_keys.c: generates what is done with keys: packing, tags, comparing, storing.
 */

/*
 * Append key_same, key_is and, where the layout needs them, key_make_tag, key_store,
 * key_text_size, key_from_direct and direct_key.  any: direct_key takes values out of
 * the group table's range as they are; else they are all alike.
 */
extern void codegen_keys(const Program *program, const KernelLayout *layout, bool any,
						 Text *text);

/*
 * Append the packing of one key, whose value is in variables r and n of the number
 * reg, into the words of the array `to`, which begin as zeros.
 */
extern void codegen_pack_key(const KernelLayout *layout, int key, int reg,
							 const char *to, Text *text);

/* Append a text in a register as its place in the batch's bytes and its length. */
extern void codegen_text_word(int reg, Text *text);

/*
 * codegen_rows.c: generates row_load and row_eval: a row's columns, its key, its words.
 */

/* Append Raw, Row, row_load, row_eval and, if it is needed, row_exponents. */
extern void codegen_rows(const Program *program, const KernelLayout *layout, Text *text);

/*
 * row_eval_fixed: row_eval, but that narrow sums of floats get fixed-point numbers
 * (fixed_value in cuda/fixed.cuh), and that a row that does not pass is computed as
 * well if codegen_rows_flat: it contributes nothing.
 */
extern void codegen_row_fixed(const Program *program, const KernelLayout *layout,
							  Text *text);

/*
 * Can rows that do not pass be computed as well?  Of several rows of a thread they are,
 * since its warp takes all branches anyway.  Not if something shows, or is read.
 */
extern bool codegen_rows_flat(const Program *program, const KernelLayout *layout);

/*
 * row_register_N: the value of a register that cannot be an error, N, of a row of which its
 * columns are loaded.  Behind codegen_rows.
 */
extern void codegen_row_register(const Program *program, const KernelLayout *layout, int reg,
								 Text *text);

/* row_conditions: which of the layout's candidates are true of a row, a bit each. */
extern void codegen_sampled_conditions(const Program *program, const KernelLayout *layout,
									   Text *text);

/*
 * codegen_prefilter.c: generates the filter's first conditions of neighbouring rows.
 */

/*
 * PREFILTER, and if there are such conditions, prefilter_tile around cuda/prefilter.cuh, for
 * blocks of so many threads.  Behind codegen_rows.
 */
extern void codegen_prefilter(const Program *program, const KernelLayout *layout,
							  uint32_t threads, Text *text);

/*
 * codegen_scatter.c: generates what strategy `scatter` needs besides.
 */

/* Can its rows be partitioned?  Some are not worth it, or need their place in the batch. */
extern bool codegen_scatter_possible(const Program *program, const KernelLayout *layout);

/* SCATTER_ROWS, which are `rows`, SCATTER_ARRAYS and ROW_BYTES; before cuda/scatter.cuh. */
extern void codegen_scatter_sizes(const Program *program, const KernelLayout *layout,
								  uint32_t rows, Text *text);

/* scatter_fetch, scatter_array and scatter_needs; behind cuda/scatter.cuh. */
extern void codegen_scatter(const Program *program, const KernelLayout *layout, Text *text);

/*
 * codegen_tile.c: generates how a thread loads neighbouring rows at once.
 */

/* rows_load_tile: all columns of so many rows, BLOCK_ROWS, and which are left out, a bit each. */
extern void codegen_tile(const Program *program, const KernelLayout *layout, int rows,
						 Text *text);

/*
 * Parts of such a function of TILE_AT_ONCE rows, four: some columns; ahead: those of the block's
 * next round are fetched; and, of rows that are not in segments, which are left out.
 */
extern void codegen_tile_columns(const Program *program, const KernelLayout *layout,
								 const bool *wanted, bool ahead, Text *text);
extern void codegen_tile_left(const Program *program, Text *text);

/*
 * codegen_types.c: the C types of values in kernels.
 */

/* Of a value in a register, and in a device column. */
extern const char *codegen_type(ValueType type);
extern const char *codegen_column_type(ValueType type);

/*
 * codegen_values.c: generates row_values: a row's values into its group's extremes.
 */

/* Append row_values, if the layout has extremes that are kept by reference. */
extern void codegen_values(const KernelLayout *layout, Text *text);

/*
 * codegen_words.c: generates what is done with the words of a state.
 */

/*
 * Append word_start, words_identity, words_merge, words_add, words_add_shared and
 * state_normalize.
 */
/* A WordKind in the names of functions. */
extern const char *codegen_word_kind(int kind);

extern void codegen_words(const Program *program, const KernelLayout *layout, Text *text);

#endif							/* GPUAGG_CODEGEN_PARTS_H */
