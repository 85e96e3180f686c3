/*
 * ops_int.h
 *	  Operations over int2, int4 and int8: comparison, checked arithmetic, casts.
 *
 * Arithmetic is done in the next wider type or in unsigned numbers, so that no
 * bits in the operands trap or are undefined behaviour; what does not fit the
 * result's type is an error.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_INT_H
#define GPUAGG_OPS_INT_H

#include "fn.h"

GA_FN uint8_t
int4_eq(int32_t a, int32_t b)
{
	return a == b;
}

GA_FN uint8_t
int4_ne(int32_t a, int32_t b)
{
	return a != b;
}

GA_FN uint8_t
int4_lt(int32_t a, int32_t b)
{
	return a < b;
}

GA_FN uint8_t
int4_le(int32_t a, int32_t b)
{
	return a <= b;
}

GA_FN uint8_t
int4_gt(int32_t a, int32_t b)
{
	return a > b;
}

GA_FN uint8_t
int4_ge(int32_t a, int32_t b)
{
	return a >= b;
}

GA_FN uint8_t
int8_eq(int64_t a, int64_t b)
{
	return a == b;
}

GA_FN uint8_t
int8_ne(int64_t a, int64_t b)
{
	return a != b;
}

GA_FN uint8_t
int8_lt(int64_t a, int64_t b)
{
	return a < b;
}

GA_FN uint8_t
int8_le(int64_t a, int64_t b)
{
	return a <= b;
}

GA_FN uint8_t
int8_gt(int64_t a, int64_t b)
{
	return a > b;
}

GA_FN uint8_t
int8_ge(int64_t a, int64_t b)
{
	return a >= b;
}

/* A result computed in a wider type, narrowed: an error if it does not fit. */
GA_FN int16_t
int2_checked(int32_t value, bool *error)
{
	*error |= value != (int16_t) value;
	return (int16_t) value;
}

GA_FN int32_t
int4_checked(int64_t value, bool *error)
{
	*error |= value != (int32_t) value;
	return (int32_t) value;
}

GA_FN int16_t
int2_add(int16_t a, int16_t b, bool *error)
{
	return int2_checked((int32_t) a + b, error);
}

GA_FN int16_t
int2_sub(int16_t a, int16_t b, bool *error)
{
	return int2_checked((int32_t) a - b, error);
}

GA_FN int16_t
int2_mul(int16_t a, int16_t b, bool *error)
{
	return int2_checked((int32_t) a * b, error);
}

GA_FN int16_t
int2_div(int16_t a, int16_t b, bool *error)
{
	*error |= b == 0;
	return int2_checked((int32_t) a / (b == 0 ? 1 : b), error);
}

GA_FN int16_t
int2_mod(int16_t a, int16_t b, bool *error)
{
	*error |= b == 0;
	return (int16_t) ((int32_t) a % (b == 0 ? 1 : b));
}

GA_FN int16_t
int2_neg(int16_t a, bool *error)
{
	return int2_checked(-(int32_t) a, error);
}

GA_FN int16_t
int2_abs(int16_t a, bool *error)
{
	return int2_checked(a < 0 ? -(int32_t) a : a, error);
}

GA_FN int32_t
int4_add(int32_t a, int32_t b, bool *error)
{
	return int4_checked((int64_t) a + b, error);
}

GA_FN int32_t
int4_sub(int32_t a, int32_t b, bool *error)
{
	return int4_checked((int64_t) a - b, error);
}

GA_FN int32_t
int4_mul(int32_t a, int32_t b, bool *error)
{
	return int4_checked((int64_t) a * b, error);
}

GA_FN int32_t
int4_neg(int32_t a, bool *error)
{
	return int4_checked(-(int64_t) a, error);
}

GA_FN int32_t
int4_abs(int32_t a, bool *error)
{
	return int4_checked(a < 0 ? -(int64_t) a : a, error);
}

/* Division by -1 is negation: the machine's would trap for the least number. */
GA_FN int32_t
int4_div(int32_t a, int32_t b, bool *error)
{
	if (b == -1)
		return int4_neg(a, error);
	*error |= b == 0;
	return a / (b == 0 ? 1 : b);
}

GA_FN int32_t
int4_mod(int32_t a, int32_t b, bool *error)
{
	*error |= b == 0;
	return a % (b == 0 || b == -1 ? 1 : b);
}

/* Overflow: the operands' signs are not the result's. */
GA_FN int64_t
int8_add(int64_t a, int64_t b, bool *error)
{
	int64_t		result = (int64_t) ((uint64_t) a + (uint64_t) b);

	*error |= ((a ^ result) & (b ^ result)) < 0;
	return result;
}

