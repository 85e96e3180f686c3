/*
 * numeric_page.h
 *	  PostgreSQL 15's numeric, as it is stored, to a fixed-point number: an int64
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
 * Two bits 1 1 at the begin are NaN and the infinities.  The header need not be
 * aligned.  PostgreSQL's own description of this is private to its numeric.c, so
 * no compiler can compare the two; sql/numeric.sql compares their answers.
 *
 * Valid as C and as CUDA C.
 */
#ifndef GPUAGG_NUMERIC_PAGE_H
#define GPUAGG_NUMERIC_PAGE_H

#include "fn.h"

/* The largest scale: 10^18 is below 2^63. */
#define NUMERIC64_MAX_SCALE 18

/* Weights of numbers that can be below 2^63. */
#define NUMERIC64_MAX_WEIGHT 4

#define NUMERIC_BASE 10000
#define NUMERIC_BASE_DIGITS 4
#define NUMERIC64_MAX ((uint64_t) 0x7fffffffffffffff)

/* The header of a stored numeric, and where its digits are. */
typedef struct NumericHeader
{
	bool		special;		/* NaN, infinity, or no numeric at all: nothing
								 * else is set */
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
	return h;
}

/* One more digit; false: the number is 2^63 or more. */
GA_FN bool
numeric_append(uint64_t *acc, uint32_t base, uint32_t digit)
{
	if (*acc > NUMERIC64_MAX / base)
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

/*
 * The value in units of 10^-scale.  False if it is none: NaN or infinity, a
 * display scale that is not the one expected, digits beyond it, 2^63 and more.
 * The display scale matters since all results are shown with the column's.
 */
GA_FN bool
numeric_to_scaled(const uint8_t *data, uint32_t len, int scale, int64_t *value)
{
	NumericHeader h = numeric_header(data, len);
	int			places = scale % NUMERIC_BASE_DIGITS;
	uint64_t	acc = 0;
	int			whole;			/* digits before the one in which the scale ends */

	if (h.special || h.scale != scale || (h.ndigits > 0 && h.weight > NUMERIC64_MAX_WEIGHT))
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

#endif							/* GPUAGG_NUMERIC_PAGE_H */
