/*
 * fixed.cuh
 *	  Floats as fixed-point numbers, for sums in a block's shared memory.
 *
 * The number of a narrow sum (exact.h) without the bits that few values have:
 *
 *		number = above * 2^(FIXED_SHIFT + 64) + whole * 2^FIXED_SHIFT +
 *				 rest * 2^(FIXED_SHIFT - 32)
 *
 * Of nearly all values `whole` is all there is, an int64 that one multiplication
 * and one conversion make; `above` is its sign.  The largest values of the first
 * batch are below 2^62 (EXACT_ROOM_SUM); those that are 2^10 times smaller may have
 * bits in `rest`.  Multiplying back tells whether any bits were lost: also for NaN,
 * the infinities, -0, and what is rounded to 0.
 */
#ifndef GPUAGG_FIXED_CUH
#define GPUAGG_FIXED_CUH

#define FIXED_SHIFT 61
#define FIXED_REST_SHIFT (FIXED_SHIFT - 32)

/* A power of 2 that is no denormal number. */
DEVICE_FN double
power_of_2(int32_t exponent)
{
	return f64_from_bits((uint64_t) (uint32_t) (exponent + 1023) << 52);
}

/*
 * The bits of a value, and its number as if it had no rest: as large as there is room
 * for, if it is larger.
 */
DEVICE_FN void
fixed_value(double value, int32_t unit, uint64_t *bits, uint64_t *whole)
{
	*bits = f64_bits(value);
	*whole = (uint64_t) f64_to_s64_floor(value * power_of_2(-unit - FIXED_SHIFT));
}

/*
 * Is that the value?  Then 0.  Toward 0, since INT64_MAX, as larger ones are converted,
 * must not become 2^63 again.
 */
DEVICE_FN uint32_t
fixed_differs(uint64_t bits, uint64_t whole, int32_t unit)
{
	uint64_t	other = f64_bits(s64_to_f64_toward_0(whole) * power_of_2(unit + FIXED_SHIFT));

	return (uint32_t) (bits ^ other) | (uint32_t) ((bits ^ other) >> 32);
}

/* The rest of a value's number; false: it has other bits, too. */
DEVICE_FN bool
fixed_rest(uint64_t bits, uint64_t whole, int32_t unit, uint32_t *rest)
{
	double		scaled = f64_from_bits(bits) * power_of_2(-unit - FIXED_SHIFT);
	double		back;

	*rest = f64_to_u32((scaled - s64_to_f64_toward_0(whole)) * power_of_2(32));
	back = s64_to_f64_toward_0(whole) + *rest * power_of_2(-32);
	return f64_bits(back * power_of_2(unit + FIXED_SHIFT)) == bits;
}

/* The number from a narrow sum's words, which change to it only if it has one. */
DEVICE_FN bool
fixed_possible(uint64_t low, uint64_t middle, uint64_t high, uint32_t most_above)
{
	int64_t		above = (int64_t) (high << (64 - FIXED_SHIFT) | middle >> FIXED_SHIFT);

	return low << (64 - FIXED_REST_SHIFT) == 0 &&
		above >= -(int64_t) most_above && above < (int64_t) most_above;
}

DEVICE_FN void
fixed_from_words(uint64_t *low, uint64_t *middle, uint64_t *high)
{
	uint64_t	rest = *low >> FIXED_REST_SHIFT & UINT32_MAX;
	uint64_t	whole = *middle << (64 - FIXED_SHIFT) | *low >> FIXED_SHIFT;

	*high = *high << (64 - FIXED_SHIFT) | *middle >> FIXED_SHIFT;
	*middle = whole;
	*low = rest;
}

/* And back: `rest` and `above` may have 32 bits, that is what their sums have. */
DEVICE_FN void
fixed_to_words(uint64_t *low, uint64_t *middle, uint64_t *high)
{
	uint64_t	whole = *middle;

	*low = *low << FIXED_REST_SHIFT | whole << FIXED_SHIFT;
	*middle = whole >> (64 - FIXED_SHIFT) | *high << FIXED_SHIFT;
	*high = (uint64_t) ((int64_t) *high >> (64 - FIXED_SHIFT));
}

#endif							/* GPUAGG_FIXED_CUH */
