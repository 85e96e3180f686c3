/*
 * safety.c
 *	  Which expressions raise no error, whatever rows they are evaluated for.
 *
 * Of operations it is known which can be an error.  Of others, PostgreSQL marks some as
 * leakproof, which they could not be if they raised errors, and a list here names frequent ones.
 * Numerics overflow only if they have more digits than those of columns whose type says how
 * many.
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
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/lower/time_format.h"

/* Comparisons of texts, which any collation has. */
static const Oid text_comparisons[] = {
	F_TEXTEQ, F_TEXTNE, F_TEXT_LT, F_TEXT_LE, F_TEXT_GT, F_TEXT_GE,
	F_BPCHAREQ, F_BPCHARNE, F_BPCHARLT, F_BPCHARLE, F_BPCHARGT, F_BPCHARGE
};

/* Functions of any values of their arguments. */
static const Oid total_functions[] = {
	F_LOWER_TEXT, F_UPPER_TEXT, F_LENGTH_TEXT, F_CHAR_LENGTH_TEXT, F_LENGTH_BPCHAR,
	F_LEFT, F_RIGHT, F_MD5_TEXT, F_STRPOS, F_POSITION_TEXT_TEXT, F_STARTS_WITH,
	F_BTRIM_TEXT, F_LTRIM_TEXT, F_RTRIM_TEXT, F_SUBSTR_TEXT_INT4, F_SUBSTRING_TEXT_INT4,
	F_TEXT_BPCHAR, F_TEXT_NAME, F_UNNEST_ANYARRAY, F_GENERATE_SERIES_INT4_INT4,
	F_GENERATE_SERIES_INT8_INT8, F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8,
	F_INITCAP, F_REVERSE_TEXT, F_TO_HEX_INT4, F_TO_HEX_INT8, F_HOST, F_NETWORK, F_FAMILY, F_MASKLEN,
	F_JSONB_TYPEOF, F_ARRAY_LENGTH, F_CARDINALITY,
	F_NUMERIC_EQ, F_NUMERIC_NE, F_NUMERIC_LT, F_NUMERIC_LE, F_NUMERIC_GT, F_NUMERIC_GE
};

/* Aggregates of any values, extremes apart, and window functions. */
static const Oid total_aggregates[] = {
	F_COUNT_, F_COUNT_ANY, F_SUM_INT2, F_SUM_INT4, F_SUM_INT8, F_AVG_INT2, F_AVG_INT4, F_AVG_INT8,
	F_ROW_NUMBER, F_RANK_, F_DENSE_RANK_, F_LAG_ANYELEMENT, F_LEAD_ANYELEMENT, F_FIRST_VALUE,
	F_LAST_VALUE
};

/* The same of numerics that have few digits. */
static const Oid numeric_aggregates[] = {F_SUM_NUMERIC, F_AVG_NUMERIC};

/* LIKE and NOT LIKE: only the pattern can be wrong. */
static const Oid like_functions[] = {
	F_TEXTLIKE, F_TEXTNLIKE, F_BPCHARLIKE, F_BPCHARNLIKE, F_TEXTICLIKE, F_TEXTICNLIKE
};

static bool
is_among(Oid function, const Oid *functions, int n)
{
	for (int i = 0; i < n; i++)
		if (functions[i] == function)
			return true;
	return false;
}

static bool
function_can_fail(Oid function, void *context)
{
	int			op = function_op(function);

	return !(op >= 0 && !op_checked((OpCode) op)) &&
		!is_among(function, total_functions, lengthof(total_functions)) &&
		!get_func_leakproof(function);
}

/* A pattern that ends in an escape is an error. */
static bool
is_pattern(const Node *node)
{
	const Const *pattern = (const Const *) node;
	struct varlena *text;

	if (!IsA(node, Const) || pattern->consttype != TEXTOID)
		return false;
	if (pattern->constisnull)
		return true;
	text = (struct varlena *) PG_DETOAST_DATUM_PACKED(pattern->constvalue);
	return VARSIZE_ANY_EXHDR(text) == 0 ||
		VARDATA_ANY(text)[VARSIZE_ANY_EXHDR(text) - 1] != '\\';
}

/* Part of a text: of a known length, which is not negative. */
static bool
is_length(const Node *node)
{
	const Const *length = (const Const *) node;

	return IsA(node, Const) && length->consttype == INT4OID && !length->constisnull &&
		DatumGetInt32(length->constvalue) >= 0;
}

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

/* Can a call of a function on texts fail for its collation? */
static bool
collation_can_fail(Oid function, Oid collation, const List *args)
{
	ListCell   *lc;

	if (OidIsValid(collation))
		return !get_collation_isdeterministic(collation) &&
			!is_among(function, text_comparisons, lengthof(text_comparisons));
	foreach(lc, args)
		if (type_is_collatable(exprType(lfirst(lc))))
			return true;
	return false;
}

/* Can the call fail, whose arguments do not? */
static bool
call_can_fail(Node *node)
{
	Oid			function;
	List	   *args;

	if (IsA(node, FuncExpr))
	{
		function = ((FuncExpr *) node)->funcid;
		args = ((FuncExpr *) node)->args;
	}
	else if (IsA(node, ScalarArrayOpExpr))
	{
		function = get_opcode(((ScalarArrayOpExpr *) node)->opno);
		args = ((ScalarArrayOpExpr *) node)->args;
	}
	else
	{
		/* DistinctExpr and NullIfExpr have its members */
		function = get_opcode(((OpExpr *) node)->opno);
		args = ((OpExpr *) node)->args;
	}
	if (collation_can_fail(function, exprInputCollation(node), args))
		return true;
	if (is_among(function, like_functions, lengthof(like_functions)))
		return !is_pattern(lsecond(args));
	if (function == F_SUBSTR_TEXT_INT4_INT4 || function == F_SUBSTRING_TEXT_INT4_INT4)
		return !is_length(lthird(args));
	if (function == F_TO_CHAR_TIMESTAMP_TEXT || function == F_TO_CHAR_TIMESTAMPTZ_TEXT)
		return time_format_moment(function, args) == NULL;
	if (function == F_GENERATE_SERIES_INT4_INT4_INT4)
		return !is_length(lthird(args)) || DatumGetInt32(((const Const *) lthird(args))->constvalue) == 0;
	return !numeric_has_few_digits(node) && check_functions_in_node(node, function_can_fail, NULL);
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
	if (is_among(aggregate, numeric_aggregates, lengthof(numeric_aggregates)))
		return !numeric_has_few_digits(linitial(args));
	return !is_among(aggregate, total_aggregates, lengthof(total_aggregates)) &&
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
