/*
 * lower_zone.c
 *	  What depends on a time zone: casts and comparisons between timestamptz and
 *	  dates or timestamps, AT TIME ZONE.
 *
 * A zone's rules are a parameter, filled when execution begins (params.c), so that a
 * plan outlives SET TimeZone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"
#include "plan/value_type.h"

/* Comparisons of timestamptz with date or timestamp, as those of timestamptz. */
static const struct
{
	Oid			function;
	OpCode		op;
}			comparisons[] = {
	{F_DATE_EQ_TIMESTAMPTZ, OP_int8_eq},
	{F_DATE_NE_TIMESTAMPTZ, OP_int8_ne},
	{F_DATE_LT_TIMESTAMPTZ, OP_int8_lt},
	{F_DATE_LE_TIMESTAMPTZ, OP_int8_le},
	{F_DATE_GT_TIMESTAMPTZ, OP_int8_gt},
	{F_DATE_GE_TIMESTAMPTZ, OP_int8_ge},
	{F_TIMESTAMPTZ_EQ_DATE, OP_int8_eq},
	{F_TIMESTAMPTZ_NE_DATE, OP_int8_ne},
	{F_TIMESTAMPTZ_LT_DATE, OP_int8_lt},
	{F_TIMESTAMPTZ_LE_DATE, OP_int8_le},
	{F_TIMESTAMPTZ_GT_DATE, OP_int8_gt},
	{F_TIMESTAMPTZ_GE_DATE, OP_int8_ge},
	{F_TIMESTAMP_EQ_TIMESTAMPTZ, OP_int8_eq},
	{F_TIMESTAMP_NE_TIMESTAMPTZ, OP_int8_ne},
	{F_TIMESTAMP_LT_TIMESTAMPTZ, OP_int8_lt},
	{F_TIMESTAMP_LE_TIMESTAMPTZ, OP_int8_le},
	{F_TIMESTAMP_GT_TIMESTAMPTZ, OP_int8_gt},
	{F_TIMESTAMP_GE_TIMESTAMPTZ, OP_int8_ge},
	{F_TIMESTAMPTZ_EQ_TIMESTAMP, OP_int8_eq},
	{F_TIMESTAMPTZ_NE_TIMESTAMP, OP_int8_ne},
	{F_TIMESTAMPTZ_LT_TIMESTAMP, OP_int8_lt},
	{F_TIMESTAMPTZ_LE_TIMESTAMP, OP_int8_le},
	{F_TIMESTAMPTZ_GT_TIMESTAMP, OP_int8_gt},
	{F_TIMESTAMPTZ_GE_TIMESTAMP, OP_int8_ge},
};

int
lower_zone(Lowering *l, Expr *zone)
{
	if (zone == NULL)
		return lower_made_param_ref(l, (Expr *) makeNullConst(PARAM_ZONE_TYPE, -1, InvalidOid));

	/* NULL is the session's zone, not NULL */
	if (!IsA(zone, Const) || ((Const *) zone)->constisnull)
		return lower_reject(l, REJECTED_EXPRESSION, _("a time zone that is not constant is not supported"));
	return lower_made_param_ref(l, (Expr *) makeRelabelType(zone, PARAM_ZONE_TYPE, -1, InvalidOid,
													   COERCE_IMPLICIT_CAST));
}

int
lower_to_local(Lowering *l, int reg, int zone)
{
	return lower_op(l, OP_timestamptz_local, reg, zone);
}

int
lower_to_utc(Lowering *l, int reg, int zone)
{
	return lower_op(l, OP_timestamp_utc, reg, zone);
}

/* A date, timestamp or timestamptz as timestamptz. */
static int
lower_timestamptz(Lowering *l, Expr *expr)
{
	Oid			type = getBaseType(exprType((Node *) expr));
	int			reg = lower_expr(l, expr);

	if (reg < 0 || type == TIMESTAMPTZOID)
		return reg;
	if (type == DATEOID)
		reg = program_add_op(l->builder, OP_date_to_timestamp, reg, -1);
	return lower_to_utc(l, reg, lower_zone(l, NULL));
}

static int
lower_comparison(Lowering *l, OpCode op, List *args)
{
	int			first = lower_timestamptz(l, linitial(args));
	int			second = first < 0 ? -1 : lower_timestamptz(l, lsecond(args));

	return lower_op(l, op, first, second);
}

bool
lower_zone_function(Lowering *l, Oid function, List *args, int *reg)
{
	int			local;

	switch (function)
	{
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
			*reg = lower_timestamptz(l, linitial(args));
			return true;
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_DATE_TIMESTAMPTZ:
			local = lower_to_local(l, lower_expr(l, linitial(args)), lower_zone(l, NULL));
			*reg = local < 0 || function == F_TIMESTAMP_TIMESTAMPTZ ? local :
				program_add_op(l->builder, OP_timestamp_to_date, local, -1);
			return true;
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			*reg = lower_to_local(l, lower_expr(l, lsecond(args)),
								  lower_zone(l, linitial(args)));
			return true;
		case F_TIMEZONE_TEXT_TIMESTAMP:
			*reg = lower_to_utc(l, lower_expr(l, lsecond(args)),
								lower_zone(l, linitial(args)));
			return true;
	}
	for (int i = 0; i < (int) lengthof(comparisons); i++)
	{
		if (comparisons[i].function == function)
		{
			*reg = lower_comparison(l, comparisons[i].op, args);
			return true;
		}
	}
	return false;
}
