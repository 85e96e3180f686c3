/*
 * number_condition.c
 *	  Conditions on the numbers of rows.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "plan/query/number_condition.h"

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
