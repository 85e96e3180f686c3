/*
 * special.h
 *	  NaN and the infinities among numerics, as numbers.
 *
 * A Program that admits specials (specials.c) has them in the registers of its
 * numerics as three numbers at the ends of what 64, or 128, bits hold.  They are
 * in PostgreSQL's order, in which NaN equals NaN and is larger than all else, so
 * that comparisons, extremes, keys and selections need not know of them.  No
 * other numeric may be one of these numbers.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_SPECIAL_H
#define GPUAGG_SPECIAL_H

#include "fn.h"

/* Bits: what a value is; no bit: a number. */
#define SPECIAL_NAN 1u
#define SPECIAL_PINF 2u
#define SPECIAL_NINF 4u

#define SPECIAL_NUMBER_NAN INT64_MAX
#define SPECIAL_NUMBER_PINF (INT64_MAX - 1)
#define SPECIAL_NUMBER_NINF INT64_MIN

GA_FN uint32_t
special_class(int64_t value)
{
	if (value == SPECIAL_NUMBER_NAN)
		return SPECIAL_NAN;
	if (value == SPECIAL_NUMBER_PINF)
		return SPECIAL_PINF;
	return value == SPECIAL_NUMBER_NINF ? SPECIAL_NINF : 0;
}

GA_FN int64_t
special_number(uint32_t special)
{
	if (special == SPECIAL_NAN)
		return SPECIAL_NUMBER_NAN;
	return special == SPECIAL_PINF ? SPECIAL_NUMBER_PINF : SPECIAL_NUMBER_NINF;
}

/* The same at the ends of 128 bits. */
GA_FN uint32_t
wide_special_class(Wide value)
{
	if (value.w[1] == (uint64_t) INT64_MAX && value.w[0] >= UINT64_MAX - 1)
		return value.w[0] == UINT64_MAX ? SPECIAL_NAN : SPECIAL_PINF;
	return value.w[1] == (uint64_t) INT64_MIN && value.w[0] == 0 ? SPECIAL_NINF : 0;
}

GA_FN Wide
wide_special_number(uint32_t special)
{
	Wide		value;

	value.w[1] = special == SPECIAL_NINF ? (uint64_t) INT64_MIN : (uint64_t) INT64_MAX;
	value.w[0] = special == SPECIAL_NINF ? 0 : UINT64_MAX - (special == SPECIAL_PINF);
	return value;
}

/* What several values add up to, of which at least one is special. */
GA_FN uint32_t
special_sum_class(uint32_t specials)
{
	if ((specials & SPECIAL_NAN) || specials == (SPECIAL_PINF | SPECIAL_NINF))
		return SPECIAL_NAN;
	return specials;
}

GA_FN uint32_t
special_negated_class(uint32_t special)
{
	return (special & SPECIAL_NAN) | (special & SPECIAL_PINF ? SPECIAL_NINF : 0) |
		(special & SPECIAL_NINF ? SPECIAL_PINF : 0);
}

/*
 * A product of values of which at least one is special; signs: -1, 0 or 1.  Zero
 * times infinity is NaN.
 */
GA_FN uint32_t
special_product_class(uint32_t specials, int32_t a_sign, int32_t b_sign)
{
	if ((specials & SPECIAL_NAN) || a_sign == 0 || b_sign == 0)
		return SPECIAL_NAN;
	return a_sign == b_sign ? SPECIAL_PINF : SPECIAL_NINF;
}

#endif							/* GPUAGG_SPECIAL_H */
