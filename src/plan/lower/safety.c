/*
 * safety.c
 *	  Which expressions raise no error, whatever rows they are evaluated for.
 *
 * What is evaluated around calls of functions, such as CASE; for these see safe_calls.c.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/lower/safe_calls.h"

/* Aggregates of any values, extremes apart, and window functions. */
static const Oid total_aggregates[] = {
	F_COUNT_, F_COUNT_ANY, F_SUM_INT2, F_SUM_INT4, F_SUM_INT8, F_AVG_INT2, F_AVG_INT4, F_AVG_INT8,
	F_BOOL_AND, F_BOOL_OR, F_EVERY, F_ROW_NUMBER, F_RANK_, F_DENSE_RANK_, F_LAG_ANYELEMENT,
	F_LEAD_ANYELEMENT, F_FIRST_VALUE, F_LAST_VALUE
};

/* The same of numerics that have few digits. */
static const Oid numeric_aggregates[] = {F_SUM_NUMERIC, F_AVG_NUMERIC};

/* An element of an array, or a part of it, that is read. */
static bool
is_array_element(const SubscriptingRef *ref)
{
	return ref->refassgnexpr == NULL && OidIsValid(get_element_type(ref->refcontainertype));
}

/* A value as a text, as its type's output function has it, such as id::text. */
static bool
is_value_as_text(const CoerceViaIO *cast)
{
	switch (exprType((const Node *) cast->arg))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case UUIDOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return cast->resulttype == TEXTOID || cast->resulttype == VARCHAROID;
		default:
			return false;
	}
}

/* Are values of the type always in an order? */
static bool
is_ordered(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case UUIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* GREATEST and LEAST compare their arguments. */
static bool
extreme_can_fail(const MinMaxExpr *extreme)
{
	return !is_ordered(extreme->minmaxtype) ||
		(type_is_collatable(extreme->minmaxtype) && !OidIsValid(extreme->inputcollid));
}

/* An array of values of a fixed length is not too long. */
static bool
is_short_array(const ArrayExpr *array)
{
	return !array->multidims && get_typlen(array->element_typeid) > 0;
}

/* CURRENT_DATE and its relatives; a role can have been dropped. */
static bool
is_current_moment(const SQLValueFunction *value)
{
	switch (value->op)
	{
		case SVFOP_CURRENT_DATE:
		case SVFOP_CURRENT_TIME:
		case SVFOP_CURRENT_TIME_N:
		case SVFOP_CURRENT_TIMESTAMP:
		case SVFOP_CURRENT_TIMESTAMP_N:
		case SVFOP_LOCALTIME:
		case SVFOP_LOCALTIME_N:
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			return true;
		default:
			return false;
	}
}

/* Of PostgreSQL's own that order values; some arrays' and rows' elements have no order. */
static bool
is_extreme(Oid aggregate, const List *args)
{
	HeapTuple	tuple;
	bool		result;

	if (aggregate >= FirstNormalObjectId || list_length(args) != 1 ||
		type_is_rowtype(exprType(linitial(args))) ||
		OidIsValid(get_base_element_type(exprType(linitial(args)))))
		return false;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	result = HeapTupleIsValid(tuple) && OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggsortop);
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* Can an aggregate fail, or a window function, whose arguments do not? */
static bool
aggregate_can_fail(Oid aggregate, Oid collation, const List *args)
{
	ListCell   *lc;

	/* values may be compared */
	foreach(lc, OidIsValid(collation) ? NIL : args)
		if (type_is_collatable(exprType(lfirst(lc))))
			return true;
	if (function_is_among(aggregate, numeric_aggregates, lengthof(numeric_aggregates)))
		return !numeric_has_few_digits(linitial(args));
	return !function_is_among(aggregate, total_aggregates, lengthof(total_aggregates)) &&
		!is_extreme(aggregate, args);
}

/* The arguments' expressions. */
static List *
arguments_of(const Aggref *aggref)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, aggref->args)
		exprs = lappend(exprs, lfirst_node(TargetEntry, lc)->expr);
	return exprs;
}

/* context: the CASE around it, not NULL inside of what gives a CaseTestExpr its value. */
static bool
can_fail_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg != NULL)
		return can_fail_walker((Node *) ((CaseExpr *) node)->arg, context) ||
			expression_tree_walker(node, can_fail_walker, node);
	switch (nodeTag(node))
	{
		case T_RestrictInfo:
			return can_fail_walker((Node *) ((RestrictInfo *) node)->clause, context);
		case T_CaseWhen:
			return can_fail_walker((Node *) ((CaseWhen *) node)->expr, context) ||
				can_fail_walker((Node *) ((CaseWhen *) node)->result, context);
		case T_List:
		case T_TargetEntry:
		case T_SortGroupClause:
		case T_PlaceHolderVar:
		case T_GroupingFunc:
		case T_Var:
		case T_Const:
		case T_Param:
		case T_RelabelType:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CoalesceExpr:
			break;
		case T_CaseTestExpr:
			/* a part of a CASE cannot be evaluated without the rest */
			return context == NULL;
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
			if (call_can_fail(node))
				return true;
			break;
		case T_CoerceViaIO:
			if (!is_value_as_text((CoerceViaIO *) node))
				return true;
			break;
		case T_SubscriptingRef:
			if (!is_array_element((SubscriptingRef *) node))
				return true;
			break;
		case T_MinMaxExpr:
			if (extreme_can_fail((MinMaxExpr *) node))
				return true;
			break;
		case T_ArrayExpr:
			if (!is_short_array((ArrayExpr *) node))
				return true;
			break;
		case T_SQLValueFunction:
			if (!is_current_moment((SQLValueFunction *) node))
				return true;
			break;
		case T_Aggref:
			if (aggregate_can_fail(((Aggref *) node)->aggfnoid, ((Aggref *) node)->inputcollid,
								   arguments_of((Aggref *) node)))
				return true;
			break;
		case T_WindowFunc:
			if (aggregate_can_fail(((WindowFunc *) node)->winfnoid,
								   ((WindowFunc *) node)->inputcollid, ((WindowFunc *) node)->args))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, can_fail_walker, context);
}

static bool
case_test_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CaseExpr) && ((const CaseExpr *) node)->arg != NULL)
		return case_test_walker((Node *) ((const CaseExpr *) node)->arg, context);
	return IsA(node, CaseTestExpr) || expression_tree_walker(node, case_test_walker, context);
}

bool
has_case_test(Node *node)
{
	return case_test_walker(node, NULL);
}

bool
cannot_fail(Node *node)
{
	return !can_fail_walker(node, NULL);
}

bool
conditions_cannot_fail(Node *jtnode)
{
	ListCell   *lc;

	if (IsA(jtnode, FromExpr))
	{
		foreach(lc, ((FromExpr *) jtnode)->fromlist)
			if (!conditions_cannot_fail(lfirst(lc)))
				return false;
		return cannot_fail(((FromExpr *) jtnode)->quals);
	}
	if (IsA(jtnode, JoinExpr))
		return conditions_cannot_fail(((JoinExpr *) jtnode)->larg) &&
			conditions_cannot_fail(((JoinExpr *) jtnode)->rarg) &&
			cannot_fail(((JoinExpr *) jtnode)->quals);
	return true;
}
