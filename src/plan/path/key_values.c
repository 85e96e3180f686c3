/*
 * key_values.c
 *	  How many values an expression can have, by its form and statistics' ranges.
 *
 * PostgreSQL takes an expression to have as many values as its columns have.  The days of a
 * column of timestamps would be as many as its moments, each of them a group that costs, so
 * that groupings which analyses are full of would be left to sorts.  What truncates dates and
 * times, shows some of their units, takes a field of them, divides, or chooses among constants has
 * few values, and a function of such a value has no more of them.
 *
 * The range of a column is that of the most common values and the histogram that ANALYZE has
 * kept.  What is learned can be seen in EXPLAIN, so these are looked at only if the user may
 * select all rows of the column.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/time_format.h"
#include "plan/path/grouping.h"

#define DAYS(n) ((n) * (double) USECS_PER_DAY)

/* Units of dates and times: microseconds of one, and values that the field has in larger ones. */
static const struct
{
	int			code;			/* as date_unit has it */
	double		size;			/* 0: it is no unit of date_trunc */
	double		values;			/* 0: as many as the range has units */
}			units[] = {
	{DTK_MILLISEC, 1e3, 0},
	{DTK_SECOND, 1e6, 0},
	{DTK_MINUTE, 60e6, 60},
	{DTK_HOUR, 3600e6, 24},
	{DTK_DAY, DAYS(1), 31},
	{DTK_WEEK, DAYS(7), 53},
	{DTK_MONTH, DAYS(28), 12},
	{DTK_QUARTER, DAYS(90), 4},
	{DTK_YEAR, DAYS(365), 0},
	{DTK_DECADE, DAYS(3652), 0},
	{DTK_CENTURY, DAYS(36524), 0},
	{DTK_MILLENNIUM, DAYS(365242), 0},
	{DTK_ISOYEAR, DAYS(364), 0},
	{DTK_DOW, 0, 7},
	{DTK_ISODOW, 0, 7},
	{DTK_DOY, 0, 366},
	{DTK_JULIAN, DAYS(1), 0}
};

/* Numbers, days or microseconds. */
typedef struct Range
{
	double		least;
	double		most;
} Range;

/* A value as a number; false: it is none, or infinite. */
static bool
number_of(Oid type, Datum value, double *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(value);
			return true;
		case INT4OID:
			*number = DatumGetInt32(value);
			return true;
		case INT8OID:
			*number = (double) DatumGetInt64(value);
			return true;
		case DATEOID:
			*number = DatumGetDateADT(value);
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*number = (double) DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		case NUMERICOID:
			*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
			return isfinite(*number);
		default:
			return false;
	}
}

/* Take in what a slot of the statistics has; false: a value is no number. */
static bool
add_slot(HeapTuple stats, int kind, Oid type, bool *any, Range *range)
{
	AttStatsSlot slot;
	bool		good = true;

	if (!get_attstatsslot(&slot, stats, kind, InvalidOid, ATTSTATSSLOT_VALUES))
		return true;
	for (int i = 0; i < slot.nvalues && good; i++)
	{
		double		number;

		/* values of a histogram are in order */
		if (kind == STATISTIC_KIND_HISTOGRAM && i > 0 && i < slot.nvalues - 1)
			continue;
		good = slot.valuetype == type && number_of(type, slot.values[i], &number);
		if (!good)
			break;
		range->least = *any ? Min(range->least, number) : number;
		range->most = *any ? Max(range->most, number) : number;
		*any = true;
	}
	free_attstatsslot(&slot);
	return good;
}

static bool range_of(PlannerInfo *root, Node *node, Range *range);

static bool
column_range(PlannerInfo *root, Node *column, Range *range)
{
	VariableStatData variable;
	Oid			type = exprType(column);
	bool		any = false;
	bool		good;

	examine_variable(root, column, 0, &variable);
	good = HeapTupleIsValid(variable.statsTuple) && variable.acl_ok &&
		add_slot(variable.statsTuple, STATISTIC_KIND_MCV, type, &any, range) &&
		add_slot(variable.statsTuple, STATISTIC_KIND_HISTOGRAM, type, &any, range);
	ReleaseVariableStats(variable);
	return good && any;
}

/* The range of the argument, of so many times the numbers. */
static bool
scaled_range(PlannerInfo *root, Node *arg, double factor, Range *range)
{
	if (!range_of(root, arg, range))
		return false;
	range->least *= factor;
	range->most *= factor;
	return true;
}

/* The range of seconds since an epoch; args: of extract(). */
static bool
range_of_epoch(PlannerInfo *root, const List *args, double seconds, Range *range)
{
	char	   *spelled;
	int			code;

	return date_unit(linitial(args), &code, &spelled) == RESERV && code == DTK_EPOCH &&
		scaled_range(root, lsecond(args), seconds, range);
}

/*
 * The range of a column, be it cast from a date or to another type of numbers, shifted to a time
 * zone, or taken as seconds.
 */
static bool
range_of(PlannerInfo *root, Node *node, Range *range)
{
	const FuncExpr *call = (const FuncExpr *) node;

	if (!IsA(node, FuncExpr))
		return column_range(root, node, range);
	switch (call->funcid)
	{
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMPTZ_DATE:
			return scaled_range(root, linitial(call->args), (double) USECS_PER_DAY, range);
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
			return range_of_epoch(root, call->args, 1e-6, range);
		case F_EXTRACT_TEXT_DATE:
			return range_of_epoch(root, call->args, SECS_PER_DAY, range);
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_INT2_NUMERIC:
		case F_INT4_NUMERIC:
		case F_INT8_NUMERIC:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_TIMESTAMP:
			return range_of(root, linitial(call->args), range);
		case F_TIMEZONE_TEXT_TIMESTAMP:
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			return range_of(root, lsecond(call->args), range);
		default:
			return column_range(root, node, range);
	}
}

