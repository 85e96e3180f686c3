/*
 * lookup_input.h
 *	  The rows of a look-up's child plan.
 */
#ifndef GPUAGG_LOOKUP_INPUT_H
#define GPUAGG_LOOKUP_INPUT_H

#include "exec/lookup/key_source.h"
#include "exec/lookup/lookup_rows.h"

typedef struct LookupInput
{
	PlanState  *child;
	bool		was_read;		/* the child must be rescanned before it is read */
} LookupInput;

/* How rows are read that are groups' keys.  Called once, when the module is loaded. */
extern void lookup_input_init(KeySourceOpen open);

/*
 * Add all rows of the child to `rows`.  limit: bytes of memory.  OK; or in *message why engines
 * cannot have them.
 */
extern EngineStatus lookup_input_read(LookupInput *input, LookupRows *rows, uint64 limit,
									  const char **message);

#endif							/* GPUAGG_LOOKUP_INPUT_H */
