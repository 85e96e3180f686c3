/*
 * safe_moments.c
 *	  Moments that are not far from the present one, such as now() - interval '30 days'.
 *
 * Dates and timestamps can leave their range when something is added to them, or the time zone
 * changes.  Those here are days or years away from the present, and so thousands of years away
 * from any limit.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/safe_calls.h"
#include "program/date_field.h"

/* In days: 4000 years.  The least moment, and the least date, are of 4714 BC. */
#define NEAR_DAYS 1461000.0

/* In days: what another time zone, or another type, makes of a moment. */
#define CAST_DAYS 2

static double days_from_now(const Node *node);

/* The most days that a constant adds. */
static double
constant_days(const Node *node)
{
	const Const *constant = (const Const *) node;
	const Interval *interval;

	if (!IsA(node, Const) || constant->constisnull)
		return INFINITY;
	if (constant->consttype == INT4OID)
		return fabs((double) DatumGetInt32(constant->constvalue));
	if (constant->consttype != INTERVALOID)
		return INFINITY;
	interval = DatumGetIntervalP(constant->constvalue);
	return 31 * fabs((double) interval->month) + fabs((double) interval->day) +
		fabs((double) interval->time) / USECS_PER_DAY + CAST_DAYS;
}

/* The most days between a moment and the beginning of its field, no larger than a year. */
static double
truncated_days(const Node *name)
{
	char	   *spelled;
	int			field = date_field((const Expr *) name, &spelled);

	return field < 0 || field > FIELD_YEAR ? INFINITY : 366 + CAST_DAYS;
}

static double
call_days(Oid function, const List *args)
{
	switch (function)
	{
		case F_NOW:
		case F_TRANSACTION_TIMESTAMP:
		case F_STATEMENT_TIMESTAMP:
			return 0;
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
			return days_from_now(linitial(args)) + CAST_DAYS;
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
			return truncated_days(linitial(args)) + days_from_now(lsecond(args));
		case F_DATE_PLI:
		case F_DATE_MII:
		case F_DATE_PL_INTERVAL:
		case F_DATE_MI_INTERVAL:
		case F_TIMESTAMP_PL_INTERVAL:
		case F_TIMESTAMP_MI_INTERVAL:
		case F_TIMESTAMPTZ_PL_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
			return days_from_now(linitial(args)) + constant_days(lsecond(args));
		default:
			return INFINITY;
	}
}

/*
 * The most days between the present moment and the node's value, or that of a part of it;
 * INFINITY: it is another kind of value.
 */
static double
days_from_now(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_SQLValueFunction:
			switch (((const SQLValueFunction *) node)->type)
			{
				case DATEOID:
				case TIMESTAMPOID:
				case TIMESTAMPTZOID:
					return CAST_DAYS;
				default:
					return INFINITY;
			}
		case T_FuncExpr:
			return call_days(((const FuncExpr *) node)->funcid, ((const FuncExpr *) node)->args);
		case T_OpExpr:
			return call_days(get_opcode(((const OpExpr *) node)->opno), ((const OpExpr *) node)->args);
		default:
			return INFINITY;
	}
}

bool
moment_is_near(const Node *node)
{
	return days_from_now(node) < NEAR_DAYS;
}
