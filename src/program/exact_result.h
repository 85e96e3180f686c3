/*
 * exact_result.h
 *	  Doubles from exact sums (exact.h), rounded once.
 */
#ifndef GPUAGG_EXACT_RESULT_H
#define GPUAGG_EXACT_RESULT_H

#include "exact.h"

/*
 * An accumulator's sum: the words of its state, flags included; or any number of
 * words, of level EXACT_NARROW, which has no flags.
 */
typedef struct ExactSum
{
	const uint64_t *words;
	int			nwords;
	ExactLevel	level;
	int32_t		unit;
} ExactSum;

/*
 * The sum of one value or more, rounded to a double, or to a float if `single`;
 * infinite if it is too large for that.
 */
extern double exact_sum(const ExactSum *sum, bool single);

/* The sum of n values divided by n, rounded to a double once: of n equal ones, that one. */
extern double exact_mean(uint64_t n, const ExactSum *sum);

/* Was one of the values infinite? */
extern bool exact_has_infinity(const ExactSum *sum);

/*
 * n * products - a * b, rounded to a double: n times the sum of the products of
 * deviations from the means, where products is the sum of a's and b's values'
 * products.  NaN if a value was special.
 */
extern double exact_deviations(uint64_t n, const ExactSum *products,
							   const ExactSum *a, const ExactSum *b);

/* The words of a number times 2^unit to the nearest, ties to even. */
extern double exact_round(const uint64_t *words, int n, int32_t unit, bool single);

#endif							/* GPUAGG_EXACT_RESULT_H */
