/*
 * lower_date.c
 *	  Functions of dates and timestamps whose fields are constants; sums with intervals.
 *
 * Fields become numbers in a parameter, an interval its months, days and time, each
 * added by an operation of its own, as PostgreSQL adds them.  Local times come
 * from lower_zone.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "program/date_field.h"

int
lower_date_field(Lowering *l, const Expr *name, int first, int last)
{
	char	   *spelled = NULL;
	int			field = date_field(name, &spelled);

	if (spelled == NULL)
		return lower_reject(l, REJECTED_EXPRESSION, _("a field of a date that is not constant is not supported"));
	if (field < first || field > last)
		return lower_reject(l, REJECTED_EXPRESSION, _("field \"%s\" is not supported here"), spelled);
	return field;
}

/*
 * date_trunc.  Seconds begin together in all time zones, but a zone that is
 * named may be none, or NULL.  Hours and minutes are taken off in local time at
 * the offset of the moment; where a day or a larger field begins, the offset is
 * that of its beginning.
 */
static int
lower_trunc(Lowering *l, List *args, bool with_zone)
{
	ProgramBuilder *b = l->builder;
	Expr	   *zone = list_length(args) > 2 ? lthird(args) : NULL;
	int			field = lower_date_field(l, linitial(args), FIELD_MICROSECONDS,
								   FIELD_MILLENNIUM);
	int			field_reg = field < 0 ? -1 : lower_int4(l, field);
	int			reg = field_reg < 0 ? -1 : lower_expr(l, lsecond(args));
	int			zone_reg;
	int			local;
	int			truncated;

	if (reg < 0 || !with_zone || (zone == NULL && field <= FIELD_SECOND))
		return lower_op(l, OP_timestamp_trunc, reg, field_reg);
	zone_reg = lower_zone(l, zone);
	local = lower_to_local(l, reg, zone_reg);
	truncated = lower_op(l, OP_timestamp_trunc, local, field_reg);
	if (truncated < 0 || field >= FIELD_DAY)
		return lower_to_utc(l, truncated, zone_reg);
	return program_add_op(b, OP_timestamp_add_time, reg,
						  program_add_op(b, OP_int8_sub, truncated, local));
}

/* Is the field of an infinite date infinite too?  If not it is NULL. */
static bool
grows_for_ever(int field)
{
	switch (field)
	{
		case FIELD_YEAR:
		case FIELD_DECADE:
		case FIELD_CENTURY:
		case FIELD_MILLENNIUM:
		case FIELD_ISOYEAR:
		case FIELD_JULIAN:
		case FIELD_EPOCH:
		case FIELD_EPOCH_MICROSECONDS:
			return true;
		default:
			return false;
	}
}

/* A field's operation over arg. */
static int
lower_field(Lowering *l, OpCode op, int arg, int field)
{
	ProgramBuilder *b = l->builder;
	int			value = lower_op(l, op, arg, lower_int4(l, field));
	int			finite;
	int			null;

	if (value < 0 || grows_for_ever(field))
		return value;
	finite = program_add_op(b, op == OP_date_extract ? OP_date_isfinite :
							OP_timestamp_isfinite, arg, -1);
	null = lower_null(l, op == OP_timestamp_part ? FLOAT8OID : INT8OID);
	return null < 0 ? -1 : program_add_select(b, finite, value, null);
}

/*
 * What a field is looked up in: the local time, but for seconds since the epoch,
 * which are counted in UTC.
 */
static int
lower_field_operand(Lowering *l, Expr *expr, int field)
{
	int			reg = field < 0 ? -1 : lower_expr(l, expr);

	if (exprType((Node *) expr) != TIMESTAMPTZOID || field == FIELD_EPOCH)
		return reg;
	return lower_to_local(l, reg, lower_zone(l, NULL));
}

/* date_part(field, timestamp) */
static int
lower_part(Lowering *l, List *args)
{
	int			field = lower_date_field(l, linitial(args), FIELD_MICROSECONDS, FIELD_EPOCH);
	int			arg = lower_field_operand(l, lsecond(args), field);

	return arg < 0 ? -1 : lower_field(l, OP_timestamp_part, arg, field);
}

static bool
is_date_extract(Oid function)
{
	return function == F_EXTRACT_TEXT_DATE || function == F_EXTRACT_TEXT_TIMESTAMP ||
		function == F_EXTRACT_TEXT_TIMESTAMPTZ;
}

