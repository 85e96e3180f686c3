/*
 * exact.h
 *	  Floats as exact fixed-point numbers, so that their sums are exact.
 *
 * A sum of floats is an integer of n 64-bit words, the lowest first, in two's
 * complement, that counts units of 2^unit.  A value is m * 2^e with an integer
 * m of at most 53 bits, and goes in as m << (e - unit); a product of two values
 * has at most 106 bits.  Additions are those of integers, modulo 2^(64n): their
 * order does not matter, and the sum is rounded once, at the end
 * (exact_result.h).
 *
 * No value may have bits below the unit, and EXACT_ROWS_BITS bits above the
 * largest one are left to the number of rows.  That makes a window of
 * exponents, whose place, the unit, a run chooses from the first values that it
 * sees.  How wide it is, is the level of the Program:
 *
 *	NARROW	3 words: nearly all real data.  What does not fit (a NaN, an infinity,
 *			-0, an exponent outside the window) is EXACT_WIDEN, and the run begins
 *			again one level up.  The unit is chosen so that most values fall into
 *			a sum's middle word alone: the lowest is for bits of small values, the
 *			highest for carries and large values.
 *	MEDIUM	6 and 9 words
 *	FULL	35 and 50 words: all finite values, in units of the least one
 *
 * Above NARROW the last word has flags, merged by OR: which special values there
 * were, and whether there was any value but -0, since only a sum of nothing but
 * -0 is -0.
 *
 * A value of 2^limit or more, where the limit is the accumulator's, is
 * EXACT_BEYOND: there, PostgreSQL's sums, or the squares it keeps, can overflow.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_EXACT_H
#define GPUAGG_EXACT_H

#include "fn.h"

typedef enum ExactLevel
{
	EXACT_NARROW,
	EXACT_MEDIUM,
	EXACT_FULL
} ExactLevel;

/* Words of a state, with the flags; those of the number alone. */
#define EXACT_MAX_WORDS 50
#define EXACT_SUM_WORDS(level) \
	((level) == EXACT_NARROW ? 3 : (level) == EXACT_MEDIUM ? 6 : 35)
#define EXACT_PRODUCT_WORDS(level) \
	((level) == EXACT_NARROW ? 3 : (level) == EXACT_MEDIUM ? 9 : 50)
#define EXACT_NUMBER_WORDS(nwords, level) \
	((level) == EXACT_NARROW ? (nwords) : (nwords) - 1)

/* A run takes fewer rows than 2^EXACT_ROWS_BITS into float sums. */
#define EXACT_ROWS_BITS 34
#define EXACT_MAX_ROWS (UINT64_C(1) << EXACT_ROWS_BITS)

/* Bits of a window: one is the sign. */
#define EXACT_WINDOW(n) (64 * (n) - EXACT_ROWS_BITS - 1)

/* The least value, and the least product of two. */
#define EXACT_LEAST (-1074)
#define EXACT_LEAST_PRODUCT (2 * EXACT_LEAST)

/*
 * Room for larger values than the first ones: of a narrow sum's middle word,
 * where 64 - 53 - 5 bits then are for smaller ones; of a window else.
 */
#define EXACT_ROOM_SUM 5
#define EXACT_ROOM_PRODUCT 8

/* A double's exponent field is that of its lowest mantissa bit, and this. */
#define EXACT_BIAS 1075
#define EXACT_SPECIAL 0x7ff
#define EXACT_MANTISSA_BITS 53

/* What became of a value; 0: taken in. */
#define EXACT_WIDEN 1
#define EXACT_BEYOND 2

/* Flags. */
#define EXACT_NAN 1
#define EXACT_PLUS_INFINITY 2
#define EXACT_MINUS_INFINITY 4
#define EXACT_NOT_MINUS_ZERO 8

/* Limits, as binary exponents: see lower_agg.c. */
#define EXACT_LIMIT_ANY 1024
#define EXACT_LIMIT_SUM8 989
#define EXACT_LIMIT_SUM4 93
#define EXACT_LIMIT_SQUARES 465

/* A value, or a product: +-digits * 2^exponent, or flags. */
typedef struct ExactNumber
{
	uint64_t	digits[2];
	int32_t		exponent;
	uint32_t	flags;
	bool		negative;
	bool		beyond;
} ExactNumber;

