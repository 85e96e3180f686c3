/*
 * lower_interval.c
 *	  Fields of intervals, times of day, and dates and timestamps made of parts.
 *
 * Sums, differences and comparisons of intervals, and differences of timestamps, are
 * operations of the table.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "program/date_field.h"

/* Those that all versions of PostgreSQL know, and compute alike. */
static bool
is_interval_field(int field)
{
	switch (field)
	{
		case FIELD_MICROSECONDS:
		case FIELD_MILLISECONDS:
		case FIELD_SECOND:
		case FIELD_MINUTE:
		case FIELD_HOUR:
		case FIELD_DAY:
		case FIELD_MONTH:
		case FIELD_YEAR:
		case FIELD_DECADE:
		case FIELD_CENTURY:
		case FIELD_MILLENNIUM:
		case FIELD_EPOCH:
			return true;
		default:
			return false;
	}
}

/* The field that a call for an interval names, or -1. */
static int
interval_field(Lowering *l, List *args)
{
	int			field = lower_date_field(l, linitial(args), FIELD_MICROSECONDS, FIELD_EPOCH);

	if (field >= 0 && !is_interval_field(field))
		return lower_reject(l, REJECTED_EXPRESSION, _("this field of an interval is not supported"));
	return field;
}

/* date_part(field, interval) */
static int
lower_interval_part(Lowering *l, List *args)
{
	int			field = interval_field(l, args);
	int			reg = field < 0 ? -1 : lower_expr(l, lsecond(args));

	return reg < 0 ? -1 : lower_op(l, OP_interval_part, reg, lower_int4(l, field));
}

int
lower_interval_extract(Lowering *l, List *args, int *scale)
{
	int			field = interval_field(l, args);
	int			reg = field < 0 ? -1 : lower_expr(l, lsecond(args));

	field = field_in_units(field, scale);
	return reg < 0 ? -1 : lower_op(l, OP_interval_extract, reg, lower_int4(l, field));
}

bool
is_interval_sum(FinalKind final)
{
	return final == FINAL_SUM_INTERVAL || final == FINAL_AVG_INTERVAL;
}

/*
 * PostgreSQL adds months, days and times, each of which may overflow at some row; the sum of
 * their sizes tells that none can.
 */
bool
lower_interval_sum(Lowering *l, FinalKind final, Expr *expr, int filter)
{
	ProgramBuilder *b = l->builder;
	int			reg = lower_expr(l, expr);
	int			count;
	int			time;
	int			agg;

	if (reg < 0)
		return lower_succeeded(l);
	count = program_add_acc(b, ACC_COUNT, b->insns[reg].nullable ? reg : -1, filter);
	time = program_add_acc(b, ACC_SUM_INT, program_add_op(b, OP_interval_time, reg, -1), filter);
	agg = program_add_numeric_agg(b, final, time, count, 0);
	program_set_high(b, agg, program_add_acc(b, ACC_SUM_INT,
											 program_add_op(b, OP_interval_months_and_days, reg, -1),
											 filter));
	program_add_acc(b, ACC_SUM_SIZES, program_add_op(b, OP_interval_size, reg, -1), filter);
	return lower_succeeded(l);
}

int
lower_interval_length(Lowering *l, Expr *expr)
{
	int			reg = lower_expr(l, expr);

	return reg < 0 ? -1 : program_add_op(l->builder, OP_interval_whole_length, reg, -1);
}

/* An interval times a number, the interval being a constant of nothing but a time. */
static bool
is_time_product(Expr *expr, Expr **factor, int64 *time)
{
	const OpExpr *product = (const OpExpr *) expr;
	Oid			function = IsA(expr, OpExpr) ? get_opcode(product->opno) : InvalidOid;
	const Const *constant;
	const Interval *span;

	if (function != F_INTERVAL_MUL && function != F_MUL_D_INTERVAL)
		return false;
	constant = function == F_INTERVAL_MUL ? linitial(product->args) : lsecond(product->args);
	*factor = function == F_INTERVAL_MUL ? lsecond(product->args) : linitial(product->args);
	if (!IsA(constant, Const) || constant->constisnull)
		return false;
	span = DatumGetIntervalP(constant->constvalue);
	*time = span->time;
	return span->month == 0 && span->day == 0;
}

int
lower_time_product(Lowering *l, Expr *expr)
{
	Expr	   *factor;
	int64		time;
	int			reg;

	if (!is_time_product(expr, &factor, &time))
		return lower_reject(l, REJECTED_EXPRESSION, _("an interval that is not constant is not supported"));
	reg = lower_operand(l, F_INTERVAL_MUL, factor, VT_FLOAT8);
	return reg < 0 ? -1 : lower_op(l, OP_time_product, reg, lower_int8(l, time));
}

/* A timestamp's time of day; an infinite one has none. */
static int
lower_time_of_day(Lowering *l, Expr *expr, bool with_zone)
{
	int			reg = lower_expr(l, expr);
	int			null;

	if (reg >= 0 && with_zone)
		reg = lower_to_local(l, reg, lower_zone(l, NULL));
	null = reg < 0 ? -1 : lower_null(l, TIMEOID);
	if (null < 0)
		return -1;
	return program_add_select(l->builder,
							  program_add_op(l->builder, OP_timestamp_isfinite, reg, -1),
							  program_add_op(l->builder, OP_timestamp_time, reg, -1), null);
}

/* date + time */
static int
lower_date_and_time(Lowering *l, List *args)
{
	int			date = lower_expr(l, linitial(args));
	int			time = date < 0 ? -1 : lower_expr(l, lsecond(args));

	if (time < 0)
		return -1;
	return program_add_op(l->builder, OP_timestamp_add_time,
						  program_add_op(l->builder, OP_date_to_timestamp, date, -1), time);
}

/* make_date(year, month, day) */
static int
lower_make_date(Lowering *l, Oid function, List *args)
{
	int			regs[3];

	for (int i = 0; i < 3; i++)
	{
		regs[i] = lower_operand(l, function, list_nth(args, i), VT_INT4);
		if (regs[i] < 0)
			return -1;
	}
	return program_add_op(l->builder, OP_month_day,
						  program_add_op(l->builder, OP_month_start, regs[0], regs[1]), regs[2]);
}

bool
lower_interval_function(Lowering *l, Oid function, List *args, int *reg)
{
	switch (function)
	{
		case F_DATE_PART_TEXT_INTERVAL:
			*reg = lower_interval_part(l, args);
			return true;
		case F_TIME_TIMESTAMP:
		case F_TIME_TIMESTAMPTZ:
			*reg = lower_time_of_day(l, linitial(args), function == F_TIME_TIMESTAMPTZ);
			return true;
		case F_DATETIME_PL:
		case F_TIMESTAMP_DATE_TIME:
			*reg = lower_date_and_time(l, args);
			return true;
		case F_MAKE_DATE:
			*reg = lower_make_date(l, function, args);
			return true;
		default:
			return false;
	}
}
