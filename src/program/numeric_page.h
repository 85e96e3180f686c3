/*
 * numeric_page.h
 *	  PostgreSQL's numeric, as it is stored, to a fixed-point number: an int64
 *	  that counts units of 10^-scale.
 *
 * A stored numeric is a header and digits of base 10000, the most significant
 * first, zeros at either end left out.  The header has the sign, the display
 * scale (decimal digits behind the point that are shown) and the weight (the
 * first digit counts 10000^weight).  It has two forms, both of uint16s:
 *
 *	  short: 1 0 sign:1 scale:6 weight:7, where weight is signed
 *	  long:  0 sign:1 scale:14, then weight as an int16
 *
 * Two bits 1 1 at the begin are NaN and the infinities, which have no more
 * than the header.  Of a number that is not stored so, with a digit beyond 9999, zeros at an
 * end, or a zero that has a sign or a weight, PostgreSQL's own results are those of its
 * arithmetic and its output: it is none here.  The header need not be aligned.  PostgreSQL's own
 * description of this is private to its numeric.c, so no compiler can compare
 * the two; test/regress/sql/numeric.sql compares their answers.
 *
 * Valid as C and as CUDA C.
 */
#ifndef GPUAGG_NUMERIC_PAGE_H
#define GPUAGG_NUMERIC_PAGE_H

#include "special.h"

/* The largest scale: 10^18 is below 2^63. */
#define NUMERIC64_MAX_SCALE 18

/* Weights of numbers that can be below 2^63. */
#define NUMERIC64_MAX_WEIGHT 4

/* The largest display scale to calculate with: twice that is PostgreSQL's limit. */
#define NUMERIC_MAX_SHOWN 1000

#define NUMERIC_BASE 10000
#define NUMERIC_BASE_DIGITS 4
/* The same for 2^127. */
#define NUMERIC128_MAX_SCALE 38
#define NUMERIC128_MAX_WEIGHT 9

#define NUMERIC64_MAX ((uint64_t) 0x7fffffffffffffff)

/*
 * What a column has of stored numerics.  A value's display scale is that of its
 * column's type modifier; without one every value has its own, which another
 * column of the same attribute can hold.
 */
typedef enum NumericPart
{
	NUMERIC_NONE,				/* it is no numeric */
	NUMERIC_EXACT,				/* int64: the value; its display scale is `scale` */
	NUMERIC_UNITS,				/* int64: the value; its display scale is any */
	NUMERIC_SHOWN				/* int32: the display scale */
} NumericPart;

/*
 * Beside it, in a column of a Program that admits specials (specials.c): NaN and
 * the infinities are the numbers of special.h, and show the column's scale.
 */
#define NUMERIC_SPECIALS 0x80
#define NUMERIC_PART(numeric) ((NumericPart) ((numeric) & ~NUMERIC_SPECIALS))

/* The header of a stored numeric, and where its digits are. */
typedef struct NumericHeader
{
	bool		special;		/* NaN, infinity, or no numeric at all: the rest
								 * does not count */
	bool		negative;
	int			scale;			/* display scale */
	int			weight;
	int			ndigits;
	const uint8_t *digits;
} NumericHeader;

GA_FN uint32_t
numeric_u16(const uint8_t *at)
{
	return (uint32_t) at[0] | (uint32_t) at[1] << 8;
}

/* data, len: the value's bytes behind the varlena header. */
GA_FN NumericHeader
numeric_header(const uint8_t *data, uint32_t len)
{
	NumericHeader h = {true, false, 0, 0, 0, data};
	uint32_t	word = len >= 2 ? numeric_u16(data) : 0xffff;
	uint32_t	size = word & 0x8000 ? 2 : 4;

	if ((word & 0xc000) == 0xc000 || len < size)
		return h;
	h.special = false;
	if (word & 0x8000)
	{
		h.negative = (word & 0x2000) != 0;
		h.scale = (int) (word >> 7 & 0x3f);
		h.weight = (int) (word & 0x3f) - (int) (word & 0x40);
	}
	else
	{
		h.negative = (word & 0x4000) != 0;
		h.scale = (int) (word & 0x3fff);
		h.weight = (int16_t) numeric_u16(data + 2);
	}
	h.ndigits = (int) ((len - size) / 2);
	h.digits = data + size;
	if (h.ndigits == 0)
		h.special = h.negative || h.weight != 0;
	else
		h.special = numeric_u16(h.digits) == 0 || numeric_u16(h.digits + 2 * (h.ndigits - 1)) == 0;
	return h;
}

