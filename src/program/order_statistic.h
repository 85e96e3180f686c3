/*
 * order_statistic.h
 *	  Values in an unsigned integer that has their order, and which of a group's values a
 *	  percentile is.
 *
 * The integer of a float is float_to_ordered's for a minimum: NaN is above all, and -0 next
 * below 0, which PostgreSQL takes for equal.  So a group with both in which one of them is
 * the result is ambiguous.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_ORDER_STATISTIC_H
#define GPUAGG_ORDER_STATISTIC_H

#include "program/state.h"

#define ORDER_SIGN (UINT64_C(1) << 63)

/* Of 0 and -0 as floats. */
#define ORDER_ZERO ORDER_SIGN
#define ORDER_NEGATIVE_ZERO (ORDER_SIGN - 1)

static inline uint64_t
order_of_integer(int64_t value)
{
	return (uint64_t) value ^ ORDER_SIGN;
}

static inline uint64_t
order_of_float(double value)
{
	return float_to_ordered(value, false);
}

/* The word of FORM_VALUE that has the value. */
static inline uint64_t
order_to_word(uint64_t order, bool is_float)
{
	return is_float ? order : order ^ ORDER_SIGN;
}

/* The bits of a double. */
static inline uint64_t
order_to_bits(uint64_t order)
{
	double		value = float_from_ordered(order, false);
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Is it a fraction that a percentile can have? */
static inline bool
fraction_is_good(double fraction)
{
	return fraction >= 0 && fraction <= 1;
}

/*
 * Of n values, at least one, in their order: the numbers of the two, from 0, between which
 * percentile_cont is, and the share of the way; as PostgreSQL computes them.
 */
static inline void
percentile_cont_ranks(double fraction, uint64_t n, uint64_t *low, uint64_t *high, double *share)
{
	double		place = fraction * (double) (int64_t) (n - 1);

	*low = (uint64_t) floor(place);
	*high = (uint64_t) ceil(place);
	*share = place - (double) (int64_t) *low;
}

/* The number of the one that percentile_disc is. */
static inline uint64_t
percentile_disc_rank(double fraction, uint64_t n)
{
	double		place = ceil(fraction * (double) (int64_t) n);

	return place < 1 ? 0 : (uint64_t) place - 1;
}

#endif							/* GPUAGG_ORDER_STATISTIC_H */