/* The number of the unit that a constant names, or -1. */
static int
unit_of(const Expr *name)
{
	char	   *spelled;
	int			code;

	if (date_unit(name, &code, &spelled) != UNITS)
		return -1;
	for (int i = 0; i < (int) lengthof(units); i++)
		if (units[i].code == code)
			return i;
	return -1;
}

/* How many units of that size a range meets. */
static double
units_in(PlannerInfo *root, Node *node, double size)
{
	Range		range;

	if (size <= 0 || !range_of(root, node, &range))
		return 0;
	if (exprType(node) == DATEOID)
		size /= (double) USECS_PER_DAY;
	return floor((range.most - range.least) / size) + 2;
}

static double
field_values(PlannerInfo *root, const List *args)
{
	int			unit = unit_of(linitial(args));

	if (unit < 0)
		return 0;
	return units[unit].values > 0 ? units[unit].values :
		units_in(root, lsecond(args), units[unit].size);
}

static double
truncated_values(PlannerInfo *root, const List *args)
{
	int			unit = unit_of(linitial(args));

	return unit < 0 ? 0 : units_in(root, lsecond(args), units[unit].size);
}

/* Whole quotients, or rests, of a division by a constant. */
static double
divided_values(PlannerInfo *root, const List *args, bool rest)
{
	const Const *divisor = (const Const *) lsecond(args);
	double		size;

	if (!IsA(divisor, Const) || divisor->constisnull ||
		!number_of(divisor->consttype, divisor->constvalue, &size) || size == 0)
		return 0;
	return rest ? 2 * fabs(size) - 1 : units_in(root, linitial(args), fabs(size));
}

/* The whole numbers next to those of an expression, which may be a quotient. */
static double
whole_values(PlannerInfo *root, Node *arg)
{
	const OpExpr *division = (const OpExpr *) arg;

	if (IsA(arg, OpExpr) && get_opcode(division->opno) == F_NUMERIC_DIV)
		return divided_values(root, division->args, false);
	return units_in(root, arg, 1);
}

/* The times that a moment can have, which is truncated to parts of days; 0: it is not. */
static double
times_of_day(Node *moment)
{
	const FuncExpr *call = (const FuncExpr *) moment;
	int			unit = IsA(moment, FuncExpr) && call->funcid == F_DATE_TRUNC_TEXT_TIMESTAMP ?
		unit_of(linitial(call->args)) : -1;

	return unit < 0 ? 0 : Max(1, DAYS(1) / units[unit].size);
}

/* What a format shows of moments; args: of to_char(). */
static double
shown_values(PlannerInfo *root, Oid function, const List *args)
{
	Expr	   *moment = time_format_moment(function, args);

	return moment == NULL ? 0 : key_values(root, (Node *) moment);
}

/* A function whose results are few, whatever its arguments' values; 0: it is none. */
static double
few_values(PlannerInfo *root, Oid function, const List *args)
{
	switch (function)
	{
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return truncated_values(root, args);
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIME:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_DATE:
		case F_DATE_PART_TEXT_TIME:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return field_values(root, args);
		case F_TIME_TIMESTAMP:
			return times_of_day(linitial(args));
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
			return units_in(root, linitial(args), DAYS(1));
		case F_INT2DIV:
		case F_INT4DIV:
		case F_INT8DIV:
		case F_INT24DIV:
		case F_INT42DIV:
		case F_INT28DIV:
		case F_INT82DIV:
		case F_INT48DIV:
		case F_INT84DIV:
			return divided_values(root, args, false);
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
			return divided_values(root, args, true);
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return shown_values(root, function, args);
		case F_FLOOR_NUMERIC:
		case F_CEIL_NUMERIC:
		case F_CEILING_NUMERIC:
			return whole_values(root, linitial(args));
		default:
			return 0;
	}
}

/* Of all arguments' values the combinations. */
static double
function_values(PlannerInfo *root, Oid function, const List *args)
{
	double		combinations = 1;
	double		values;
	ListCell   *lc;

	if (func_volatile(function) == PROVOLATILE_VOLATILE)
		return 0;
	values = few_values(root, function, args);
	foreach(lc, args)
		combinations *= key_values(root, lfirst(lc));
	if (values == 0 || combinations == 0)
		return Max(values, combinations);
	return Min(values, combinations);
}

/* Of all results the values. */
static double
case_values(PlannerInfo *root, const CaseExpr *expr)
{
	double		values = expr->defresult ? key_values(root, (Node *) expr->defresult) : 1;
	ListCell   *lc;

	if (values == 0)
		return 0;
	foreach(lc, expr->args)
	{
		double		more = key_values(root, (Node *) lfirst_node(CaseWhen, lc)->result);

		if (more == 0)
			return 0;
		values += more;
	}
	return values;
}

double
key_values(PlannerInfo *root, Node *key)
{
	switch (nodeTag(key))
	{
		case T_Const:
		case T_Param:
			return 1;
		case T_RelabelType:
			return key_values(root, (Node *) ((RelabelType *) key)->arg);
		case T_CoerceViaIO:
			return key_values(root, (Node *) ((CoerceViaIO *) key)->arg);
		case T_FuncExpr:
			return function_values(root, ((FuncExpr *) key)->funcid, ((FuncExpr *) key)->args);
		case T_OpExpr:
			return function_values(root, get_opcode(((OpExpr *) key)->opno),
								   ((OpExpr *) key)->args);
		case T_CaseExpr:
			return case_values(root, (CaseExpr *) key);
		default:
			return 0;
	}
}
