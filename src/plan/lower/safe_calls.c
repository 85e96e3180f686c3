/*
 * safe_calls.c
 *	  Which calls of functions raise no error, whatever values of their types they get.
 *
 * Of operations it is known which can be an error.  Of other functions, PostgreSQL marks some as
 * leakproof, which they could not be if they raised errors, and lists here name frequent ones.
 * Some raise none with a constant that suits them.  Numerics overflow only if they have more digits
 * than those of columns whose type says how many.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/lower/safe_calls.h"
#include "plan/lower/time_format.h"
#include "program/date_field.h"

/* Comparisons of texts, which any collation has. */
static const Oid text_comparisons[] = {
	F_TEXTEQ, F_TEXTNE, F_TEXT_LT, F_TEXT_LE, F_TEXT_GT, F_TEXT_GE,
	F_BPCHAREQ, F_BPCHARNE, F_BPCHARLT, F_BPCHARLE, F_BPCHARGT, F_BPCHARGE
};

/* Functions of any values of their arguments. */
static const Oid total_functions[] = {
	F_LOWER_TEXT, F_UPPER_TEXT, F_LENGTH_TEXT, F_CHAR_LENGTH_TEXT, F_LENGTH_BPCHAR,
	F_LEFT, F_RIGHT, F_MD5_TEXT, F_STRPOS, F_POSITION_TEXT_TEXT, F_STARTS_WITH,
	F_BTRIM_TEXT, F_LTRIM_TEXT, F_RTRIM_TEXT, F_BTRIM_TEXT_TEXT, F_LTRIM_TEXT_TEXT,
	F_RTRIM_TEXT_TEXT, F_SUBSTR_TEXT_INT4, F_SUBSTRING_TEXT_INT4,
	F_TEXT_BPCHAR, F_TEXT_NAME, F_TEXT_BOOL, F_UNNEST_ANYARRAY, F_GENERATE_SERIES_INT4_INT4,
	F_GENERATE_SERIES_INT8_INT8, F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8,
	F_NUMERIC_FLOAT4, F_NUMERIC_FLOAT8,
	F_INITCAP, F_REVERSE_TEXT, F_TO_HEX_INT4, F_TO_HEX_INT8, F_HOST, F_NETWORK, F_FAMILY, F_MASKLEN,
	F_JSONB_TYPEOF, F_ARRAY_LENGTH, F_CARDINALITY,
	F_NUMERIC_EQ, F_NUMERIC_NE, F_NUMERIC_LT, F_NUMERIC_LE, F_NUMERIC_GT, F_NUMERIC_GE,
	F_NUMERIC_UMINUS, F_NUMERIC_ABS, F_ABS_NUMERIC, F_SIGN_NUMERIC,
	/* an engine's shift by more bits than there are is an error, PostgreSQL's is not */
	F_INT2SHL, F_INT2SHR, F_INT4SHL, F_INT4SHR, F_INT8SHL, F_INT8SHR,
	/* an engine's day of a damaged timestamp is an error */
	F_DATE_TIMESTAMP, F_DATE_TIMESTAMPTZ, F_TIME_TIMESTAMP, F_TIME_TIMESTAMPTZ,
	F_NOW, F_TRANSACTION_TIMESTAMP, F_STATEMENT_TIMESTAMP,
	/* a date or timestamp that is beyond the other type's range is compared all the same */
	F_DATE_EQ_TIMESTAMPTZ, F_DATE_NE_TIMESTAMPTZ, F_DATE_LT_TIMESTAMPTZ, F_DATE_LE_TIMESTAMPTZ,
	F_DATE_GT_TIMESTAMPTZ, F_DATE_GE_TIMESTAMPTZ, F_TIMESTAMPTZ_EQ_DATE, F_TIMESTAMPTZ_NE_DATE,
	F_TIMESTAMPTZ_LT_DATE, F_TIMESTAMPTZ_LE_DATE, F_TIMESTAMPTZ_GT_DATE, F_TIMESTAMPTZ_GE_DATE,
	F_TIMESTAMP_EQ_TIMESTAMPTZ, F_TIMESTAMP_NE_TIMESTAMPTZ, F_TIMESTAMP_LT_TIMESTAMPTZ,
	F_TIMESTAMP_LE_TIMESTAMPTZ, F_TIMESTAMP_GT_TIMESTAMPTZ, F_TIMESTAMP_GE_TIMESTAMPTZ,
	F_TIMESTAMPTZ_EQ_TIMESTAMP, F_TIMESTAMPTZ_NE_TIMESTAMP, F_TIMESTAMPTZ_LT_TIMESTAMP,
	F_TIMESTAMPTZ_LE_TIMESTAMP, F_TIMESTAMPTZ_GT_TIMESTAMP, F_TIMESTAMPTZ_GE_TIMESTAMP
};

