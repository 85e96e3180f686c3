/*
 * strategy.c
 *	  The strategies: ways in which rows meet their groups.
 */
#include <string.h>

#include "engine/cuda/codegen/strategy.h"

typedef struct StrategyFacts
{
	const char *name;
	const char *file;
	uint32_t	threads;
} StrategyFacts;

static const StrategyFacts strategies[STRATEGY_COUNT] = {
#define X(value, name, file, threads) {name, file, threads},
	STRATEGIES(X)
#undef X
};

const char *
strategy_name(Strategy strategy)
{
	return strategies[strategy].name;
}

int
strategy_named(const char *name)
{
	for (int i = 0; i < STRATEGY_COUNT; i++)
		if (strcmp(name, strategies[i].name) == 0)
			return i;
	return -1;
}

const char *
strategy_file(Strategy strategy)
{
	return strategies[strategy].file;
}

uint32_t
strategy_threads(Strategy strategy)
{
	return strategies[strategy].threads;
}
