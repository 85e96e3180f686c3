/*
 * ops_bool.h
 *	  Operations over booleans.  AND and OR are no functions: see fn.h.
 *
 * A boolean is 0 or 1.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_BOOL_H
#define GPUAGG_OPS_BOOL_H

#include "fn.h"

GA_FN uint8_t
bool_not(uint8_t a)
{
	return !a;
}

GA_FN uint8_t
bool_eq(uint8_t a, uint8_t b)
{
	return a == b;
}

GA_FN uint8_t
bool_ne(uint8_t a, uint8_t b)
{
	return a != b;
}

GA_FN uint8_t
bool_lt(uint8_t a, uint8_t b)
{
	return a < b;
}

GA_FN uint8_t
bool_le(uint8_t a, uint8_t b)
{
	return a <= b;
}

GA_FN uint8_t
bool_gt(uint8_t a, uint8_t b)
{
	return a > b;
}

GA_FN uint8_t
bool_ge(uint8_t a, uint8_t b)
{
	return a >= b;
}

GA_FN int32_t
bool_to_int4(uint8_t a)
{
	return a;
}

GA_FN uint8_t
int4_to_bool(int32_t a)
{
	return a != 0;
}

#endif							/* GPUAGG_OPS_BOOL_H */