GA_FN uint64_t
exact_float_bits(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A value's exponent field, if it is finite and not 0; else 0. */
GA_FN uint32_t
exact_exponent(double value)
{
	uint64_t	bits = exact_float_bits(value) << 1;
	uint32_t	exponent = (uint32_t) (bits >> 53);

	if (exponent == EXACT_SPECIAL || bits == 0)
		return 0;
	return exponent > 0 ? exponent : 1;
}

/* The sum of both fields, if the product is finite and not 0; else 0. */
GA_FN uint32_t
exact_product_exponent(double a, double b)
{
	uint32_t	x = exact_exponent(a);
	uint32_t	y = exact_exponent(b);

	return x > 0 && y > 0 ? x + y : 0;
}

/*
 * Bits of digits << shift that fall into one word: offset is the word's place
 * less the shift, in bits.
 */
GA_FN uint64_t
exact_bits_at(const uint64_t *digits, int32_t offset)
{
	if (offset <= -64 || offset >= 128)
		return 0;
	if (offset < 0)
		return digits[0] << -offset;
	if (offset == 0)
		return digits[0];
	if (offset < 64)
		return (digits[0] >> offset) | (digits[1] << (64 - offset));
	return digits[1] >> (offset - 64);
}

GA_FN ExactNumber
exact_number(double value, int32_t limit)
{
	uint64_t	bits = exact_float_bits(value);
	uint32_t	exponent = (uint32_t) (bits >> 52) & EXACT_SPECIAL;
	uint64_t	fraction = bits & UINT64_C(0x000fffffffffffff);
	ExactNumber number;

	number.negative = bits >> 63 != 0;
	number.digits[0] = exponent > 0 ? fraction | (UINT64_C(1) << 52) : fraction;
	number.digits[1] = 0;
	number.exponent = (exponent > 0 ? (int32_t) exponent : 1) - EXACT_BIAS;
	number.flags = bits == UINT64_C(0x8000000000000000) ? 0 : EXACT_NOT_MINUS_ZERO;
	number.beyond = false;
	if (exponent == EXACT_SPECIAL)
	{
		number.flags |= fraction != 0 ? EXACT_NAN :
			number.negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
		number.digits[0] = 0;
	}
	else
		number.beyond = (int32_t) exponent >= limit + 1023;
	return number;
}

/* The product; where an operand is special, so is every sum: NaN. */
GA_FN ExactNumber
exact_product(double a, double b, int32_t limit)
{
	ExactNumber x = exact_number(a, limit);
	ExactNumber y = exact_number(b, limit);
	uint32_t	special = (x.flags | y.flags) & ~(uint32_t) EXACT_NOT_MINUS_ZERO;

#ifdef __CUDACC__
	x.digits[1] = __umul64hi(x.digits[0], y.digits[0]);
#else
	x.digits[1] = (uint64_t) (((unsigned __int128) x.digits[0] * y.digits[0]) >> 64);
#endif
	x.digits[0] *= y.digits[0];
	x.exponent += y.exponent;
	x.negative = x.negative != y.negative;
	x.beyond = x.beyond || y.beyond;
	x.flags = EXACT_NOT_MINUS_ZERO | (special ? EXACT_NAN : 0);
	return x;
}

/*
 * Where the digits go in n words: *shift bits to the left, 0 or more; digits
 * that are 0 below the unit go.  False if others would be lost, or bits stood
 * outside the window.
 */
GA_FN bool
exact_align(ExactNumber *number, int32_t unit, int n, int32_t *shift)
{
	int32_t		places = number->exponent - unit;
	uint64_t	low[2];

	*shift = 0;
	if ((number->digits[0] | number->digits[1]) == 0)
		return true;
	if (places < 0)
	{
		if (places <= -2 * EXACT_MANTISSA_BITS)
			return false;
		low[0] = exact_bits_at(number->digits, -places);
		low[1] = exact_bits_at(number->digits, 64 - places);
		if (exact_bits_at(low, places) != number->digits[0] ||
			exact_bits_at(low, 64 + places) != number->digits[1])
			return false;
		number->digits[0] = low[0];
		number->digits[1] = low[1];
		places = 0;
	}
	*shift = places;
	if (number->digits[1] != 0)
		places += 2 * EXACT_MANTISSA_BITS;
	else
		places += number->digits[0] >> EXACT_MANTISSA_BITS != 0 ? 64 : EXACT_MANTISSA_BITS;
	return places <= EXACT_WINDOW(n);
}

/* The number as n words, and the flags behind them unless `narrow`. */
GA_FN uint32_t
exact_place(ExactNumber number, int32_t unit, uint64_t *words, int n, bool narrow)
{
	uint64_t	sign = number.negative ? UINT64_MAX : 0;
	uint64_t	carry = number.negative ? 1 : 0;
	int32_t		shift = 0;
	bool		fits;

	fits = !number.beyond && exact_align(&number, unit, n, &shift) &&
		!(narrow && number.flags != EXACT_NOT_MINUS_ZERO);
	PRAGMA_WORDS
	for (int i = 0; i < n; i++)
	{
		words[i] = (exact_bits_at(number.digits, 64 * i - shift) ^ sign) + carry;
		carry = carry & (words[i] == 0);
	}
	if (!narrow)
		words[n] = number.flags;
	return fits ? 0 : number.beyond ? EXACT_BEYOND : EXACT_WIDEN;
}

/* Shifts by any number of bits. */
GA_FN uint64_t
exact_left(uint64_t value, uint32_t bits)
{
#ifdef __CUDACC__
	uint64_t	result;

	asm("shl.b64 %0, %1, %2;" : "=l"(result) : "l"(value), "r"(bits));
	return result;
#else
	return bits < 64 ? value << bits : 0;
#endif
}

GA_FN uint64_t
exact_right(uint64_t value, uint32_t bits)
{
#ifdef __CUDACC__
	uint64_t	result;

	asm("shr.s64 %0, %1, %2;" : "=l"(result) : "l"(value), "r"(bits));
	return result;
#else
	return (uint64_t) ((int64_t) value >> (bits < 64 ? bits : 63));
#endif
}

/*
 * The same for a sum, NARROW: the common case, on a CPU with a branch that nearly
 * all values take, on a GPU without any.  What has bits outside the window by its
 * exponent alone is EXACT_WIDEN, and 0 like 0 itself.
 */
GA_FN uint32_t
exact_narrow(double value, int32_t unit, uint64_t *low, uint64_t *middle, uint64_t *high)
{
	uint64_t	bits = exact_float_bits(value);
	uint64_t	sign = 0 - (bits >> 63);
	uint64_t	digits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
	uint32_t	shift = ((uint32_t) (bits >> 52) & EXACT_SPECIAL) -
		(uint32_t) (unit + EXACT_BIAS);
	bool		outside = shift > EXACT_WINDOW(3) - EXACT_MANTISSA_BITS;
	uint64_t	above;
	uint64_t	below;

	digits = outside ? 0 : (digits ^ sign) - sign;
#ifndef __CUDACC__
	if (shift - 64 <= 64 - EXACT_MANTISSA_BITS - 1)
	{
		*low = 0;
		*middle = digits << (shift - 64);
		*high = sign;
		return 0;
	}
#endif
	above = exact_left(digits, shift - 64);
	below = exact_right(digits, 64 - shift);
	*low = exact_left(digits, shift);
	*middle = shift < 64 ? below : above;
	*high = exact_right(digits, 128 - shift);
	return outside && bits != 0 ? EXACT_WIDEN : 0;
}

/* A sum of n words more. */
GA_FN void
exact_add(uint64_t *into, const uint64_t *from, int n)
{
	uint64_t	carry = 0;

	PRAGMA_WORDS
	for (int i = 0; i < n; i++)
	{
		uint64_t	sum = into[i] + from[i];
		uint64_t	over = sum < from[i];

		into[i] = sum + carry;
		carry = over | (into[i] < sum);
	}
}

#ifndef __CUDACC_RTC__

/* The same of one number; only the words that it touches.  Changes the number. */
GA_FN uint32_t
exact_accumulate(ExactNumber *number, int32_t unit, uint64_t *words, int n, bool narrow)
{
	int32_t		shift;
	uint64_t	carry = 0;

	if (number->beyond)
		return EXACT_BEYOND;
	if ((narrow && number->flags != EXACT_NOT_MINUS_ZERO) ||
		!exact_align(number, unit, n, &shift))
		return EXACT_WIDEN;
	for (int i = shift / 64; i < n; i++)
	{
		int32_t		offset = 64 * i - shift;
		uint64_t	part = exact_bits_at(number->digits, offset) + carry;

		carry = carry && part == 0;
		if (number->negative)
		{
			carry |= words[i] < part;
			words[i] -= part;
		}
		else
		{
			words[i] += part;
			carry |= words[i] < part;
		}
		if (carry == 0 && offset >= 64)
			break;
	}
	if (!narrow)
		words[n] |= number->flags;
	return 0;
}

/*
 * The unit of a run's sums: of n words, from the largest exponent that
 * exact_exponent or exact_product_exponent gave for the first values (0: none),
 * with room for larger values; of the rest, all is below.
 */
GA_FN int32_t
exact_unit(ExactLevel level, bool product, int n, uint32_t exponent, int32_t limit)
{
	int32_t		least = product ? EXACT_LEAST_PRODUCT : EXACT_LEAST;
	int32_t		most = limit * (product ? 2 : 1) - EXACT_WINDOW(n);
	int32_t		top;			/* of the largest value: 2^top is above it */
	int32_t		unit;

	if (level == EXACT_FULL)
		return least;
	if (product)
		top = (exponent > 0 ? (int32_t) exponent - 2046 : 0) + 2;
	else
		top = (exponent > 0 ? (int32_t) exponent - 1023 : 0) + 1;
	if (level == EXACT_MEDIUM)
		unit = top - EXACT_WINDOW(n) / 2 - EXACT_MANTISSA_BITS;
	else if (product)
		unit = top + EXACT_ROOM_PRODUCT - EXACT_WINDOW(n);
	else
		unit = top + EXACT_ROOM_SUM - 128;
	if (unit > most)
		unit = most;
	return unit < least ? least : unit;
}

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_EXACT_H */
