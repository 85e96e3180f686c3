/*
 * strategy.h
 *	  The strategies: ways in which rows meet their groups.
 */
#ifndef GPUAGG_STRATEGY_H
#define GPUAGG_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * X(value, name, file, threads): the enumerator behind STRATEGY_; the name, as in
 * gpuagg.strategy and in the kernel's function aggregate_NAME; the file of cuda/
 * that the kernel includes besides atomic.cuh, or NULL; threads of its blocks,
 * at most (codegen_threads).
 * `interpret` is no strategy of its own, but that of the kernels that fit every
 * Program (cuda/interpret.cuh), for as long as a Program's own are not compiled.
 * A block of `block` has a multiprocessor's shared memory to itself, hence as many
 * threads as CUDA lets a block have.
 */
#define SETTABLE_STRATEGIES(X) \
	X(ATOMIC, "atomic", NULL, 256) \
	X(BLOCK, "block", "block", 1024) \
	X(PEERS, "peers", "peers", 256) \
	X(SCAN, "scan", "scan", 256) \
	X(SCATTER, "scatter", "scatter", 256) \
	X(VOTE, "vote", "vote", 256) \
	X(REDUCE, "reduce", "reduce", 256) \
	X(INTERPRET, "interpret", NULL, 128)

/*
 * For comparisons and tests only: peers that are found by the ballot loop, and two passes
 * where one is enough.
 */
#define STRATEGIES(X) \
	SETTABLE_STRATEGIES(X) \
	X(PEERS_BALLOT, "peers_ballot", "peers", 256) \
	X(SCATTER_TWICE, "scatter_twice", "scatter", 256)

typedef enum Strategy
{
#define X(value, name, file, threads) STRATEGY_##value,
	STRATEGIES(X)
#undef X
	STRATEGY_COUNT
} Strategy;

extern const char *strategy_name(Strategy strategy);

/* The strategy of that name, or -1. */
extern int	strategy_named(const char *name);

/* The file of cuda/ without its suffix, or NULL. */
extern const char *strategy_file(Strategy strategy);

/* Is it `scatter`, by whatever passes? */
static inline bool
strategy_scatters(Strategy strategy)
{
	return strategy == STRATEGY_SCATTER || strategy == STRATEGY_SCATTER_TWICE;
}

/* Threads of a block of its kernel `aggregate`. */
extern uint32_t strategy_threads(Strategy strategy);

#endif							/* GPUAGG_STRATEGY_H */
