/*
 * order_statistic.h
 *	  Values in an unsigned integer that has their order; which of a group's values a
 *	  percentile is, and what comes of values of which each is taken once.
 *
 * The integer of a float is float_to_ordered's for a minimum: NaN is above all, and -0 next
 * below 0, which PostgreSQL takes for equal.  So a group with both in which one of them is
 * the result is ambiguous.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_ORDER_STATISTIC_H
#define GPUAGG_ORDER_STATISTIC_H

#include "state.h"

#define ORDER_SIGN (UINT64_C(1) << 63)

/* Of 0 and -0 as floats. */
#define ORDER_ZERO ORDER_SIGN
#define ORDER_NEGATIVE_ZERO (ORDER_SIGN - 1)

GA_FN uint64_t
order_of_integer(int64_t value)
{
	return (uint64_t) value ^ ORDER_SIGN;
}

GA_FN uint64_t
order_of_float(double value)
{
	return float_to_ordered(value, false);
}

/* The word of FORM_VALUE that has the value. */
GA_FN uint64_t
order_to_word(uint64_t order, bool is_float)
{
	return is_float ? order : order ^ ORDER_SIGN;
}

/* The integer, or the bits of a double. */
GA_FN uint64_t
order_to_bits(uint64_t order, bool is_float)
{
	double		value = float_from_ordered(order, false);
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return is_float ? bits : order ^ ORDER_SIGN;
}

/* That of all values which are equal to this one. */
GA_FN uint64_t
order_of_equal(uint64_t order, bool is_float)
{
	return is_float && order == ORDER_NEGATIVE_ZERO ? ORDER_ZERO : order;
}

/* What a value adds to the words of an accumulator that takes each value once. */
GA_FN void
distinct_addends(AccKind kind, uint64_t order, uint64_t addends[2])
{
	int64_t		value = (int64_t) (order ^ ORDER_SIGN);

	addends[0] = kind == ACC_COUNT_DISTINCT ? 1 :
		kind == ACC_SUM_DISTINCT ? (uint64_t) value : (uint64_t) value & 0xffffffff;
	addends[1] = kind == ACC_SUM_DISTINCT128 ? (uint64_t) (value >> 32) : 0;
}

/* Is it a fraction that a percentile can have? */
GA_FN bool
fraction_is_good(double fraction)
{
	return fraction >= 0 && fraction <= 1;
}

/*
 * Of n values, at least one, in their order: the numbers of the two, from 0, between which
 * percentile_cont is, and the share of the way; as PostgreSQL computes them.
 */
GA_FN void
percentile_cont_ranks(double fraction, uint64_t n, uint64_t *low, uint64_t *high, double *share)
{
	double		place = fraction * (double) (int64_t) (n - 1);

	*low = (uint64_t) floor(place);
	*high = (uint64_t) ceil(place);
	*share = place - (double) (int64_t) *low;
}

/* The number of the one that percentile_disc is. */
GA_FN uint64_t
percentile_disc_rank(double fraction, uint64_t n)
{
	double		place = ceil(fraction * (double) (int64_t) n);

	return place < 1 ? 0 : (uint64_t) place - 1;
}

/* The fraction that a group's word of MAX_FLOAT has; of a group without any, or with none, 0. */
GA_FN double
fraction_of_word(uint64_t word)
{
	double		fraction = float_from_ordered(word, true);

	return fraction_is_good(fraction) ? fraction : 0;
}

#ifndef __CUDACC_RTC__

#define FRACTION_MESSAGE "a percentile's fraction is NULL, or not between 0 and 1"

static inline double
fraction_of(const ParamValue *params, const Accumulator *acc)
{
	double		fraction;

	memcpy(&fraction, &params[acc->param].word, sizeof(fraction));
	return fraction;
}

/* The fraction of an accumulator in a group's state. */
static inline double
fraction_of_state(const Program *p, const ParamValue *params, const Accumulator *acc,
				  const uint64_t *state)
{
	int			of_group = acc_of_fraction(acc);

	return of_group < 0 ? fraction_of(params, acc) :
		fraction_of_word(state[program_accs(p)[of_group].word]);
}

/* Can the fractions of all percentiles be used that are the same for all groups? */
static inline bool
fractions_are_good(const Program *p, const ParamValue *params)
{
	const Accumulator *accs = program_accs(p);

	for (int i = 0; i < p->naccs; i++)
		if (acc_has_fraction((AccKind) accs[i].kind) && acc_of_fraction(&accs[i]) < 0 &&
			(params[accs[i].param].isnull || !fraction_is_good(fraction_of(params, &accs[i]))))
			return false;
	return true;
}

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_ORDER_STATISTIC_H */
