/*
 * ops_libm.h
 *	  Operations over float8 that the C library's mathematical functions compute.
 *
 * PostgreSQL calls the same functions of the same library, in the same process, and looks for
 * errors as float.c does, so that results have the same bits.  What a device computes differs in
 * the last ones, so a Program with such an operation runs on the CPU engine alone
 * (program_needs_cpu): devices have functions that give errors, or the operand.
 *
 * Where float.c has another result for what old libraries do wrong, it is an error here.  All
 * versions of PostgreSQL agree about the functions here.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_LIBM_H
#define GPUAGG_OPS_LIBM_H

#include "fn.h"

#ifdef __CUDACC_RTC__

#define LIBM_FN(name) \
GA_FN double \
name(double a) \
{ \
	return a; \
}
#define LIBM_CHECKED_FN(name) \
GA_FN double \
name(double a, bool *error) \
{ \
	*error = true; \
	return a; \
}
LIBM_FN(float8_cbrt)
LIBM_FN(float8_atan)
LIBM_FN(float8_sinh)
LIBM_FN(float8_cosh)
LIBM_FN(float8_tanh)
LIBM_FN(float8_asinh)
LIBM_CHECKED_FN(float8_exp)
LIBM_CHECKED_FN(float8_ln)
LIBM_CHECKED_FN(float8_log10)
LIBM_CHECKED_FN(float8_sin)
LIBM_CHECKED_FN(float8_cos)
LIBM_CHECKED_FN(float8_tan)
LIBM_CHECKED_FN(float8_cot)
LIBM_CHECKED_FN(float8_asin)
LIBM_CHECKED_FN(float8_acos)
LIBM_CHECKED_FN(float8_acosh)
LIBM_CHECKED_FN(float8_atanh)
#undef LIBM_FN
#undef LIBM_CHECKED_FN

GA_FN double
float8_atan2(double a, double b)
{
	return a + b;
}

GA_FN double
float8_power(double a, double b, bool *error)
{
	*error = true;
	return a + b;
}

#else

#include <errno.h>

GA_FN double
float8_exp(double a, bool *error)
{
	double		result;

	if (isnan(a) || isinf(a))
		return a < 0 ? 0 : a;
	errno = 0;
	result = exp(a);
	*error |= errno == ERANGE || isinf(result) || result == 0.0;
	return result;
}

/* A logarithm's result. */
GA_FN double
checked_logarithm(double a, double result, bool *error)
{
	*error |= a <= 0.0 || (isinf(result) && !isinf(a)) || (result == 0.0 && a != 1.0);
	return result;
}

GA_FN double
float8_ln(double a, bool *error)
{
	return checked_logarithm(a, log(a), error);
}

GA_FN double
float8_log10(double a, bool *error)
{
	return checked_logarithm(a, log10(a), error);
}

/* Where an operand is infinite, the other one not NaN. */
GA_FN double
power_of_infinite(double a, double b)
{
	double		size = fabs(a);

	if (isinf(b))
		return size == 1.0 ? 1.0 : (b > 0.0) == (size > 1.0) ? (double) INFINITY : 0.0;
	if (b == 0.0)
		return 1.0;
	if (a > 0.0)
		return b > 0.0 ? a : 0.0;
	if (floor(b / 2) != b / 2)
		return b > 0.0 ? a : -0.0;
	return b > 0.0 ? -a : 0.0;
}

GA_FN double
float8_power(double a, double b, bool *error)
{
	double		result;

	if (isnan(a) || isnan(b))
		return b == 0.0 || a == 1.0 ? 1.0 : (double) NAN;
	*error |= (a == 0.0 && b < 0.0) || (a < 0.0 && floor(b) != b);
	if (isinf(a) || isinf(b))
		return power_of_infinite(a, b);
	errno = 0;
	result = pow(a, b);
	*error |= errno == EDOM || errno == ERANGE || isnan(result) || isinf(result) ||
		(result == 0.0 && a != 0.0);
	return result;
}

GA_FN double
float8_cbrt(double a)
{
	return cbrt(a);
}

/* Of an infinite angle there is none. */
#define ANGLE_FN(name, call) \
GA_FN double \
name(double a, bool *error) \
{ \
	double		result; \
\
	if (isnan(a)) \
		return (double) NAN; \
	errno = 0; \
	result = call; \
	*error |= errno != 0 || isinf(a); \
	return result; \
}
ANGLE_FN(float8_sin, sin(a))
ANGLE_FN(float8_cos, cos(a))
ANGLE_FN(float8_tan, tan(a))
ANGLE_FN(float8_cot, 1.0 / tan(a))
#undef ANGLE_FN

GA_FN double
float8_asin(double a, bool *error)
{
	*error |= a < -1.0 || a > 1.0;
	return isnan(a) ? (double) NAN : asin(a);
}

GA_FN double
float8_acos(double a, bool *error)
{
	*error |= a < -1.0 || a > 1.0;
	return isnan(a) ? (double) NAN : acos(a);
}

GA_FN double
float8_atan(double a)
{
	return isnan(a) ? (double) NAN : atan(a);
}

GA_FN double
float8_atan2(double a, double b)
{
	return isnan(a) || isnan(b) ? (double) NAN : atan2(a, b);
}

/* What is out of range is infinite. */
GA_FN double
float8_sinh(double a)
{
	double		result;

	errno = 0;
	result = sinh(a);
	if (errno == ERANGE)
		return a < 0 ? -(double) INFINITY : (double) INFINITY;
	return result;
}

GA_FN double
float8_cosh(double a)
{
	double		result;

	errno = 0;
	result = cosh(a);
	return errno == ERANGE ? (double) INFINITY : result;
}

GA_FN double
float8_tanh(double a)
{
	return tanh(a);
}

GA_FN double
float8_asinh(double a)
{
	return asinh(a);
}

GA_FN double
float8_acosh(double a, bool *error)
{
	*error |= a < 1.0;
	return acosh(a);
}

GA_FN double
float8_atanh(double a, bool *error)
{
	*error |= a < -1.0 || a > 1.0;
	if (a == 1.0 || a == -1.0)
		return a < 0 ? -(double) INFINITY : (double) INFINITY;
	return atanh(a);
}

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_OPS_LIBM_H */
