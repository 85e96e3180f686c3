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
	GroupTable *table;			/* keeps the texts of extremes */
} States;

/* Rows of a batch that passed the filter, and their groups. */
typedef struct RowGroups
{
	uint32_t	n;
	const uint16_t *rows;
	const uint32_t *groups;
} RowGroups;

/*
 * Take a batch's rows into one accumulator.  Returns OK, or INEXACT with the
 * reason in message (256 bytes): an argument that would have raised an error,
 * or a float that cannot be summed; or NO_MEMORY.
 */
extern EngineStatus accumulate(const Accumulator *acc, const Program *program,
							   const Evaluator *eval, const RowGroups *rows,
							   const States *states, char *message);

#endif							/* GPUAGG_ACCUMULATE_H */