GA_FN int64_t
int8_sub(int64_t a, int64_t b, bool *error)
{
	int64_t		result = (int64_t) ((uint64_t) a - (uint64_t) b);

	*error |= ((a ^ b) & (a ^ result)) < 0;
	return result;
}

/* By a division of the magnitudes. */
GA_FN bool
product_overflows(int64_t a, int64_t b)
{
	uint64_t	x = a < 0 ? 0 - (uint64_t) a : (uint64_t) a;
	uint64_t	y = b < 0 ? 0 - (uint64_t) b : (uint64_t) b;
	uint64_t	most = ((uint64_t) 1 << 63) - ((a < 0) == (b < 0));

	return x != 0 && y > most / x;
}

/* The product of two numbers of 32 bits fits. */
GA_FN int64_t
int8_mul(int64_t a, int64_t b, bool *error)
{
	const uint64_t half = (uint64_t) 1 << 31;

	if ((((uint64_t) a + half) | ((uint64_t) b + half)) >> 32 != 0)
		*error |= product_overflows(a, b);
	return (int64_t) ((uint64_t) a * (uint64_t) b);
}

GA_FN int64_t
int4_product(int32_t a, int32_t b)
{
	return (int64_t) a * b;
}

/*
 * The square of an int8 is high * 2^64 + low, both of them signed: no bits of
 * an int8 make the high part larger than 2^62.
 */
GA_FN int64_t
int8_square_low(int64_t a)
{
	return (int64_t) ((uint64_t) a * (uint64_t) a);
}

GA_FN int64_t
int8_square_high(int64_t a)
{
	uint64_t	x = a < 0 ? 0 - (uint64_t) a : (uint64_t) a;
	uint64_t	high = x >> 32;
	uint64_t	low = x & UINT64_C(0xffffffff);
	uint64_t	carry = (2 * high * low + (low * low >> 32)) >> 32;

	return (int64_t) (high * high + carry) + (int8_square_low(a) < 0);
}

GA_FN int64_t
int8_neg(int64_t a, bool *error)
{
	return int8_sub(0, a, error);
}

GA_FN int64_t
int8_abs(int64_t a, bool *error)
{
	return a < 0 ? int8_neg(a, error) : a;
}

GA_FN int64_t
int8_div(int64_t a, int64_t b, bool *error)
{
	if (b == -1)
		return int8_neg(a, error);
	*error |= b == 0;
	return a / (b == 0 ? 1 : b);
}

GA_FN int64_t
int8_mod(int64_t a, int64_t b, bool *error)
{
	*error |= b == 0;
	return a % (b == 0 || b == -1 ? 1 : b);
}

GA_FN int32_t
int2_to_int4(int16_t a)
{
	return a;
}

GA_FN int64_t
int2_to_int8(int16_t a)
{
	return a;
}

/* Without its sign, which fits for the least number, too. */
GA_FN uint64_t
int8_magnitude(int64_t a)
{
	return a < 0 ? -(uint64_t) a : (uint64_t) a;
}

/* Euclid's algorithm; of 0 and a number, the number. */
GA_FN uint64_t
magnitudes_gcd(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		uint64_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

GA_FN int64_t
int8_gcd(int64_t a, int64_t b, bool *error)
{
	uint64_t	result = magnitudes_gcd(int8_magnitude(a), int8_magnitude(b));

	*error |= result > INT64_MAX;
	return (int64_t) result;
}

GA_FN int64_t
int8_lcm(int64_t a, int64_t b, bool *error)
{
	uint64_t	other = int8_magnitude(b);
	uint64_t	part;

	if (a == 0 || b == 0)
		return 0;
	part = int8_magnitude(a) / magnitudes_gcd(int8_magnitude(a), other);
	*error |= part > INT64_MAX / other;
	return (int64_t) (part * other);
}

GA_FN int32_t
int4_gcd(int32_t a, int32_t b, bool *error)
{
	return int4_checked((int64_t) magnitudes_gcd(int8_magnitude(a), int8_magnitude(b)), error);
}

GA_FN int32_t
int4_lcm(int32_t a, int32_t b, bool *error)
{
	return int4_checked(int8_lcm(a, b, error), error);
}

GA_FN int64_t
int4_to_int8(int32_t a)
{
	return a;
}

GA_FN int16_t
int8_to_int2(int64_t a, bool *error)
{
	*error |= a != (int16_t) a;
	return (int16_t) a;
}

GA_FN int32_t
int8_to_int4(int64_t a, bool *error)
{
	return int4_checked(a, error);
}

#endif							/* GPUAGG_OPS_INT_H */
