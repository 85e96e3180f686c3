/*
 * row_numbers.c
 *	  How queries number the rows of groups, and take the first ones.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/query/row_numbers.h"

bool
find_numbering(const WindowFunc *function, RowNumbering *numbering)
{
	switch (function->winfnoid)
	{
		case F_ROW_NUMBER:
			*numbering = NUMBER_OF_ROW;
			return true;
		case F_RANK_:
			*numbering = NUMBER_OF_RANK;
			return true;
		case F_DENSE_RANK_:
			*numbering = NUMBER_OF_DENSE_RANK;
			return true;
		default:
			return false;
	}
}

static bool
integer_value(const Node *node, int64 *value)
{
	const Const *constant = (const Const *) node;

	if (!IsA(node, Const) || constant->constisnull)
		return false;
	switch (constant->consttype)
	{
		case INT2OID:
			*value = DatumGetInt16(constant->constvalue);
			return true;
		case INT4OID:
			*value = DatumGetInt32(constant->constvalue);
			return true;
		case INT8OID:
			*value = DatumGetInt64(constant->constvalue);
			return true;
		default:
			return false;
	}
}

Node *
greatest_number_of(const OpExpr *condition, int64 *number)
{
	Node	   *left;
	Oid			operator = condition->opno;
	int64		value;

	if (list_length(condition->args) != 2)
		return NULL;
	left = linitial(condition->args);
	if (integer_value(left, &value))
	{
		left = lsecond(condition->args);
		operator = get_commutator(operator);
	}
	else if (!integer_value(lsecond(condition->args), &value))
		return NULL;
	switch (get_op_opfamily_strategy(operator, INTEGER_BTREE_FAM_OID))
	{
		case BTLessStrategyNumber:
			*number = value > PG_INT64_MIN ? value - 1 : value;
			return left;
		case BTLessEqualStrategyNumber:
		case BTEqualStrategyNumber:
			*number = value;
			return left;
		default:
			return NULL;
	}
}

List *
order_behind_keys(const Query *query)
{
	List	   *order = NIL;
	ListCell   *lc;

	foreach(lc, query->sortClause)
	{
		const SortGroupClause *sort = lfirst(lc);

		if (get_sortgroupref_clause_noerr(sort->tleSortGroupRef, query->distinctClause) == NULL)
			order = lappend(order, lfirst(lc));
	}
	return order;
}
