/*
 * ops_wide.h
 *	  Numbers of 128 bits: numerics that 64 do not hold.
 *
 * Two's complement in two words.  Products and quotients are taken of magnitudes,
 * by halves of words, since kernels have no wider integers than C.  What leaves
 * 128 bits is an error.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_WIDE_H
#define GPUAGG_OPS_WIDE_H

#include "fn.h"
#include "numeric_page.h"

#define WIDE_SIGN ((uint64_t) 1 << 63)

GA_FN Wide
wide_of_words(uint64_t low, uint64_t high)
{
	Wide		result;

	result.w[0] = low;
	result.w[1] = high;
	return result;
}

GA_FN bool
wide_is_negative(Wide a)
{
	return (a.w[1] & WIDE_SIGN) != 0;
}

/* Modulo 2^128. */
GA_FN Wide
wide_plus(Wide a, Wide b)
{
	uint64_t	low = a.w[0] + b.w[0];

	return wide_of_words(low, a.w[1] + b.w[1] + (low < b.w[0]));
}

GA_FN Wide
wide_negated(Wide a)
{
	return wide_plus(wide_of_words(~a.w[0], ~a.w[1]), wide_of_words(1, 0));
}

GA_FN Wide
wide_magnitude(Wide a)
{
	return wide_is_negative(a) ? wide_negated(a) : a;
}

/* A magnitude with a sign; that of the least number has none. */
GA_FN Wide
wide_signed(Wide magnitude, bool negative, bool *error)
{
	*error |= wide_is_negative(magnitude);
	return negative ? wide_negated(magnitude) : magnitude;
}

GA_FN Wide
wide_unsigned_product(uint64_t a, uint64_t b)
{
	uint64_t	a0 = a & UINT64_C(0xffffffff);
	uint64_t	a1 = a >> 32;
	uint64_t	b0 = b & UINT64_C(0xffffffff);
	uint64_t	b1 = b >> 32;
	uint64_t	middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t	other = a0 * b1 + (middle & UINT64_C(0xffffffff));

	return wide_of_words(a * b, a1 * b1 + (middle >> 32) + (other >> 32));
}

/* From and to words. */
GA_FN Wide
wide_of_int8(int64_t a)
{
	return wide_of_words((uint64_t) a, a < 0 ? UINT64_MAX : 0);
}

GA_FN Wide
wide_make(int64_t low, int64_t high)
{
	return wide_of_words((uint64_t) low, (uint64_t) high);
}

GA_FN int64_t
wide_to_int8(Wide a, bool *error)
{
	*error |= a.w[1] != ((a.w[0] & WIDE_SIGN) ? UINT64_MAX : 0);
	return (int64_t) a.w[0];
}

/* For sums: a is high * 2^64 + low, both of them signed. */
GA_FN int64_t
wide_low(Wide a)
{
	return (int64_t) a.w[0];
}

GA_FN int64_t
wide_high(Wide a, bool *error)
{
	uint64_t	high = a.w[1] + (a.w[0] >> 63);

	*error |= high == WIDE_SIGN && !wide_is_negative(a);
	return (int64_t) high;
}

GA_FN uint8_t
wide_eq(Wide a, Wide b)
{
	return a.w[0] == b.w[0] && a.w[1] == b.w[1];
}

GA_FN uint8_t
wide_ne(Wide a, Wide b)
{
	return !wide_eq(a, b);
}

GA_FN uint8_t
wide_lt(Wide a, Wide b)
{
	return a.w[1] == b.w[1] ? a.w[0] < b.w[0] : (int64_t) a.w[1] < (int64_t) b.w[1];
}

GA_FN uint8_t
wide_le(Wide a, Wide b)
{
	return !wide_lt(b, a);
}

GA_FN uint8_t
wide_gt(Wide a, Wide b)
{
	return wide_lt(b, a);
}

GA_FN uint8_t
wide_ge(Wide a, Wide b)
{
	return !wide_lt(a, b);
}

