/*
 * exact_result.c
 *	  Doubles from exact sums, rounded once.
 *
 * Numbers are words in two's complement, the lowest first; those made here have
 * room for all of their digits.
 *
 * Plain C without postgres.h.
 */
#include <math.h>
#include <stdlib.h>

#include "exact_result.h"

/*
 * n * products - a * b in FULL: 50 + 1 words, 35 + 35.  Below that, units that
 * differ shift one of them by no more than all exponents of products there are.
 */
#define MAX_WORDS (EXACT_MAX_WORDS + 2 * EXACT_SUM_WORDS(EXACT_FULL))

/* A double's, or a float's, mantissa, and its least value's exponent. */
#define DOUBLE_BITS 53
#define DOUBLE_LEAST (-1074)
#define FLOAT_BITS 24
#define FLOAT_LEAST (-149)

static bool
is_negative(const uint64_t *words, int n)
{
	return words[n - 1] >> 63 != 0;
}

static void
negate(uint64_t *words, int n)
{
	bool		carry = true;

	for (int i = 0; i < n; i++)
	{
		words[i] = ~words[i] + carry;
		carry = carry && words[i] == 0;
	}
}

/* Bits of the magnitude from `from` on, up to 64 of them. */
static uint64_t
bits_from(const uint64_t *words, int n, int from)
{
	int			word = from / 64;
	int			bit = from % 64;
	uint64_t	bits = word < n ? words[word] >> bit : 0;

	if (bit > 0 && word + 1 < n)
		bits |= words[word + 1] << (64 - bit);
	return bits;
}

/* Is any bit below `below` set? */
static bool
any_below(const uint64_t *words, int below)
{
	for (int i = 0; i < below / 64; i++)
		if (words[i] != 0)
			return true;
	return below % 64 > 0 && (words[below / 64] << (64 - below % 64)) != 0;
}

/* How many bits the magnitude has. */
static int
length_of(const uint64_t *words, int n)
{
	while (n > 0 && words[n - 1] == 0)
		n--;
	return n == 0 ? 0 : 64 * n - __builtin_clzll(words[n - 1]);
}