/* Is it NaN or an infinity?  A bit of special.h, or 0. */
GA_FN uint32_t
numeric_special(const uint8_t *data, uint32_t len)
{
	uint32_t	word = len >= 2 ? numeric_u16(data) : 0;

	if ((word & 0xf000) == 0xc000)
		return SPECIAL_NAN;
	if ((word & 0xf000) == 0xd000)
		return SPECIAL_PINF;
	return (word & 0xf000) == 0xf000 ? SPECIAL_NINF : 0;
}

/* Decimal digits behind the point, without zeros at the end. */
GA_FN int
numeric_least_scale(NumericHeader h)
{
	uint32_t	last = 0;
	int			n = h.ndigits;
	int			scale;

	while (n > 0 && last == 0)
		last = numeric_u16(h.digits + 2 * --n);
	scale = (n - h.weight) * NUMERIC_BASE_DIGITS;
	if (last == 0)
		return 0;
	for (; last % 10 == 0; last /= 10)
		scale--;
	return scale < 0 ? 0 : scale;
}

/* One more digit; false: the number is 2^63 or more, or it is none. */
GA_FN bool
numeric_append(uint64_t *acc, uint32_t base, uint32_t digit)
{
	if (*acc > NUMERIC64_MAX / base || digit >= NUMERIC_BASE)
		return false;
	*acc = *acc * base + digit;
	return *acc <= NUMERIC64_MAX;
}

/*
 * The digit of base 10000 in which the scale ends, cut behind `places` of its
 * four decimal digits; false if something but zeros is cut off.
 */
GA_FN bool
numeric_append_part(uint64_t *acc, int places, uint32_t digit)
{
	if (digit >= NUMERIC_BASE)
		return false;
	switch (places)
	{
		case 1:
			return digit % 1000 == 0 && numeric_append(acc, 10, digit / 1000);
		case 2:
			return digit % 100 == 0 && numeric_append(acc, 100, digit / 100);
		case 3:
			return digit % 10 == 0 && numeric_append(acc, 1000, digit / 10);
		default:
			return true;
	}
}

/* The digits in units of 10^-scale; false: some are beyond it, or 2^63 and more. */
GA_FN bool
numeric_digits_to_scaled(NumericHeader h, int scale, int64_t *value)
{
	int			places = scale % NUMERIC_BASE_DIGITS;
	uint64_t	acc = 0;
	int			whole;			/* digits before the one in which the scale ends */

	if (h.ndigits > 0 && h.weight > NUMERIC64_MAX_WEIGHT)
		return false;
	whole = h.ndigits == 0 ? 0 : h.weight + 1 + scale / NUMERIC_BASE_DIGITS;
	if (h.ndigits > (whole < 0 ? 0 : whole + (places > 0)))
		return false;
	for (int i = 0; i < whole; i++)
		if (!numeric_append(&acc, NUMERIC_BASE,
							i < h.ndigits ? numeric_u16(h.digits + 2 * i) : 0))
			return false;
	if (places > 0 &&
		!numeric_append_part(&acc, places,
							 whole >= 0 && whole < h.ndigits ? numeric_u16(h.digits + 2 * whole) : 0))
		return false;
	*value = h.negative ? -(int64_t) acc : (int64_t) acc;
	return true;
}

/*
 * The value in units of 10^-scale.  False if it is none: NaN or infinity, a
 * display scale that is not the one expected, digits beyond it, 2^63 and more.
 * The display scale matters since all results are shown with the column's.
 */
GA_FN bool
numeric_to_scaled(const uint8_t *data, uint32_t len, int scale, int64_t *value)
{
	NumericHeader h = numeric_header(data, len);

	return !h.special && h.scale == scale && numeric_digits_to_scaled(h, scale, value);
}

/*
 * The same for any display scale.  If it is less, there must be no digits beyond
 * it; if it is more, none but zeros beyond the scale.
 */
GA_FN bool
numeric_to_units(const uint8_t *data, uint32_t len, int scale, int64_t *value)
{
	NumericHeader h = numeric_header(data, len);
	uint64_t	magnitude;

	if (h.special || !numeric_digits_to_scaled(h, h.scale < scale ? h.scale : scale, value))
		return false;
	magnitude = (uint64_t) (*value < 0 ? -*value : *value);
	for (int i = h.scale; i < scale; i++)
		if (!numeric_append(&magnitude, 10, 0))
			return false;
	*value = *value < 0 ? -(int64_t) magnitude : (int64_t) magnitude;
	return true;
}

/* One more digit; false: the number is 2^127 or more, or it is none. */
GA_FN bool
numeric_append_wide(Wide *acc, uint32_t base, uint32_t digit)
{
	uint64_t	carry = digit;

	for (int i = 0; i < 4; i++)
	{
		int			shift = 32 * (i % 2);
		uint64_t	part = (acc->w[i / 2] >> shift & UINT64_C(0xffffffff)) * base + carry;

		acc->w[i / 2] &= ~(UINT64_C(0xffffffff) << shift);
		acc->w[i / 2] |= (part & UINT64_C(0xffffffff)) << shift;
		carry = part >> 32;
	}
	return carry == 0 && acc->w[1] >> 63 == 0 && digit < NUMERIC_BASE;
}

