/*
 * ops_float.h
 *	  Operations over float4 and float8: comparison, checked arithmetic, casts.
 *
 * NaN equals NaN and is greater than all else.  A result that became infinite
 * or zero out of operands that do not account for it is an error.  float4's
 * arithmetic is done in float.  float4 is compared and cast to integers as
 * float8, which holds each of its values.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_FLOAT_H
#define GPUAGG_OPS_FLOAT_H

#include "fn.h"

GA_FN uint8_t
float8_eq(double a, double b)
{
	return a == b || (a != a && b != b);
}

GA_FN uint8_t
float8_ne(double a, double b)
{
	return !float8_eq(a, b);
}

GA_FN uint8_t
float8_lt(double a, double b)
{
	return a < b || (a == a && b != b);
}

GA_FN uint8_t
float8_le(double a, double b)
{
	return a <= b || b != b;
}

GA_FN uint8_t
float8_gt(double a, double b)
{
	return float8_lt(b, a);
}

GA_FN uint8_t
float8_ge(double a, double b)
{
	return float8_le(b, a);
}

GA_FN float
float4_add(float a, float b, bool *error)
{
	float		result = a + b;

	*error |= isinf(result) && !isinf(a) && !isinf(b);
	return result;
}

GA_FN float
float4_sub(float a, float b, bool *error)
{
	float		result = a - b;

	*error |= isinf(result) && !isinf(a) && !isinf(b);
	return result;
}

GA_FN float
float4_mul(float a, float b, bool *error)
{
	float		result = a * b;

	*error |= isinf(result) && !isinf(a) && !isinf(b);
	*error |= result == 0.0f && a != 0.0f && b != 0.0f;
	return result;
}

GA_FN float
float4_div(float a, float b, bool *error)
{
	float		result = a / b;

	*error |= b == 0.0f && !isnan(a);
	*error |= isinf(result) && !isinf(a);
	*error |= result == 0.0f && a != 0.0f && !isinf(b);
	return result;
}

GA_FN float
float4_neg(float a)
{
	return -a;
}

GA_FN float
float4_abs(float a)
{
	return fabsf(a);
}

GA_FN double
float8_add(double a, double b, bool *error)
{
	double		result = a + b;

	*error |= isinf(result) && !isinf(a) && !isinf(b);
	return result;
}

GA_FN double
float8_sub(double a, double b, bool *error)
{
	double		result = a - b;

	*error |= isinf(result) && !isinf(a) && !isinf(b);
	return result;
}

GA_FN double
float8_mul(double a, double b, bool *error)
{
	double		result = a * b;

	*error |= isinf(result) && !isinf(a) && !isinf(b);
	*error |= result == 0.0 && a != 0.0 && b != 0.0;
	return result;
}

GA_FN double
float8_div(double a, double b, bool *error)
{
	double		result = a / b;

	*error |= b == 0.0 && !isnan(a);
	*error |= isinf(result) && !isinf(a);
	*error |= result == 0.0 && a != 0.0 && !isinf(b);
	return result;
}

GA_FN double
float8_neg(double a)
{
	return -a;
}

GA_FN double
float8_abs(double a)
{
	return fabs(a);
}

/* The machine's root is rounded once, on any machine. */
GA_FN double
float8_sqrt(double a, bool *error)
{
	*error |= a < 0.0;
	return sqrt(a);
}

/* A percentile's fraction; -0 as 0. */
GA_FN double
float8_fraction(double a, bool *error)
{
	*error |= !(a >= 0 && a <= 1);
	return a == 0 ? 0 : a;
}

GA_FN double
float8_floor(double a)
{
	return floor(a);
}

GA_FN double
float8_ceil(double a)
{
	return ceil(a);
}

/* To the nearest, the even one of two. */
GA_FN double
float8_round(double a)
{
	return rint(a);
}

GA_FN double
float8_trunc(double a)
{
	return trunc(a);
}

/* NaN has the sign 0. */
GA_FN double
float8_sign(double a)
{
	return (double) ((a > 0.0) - (a < 0.0));
}

GA_FN double
float4_to_float8(float a)
{
	return a;
}

GA_FN float
float8_to_float4(double a, bool *error)
{
	float		result = (float) a;

	*error |= isinf(result) && !isinf(a);
	*error |= result == 0.0f && a != 0.0;
	return result;
}

/*
 * To integers: the nearest, the even one of two.  Range checks are written so
 * that NaN fails them, and what fails is never cast (which would be undefined).
 */
GA_FN int16_t
float8_to_int2(double a, bool *error)
{
	bool		fits;

	a = rint(a);
	fits = a >= -32768.0 && a < 32768.0;
	*error |= !fits;
	return fits ? (int16_t) a : 0;
}

GA_FN int32_t
float8_to_int4(double a, bool *error)
{
	bool		fits;

	a = rint(a);
	fits = a >= -2147483648.0 && a < 2147483648.0;
	*error |= !fits;
	return fits ? (int32_t) a : 0;
}

GA_FN int64_t
float8_to_int8(double a, bool *error)
{
	bool		fits;

	a = rint(a);
	fits = a >= -9223372036854775808.0 && a < 9223372036854775808.0;
	*error |= !fits;
	return fits ? (int64_t) a : 0;
}

GA_FN float
int4_to_float4(int32_t a)
{
	return (float) a;
}

GA_FN double
int4_to_float8(int32_t a)
{
	return (double) a;
}

GA_FN float
int8_to_float4(int64_t a)
{
	return (float) a;
}

GA_FN double
int8_to_float8(int64_t a)
{
	return (double) a;
}

#endif							/* GPUAGG_OPS_FLOAT_H */
