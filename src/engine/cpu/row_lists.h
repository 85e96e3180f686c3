/*
 * row_lists.h
 *	  Rows into lists of rows (program/row_list.h).
 */
#ifndef GPUAGG_ROW_LISTS_H
#define GPUAGG_ROW_LISTS_H

#include "engine/cpu/accumulate.h"

/*
 * Take rows that FILTER lets pass into ACC_ROWS.  Returns OK; INEXACT: a column would have raised
 * an error, or a row is too long; or NO_MEMORY.
 */
extern EngineStatus row_lists_take(const Accumulator *acc, const Program *program,
								   const Evaluator *eval, const RowGroups *rows,
								   const States *states, char *message);

/* Add another list's rows; false: no memory. */
extern bool row_lists_merge(GroupTable *table, uint64_t *into, const uint64_t *from);

#endif							/* GPUAGG_ROW_LISTS_H */
