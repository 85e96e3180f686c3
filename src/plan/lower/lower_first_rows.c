/*
 * lower_first_rows.c
 *	  The rows that come first in their groups, by an order.
 *
 * What a group keeps of a row is its keys in the order, as integers, and its place.  Only the
 * order of the keys matters, and not how a numeric is shown.
 *
 * Where every row is wanted, its place is the key of a group.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"
#include "program/first_rows.h"

bool
lower_first_rows(Lowering *l, const FirstRowsInfo *first)
{
	int			keys[FIRST_ROWS_MAX_KEYS] = {-1, -1};
	int			order = 0;
	ListCell   *lc;

	if (!lower_succeeded(l))
		return false;
	if (first->numbering == EVERY_ROW)
	{
		program_add_key(l->builder, program_add_place(l->builder));
		return lower_succeeded(l);
	}
	foreach(lc, first->keys)
	{
		Expr	   *key = lfirst(lc);
		int			n = foreach_current_index(lc);
		Oid			type = getBaseType(exprType((Node *) key));
		FinalKind	final;
		NumericInfo info;
		bool		descending;

		keys[n] = lower_ordered(l, key, &final, &info);
		if (keys[n] < 0 ||
			!lower_direction(l, list_nth_oid(first->operators, n), type, &descending))
			return lower_succeeded(l);
		order |= ((descending ? ORDER_DESCENDING : 0) |
				  (list_nth_int(first->nulls_first, n) ? ORDER_NULLS_FIRST : 0)) <<
			(n * ORDER_BITS);
	}
	program_add_first_rows(l->builder, first->entries, keys, order,
						   program_add_place(l->builder));
	return lower_succeeded(l);
}
