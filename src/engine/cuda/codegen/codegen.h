/*
 * codegen.h
 *	  From a Program to the text of its kernels.
 */
#ifndef GPUAGG_CODEGEN_H
#define GPUAGG_CODEGEN_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/* The strategies, in the order of their names in codegen.c. */
typedef enum Strategy
{
	STRATEGY_ATOMIC,
	STRATEGY_BLOCK,
	STRATEGY_PEERS,
	STRATEGY_PEERS_BALLOT,		/* peers, found by the ballot loop */
	STRATEGY_SCAN,
	STRATEGY_VOTE,
	STRATEGY_REDUCE,
	STRATEGY_COUNT
} Strategy;

extern const char *strategy_name(Strategy strategy);

/* The strategy of that name, or -1. */
extern int	strategy_named(const char *name);

/*
 * Modules of a Program.  The sample module has the kernel `sample` only, the
 * others `aggregate`, `table_init`, `table_move`, `table_normalize`, `emit`, and
 * what the strategy or float sums need besides.
 */
typedef enum KernelPart
{
	PART_SAMPLE,
	PART_AGGREGATE
} KernelPart;

/*
 * Append the text of a module's kernels.  block_direct: the private tables of
 * strategy `block` have no keys, but the slots of a group table that has none.
 */
extern void codegen(const Program *program, const KernelLayout *layout,
					KernelPart part, Strategy strategy, bool block_direct, Text *text);

/* The same of the kernel `deform`.  numeric: there are columns of that type. */
extern void codegen_deform(bool numeric, Text *text);

/* Is there a kernel `exponents`, from which the units of float sums come? */
extern bool codegen_needs_exponents(const Program *program);

/*
 * Parts of it, for codegen.c: row_load and row_eval; keys, extremes and groups.
 */
extern void codegen_rows(const Program *program, const KernelLayout *layout, Text *text);
extern void codegen_keys(const Program *program, const KernelLayout *layout, Text *text);
extern void codegen_values(const KernelLayout *layout, Text *text);
extern void codegen_emit(const Program *program, const KernelLayout *layout, Text *text);

/* A text in a register as its place in the batch's bytes and its length. */
extern void codegen_text_word(int reg, Text *text);

extern void codegen_pack_key(const KernelLayout *layout, int key, int reg,
							 const char *to, Text *text);

/* The C type of a value in a register, and in a device column. */
extern const char *codegen_type(ValueType type);
extern const char *codegen_column_type(ValueType type);

#endif							/* GPUAGG_CODEGEN_H */
