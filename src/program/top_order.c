/*
 * top_order.c
 *	  Which aggregates' values words can order.
 */
#include "program/top_order.h"

/* Is the accumulator's state in the order of the aggregate's values?  How? */
static bool
kind_of_order(const Program *program, const Aggregate *agg, uint32_t *order)
{
	AccKind		kind = (AccKind) program_accs(program)[agg->acc].kind;

	*order = 0;
	switch ((FinalKind) agg->final)
	{
		case FINAL_COUNT:
			return kind == ACC_COUNT;
		case FINAL_SUM_INT8:
			return kind == ACC_SUM_INT;
		case FINAL_SUM_NUMERIC:
			if (kind == ACC_SUM_INT128)
				*order = TOP_INT128;
			/* neither high parts nor NaN and the infinities are in the sum */
			return (kind == ACC_SUM_INT || kind == ACC_SUM_INT128) && agg->high < 0 &&
				agg->special < 0;
		case FINAL_EXTREME_INT2:
		case FINAL_EXTREME_INT4:
		case FINAL_EXTREME_INT8:
		case FINAL_EXTREME_NUMERIC:
			return kind == ACC_MIN_INT || kind == ACC_MAX_INT;
		case FINAL_EXTREME_FLOAT4:
		case FINAL_EXTREME_FLOAT8:
			*order = TOP_FLOAT;
			return kind == ACC_MIN_FLOAT || kind == ACC_MAX_FLOAT;
		default:
			return false;
	}
}

bool
top_order_make(const Program *program, const TopHint *hint, TopOrder *order)
{
	const Aggregate *agg;

	if (hint->groups == 0 || program->nkeys == 0 || hint->agg >= program->naggs)
		return false;
	agg = &program_aggs(program)[hint->agg];
	if (!kind_of_order(program, agg, &order->order))
		return false;
	if (hint->descending)
		order->order |= TOP_DESCENDING;
	if (hint->nulls_first)
		order->order |= TOP_NULLS_FIRST;
	order->acc = agg->acc;
	order->count = agg->final == FINAL_COUNT ? -1 : agg->count;
	return true;
}
