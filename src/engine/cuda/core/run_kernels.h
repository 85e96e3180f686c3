/*
 * run_kernels.h
 *	  A run's kernels: made or found, and launched.
 */
#ifndef GPUAGG_RUN_KERNELS_H
#define GPUAGG_RUN_KERNELS_H

#include "engine/cuda/codegen/codegen.h"
#include "engine/cuda/core/run_core.h"
#include "engine/cuda/strategy/choose.h"

/* The kernels of one module, and what they are for; a NULL: it has no such kernel. */
typedef struct Kernels
{
	StrategyChoice choice;
	LoadedModule *module;
	bool		interpreted;	/* they are the interpreter's */
	DevicePtr	script;			/* which follow this */
	uint32_t	row_threads;	/* of a block of sample, exponents, values_again */
	uint32_t	row_shared;		/* and its dynamic shared memory */
	DeviceKernel *aggregate;
	DeviceKernel *table_init;
	DeviceKernel *table_move;	/* NULL with direct addressing */
	DeviceKernel *table_normalize;
	DeviceKernel *table_merge;	/* NULL unless KernelLayout.merges */
	DeviceKernel *emit;
	DeviceKernel *sample;
	DeviceKernel *frequent_bits;	/* strategy `block` */
	DeviceKernel *scatter_count;	/* strategy `scatter` */
	DeviceKernel *scatter_starts;
	DeviceKernel *scatter_bins;
	DeviceKernel *scatter_units;
	DeviceKernel *scatter_move;
	DeviceKernel *scatter_aggregate;
	DeviceKernel *exponents;	/* float sums, below EXACT_FULL */
	DeviceKernel *values_again; /* extremes kept by reference */
	DeviceKernel *values_move;
	DeviceKernel *list_values;	/* lists of values */
	DeviceKernel *group_rows_take;	/* first rows of groups */
	DeviceKernel *group_rows_copy;
	DeviceKernel *group_rows_move;
} Kernels;

/* Kernels over pages, and over rows that are kept. */
typedef struct PageKernels
{
	DeviceKernel *deform;
	DeviceKernel *gather;
	DeviceKernel *gather_tuples;
	DeviceKernel *mask_rows;
	DeviceKernel *column_ranges;
	DeviceKernel *pack;
	DeviceKernel *unpack;
	DeviceKernel *dictionary_find;
	DeviceKernel *dictionary_add;
	DeviceKernel *dictionary_codes;
	DeviceKernel *dictionary_row_codes;
	DeviceKernel *dictionary_move;
	DeviceKernel *dictionary_copy;
} PageKernels;

/* Kernels that find the groups that may leave. */
typedef struct TopKernels
{
	DeviceKernel *pass;
	DeviceKernel *count;
	DeviceKernel *choose;
	DeviceKernel *list;
} TopKernels;

/* Kernels over lists of values. */
typedef struct StatisticKernels
{
	DeviceKernel *list_range;
	DeviceKernel *list_copy;
	DeviceKernel *list_move;
	DeviceKernel *list_groups;
	DeviceKernel *sort_count;
	DeviceKernel *sort_starts;
	DeviceKernel *sort_move;
	DeviceKernel *sort_pack;
	DeviceKernel *sort_unpack;
	DeviceKernel *read_percentiles;
	DeviceKernel *find_modes;
	DeviceKernel *read_modes;
	DeviceKernel *read_distinct;
} StatisticKernels;

/*
 * Begin to get the kernels that the run needs first, if the device has yet to be
 * opened: that takes about as long.  Failures are left to kernels_load.
 */
extern void kernels_prefetch(RunCore *run);

/*
 * Begin to get the kernels that depend on no Program: those that read pages, the
 * interpreter, and those that find first groups.  For a process that will serve many
 * runs, at its start.
 */
extern void kernels_prefetch_general(const DeviceOps *ops);

/*
 * The kernels of that part for a choice.  If they have to be compiled, they are the
 * interpreter's for now; if there are none of it either, this waits for the compiler.
 * Whatever a failure leaves, kernels_release takes.
 */
extern EngineStatus kernels_load(RunCore *run, const StrategyChoice *choice, KernelPart part,
								 Kernels *kernels);

/*
 * The Program's own kernels for a choice in place of the interpreter's, once they are
 * compiled; else nothing, and kernels->module stays NULL.
 */
extern EngineStatus kernels_load_compiled(RunCore *run, const StrategyChoice *choice,
										  Kernels *kernels);
extern void kernels_release(Kernels *kernels);

/* Their module is released by the caller. */
extern EngineStatus kernels_load_deform(RunCore *run, LoadedModule **module,
										PageKernels *kernels);
extern EngineStatus kernels_load_top(RunCore *run, LoadedModule **module, TopKernels *kernels);
extern EngineStatus kernels_load_statistics(RunCore *run, LoadedModule **module,
											StatisticKernels *kernels);

/*
 * The interpreter's kernel over rows, for another Program than the run's; and is it there
 * without waiting for the compiler?  If it is not, a compiler is begun.
 */
extern EngineStatus kernels_load_interpreter(RunCore *run, LoadedModule **module,
											 DeviceKernel **interpret);
extern bool kernels_interpreter_ready(const RunCore *run);

/*
 * Launch, in the work stream, for that many threads by blocks of `block`: at least
 * one block, and no more than the device holds at once, so that a kernel's threads
 * go over what is left.  shared: bytes of dynamic shared memory a block; args: the
 * kernel's only parameter.
 */
extern EngineStatus kernels_launch(RunCore *run, DeviceKernel *kernel, uint64_t threads,
								   uint32_t block, uint32_t shared, void *args);

#endif							/* GPUAGG_RUN_KERNELS_H */