bool
is_extract(Oid function)
{
	return is_date_extract(function) || function == F_EXTRACT_TEXT_INTERVAL;
}

/* The field of an extract()'s arguments, and the register it is looked up in. */
static int
lower_extract_operand(Lowering *l, Oid function, List *args, int *field)
{
	*field = lower_date_field(l, linitial(args),
						 function == F_EXTRACT_TEXT_DATE ? FIELD_DAY : FIELD_MICROSECONDS,
						 FIELD_EPOCH);
	return lower_field_operand(l, lsecond(args), *field);
}

int
field_in_units(int field, int *scale)
{
	switch (field)
	{
		case FIELD_MILLISECONDS:
			*scale = 3;
			return FIELD_MICROSECONDS;
		case FIELD_SECOND:
			*scale = 6;
			return FIELD_MICROSECONDS;
		case FIELD_EPOCH:
			*scale = 6;
			return FIELD_EPOCH_MICROSECONDS;
		default:
			*scale = 0;
			return field;
	}
}

/*
 * extract() as a numeric of the scale that PostgreSQL displays it with, which is
 * the field's.  But a Julian day with a fraction has a scale of its own.
 */
int
lower_extract(Lowering *l, Oid function, List *args, int *scale)
{
	int			field;
	int			arg;

	if (function == F_EXTRACT_TEXT_INTERVAL)
		return lower_interval_extract(l, args, scale);
	arg = lower_extract_operand(l, function, args, &field);
	*scale = 0;
	if (arg < 0)
		return -1;
	if (function == F_EXTRACT_TEXT_DATE)
		return lower_field(l, OP_date_extract, arg, field);
	if (field == FIELD_JULIAN)
		return lower_reject(l, REJECTED_EXPRESSION, _("extract() of a Julian day with a fraction is not supported"));
	return lower_field(l, OP_timestamp_extract, arg, field_in_units(field, scale));
}

/* An extract() that no engine computes has the scale of its field, too. */
bool
scale_of_extract(const FuncExpr *call, int *scale)
{
	Lowering	none = {0};
	int			field;

	if (call->funcid != F_EXTRACT_TEXT_TIME && call->funcid != F_EXTRACT_TEXT_TIMETZ &&
		call->funcid != F_EXTRACT_TEXT_INTERVAL)
		return false;
	field = lower_date_field(&none, linitial(call->args), FIELD_MICROSECONDS, FIELD_EPOCH);
	(void) field_in_units(field, scale);
	return field >= 0;
}

/* extract() cast to an integer, which needs no fractions. */
static int
lower_extract_cast(Lowering *l, Oid function, const FuncExpr *call)
{
	int			field;
	int			reg = lower_extract_operand(l, call->funcid, call->args, &field);

	if (reg >= 0)
		reg = lower_field(l, call->funcid == F_EXTRACT_TEXT_DATE ? OP_date_extract :
						  OP_timestamp_extract, reg, field);
	if (reg < 0 || function == F_INT8_NUMERIC)
		return reg;
	return program_add_op(l->builder,
						  function == F_INT4_NUMERIC ? OP_int8_to_int4 : OP_int8_to_int2,
						  reg, -1);
}

/* Months or days added to a register, in local time. */
static int
add_calendar_part(Lowering *l, OpCode op, int reg, int count, bool with_zone)
{
	int			zone;

	if (!with_zone)
		return lower_op(l, op, reg, count);
	zone = lower_zone(l, NULL);
	return lower_to_utc(l, lower_op(l, op, lower_to_local(l, reg, zone), count), zone);
}

/* The same of a constant number; PostgreSQL adds none where that is zero. */
static int
add_constant_part(Lowering *l, OpCode op, int reg, int32 count, bool with_zone)
{
	return count == 0 ? reg : add_calendar_part(l, op, reg, lower_int4(l, count), with_zone);
}

/* A timestamp's register plus a constant interval: its months, its days, its time. */
static int
add_interval(Lowering *l, int reg, const Interval *constant, bool with_zone, bool minus)
{
	Interval	span = *constant;

	if (minus)
	{
		/* as PostgreSQL does, where the least number is its own negation */
		span.month = (int32) -(uint32) span.month;
		span.day = (int32) -(uint32) span.day;
		span.time = (int64) -(uint64) span.time;
	}
	reg = add_constant_part(l, OP_timestamp_add_months, reg, span.month, with_zone);
	reg = add_constant_part(l, OP_timestamp_add_days, reg, span.day, with_zone);
	return lower_op(l, OP_timestamp_add_time, reg, lower_int8(l, span.time));
}

