/*
 * lookup_input.h
 *	  The rows of a look-up's child plan.
 */
#ifndef GPUAGG_LOOKUP_INPUT_H
#define GPUAGG_LOOKUP_INPUT_H

#include "exec/lookup/lookup_rows.h"

typedef struct LookupInput
{
	PlanState  *child;
	bool		was_read;		/* the child must be rescanned before it is read */
	bool		has_failed;		/* what it computes has raised an error, and must not be asked again */
} LookupInput;

/*
 * Add all rows of the child to `rows`.  limit: bytes of memory.  OK; or in *message why engines
 * cannot have them.
 */
extern EngineStatus lookup_input_read(LookupInput *input, LookupRows *rows, uint64 limit,
									  const char **message);

#endif							/* GPUAGG_LOOKUP_INPUT_H */
