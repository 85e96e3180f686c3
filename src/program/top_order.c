/*
 * top_order.c
 *	  Which keys and aggregates words can order.
 */
#include "program/top_order.h"

/* Are the words of an accumulator in the order of its values?  How? */
static bool
order_of_words(const Program *program, AccKind kind, uint32_t *order)
{
	switch (acc_form(kind))
	{
		case FORM_COUNT:
		case FORM_INT:
		case FORM_DISTINCT_COUNT:
		case FORM_DISTINCT_SUM:
			*order = 0;
			return true;
		case FORM_INT128:
		case FORM_DISTINCT_SUM128:
			*order = TOP_INT128;
			return true;
		case FORM_ORDERED:
			*order = TOP_FLOAT;
			return true;
		case FORM_FLOAT:
			/* what is wider has special values, or overflows */
			*order = TOP_SUM_FLOAT;
			return program->level == EXACT_NARROW;
		default:
			return false;
	}
}

/* Is the accumulator's state in the order of the aggregate's values?  How? */
static bool
kind_of_order(const Program *program, const Aggregate *agg, uint32_t *order)
{
	AccKind		kind = (AccKind) program_accs(program)[agg->acc].kind;

	if (!order_of_words(program, kind, order))
		return false;
	switch ((FinalKind) agg->final)
	{
		case FINAL_COUNT:
		case FINAL_SUM_INT8:
		case FINAL_SUM_FLOAT8:
		case FINAL_EXTREME_INT2:
		case FINAL_EXTREME_INT4:
		case FINAL_EXTREME_INT8:
		case FINAL_EXTREME_NUMERIC:
		case FINAL_EXTREME_FLOAT4:
		case FINAL_EXTREME_FLOAT8:
			return true;
		case FINAL_SUM_FLOAT4:
			*order |= TOP_SINGLE;
			return true;
		case FINAL_AVG_FLOAT8:
			*order |= TOP_AVERAGE;
			return true;
		case FINAL_AVG_NUMERIC:
			*order |= TOP_AVERAGE;
			break;
		case FINAL_SUM_NUMERIC:
			break;
		default:
			return false;
	}
	/* neither high parts nor NaN and the infinities are in sums of numerics */
	return agg->high < 0 && agg->special < 0;
}

static uint32_t
words_of_order(uint32_t order)
{
	if (order & TOP_SUM_FLOAT)
		return TOP_WORDS;
	return order & (TOP_INT128 | TOP_WIDE) ? 2 : 1;
}

static uint32_t
order_of_key(ValueType type)
{
	switch (value_class(type))
	{
		case CLASS_FLOAT:
			return TOP_FLOAT;
		case CLASS_WIDE:
			return TOP_WIDE;
		case CLASS_BYTES:
		case CLASS_TEXT:
			return TOP_BEGINNING;
		default:
			return 0;
	}
}

bool
top_order_of(const Program *program, uint32_t number, TopOrder *order)
{
	int64_t		agg = (int64_t) number - program->nkeys;

	if (agg >= program->naggs)
		return false;
	*order = (TopOrder) {.key = -1,.acc = -1,.count = -1};
	if (agg < 0)
	{
		order->key = (int) number;
		order->order = order_of_key(program_key_type(program, order->key));
	}
	else
	{
		const Aggregate *aggregate = &program_aggs(program)[agg];

		if (!kind_of_order(program, aggregate, &order->order))
			return false;
		order->slack = aggregate->final == FINAL_AVG_NUMERIC ? TOP_AVERAGE_SLACK : 0;
		order->acc = aggregate->acc;
		order->count = aggregate->final == FINAL_COUNT ? -1 : aggregate->count;
	}
	order->nwords = words_of_order(order->order);
	return true;
}

int
top_conditions_make(const Program *program, const TopHint *hint,
					TopCondition conditions[TOP_CONDITIONS], TopOrder orders[TOP_CONDITIONS])
{
	int			n = 0;

	/* without keys there is one group, whatever it is */
	if (program->nkeys == 0)
		return 0;
	for (uint32_t i = 0; i < hint->nconditions && i < TOP_CONDITIONS; i++)
	{
		conditions[n] = hint->conditions[i];
		if (top_order_of(program, conditions[n].number, &orders[n]))
			n++;
	}
	return n;
}

/* The order by one column, or false. */
static bool
order_make(const Program *program, const TopHintColumn *column, TopOrder *order)
{
	if (!top_order_of(program, column->number, order))
		return false;
	if (column->descending)
		order->order |= TOP_DESCENDING;
	if (column->nulls_first)
		order->order |= TOP_NULLS_FIRST;
	return true;
}

int
top_orders_make(const Program *program, const TopHint *hint, TopOrder orders[TOP_COLUMNS])
{
	TopCondition conditions[TOP_CONDITIONS];
	TopOrder	of_conditions[TOP_CONDITIONS];
	int			n = 0;
	bool		goes_on = hint->groups > 0 && program->nkeys > 0 &&
		top_conditions_make(program, hint, conditions, of_conditions) == (int) hint->nconditions;

	while (goes_on && n < TOP_COLUMNS && n < (int) hint->ncolumns &&
		   order_make(program, &hint->columns[n], &orders[n]))
	{
		/* equal words are those of equal values */
		goes_on = orders[n].slack == 0 && !(orders[n].order & TOP_BEGINNING);
		n++;
	}
	return n;
}
