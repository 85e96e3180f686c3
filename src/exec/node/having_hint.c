/*
 * having_hint.c
 *	  HAVING's comparisons as conditions that an engine knows.
 *
 * A condition is a range of the words of top_order.h, in which an aggregate's word is if
 * the comparison may be true.  Words of integers, of numerics in units, and of floats are
 * the values, so that the comparison is true in all of the range; the words of numeric averages
 * are only near to them.  NaN, and a value beyond what words tell apart, give no condition.
 *
 * Where HAVING has a value that is not known yet there are none at all: PostgreSQL runs that
 * InitPlan for the first group that asks for it, which another condition could remove, and it may
 * raise an error.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include <math.h>

#include "exec/node/top_groups.h"

/* Integers between these have words of their own, and none is a special numeric. */
#define LEAST_INT (PG_INT64_MIN + 16)
#define MOST_INT (PG_INT64_MAX - 16)

/* Scales whose power of ten is an int64. */
#define MOST_SCALE 18

/* The words of values up to a constant. */
typedef struct Bound
{
	uint64		below;			/* the last word of values that may be less, */
	uint64		above;			/* and the first of those that may be greater */
	bool		equal;			/* can a value be equal to it? */
	bool		exact;			/* are the words the values? */
} Bound;

/* An integer, or what is between two. */
static bool
bound_of_int(int64 value, bool whole, Bound *bound)
{
	if (value <= LEAST_INT || value >= MOST_INT)
		return false;
	bound->below = top_word_of_int(whole ? value - 1 : value);
	bound->above = top_word_of_int(value + 1);
	bound->equal = whole;
	bound->exact = true;
	return true;
}

static bool
bound_of_float(double value, Bound *bound)
{
	uint64		word = top_ordered(value);

	if (isnan(value))
		return false;
	bound->below = word - 1;
	bound->above = word + 1;
	bound->equal = true;
	bound->exact = true;
	return true;
}

/* Of quotients that are near to those of numerics. */
static bool
bound_of_average(double value, uint64 slack, Bound *bound)
{
	uint64		word = top_ordered(value);

	if (isnan(value) || isinf(value))
		return false;
	bound->below = word + slack;
	bound->above = word - slack;
	bound->equal = true;
	bound->exact = false;
	return true;
}

/* A numeric in units of 10^-scale. */
static Datum
numeric_in_units(Datum value, int scale)
{
	int64		power = 1;

	for (int i = 0; i < scale; i++)
		power *= 10;
	return DirectFunctionCall2(numeric_mul, value, NumericGetDatum(int64_to_numeric(power)));
}

static bool
bound_of_numeric(Datum value, int scale, const TopOrder *order, Bound *bound)
{
	Datum		units;
	Datum		whole;
	double		near;

	/* in units, what is within the doubles' range is a numeric */
	near = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	if (scale > MOST_SCALE || isnan(near) || isinf(near))
		return false;
	units = numeric_in_units(value, scale);
	near = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, units));
	if (order->order & TOP_AVERAGE)
		return bound_of_average(near, order->slack, bound);
	/* far from the ends, so that its conversion raises no error */
	if (fabs(near) > 9.2e18)
		return false;
	whole = DirectFunctionCall1(numeric_floor, units);
	return bound_of_int(DatumGetInt64(DirectFunctionCall1(numeric_int8, whole)),
						DatumGetBool(DirectFunctionCall2(numeric_eq, whole, units)), bound);
}

/* A value's bound among an aggregate's words; false: they cannot tell it. */
static bool
bound_of_value(Datum value, Oid type, int scale, const TopOrder *order, Bound *bound)
{
	switch (type)
	{
		case INT2OID:
			return bound_of_int(DatumGetInt16(value), true, bound);
		case INT4OID:
			return bound_of_int(DatumGetInt32(value), true, bound);
		case INT8OID:
			return bound_of_int(DatumGetInt64(value), true, bound);
		case DATEOID:
			return bound_of_int(DatumGetDateADT(value), true, bound);
		case TIMEOID:
			return bound_of_int(DatumGetTimeADT(value), true, bound);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return bound_of_int(DatumGetTimestamp(value), true, bound);
		case MONEYOID:
			return bound_of_int(DatumGetCash(value), true, bound);
		case FLOAT4OID:
			return bound_of_float(DatumGetFloat4(value), bound);
		case FLOAT8OID:
			return bound_of_float(DatumGetFloat8(value), bound);
		case NUMERICOID:
			return bound_of_numeric(value, scale, order, bound);
		default:
			return false;
	}
}

/* The range of words for which a comparison may be true. */
static void
set_range(int strategy, const Bound *bound, TopCondition *condition)
{
	bool		near = !bound->exact;

	condition->least = 1;
	condition->most = UINT64_MAX - 1;
	switch (strategy)
	{
		case BTLessStrategyNumber:
			condition->most = bound->below;
			break;
		case BTLessEqualStrategyNumber:
			condition->most = bound->equal && !near ? bound->above - 1 : bound->below;
			break;
		case BTEqualStrategyNumber:
			condition->least = near ? bound->above : bound->below + 1;
			condition->most = near ? bound->below : bound->above - 1;
			if (!bound->equal)
				condition->most = 0;
			break;
		case BTGreaterEqualStrategyNumber:
			condition->least = bound->equal && !near ? bound->below + 1 : bound->above;
			break;
		case BTGreaterStrategyNumber:
			condition->least = bound->above;
			break;
	}
}

/* Is there a parameter in the expression whose value has not been computed? */
static bool
has_unknown_value(Node *node, void *context)
{
	const Param *param = (const Param *) node;
	const ExprContext *econtext = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return param->paramkind == PARAM_EXEC &&
			econtext->ecxt_param_exec_vals[param->paramid].execPlan != NULL;
	return expression_tree_walker(node, has_unknown_value, context);
}

/* One column's condition, and whether it is the whole comparison; false: there is none. */
static bool
make_condition(const Program *program, int number, int strategy, ExprState *state,
			   ExprContext *econtext, TopCondition *condition, bool *whole)
{
	TopOrder	order;
	Bound		bound;
	Datum		value;
	bool		isnull;
	int			scale = program_aggs(program)[number - program->nkeys].scale;

	if (!top_order_of(program, number, &order))
		return false;
	value = ExecEvalExprSwitchContext(state, econtext, &isnull);
	*condition = (TopCondition) {.least = 1,.number = (uint32_t) number};
	*whole = true;
	/* with NULL no comparison is true */
	if (isnull)
		return true;
	if (!bound_of_value(value, exprType((Node *) state->expr), scale, &order, &bound))
		return false;
	set_range(strategy, &bound, condition);
	*whole = bound.exact;
	return true;
}

int
having_hint(const HavingInfo *info, List *having, List *values, const Program *program,
			ExprContext *econtext, TopHint *hint)
{
	int			nwhole = 0;

	if (has_unknown_value((Node *) having, econtext))
		return 0;
	for (int i = 0; i < list_length(values) && hint->nconditions < TOP_CONDITIONS; i++)
	{
		TopCondition *condition = &hint->conditions[hint->nconditions];
		bool		whole = false;

		if (!make_condition(program, list_nth_int(info->columns, i),
							list_nth_int(info->strategies, i), list_nth(values, i), econtext,
							condition, &whole))
			continue;
		hint->nconditions++;
		nwhole += whole;
	}
	return nwhole;
}