bool
function_is_among(Oid function, const Oid *functions, int n)
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
		!function_is_among(function, total_functions, lengthof(total_functions)) &&
		!get_func_leakproof(function);
}

/* LIKE and NOT LIKE: a pattern that ends in an escape is an error. */
static bool
is_pattern(const Const *pattern)
{
	struct varlena *text;

	if (pattern->consttype != TEXTOID)
		return false;
	if (pattern->constisnull)
		return true;
	text = (struct varlena *) PG_DETOAST_DATUM_PACKED(pattern->constvalue);
	return VARSIZE_ANY_EXHDR(text) == 0 ||
		VARDATA_ANY(text)[VARSIZE_ANY_EXHDR(text) - 1] != '\\';
}

/* An integer constant; 0 stands for one that is NULL, or of another type. */
static int64
integer_of(const Const *constant)
{
	if (constant->constisnull)
		return 0;
	switch (constant->consttype)
	{
		case INT2OID:
			return DatumGetInt16(constant->constvalue);
		case INT4OID:
			return DatumGetInt32(constant->constvalue);
		case INT8OID:
			return DatumGetInt64(constant->constvalue);
		default:
			return 0;
	}
}

/* Part of a text. */
static bool
is_length(const Const *length)
{
	return !length->constisnull && integer_of(length) >= 0;
}

/* A length to which texts are filled, of few bytes. */
static bool
is_short_length(const Const *length)
{
	return !length->constisnull && integer_of(length) <= 1000000;
}

static bool
is_not_zero(const Const *number)
{
	return integer_of(number) != 0;
}

static bool
is_positive(const Const *number)
{
	return integer_of(number) > 0;
}

/* The least integer by -1 is more than the largest one. */
static bool
is_divisor(const Const *number)
{
	return integer_of(number) != 0 && integer_of(number) != -1;
}

/* An explicit cast cuts what is too long. */
static bool
is_explicit(const Const *cast)
{
	return !cast->constisnull && DatumGetBool(cast->constvalue);
}

/* The field that a text names, or -1. */
static int
field_of(const Const *name)
{
	char	   *spelled;

	return date_field((const Expr *) name, &spelled);
}

static bool
is_field_of_date(const Const *name)
{
	return field_of(name) >= FIELD_DAY;
}

static bool
is_field_of_timestamp(const Const *name)
{
	return field_of(name) >= FIELD_MICROSECONDS;
}

static bool
is_field_of_time(const Const *name)
{
	int			field = field_of(name);

	return (field >= FIELD_MICROSECONDS && field <= FIELD_HOUR) || field == FIELD_EPOCH;
}

/* Some versions have no weeks. */
static bool
is_field_of_interval(const Const *name)
{
	int			field = field_of(name);

	return (field >= FIELD_MICROSECONDS && field <= FIELD_MILLENNIUM && field != FIELD_WEEK) ||
		field == FIELD_EPOCH;
}

/* The least timestamp is the beginning of a day, but of no month. */
static bool
is_part_of_day(const Const *name)
{
	int			field = field_of(name);

	return field >= FIELD_MICROSECONDS && field <= FIELD_DAY;
}

