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

/*
 * The same of a sum of level EXACT_NARROW of which one word holds all, as nearly every sum's: the
 * processor rounds it, and scaling, of a result that is normal, changes no digit.  The
 * scale is exact_word_scale's, which is 0 if results may not be normal.  False: it is
 * another sum.
 */
extern double exact_word_scale(int32_t unit, bool single);

static inline bool
exact_word_sum(const uint64_t *words, double scale, double *value)
{
	int64_t		number = (int64_t) words[1];

	*value = (double) number * scale;
	return words[0] == 0 && words[2] == (uint64_t) (number >> 63) && scale != 0;
}

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
