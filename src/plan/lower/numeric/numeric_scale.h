/*
 * numeric_scale.h
 *	  Scales and sizes of numerics.
 */
#ifndef GPUAGG_NUMERIC_SCALE_H
#define GPUAGG_NUMERIC_SCALE_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/display_scale.h"

/* A numeric in a register: it counts units of 10^-scale, as INT8 or WIDE. */
typedef struct NumericInfo
{
	int			scale;
	double		most;			/* units expected at most; 0: not known */
	const DisplayScale *shown;	/* its display scale */
} NumericInfo;

/*
 * Above it numbers are not expected to fit 64, or 128, bits.  Statistics are a
 * sample: these leave room for values 8, or 4, times as large.
 */
#define NUMERIC64_MOST 1152921504606846976.0	/* 2^60 */
#define NUMERIC128_MOST 4.25352958651173e+37	/* 2^125 */

extern bool is_numeric(const Expr *expr);

/*
 * Is it a numeric of a known scale, by its type alone?  One that is rounded to
 * hundreds has no digits behind the point, as one that is rounded to integers.
 */
extern bool known_scale(const Expr *expr, int *scale);

/* How many digits its units have at most, by its type modifier. */
extern bool known_precision(const Expr *expr, int *precision);

/* Precision and scale in a type modifier; false: it has none that can be used. */
extern bool read_typmod(int32 typmod, int *precision, int *scale);

/* The scale of values that all have one. */
extern void fixed_scale(NumericInfo *info, int scale, double most);

/* Are values expected to fit?  Where not, an engine's time would be lost. */
extern bool check_size(Lowering *l, const NumericInfo *info);

/* Is a number of that size, with more digits, not expected to fit 64 bits? */
extern bool is_expected_wide(double most, int digits);

#endif							/* GPUAGG_NUMERIC_SCALE_H */
