/*
 * accumulate.h
 *	  Rows into the states of their groups.
 */
#ifndef GPUAGG_ACCUMULATE_H
#define GPUAGG_ACCUMULATE_H

#include "engine/cpu/table.h"

/* The states, row-major: group g's words begin at base + g * stride. */
typedef struct States
{
	uint64_t   *base;
	size_t		stride;			/* words */
	bool		single;			/* there is but one group */
	GroupTable *table;			/* keeps the texts of extremes, and lists of values */
	bool	   *has_negative_zero;	/* set if one of them is; not used where there are none */
} States;

/* Rows of a batch that passed the filter, and their groups. */
typedef struct RowGroups
{
	uint32_t	n;
	const uint16_t *rows;
	const uint32_t *groups;
} RowGroups;

/* The unit of a float sum's words, once values have been seen (exact.h). */
typedef struct SumUnit
{
	bool		chosen;
	int32_t		exponent;
	int64_t    *shared;			/* with other runs (GroupStore.units), or NULL */
} SumUnit;

/*
 * Take a batch's rows into one accumulator.  Returns OK; INEXACT with the
 * reason in message (256 bytes): an argument that would have raised an error,
 * or a float whose sum might overflow; WIDEN; or NO_MEMORY.  unit: of a float
 * sum.
 */
extern EngineStatus accumulate(const Accumulator *acc, const Program *program,
							   const Evaluator *eval, const RowGroups *rows,
							   const States *states, SumUnit *unit, char *message);

/* The same for all of the Program's accumulators; units: of each. */
extern EngineStatus accumulate_all(const Program *program, const Evaluator *eval,
								   const RowGroups *rows, const States *states, SumUnit *units,
								   char *message);

/*
 * Merge a state into that of a group of the table, which copies the texts of extremes, and
 * the values of lists if they are wanted, else counts them; false: no memory.
 */
extern bool merge_state(const Program *program, GroupTable *table, uint64_t *into,
						const uint64_t *from, bool with_values);

#endif							/* GPUAGG_ACCUMULATE_H */