/*
 * Months or days of each row's interval.  A moment that comes twice in local time must stay what
 * it is where the number is zero.
 */
static int
add_part(Lowering *l, OpCode op, int reg, int count, bool with_zone)
{
	int			sum = add_calendar_part(l, op, reg, count, with_zone);
	int			zero = !with_zone || sum < 0 ? -1 : lower_int4(l, 0);

	if (zero < 0)
		return with_zone ? -1 : sum;
	return program_add_select(l->builder, program_add_op(l->builder, OP_int4_eq, count, zero),
							  reg, sum);
}

/* A timestamp's register plus or minus an interval that is no constant. */
static int
add_variable_interval(Lowering *l, int reg, Expr *expr, bool with_zone, bool minus)
{
	ProgramBuilder *b = l->builder;
	const Interval *multiplied = multiplied_interval(expr);
	int			time;
	int			span;

	if (multiplied != NULL && multiplied->month == 0 && multiplied->day == 0)
	{
		time = lower_time_product(l, expr);
		if (time >= 0 && minus)
			time = program_add_op(b, OP_int8_neg, time, -1);
		return lower_op(l, OP_timestamp_add_time, reg, time);
	}
	span = lower_expr(l, expr);
	if (span >= 0 && minus)
		span = program_add_op(b, OP_interval_neg, span, -1);
	if (span < 0)
		return -1;
	/* products of zero are zero */
	if (multiplied == NULL || multiplied->month != 0)
		reg = add_part(l, OP_timestamp_add_months, reg,
					   program_add_op(b, OP_interval_months, span, -1), with_zone);
	if (multiplied == NULL || multiplied->day != 0)
		reg = add_part(l, OP_timestamp_add_days, reg,
					   program_add_op(b, OP_interval_days, span, -1), with_zone);
	if (multiplied != NULL && multiplied->time == 0)
		return reg;
	return lower_op(l, OP_timestamp_add_time, reg, program_add_op(b, OP_interval_time, span, -1));
}

/* Date, timestamp or timestamptz plus or minus an interval. */
static int
lower_interval(Lowering *l, List *args, bool of_date, bool with_zone, bool minus)
{
	const Const *constant = lsecond(args);
	const Interval *span = NULL;
	int			reg;

	if (IsA(constant, Const) && !constant->constisnull)
		span = DatumGetIntervalP(constant->constvalue);
	if (span != NULL && INTERVAL_NOT_FINITE(span))
		return lower_reject(l, REJECTED_EXPRESSION, _("an infinite interval is not supported"));
	reg = lower_expr(l, linitial(args));
	if (reg >= 0 && of_date)
		reg = program_add_op(l->builder, OP_date_to_timestamp, reg, -1);
	if (reg < 0)
		return -1;
	return span != NULL ? add_interval(l, reg, span, with_zone, minus) :
		add_variable_interval(l, reg, lsecond(args), with_zone, minus);
}

bool
lower_date_function(Lowering *l, Oid function, List *args, int *reg)
{
	switch (function)
	{
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
			*reg = lower_trunc(l, args, false);
			return true;
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			*reg = lower_trunc(l, args, true);
			return true;
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			*reg = lower_part(l, args);
			return true;
		case F_TIMESTAMP_PL_INTERVAL:
		case F_TIMESTAMP_MI_INTERVAL:
			*reg = lower_interval(l, args, false, false, function == F_TIMESTAMP_MI_INTERVAL);
			return true;
		case F_TIMESTAMPTZ_PL_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
			*reg = lower_interval(l, args, false, true, function == F_TIMESTAMPTZ_MI_INTERVAL);
			return true;
		case F_DATE_PL_INTERVAL:
		case F_DATE_MI_INTERVAL:
			*reg = lower_interval(l, args, true, false, function == F_DATE_MI_INTERVAL);
			return true;
		case F_INT2_NUMERIC:
		case F_INT4_NUMERIC:
		case F_INT8_NUMERIC:
			if (!IsA(linitial(args), FuncExpr) ||
				!is_date_extract(((FuncExpr *) linitial(args))->funcid))
				return false;
			*reg = lower_extract_cast(l, function, linitial(args));
			return true;
		default:
			return false;
	}
}
