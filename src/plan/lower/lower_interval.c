/*
 * lower_interval.c
 *	  Fields and multiples of intervals, times of day, and dates and timestamps made of parts.
 *
 * Sums, differences and comparisons of intervals, and differences of timestamps, are
 * operations of the table.
 */
#include "postgres.h"

#include <math.h>

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

/* What a product multiplies; false: the function is none of an interval and a number. */
static bool
product_operands(Oid function, List *args, Expr **interval, Expr **factor)
{
	if (function != F_INTERVAL_MUL && function != F_MUL_D_INTERVAL)
		return false;
	*interval = function == F_INTERVAL_MUL ? linitial(args) : lsecond(args);
	*factor = function == F_INTERVAL_MUL ? lsecond(args) : linitial(args);
	return true;
}

static bool
expr_product_operands(const Expr *expr, Expr **interval, Expr **factor)
{
	const OpExpr *product = (const OpExpr *) expr;

	return IsA(expr, OpExpr) &&
		product_operands(get_opcode(product->opno), product->args, interval, factor);
}

/* A constant that is not NULL, or NULL. */
static const Interval *
constant_interval(const Expr *expr)
{
	if (!IsA(expr, Const) || ((const Const *) expr)->constisnull)
		return NULL;
	return DatumGetIntervalP(((const Const *) expr)->constvalue);
}

const Interval *
multiplied_interval(const Expr *expr)
{
	Expr	   *interval;
	Expr	   *factor;

	return expr_product_operands(expr, &interval, &factor) ? constant_interval(interval) : NULL;
}

static int
time_times(Lowering *l, int64 time, Expr *factor)
{
	int			reg = lower_operand(l, F_INTERVAL_MUL, factor, VT_FLOAT8);

	return reg < 0 ? -1 : lower_op(l, OP_time_product, reg, lower_int8(l, time));
}

int
lower_time_product(Lowering *l, const Expr *expr)
{
	Expr	   *interval;
	Expr	   *factor;

	if (!expr_product_operands(expr, &interval, &factor))
		return -1;
	return time_times(l, constant_interval(interval)->time, factor);
}

/* The register of a factor that is an integer, as INT8; -1: it is none, or is rejected. */
static int
lower_whole_factor(Lowering *l, Oid function, Expr *factor)
{
	const FuncExpr *cast = (const FuncExpr *) factor;
	const Const *constant = (const Const *) factor;
	float8		value;

	if (IsA(factor, FuncExpr) && (cast->funcid == F_FLOAT8_INT2 || cast->funcid == F_FLOAT8_INT4 ||
								  cast->funcid == F_FLOAT8_INT8))
		return lower_operand(l, function, linitial(cast->args), VT_INT8);
	if (!IsA(factor, Const) || constant->constisnull)
		return -1;
	value = DatumGetFloat8(constant->constvalue);
	return rint(value) == value && fabs(value) <= PG_INT32_MAX ? lower_int8(l, (int64) value) : -1;
}

/*
 * An interval times a number: an integer, or else a constant of nothing but a time, since
 * fractions of months and days become days and times.
 */
static int
lower_product(Lowering *l, Oid function, Expr *interval, Expr *factor)
{
	const Interval *constant = constant_interval(interval);
	int			whole = lower_whole_factor(l, function, factor);
	int			time;

	if (whole >= 0)
		return lower_op(l, OP_interval_product, lower_expr(l, interval), whole);
	if (constant == NULL || constant->month != 0 || constant->day != 0)
		return lower_reject(l, REJECTED_EXPRESSION,
							_("an interval times a number that is no integer is not supported"));
	time = time_times(l, constant->time, factor);
	return time < 0 ? -1 : program_add_op(l->builder, OP_interval_of_time, time, -1);
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
	Expr	   *interval;
	Expr	   *factor;

	if (product_operands(function, args, &interval, &factor))
	{
		*reg = lower_product(l, function, interval, factor);
		return true;
	}
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