/*
 * The value in units of 10^-scale in 128 bits; any: of any display scale, as
 * numeric_to_units has it.  Group by group down to the last place of the scale,
 * of which the last group may have too many: what is cut off must be zeros.
 */
GA_FN bool
numeric_to_wide(const uint8_t *data, uint32_t len, int scale, bool any, Wide *value)
{
	NumericHeader h = numeric_header(data, len);
	int			own = h.scale < scale ? h.scale : scale;
	int			place = h.ndigits > 0 ? h.weight : -1;
	Wide		acc = {{0, 0}};
	int			i = 0;

	if (h.special || (!any && h.scale != scale) || place > NUMERIC128_MAX_WEIGHT)
		return false;
	if (numeric_least_scale(h) > own)
		return false;
	for (; place >= 0 || -place * NUMERIC_BASE_DIGITS <= scale; place--, i++)
		if (!numeric_append_wide(&acc, NUMERIC_BASE,
								 i < h.ndigits ? numeric_u16(h.digits + 2 * i) : 0))
			return false;
	if (scale % NUMERIC_BASE_DIGITS != 0)
	{
		uint32_t	digit = i < h.ndigits ? numeric_u16(h.digits + 2 * i) : 0;
		uint32_t	base = 1;
		uint32_t	divisor = 1;

		for (int d = 0; d < NUMERIC_BASE_DIGITS; d++)
			if (d < scale % NUMERIC_BASE_DIGITS)
				base *= 10;
			else
				divisor *= 10;
		if (digit >= NUMERIC_BASE || digit % divisor != 0 ||
			!numeric_append_wide(&acc, base, digit / divisor))
			return false;
		i++;
	}
	if (i < h.ndigits)
		return false;
	if (h.negative)
	{
		acc.w[0] = ~acc.w[0] + 1;
		acc.w[1] = ~acc.w[1] + (acc.w[0] == 0);
	}
	*value = acc;
	return true;
}

/* What a column of NumericPart alone has of a stored numeric. */
GA_FN bool
numeric_read_number(NumericPart part, bool wide, const uint8_t *data, uint32_t len, int scale,
					void *to)
{
	if (wide)
		return numeric_to_wide(data, len, scale, part == NUMERIC_UNITS, (Wide *) to);
	if (part == NUMERIC_SHOWN)
	{
		NumericHeader h = numeric_header(data, len);

		*(int32_t *) to = h.scale;
		return !h.special && h.scale <= NUMERIC_MAX_SHOWN;
	}
	if (part == NUMERIC_UNITS)
		return numeric_to_units(data, len, scale, (int64_t *) to);
	return numeric_to_scaled(data, len, scale, (int64_t *) to);
}

/* The same where specials are admitted, whose numbers no other value may have. */
GA_FN bool
numeric_read_special(NumericPart part, bool wide, const uint8_t *data, uint32_t len, int scale,
					 void *to)
{
	uint32_t	special = numeric_special(data, len);

	if (special == 0)
	{
		if (!numeric_read_number(part, wide, data, len, scale, to))
			return false;
		return part == NUMERIC_SHOWN || (wide ? wide_special_class(*(const Wide *) to) :
										 special_class(*(const int64_t *) to)) == 0;
	}
	if (part == NUMERIC_SHOWN)
		*(int32_t *) to = scale;
	else if (wide)
		*(Wide *) to = wide_special_number(special);
	else
		*(int64_t *) to = special_number(special);
	return true;
}

/*
 * What a column has of a stored numeric; false: it cannot hold it.  numeric: a
 * NumericPart, and NUMERIC_SPECIALS.  wide: in 128 bits.
 */
GA_FN bool
numeric_read_part(uint8_t numeric, bool wide, const uint8_t *data, uint32_t len, int scale,
				  void *to)
{
	if (numeric & NUMERIC_SPECIALS)
		return numeric_read_special(NUMERIC_PART(numeric), wide, data, len, scale, to);
	return numeric_read_number((NumericPart) numeric, wide, data, len, scale, to);
}

/* Is it a special that a column does not admit? */
GA_FN bool
numeric_is_not_admitted(uint8_t numeric, const uint8_t *data, uint32_t len)
{
	return !(numeric & NUMERIC_SPECIALS) && numeric_special(data, len) != 0;
}

#endif							/* GPUAGG_NUMERIC_PAGE_H */
