/*
 * having.c
 *	  HAVING's clauses that an engine may know.
 *
 * They compare an aggregate with a constant or a parameter, by an operator of the order that
 * PostgreSQL has for their types.  A group for which one is not true need not leave the
 * engine (exec/node/having_hint.c); HAVING as a whole is evaluated by the node.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "plan/path/having.h"

/* Types of values among which operators of one family compare numbers. */
static bool
types_are_comparable(Oid a, Oid b)
{
	switch (a)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return b == INT2OID || b == INT4OID || b == INT8OID;
		case FLOAT4OID:
		case FLOAT8OID:
			return b == FLOAT4OID || b == FLOAT8OID;
		case NUMERICOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case MONEYOID:
			return b == a;
		default:
			return false;
	}
}

bool
having_is_comparison(const Grouping *grouping, Node *clause, HavingClause *result)
{
	const OpExpr *op = (const OpExpr *) clause;
	Oid			opno;
	Oid			type;

	if (!IsA(clause, OpExpr) || list_length(op->args) != 2)
		return false;
	result->aggregate = linitial(op->args);
	result->value = lsecond(op->args);
	opno = op->opno;
	if (list_member(grouping->aggrefs, result->value))
	{
		result->aggregate = lsecond(op->args);
		result->value = linitial(op->args);
		opno = get_commutator(opno);
	}
	type = exprType((Node *) result->aggregate);
	if (!list_member(grouping->aggrefs, result->aggregate) ||
		!(IsA(result->value, Const) || IsA(result->value, Param)) || !OidIsValid(opno) ||
		!types_are_comparable(type, exprType((Node *) result->value)))
		return false;
	result->strategy = get_op_opfamily_strategy(opno,
												lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf);
	return result->strategy != InvalidStrategy;
}

List *
having_other_clauses(const Grouping *grouping)
{
	List	   *others = NIL;
	HavingClause clause;
	ListCell   *lc;

	foreach(lc, grouping->having)
		if (!having_is_comparison(grouping, lfirst(lc), &clause))
			others = lappend(others, lfirst(lc));
	return others;
}
