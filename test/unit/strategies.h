/*
 * strategies.h
 *	  What gpuagg.strategy can be, and the strategies that it does not know.
 */
#ifndef GPUAGG_TEST_STRATEGIES_H
#define GPUAGG_TEST_STRATEGIES_H

#include "engine/cuda/codegen/strategy.h"

static const char *const all_strategies[] = {
	"auto",
#define X(value, name, file, threads) name,
	STRATEGIES(X)
#undef X
};

#define NSTRATEGIES (STRATEGY_COUNT + 1)

#endif							/* GPUAGG_TEST_STRATEGIES_H */
