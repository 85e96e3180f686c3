/*
 * lower_wide.h
 *	  Numerics in 128 bits, and powers of 10 in 64.
 */
#ifndef GPUAGG_LOWER_WIDE_H
#define GPUAGG_LOWER_WIDE_H

#include "plan/lower/lowering.h"

extern bool is_wide(Lowering *l, int reg);

/* A register of 128 bits, or of 64 (an error if the value does not fit). */
extern int	make_wide(Lowering *l, int reg);
extern int	make_narrow(Lowering *l, int reg);

/* A constant in units of 10^-scale. */
extern int	wide_const(Lowering *l, const Const *constant, int scale);

/* 10^exponent, in 128 and in 64 bits. */
extern int	wide_power(Lowering *l, int exponent);
extern int	lower_power(Lowering *l, int exponent);
extern int64 power_of_10(int exponent);

/* A value of any width, with that many more digits. */
extern int	wide_raised(Lowering *l, int reg, int digits);

/* The operation over WIDE that does what one over INT8 does, or -1. */
extern int	wide_op(OpCode op);

#endif							/* GPUAGG_LOWER_WIDE_H */
