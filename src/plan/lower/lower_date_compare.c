/*
 * lower_date_compare.c
 *	  Comparisons of a date with a constant timestamp, as of a date with a date.
 *
 * `date '1994-01-01' + interval '1 year'` is a timestamp.  Compared as integers of four bytes,
 * dates need no multiplication by row, and ranges of kept columns tell which rows can pass
 * (filter_range.c).  Infinite dates are less and greater than all days.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "plan/lower/lower_parts.h"
#include "program/ops_date.h"

/* A comparison as it is of the date, and where that stands. */
typedef struct Comparison
{
	Oid			function;
	int			date;			/* which argument it is */
	OpCode		op;
} Comparison;

static const Comparison comparisons[] = {
	{F_DATE_LT_TIMESTAMP, 0, OP_int4_lt},
	{F_DATE_LE_TIMESTAMP, 0, OP_int4_le},
	{F_DATE_GT_TIMESTAMP, 0, OP_int4_gt},
	{F_DATE_GE_TIMESTAMP, 0, OP_int4_ge},
	{F_DATE_EQ_TIMESTAMP, 0, OP_int4_eq},
	{F_DATE_NE_TIMESTAMP, 0, OP_int4_ne},
	{F_TIMESTAMP_LT_DATE, 1, OP_int4_gt},
	{F_TIMESTAMP_LE_DATE, 1, OP_int4_ge},
	{F_TIMESTAMP_GT_DATE, 1, OP_int4_lt},
	{F_TIMESTAMP_GE_DATE, 1, OP_int4_le},
	{F_TIMESTAMP_EQ_DATE, 1, OP_int4_eq},
	{F_TIMESTAMP_NE_DATE, 1, OP_int4_ne},
};

static const Comparison *
find_comparison(Oid function)
{
	for (size_t i = 0; i < lengthof(comparisons); i++)
		if (comparisons[i].function == function)
			return &comparisons[i];
	return NULL;
}

/*
 * The comparison with the day in which the moment is, where that is not the day's begin; -1: no
 * day's is the same.
 */
static int
within_day(OpCode op)
{
	switch (op)
	{
		case OP_int4_lt:
			return OP_int4_le;
		case OP_int4_ge:
			return OP_int4_gt;
		case OP_int4_le:
		case OP_int4_gt:
			return op;
		default:
			return -1;
	}
}

bool
lower_date_comparison(Lowering *l, Oid function, List *args, int *reg)
{
	const Comparison *comparison = find_comparison(function);
	const Const *constant;
	Timestamp	moment;
	int64		day;
	int			op;

	if (comparison == NULL)
		return false;
	constant = list_nth(args, 1 - comparison->date);
	if (!IsA(constant, Const) || constant->constisnull)
		return false;
	moment = DatumGetTimestamp(constant->constvalue);
	if (TIMESTAMP_NOT_FINITE(moment))
		return false;
	day = moment / DAY_MICROSECONDS - (moment % DAY_MICROSECONDS < 0);
	op = moment % DAY_MICROSECONDS == 0 ? (int) comparison->op : within_day(comparison->op);
	if (op < 0)
		return false;
	*reg = lower_operand(l, function, list_nth(args, comparison->date), VT_INT4);
	if (*reg >= 0)
		*reg = lower_op(l, (OpCode) op, *reg, lower_int4(l, (int32) day));
	return true;
}
