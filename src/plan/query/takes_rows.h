/*
 * takes_rows.h
 *	  Queries whose rows are those of their FROM that pass WHERE.
 */
#ifndef GPUAGG_TAKES_ROWS_H
#define GPUAGG_TAKES_ROWS_H

#include "nodes/parsenodes.h"

/* Is it so, but for an order and a part of them?  None of them is locked or changed. */
static inline bool
query_takes_rows(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
		query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		query->distinctClause == NIL && query->setOperations == NULL && query->rowMarks == NIL;
}

#endif							/* GPUAGG_TAKES_ROWS_H */
