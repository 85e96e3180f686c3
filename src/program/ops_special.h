/*
 * ops_special.h
 *	  Operations over numerics that may be NaN or infinite.
 *
 * Programs that admit specials (specials.c) have them in place of those of
 * ops_int.h, ops_numeric.h and ops_wide.h.  A result that is a number must not be
 * one of those that stand for specials (special.h): it is an error.  Read as C and as
 * CUDA C.
 */
#ifndef GPUAGG_OPS_SPECIAL_H
#define GPUAGG_OPS_SPECIAL_H

#include "ops_int.h"
#include "ops_numeric.h"
#include "ops_wide.h"
#include "special.h"

/* A number: anything else is an error. */
GA_FN int64_t
special_finite(int64_t value, bool *error)
{
	*error |= special_class(value) != 0;
	return value;
}

GA_FN Wide
wide_special_finite(Wide value, bool *error)
{
	*error |= wide_special_class(value) != 0;
	return value;
}

/* What goes into a sum: specials do not. */
GA_FN int64_t
special_addend(int64_t value)
{
	return special_class(value) == 0 ? value : 0;
}

GA_FN Wide
wide_special_addend(Wide value)
{
	return wide_special_class(value) == 0 ? value : wide_of_words(0, 0);
}

/* The bit that says which special it is, if any. */
GA_FN int64_t
special_mark(int64_t value)
{
	return special_class(value);
}

GA_FN int64_t
wide_special_mark(Wide value)
{
	return wide_special_class(value);
}

GA_FN int32_t
special_sign(int64_t value)
{
	return (value > 0) - (value < 0);
}

GA_FN int32_t
wide_special_sign(Wide value)
{
	if (wide_is_negative(value))
		return -1;
	return (value.w[0] | value.w[1]) != 0;
}

GA_FN int64_t
special_add(int64_t a, int64_t b, bool *error)
{
	uint32_t	specials = special_class(a) | special_class(b);

	if (specials)
		return special_number(special_sum_class(specials));
	return special_finite(int8_add(a, b, error), error);
}

GA_FN int64_t
special_sub(int64_t a, int64_t b, bool *error)
{
	uint32_t	specials = special_class(a) | special_negated_class(special_class(b));

	if (specials)
		return special_number(special_sum_class(specials));
	return special_finite(int8_sub(a, b, error), error);
}

GA_FN int64_t
special_mul(int64_t a, int64_t b, bool *error)
{
	uint32_t	specials = special_class(a) | special_class(b);

	if (specials)
		return special_number(special_product_class(specials, special_sign(a),
													special_sign(b)));
	return special_finite(int8_mul(a, b, error), error);
}

GA_FN int64_t
special_neg(int64_t a, bool *error)
{
	uint32_t	special = special_class(a);

	if (special)
		return special_number(special_negated_class(special));
	return special_finite(int8_neg(a, error), error);
}

GA_FN int64_t
special_abs(int64_t a, bool *error)
{
	uint32_t	special = special_class(a);

	if (special)
		return special_number(special == SPECIAL_NINF ? SPECIAL_PINF : special);
	return special_finite(int8_abs(a, error), error);
}

GA_FN int64_t
special_round(int64_t value, int64_t power)
{
	return special_class(value) ? value : numeric_round(value, power);
}

/* A value of limited precision can be NaN, but not infinite. */
GA_FN int64_t
special_fit(int64_t value, int64_t limit, bool *error)
{
	return special_class(value) == SPECIAL_NAN ? value : numeric_fit(value, limit, error);
}

/* From and to 128 bits. */
GA_FN Wide
wide_of_special(int64_t value)
{
	uint32_t	special = special_class(value);

	return special ? wide_special_number(special) : wide_of_int8(value);
}

GA_FN int64_t
wide_to_special(Wide value, bool *error)
{
	uint32_t	special = wide_special_class(value);

	if (special)
		return special_number(special);
	return special_finite(wide_to_int8(value, error), error);
}

GA_FN Wide
wide_special_product(int64_t a, int64_t b)
{
	uint32_t	specials = special_class(a) | special_class(b);

	if (specials)
		return wide_special_number(special_product_class(specials, special_sign(a),
														 special_sign(b)));
	return wide_product(a, b);
}

GA_FN Wide
wide_special_add(Wide a, Wide b, bool *error)
{
	uint32_t	specials = wide_special_class(a) | wide_special_class(b);

	if (specials)
		return wide_special_number(special_sum_class(specials));
	return wide_special_finite(wide_add(a, b, error), error);
}

GA_FN Wide
wide_special_sub(Wide a, Wide b, bool *error)
{
	uint32_t	specials = wide_special_class(a) | special_negated_class(wide_special_class(b));

	if (specials)
		return wide_special_number(special_sum_class(specials));
	return wide_special_finite(wide_sub(a, b, error), error);
}

GA_FN Wide
wide_special_mul(Wide a, Wide b, bool *error)
{
	uint32_t	specials = wide_special_class(a) | wide_special_class(b);

	if (specials)
		return wide_special_number(special_product_class(specials, wide_special_sign(a),
														 wide_special_sign(b)));
	return wide_special_finite(wide_mul(a, b, error), error);
}

GA_FN Wide
wide_special_neg(Wide a, bool *error)
{
	uint32_t	special = wide_special_class(a);

	if (special)
		return wide_special_number(special_negated_class(special));
	return wide_special_finite(wide_neg(a, error), error);
}

GA_FN Wide
wide_special_abs(Wide a, bool *error)
{
	uint32_t	special = wide_special_class(a);

	if (special)
		return wide_special_number(special == SPECIAL_NINF ? SPECIAL_PINF : special);
	return wide_special_finite(wide_abs(a, error), error);
}

GA_FN Wide
wide_special_round(Wide value, int32_t digits)
{
	return wide_special_class(value) ? value : wide_round(value, digits);
}

GA_FN Wide
wide_special_fit(Wide value, Wide limit, bool *error)
{
	return wide_special_class(value) == SPECIAL_NAN ? value : wide_fit(value, limit, error);
}

#endif							/* GPUAGG_OPS_SPECIAL_H */
