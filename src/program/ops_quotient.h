/*
 * ops_quotient.h
 *	  Quotients of numerics, rounded at the scale that PostgreSQL chooses for them.
 *
 * That scale depends on the operands' values (select_div_scale of numeric.c): a quotient has 16
 * significant digits at least, which are counted by the places of the operands' first digits to
 * the base 10000, and these digits.  So a quotient is several operations: numeric_leading of both
 * operands, quotient_scale of these, numeric_quotient in units of that scale, and wide_raise to
 * a scale that all quotients have.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_QUOTIENT_H
#define GPUAGG_OPS_QUOTIENT_H

#include "fn.h"
#include "numeric_page.h"
#include "ops_wide.h"

/* The significant digits of a quotient (NUMERIC_MIN_SIG_DIGITS), and those of one to the base. */
#define QUOTIENT_DIGITS 16
#define DIGITS_OF_ONE 4

/* A number's first digit, and so many times its place. */
#define LEADING_PLACE 16384

/* 10^exponent, of an exponent up to 19. */
GA_FN uint64_t
unsigned_power_of_10(int32_t exponent)
{
	uint64_t	power = 1;

	for (int32_t i = 0; i < exponent && i < 19; i++)
		power *= 10;
	return power;
}

/*
 * Of a number of units of 10^-scale: its first digit to the base 10000, and the place of that
 * digit, counted from one that no number has, so that it is positive.  Of zero PostgreSQL takes
 * the digit 0 before the point.
 */
GA_FN int32_t
numeric_leading(int64_t units, int32_t scale)
{
	int32_t		digits = scale < 0 ? 0 : scale > NUMERIC128_MAX_SCALE ? NUMERIC128_MAX_SCALE : scale;
	int32_t		place = 64 - (digits + DIGITS_OF_ONE - 1) / DIGITS_OF_ONE;
	int32_t		missing = (DIGITS_OF_ONE - digits % DIGITS_OF_ONE) % DIGITS_OF_ONE;
	uint64_t	most = unsigned_power_of_10(DIGITS_OF_ONE - missing);
	uint64_t	number = units < 0 ? 0 - (uint64_t) units : (uint64_t) units;

	if (number == 0)
		return 64 * LEADING_PLACE;
	if (number < most)
		return place * LEADING_PLACE + (int32_t) (number * unsigned_power_of_10(missing));
	number /= most;
	for (place++; number >= NUMERIC_BASE; place++)
		number /= NUMERIC_BASE;
	return place * LEADING_PLACE + (int32_t) number;
}

/* The scale of a quotient by its operands' leading digits; their display scales may be more. */
GA_FN int32_t
quotient_scale(int32_t a, int32_t b)
{
	int32_t		place = a / LEADING_PLACE - b / LEADING_PLACE -
		(a % LEADING_PLACE <= b % LEADING_PLACE);

	return QUOTIENT_DIGITS - place * DIGITS_OF_ONE;
}

/* What a number is divided by, and the scale of the quotient, as one operand. */
GA_FN Wide
quotient_divisor(int64_t divisor, int32_t scale)
{
	return wide_of_words((uint64_t) divisor, (uint64_t) (int64_t) scale);
}

/* A magnitude times a number. */
GA_FN Wide
wide_times(Wide a, uint64_t factor, bool *error)
{
	Wide		low = wide_unsigned_product(a.w[0], factor);
	Wide		high = wide_unsigned_product(a.w[1], factor);

	low.w[1] += high.w[0];
	*error |= high.w[1] != 0 || low.w[1] < high.w[0] || wide_is_negative(low);
	return low;
}

/* How many digits more a rest below the divisor may have in 64 bits; 0: none. */
GA_FN int32_t
digits_at_once(uint64_t divisor)
{
	return divisor < (uint64_t) 1 << 34 ? 9 : divisor < (uint64_t) 1 << 47 ? 5 :
		divisor < (uint64_t) 1 << 60 ? 1 : 0;
}

/* The quotient in units of its scale, halves rounded away from zero. */
GA_FN Wide
numeric_quotient(int64_t a, Wide by, bool *error)
{
	uint64_t	number = a < 0 ? 0 - (uint64_t) a : (uint64_t) a;
	uint64_t	divisor = wide_magnitude(wide_of_int8((int64_t) by.w[0])).w[0];
	uint64_t	digits = by.w[1];
	uint64_t	step = (uint64_t) digits_at_once(divisor);
	Wide		quotient;
	uint64_t	rest;

	if (divisor == 0 || step == 0 || digits > NUMERIC128_MAX_SCALE)
	{
		*error = true;
		return wide_of_words(0, 0);
	}
	quotient = wide_of_words(number / divisor, 0);
	rest = number % divisor;
	while (digits > 0)
	{
		uint64_t	n = digits < step ? digits : step;
		uint64_t	power = unsigned_power_of_10((int32_t) n);

		rest *= power;
		quotient = wide_plus(wide_times(quotient, power, error), wide_of_words(rest / divisor, 0));
		rest %= divisor;
		digits -= n;
	}
	if (rest >= divisor - rest)
		quotient = wide_plus(quotient, wide_of_words(1, 0));
	return wide_signed(quotient, (a < 0) != ((int64_t) by.w[0] < 0), error);
}

/* The same number in smaller units, by so many digits. */
GA_FN Wide
wide_raise(Wide a, int32_t digits, bool *error)
{
	Wide		magnitude = wide_magnitude(a);

	*error |= digits < 0 || digits > NUMERIC128_MAX_SCALE;
	magnitude = wide_times(magnitude, unsigned_power_of_10(digits), error);
	if (digits > 19)
		magnitude = wide_times(magnitude, unsigned_power_of_10(digits - 19), error);
	return wide_signed(magnitude, wide_is_negative(a), error);
}

#endif							/* GPUAGG_OPS_QUOTIENT_H */