/* 2^exponent, a normal double. */
static double
power_of_two(int exponent)
{
	uint64_t	bits = (uint64_t) (exponent + 1023) << (DOUBLE_BITS - 1);
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

double
exact_word_scale(int32_t unit, bool single)
{
	int			exponent = unit + 64;

	return exponent < (single ? -126 : -1022) || exponent > 1023 - 64 ? 0 :
		power_of_two(exponent);
}

/*
 * The same as exact_round of three words, of which the second, or it and the first, hold
 * all of the number: the processor rounds it, and scaling, of a result that is normal, changes no digit.
 * False: it is not such a number.
 */
static bool
round_words(const uint64_t *words, int32_t unit, bool single, double *value)
{
	int64_t		high = (int64_t) words[1];
	__int128	number = (__int128) high * ((__int128) 1 << 64) + words[0];
	int			exponent = words[0] == 0 ? unit + 64 : unit;

	if (words[2] != (uint64_t) (high >> 63) ||
		exponent < (single ? -126 : -1022) || exponent > 1023 - (words[0] == 0 ? 64 : 128))
		return false;
	if (words[0] == 0)
		*value = single ? (double) (float) high : (double) high;
	else
		*value = single ? (double) (float) number : (double) number;
	*value *= power_of_two(exponent);
	return true;
}

double
exact_round(const uint64_t *words, int n, int32_t unit, bool single)
{
	uint64_t	magnitude[MAX_WORDS];
	bool		negative = is_negative(words, n);
	int			drop;
	uint64_t	digits;
	double		value;

	if (n == EXACT_SUM_WORDS(EXACT_NARROW) && round_words(words, unit, single, &value))
		return value;
	memcpy(magnitude, words, n * sizeof(uint64_t));
	if (negative)
		negate(magnitude, n);
	/* the lowest bits go: what the mantissa, or the least value, cannot hold */
	drop = length_of(magnitude, n) - (single ? FLOAT_BITS : DOUBLE_BITS);
	if (drop < (single ? FLOAT_LEAST : DOUBLE_LEAST) - unit)
		drop = (single ? FLOAT_LEAST : DOUBLE_LEAST) - unit;
	if (drop < 0)
		drop = 0;
	digits = drop > 64 * n ? 0 : bits_from(magnitude, n, drop);
	if (drop > 0 && drop <= 64 * n && (bits_from(magnitude, n, drop - 1) & 1) &&
		((digits & 1) || any_below(magnitude, drop - 1)))
		digits++;
	value = ldexp((double) digits, drop + unit);
	return negative ? -value : value;
}

/* Flags of special values: what their sum is. */
static bool
special_sum(uint64_t flags, double *value)
{
	bool		plus = (flags & EXACT_PLUS_INFINITY) != 0;
	bool		minus = (flags & EXACT_MINUS_INFINITY) != 0;

	if ((flags & EXACT_NAN) || (plus && minus))
		*value = NAN;
	else if (plus || minus)
		*value = plus ? INFINITY : -INFINITY;
	else if ((flags & EXACT_NOT_MINUS_ZERO) == 0)
		*value = -0.0;
	else
		return false;
	return true;
}

static uint64_t
flags_of(const ExactSum *sum)
{
	return sum->level == EXACT_NARROW ? EXACT_NOT_MINUS_ZERO : sum->words[sum->nwords - 1];
}

static int
number_words(const ExactSum *sum)
{
	return EXACT_NUMBER_WORDS(sum->nwords, sum->level);
}

double
exact_sum(const ExactSum *sum, bool single)
{
	double		value;

	/* nearly every sum: without a call */
	if (sum->level == EXACT_NARROW && sum->nwords == EXACT_SUM_WORDS(EXACT_NARROW) &&
		round_words(sum->words, sum->unit, single, &value))
		return value;
	if (special_sum(flags_of(sum), &value))
		return value;
	return exact_round(sum->words, number_words(sum), sum->unit, single);
}

bool
exact_has_infinity(const ExactSum *sum)
{
	return (flags_of(sum) & (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY)) != 0;
}

/* Into n words, sign-extended, and shifted to the left. */
static void
extend(const uint64_t *words, int nwords, int shift, uint64_t *into, int n)
{
	uint64_t	sign = is_negative(words, nwords) ? UINT64_MAX : 0;
	uint64_t	below = 0;

	for (int i = 0; i < n; i++)
	{
		int			from = i - shift / 64;
		uint64_t	word = from < 0 ? 0 : from < nwords ? words[from] : sign;

		into[i] = shift % 64 ? word << shift % 64 | below >> (64 - shift % 64) : word;
		below = word;
	}
}

/* a * b modulo 2^(64n); all have n words. */
static void
multiply(const uint64_t *a, const uint64_t *b, uint64_t *product, int n)
{
	memset(product, 0, n * sizeof(uint64_t));
	for (int i = 0; i < n; i++)
	{
		uint64_t	carry = 0;

		for (int j = 0; i + j < n && a[i] != 0; j++)
		{
			unsigned __int128 sum = (unsigned __int128) a[i] * b[j] + product[i + j] + carry;

			product[i + j] = (uint64_t) sum;
			carry = (uint64_t) (sum >> 64);
		}
	}
}

/* Divide a magnitude; returns the remainder. */
static uint64_t
divide(uint64_t *words, int nwords, uint64_t divisor)
{
	uint64_t	rest = 0;

	for (int i = nwords - 1; i >= 0; i--)
	{
		unsigned __int128 part = (unsigned __int128) rest << 64 | words[i];

		words[i] = (uint64_t) (part / divisor);
		rest = (uint64_t) (part % divisor);
	}
	return rest;
}

/*
 * Of 128 bits more, a quotient other than 0 has 64 left: a remainder is below
 * all that rounding looks at but whether anything is there.
 */
double
exact_mean(uint64_t n, const ExactSum *sum)
{
	uint64_t	words[MAX_WORDS] = {0};
	int			nwords = number_words(sum) + 3;
	bool		negative;
	double		value;

	if (special_sum(flags_of(sum), &value))
		return value;
	extend(sum->words, number_words(sum), 128, words, nwords);
	negative = is_negative(words, nwords);
	if (negative)
		negate(words, nwords);
	if (divide(words, nwords, n) != 0)
		words[0] |= 1;
	value = exact_round(words, nwords, sum->unit - 128, false);
	return negative ? -value : value;
}

double
exact_deviations(uint64_t n, const ExactSum *products, const ExactSum *a,
				 const ExactSum *b)
{
	uint64_t	x[MAX_WORDS];
	uint64_t	y[MAX_WORDS] = {0};
	uint64_t	count[MAX_WORDS] = {n};
	uint64_t	minuend[MAX_WORDS];
	uint64_t	subtrahend[MAX_WORDS];
	int32_t		unit = a->unit + b->unit;
	int32_t		shift = products->unit - unit;
	int			minuend_words = number_words(products) + 2;
	int			subtrahend_words = number_words(a) + number_words(b) + 1;
	int			nwords = minuend_words > subtrahend_words ? minuend_words : subtrahend_words;

	if ((flags_of(products) | flags_of(a) | flags_of(b)) &
		(EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY))
		return NAN;
	/* the one with the larger unit is shifted */
	nwords += abs(shift) / 64 + 1;
	if (nwords > MAX_WORDS)
		nwords = MAX_WORDS;
	extend(products->words, number_words(products), shift > 0 ? shift : 0, x, nwords);
	multiply(count, x, minuend, nwords);
	extend(a->words, number_words(a), shift < 0 ? -shift : 0, x, nwords);
	extend(b->words, number_words(b), 0, y, nwords);
	multiply(x, y, subtrahend, nwords);
	negate(subtrahend, nwords);
	exact_add(minuend, subtrahend, nwords);
	return exact_round(minuend, nwords, shift < 0 ? products->unit : unit, false);
}