/* Functions of any values beside a constant: its place among the arguments, and what it must be. */
static const struct
{
	Oid			function;
	int			place;
	bool		(*suits) (const Const *constant);
}			constant_arguments[] =
{
	{F_TEXTLIKE, 1, is_pattern},
	{F_TEXTNLIKE, 1, is_pattern},
	{F_BPCHARLIKE, 1, is_pattern},
	{F_BPCHARNLIKE, 1, is_pattern},
	{F_TEXTICLIKE, 1, is_pattern},
	{F_TEXTICNLIKE, 1, is_pattern},
	{F_SUBSTR_TEXT_INT4_INT4, 2, is_length},
	{F_SUBSTRING_TEXT_INT4_INT4, 2, is_length},
	{F_LPAD_TEXT_INT4_TEXT, 1, is_short_length},
	{F_RPAD_TEXT_INT4_TEXT, 1, is_short_length},
	{F_SPLIT_PART, 2, is_not_zero},
	{F_VARCHAR_VARCHAR_INT4_BOOL, 2, is_explicit},
	{F_BPCHAR_BPCHAR_INT4_BOOL, 2, is_explicit},
	{F_GENERATE_SERIES_INT4_INT4_INT4, 2, is_positive},
	{F_INT2DIV, 1, is_divisor},
	{F_INT24DIV, 1, is_divisor},
	{F_INT42DIV, 1, is_divisor},
	{F_INT4DIV, 1, is_divisor},
	{F_INT28DIV, 1, is_divisor},
	{F_INT82DIV, 1, is_divisor},
	{F_INT48DIV, 1, is_divisor},
	{F_INT84DIV, 1, is_divisor},
	{F_INT8DIV, 1, is_divisor},
	{F_INT2MOD, 1, is_not_zero},
	{F_MOD_INT2_INT2, 1, is_not_zero},
	{F_INT4MOD, 1, is_not_zero},
	{F_MOD_INT4_INT4, 1, is_not_zero},
	{F_INT8MOD, 1, is_not_zero},
	{F_MOD_INT8_INT8, 1, is_not_zero},
	{F_EXTRACT_TEXT_DATE, 0, is_field_of_date},
	{F_EXTRACT_TEXT_TIMESTAMP, 0, is_field_of_timestamp},
	{F_DATE_PART_TEXT_TIMESTAMP, 0, is_field_of_timestamp},
	{F_EXTRACT_TEXT_TIMESTAMPTZ, 0, is_field_of_timestamp},
	{F_DATE_PART_TEXT_TIMESTAMPTZ, 0, is_field_of_timestamp},
	{F_EXTRACT_TEXT_TIME, 0, is_field_of_time},
	{F_DATE_PART_TEXT_TIME, 0, is_field_of_time},
	{F_EXTRACT_TEXT_INTERVAL, 0, is_field_of_interval},
	{F_DATE_PART_TEXT_INTERVAL, 0, is_field_of_interval},
	{F_DATE_TRUNC_TEXT_TIMESTAMP, 0, is_part_of_day}
};

/* Is the call of such a function, with a constant that suits it? */
static bool
constant_suits(Oid function, const List *args)
{
	for (int i = 0; i < (int) lengthof(constant_arguments); i++)
		if (constant_arguments[i].function == function)
		{
			const Const *constant = list_nth(args, constant_arguments[i].place);

			return IsA(constant, Const) && constant_arguments[i].suits(constant);
		}
	return false;
}

/* Can a call of a function on texts fail for its collation? */
static bool
collation_can_fail(Oid function, Oid collation, const List *args)
{
	ListCell   *lc;

	if (OidIsValid(collation))
		return !get_collation_isdeterministic(collation) &&
			!function_is_among(function, text_comparisons, lengthof(text_comparisons));
	foreach(lc, args)
		if (type_is_collatable(exprType(lfirst(lc))))
			return true;
	return false;
}

bool
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
	if (function == F_TO_CHAR_TIMESTAMP_TEXT || function == F_TO_CHAR_TIMESTAMPTZ_TEXT)
		return time_format_moment(function, args) == NULL;
	return !constant_suits(function, args) && !moment_is_near(node) &&
		!numeric_has_few_digits(node) && check_functions_in_node(node, function_can_fail, NULL);
}
