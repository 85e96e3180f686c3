/*
 * row_numbers.h
 *	  How queries number the rows of groups, and take the first ones.
 */
#ifndef GPUAGG_ROW_NUMBERS_H
#define GPUAGG_ROW_NUMBERS_H

#include "nodes/parsenodes.h"

#include "plan/plan_info.h"

/* What a window function numbers rows by; false: by nothing that is known. */
extern bool find_numbering(const WindowFunc *function, RowNumbering *numbering);

/*
 * In "left operator right", one of which is an integer constant: the other one, and the greatest
 * number, if that is what it is, that meets the condition.  NULL: the condition is of another kind.
 */
extern Node *greatest_number_of(const OpExpr *condition, int64 *number);

/* SortGroupClause: the members of ORDER BY behind the keys of DISTINCT ON, which it begins with. */
extern List *order_behind_keys(const Query *query);

#endif							/* GPUAGG_ROW_NUMBERS_H */
