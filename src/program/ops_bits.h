/*
 * ops_bits.h
 *	  Bit operations over int2, int4 and int8.
 *
 * What a shift by less than zero or by more than the type's width gives depends
 * on the machine that PostgreSQL runs on: it is an error here, and PostgreSQL
 * then answers.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_BITS_H
#define GPUAGG_OPS_BITS_H

#include "fn.h"

/* A shift's count that a type of so many bits allows; any other is an error. */
GA_FN uint32_t
shift_count(int32_t count, int32_t bits, bool *error)
{
	bool		fits = count >= 0 && count < bits;

	*error |= !fits;
	return fits ? (uint32_t) count : 0;
}

GA_FN int16_t
int2_and(int16_t a, int16_t b)
{
	return (int16_t) (a & b);
}

GA_FN int16_t
int2_or(int16_t a, int16_t b)
{
	return (int16_t) (a | b);
}

GA_FN int16_t
int2_xor(int16_t a, int16_t b)
{
	return (int16_t) (a ^ b);
}

GA_FN int16_t
int2_not(int16_t a)
{
	return (int16_t) ~a;
}

GA_FN int16_t
int2_shl(int16_t a, int32_t count, bool *error)
{
	return (int16_t) ((uint32_t) a << shift_count(count, 16, error));
}

GA_FN int16_t
int2_shr(int16_t a, int32_t count, bool *error)
{
	return (int16_t) (a >> shift_count(count, 16, error));
}

GA_FN int32_t
int4_and(int32_t a, int32_t b)
{
	return (int32_t) (a & b);
}

GA_FN int32_t
int4_or(int32_t a, int32_t b)
{
	return (int32_t) (a | b);
}

GA_FN int32_t
int4_xor(int32_t a, int32_t b)
{
	return (int32_t) (a ^ b);
}

GA_FN int32_t
int4_not(int32_t a)
{
	return (int32_t) ~a;
}

GA_FN int32_t
int4_shl(int32_t a, int32_t count, bool *error)
{
	return (int32_t) ((uint32_t) a << shift_count(count, 32, error));
}

GA_FN int32_t
int4_shr(int32_t a, int32_t count, bool *error)
{
	return (int32_t) (a >> shift_count(count, 32, error));
}

GA_FN int64_t
int8_and(int64_t a, int64_t b)
{
	return (int64_t) (a & b);
}

GA_FN int64_t
int8_or(int64_t a, int64_t b)
{
	return (int64_t) (a | b);
}

GA_FN int64_t
int8_xor(int64_t a, int64_t b)
{
	return (int64_t) (a ^ b);
}

GA_FN int64_t
int8_not(int64_t a)
{
	return (int64_t) ~a;
}

GA_FN int64_t
int8_shl(int64_t a, int32_t count, bool *error)
{
	return (int64_t) ((uint64_t) a << shift_count(count, 64, error));
}

GA_FN int64_t
int8_shr(int64_t a, int32_t count, bool *error)
{
	return (int64_t) (a >> shift_count(count, 64, error));
}

#endif							/* GPUAGG_OPS_BITS_H */
