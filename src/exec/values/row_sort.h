/*
 * row_sort.h
 *	  Rows of a group that are sorted by PostgreSQL's sort, in a file where they take more memory
 *	  than it may have.
 */
#ifndef GPUAGG_ROW_SORT_H
#define GPUAGG_ROW_SORT_H

#include "nodes/pg_list.h"

typedef struct RowSort RowSort;

/*
 * Keys of these types, operators, collations and places of NULLs, a list of each; in the current
 * context, where also all is that a sort takes.
 */
extern RowSort *row_sort_create(List *types, List *operators, List *collations, List *nulls_first);

/* Begin with other rows, in so many kB of memory; what the last ones have taken is freed. */
extern void row_sort_begin(RowSort *sort, int memory);
extern void row_sort_end(RowSort *sort);

/* Add a row, with the values of its keys. */
extern void row_sort_put(RowSort *sort, const Datum *keys, const bool *isnull, const uint64_t *row);

/* All rows have been added. */
extern void row_sort_perform(RowSort *sort);

/* The next row, valid until the next call but one; NULL: there are no more. */
extern const uint64_t *row_sort_next(RowSort *sort);

#endif							/* GPUAGG_ROW_SORT_H */
