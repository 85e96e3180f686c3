/*
 * takes_rows.h
 *	  Queries whose rows are those of their FROM that pass WHERE.
 */
#ifndef GPUAGG_TAKES_ROWS_H
#define GPUAGG_TAKES_ROWS_H

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/* Is it so, but for an order and a part of them?  None of them is locked or changed. */
static inline bool
query_takes_rows(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
		query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		query->distinctClause == NIL && query->setOperations == NULL && query->rowMarks == NIL;
}

/*
 * How many of its first rows such a query takes at most, by a constant LIMIT and OFFSET; 0: none, more
 * than `most`, or nobody knows.
 */
extern int64 query_rows_reached(const Query *query, int64 most);

/* A number of rows as LIMIT has it. */
extern Const *make_count(int64 count);

#endif							/* GPUAGG_TAKES_ROWS_H */