/* Overflow: the operands' signs are not the result's. */
GA_FN Wide
wide_add(Wide a, Wide b, bool *error)
{
	Wide		result = wide_plus(a, b);

	*error |= ((a.w[1] ^ result.w[1]) & (b.w[1] ^ result.w[1]) & WIDE_SIGN) != 0;
	return result;
}

GA_FN Wide
wide_sub(Wide a, Wide b, bool *error)
{
	Wide		result = wide_plus(a, wide_negated(b));

	*error |= ((a.w[1] ^ b.w[1]) & (a.w[1] ^ result.w[1]) & WIDE_SIGN) != 0;
	return result;
}

GA_FN Wide
wide_neg(Wide a, bool *error)
{
	return wide_sub(wide_of_words(0, 0), a, error);
}

GA_FN Wide
wide_abs(Wide a, bool *error)
{
	return wide_is_negative(a) ? wide_neg(a, error) : a;
}

/* The product of two int8, which always fits. */
GA_FN Wide
wide_product(int64_t a, int64_t b)
{
	uint64_t	x = a < 0 ? 0 - (uint64_t) a : (uint64_t) a;
	uint64_t	y = b < 0 ? 0 - (uint64_t) b : (uint64_t) b;
	Wide		result = wide_unsigned_product(x, y);

	return (a < 0) != (b < 0) ? wide_negated(result) : result;
}

GA_FN Wide
wide_mul(Wide a, Wide b, bool *error)
{
	Wide		x = wide_magnitude(a);
	Wide		y = wide_magnitude(b);
	Wide		low = wide_unsigned_product(x.w[0], y.w[0]);
	Wide		cross = wide_plus(wide_unsigned_product(x.w[1], y.w[0]),
								  wide_unsigned_product(x.w[0], y.w[1]));
	uint64_t	high = low.w[1] + cross.w[0];

	*error |= (x.w[1] != 0 && y.w[1] != 0) || cross.w[1] != 0 || high < low.w[1];
	return wide_signed(wide_of_words(low.w[0], high),
					   wide_is_negative(a) != wide_is_negative(b), error);
}

/* A magnitude divided by a number below 2^32, without what is behind the point. */
GA_FN Wide
wide_quotient(Wide a, uint32_t divisor)
{
	uint64_t	rest = 0;

	for (int i = 3; i >= 0; i--)
	{
		uint64_t	part = rest << 32 | (a.w[i / 2] >> (32 * (i % 2)) & UINT64_C(0xffffffff));
		uint64_t	quotient = part / divisor;

		rest = part % divisor;
		a.w[i / 2] &= i % 2 ? UINT64_C(0xffffffff) : UINT64_C(0xffffffff00000000);
		a.w[i / 2] |= quotient << (32 * (i % 2));
	}
	return a;
}

/* 10^exponent, of an exponent up to 38. */
GA_FN Wide
wide_power_of_10(int32_t exponent)
{
	Wide		power = wide_of_words(1, 0);
	bool		error = false;

	for (int32_t i = 0; i < exponent && i < 38; i++)
		power = wide_mul(power, wide_of_words(10, 0), &error);
	return power;
}

/*
 * a / 10^digits, rounded as numeric is: halves away from zero.  The half is added
 * to the magnitude, and then digits are cut off, nine at a time.
 */
GA_FN Wide
wide_round(Wide a, int32_t digits)
{
	Wide		magnitude = wide_magnitude(a);
	Wide		half = wide_power_of_10(digits - 1);
	uint32_t	power = 1;

	if (digits <= 0)
		return a;
	for (int i = 0; i < 5; i++)
		magnitude = wide_plus(magnitude, half);
	for (; digits >= 9; digits -= 9)
		magnitude = wide_quotient(magnitude, 1000000000);
	for (; digits > 0; digits--)
		power *= 10;
	magnitude = wide_quotient(magnitude, power);
	return wide_is_negative(a) ? wide_negated(magnitude) : magnitude;
}

/* A value of limited precision; the limit is above zero. */
GA_FN Wide
wide_fit(Wide value, Wide limit, bool *error)
{
	*error |= wide_ge(value, limit) || wide_le(value, wide_negated(limit));
	return value;
}

#endif							/* GPUAGG_OPS_WIDE_H */
