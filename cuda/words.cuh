/*
 * words.cuh
 *	  The words of a state: how a contribution is taken in.
 *
 * Each kind of word has three functions: merge_*, of two values in registers;
 * word_*, into a state in device memory, where the hardware adds 64-bit integers
 * without a result (RED), so that no thread waits; shared_*, into a state in
 * shared memory, where only 32-bit additions are native on Hopper: 64-bit ones
 * are compare-and-swap loops.  Contributions that change nothing are left out.
 *
 * A word holds a uint64_t or an int64_t.  The words of an exact sum are one
 * number (exact.h) and have functions of their own: *_exact if they lie behind one
 * another, *_split if they are a narrow sum's.
 */
#ifndef GPUAGG_WORDS_CUH
#define GPUAGG_WORDS_CUH

DEVICE_FN void
merge_add(uint64_t *into, uint64_t from)
{
	*into = *into + from;
}

DEVICE_FN void
merge_min(uint64_t *into, uint64_t from)
{
	*into = (int64_t) from < (int64_t) *into ? from : *into;
}

DEVICE_FN void
merge_max(uint64_t *into, uint64_t from)
{
	*into = (int64_t) from > (int64_t) *into ? from : *into;
}

DEVICE_FN void
merge_umin(uint64_t *into, uint64_t from)
{
	*into = from < *into ? from : *into;
}

DEVICE_FN void
merge_umax(uint64_t *into, uint64_t from)
{
	*into = from > *into ? from : *into;
}

DEVICE_FN void
merge_and(uint64_t *into, uint64_t from)
{
	*into = *into & from;
}

DEVICE_FN void
merge_or(uint64_t *into, uint64_t from)
{
	*into = *into | from;
}

DEVICE_FN void
merge_xor(uint64_t *into, uint64_t from)
{
	*into = *into ^ from;
}

DEVICE_FN void
word_add(uint64_t *word, uint64_t value)
{
	if (value != 0)
		atomic_add_u64_noreturn(word, value);
}

/*
 * A number of n words.  Each word's addition tells by its result whether there
 * is a carry; that other threads add at the same time does not matter: modulo
 * 2^(64n), all carries have been added once all threads are done.  Of a negative
 * number the magnitude is subtracted, so that words which are all sign stay
 * untouched.
 */
DEVICE_FN void
word_exact(uint64_t *state, const uint64_t *value, int n)
{
	bool		negative = (value[n - 1] >> 63) != 0;
	uint64_t	flip = negative ? UINT64_MAX : 0;
	uint64_t	one = flip & 1;
	uint64_t	carry = 0;

	PRAGMA_WORDS
	for (int i = 0; i < n; i++)
	{
		uint64_t	part = (value[i] ^ flip) + one;

		one = one & (part == 0);
		part += carry;
		carry = carry & (part == 0);
		if (part == 0)
			continue;
		if (i == n - 1)
			atomic_add_u64_noreturn(&state[i], negative ? 0 - part : part);
		else
		{
			uint64_t	old = atomic_add_u64(&state[i], negative ? 0 - part : part);

			carry = carry | (negative ? old < part : old + part < part);
		}
	}
}

/* A number of three words becomes its negative. */
DEVICE_FN void
split_negate(uint64_t *low, uint64_t *middle, uint64_t *high)
{
	*low = 0 - *low;
	*middle = ~*middle + (*low == 0);
	*high = ~*high + (*low == 0 && *middle == 0);
}

/*
 * The same of three words that lie apart.  Nearly always this is one addition,
 * to the middle word.
 */
DEVICE_FN void
word_split(uint64_t *low, uint64_t *middle, uint64_t *high, uint64_t by_low,
		   uint64_t by_middle, uint64_t by_high)
{
	bool		negative = (by_high >> 63) != 0;

	if (negative)
		split_negate(&by_low, &by_middle, &by_high);
	if (by_low != 0)
	{
		uint64_t	old = atomic_add_u64(low, negative ? 0 - by_low : by_low);
		bool		carry = negative ? old < by_low : old + by_low < by_low;

		by_middle += carry;
		by_high += carry && by_middle == 0;
	}
	if (by_middle != 0)
	{
		uint64_t	old = atomic_add_u64(middle, negative ? 0 - by_middle : by_middle);

		by_high += negative ? old < by_middle : old + by_middle < by_middle;
	}
	if (by_high != 0)
		atomic_add_u64_noreturn(high, negative ? 0 - by_high : by_high);
}

/* In registers there are no other threads. */
#define merge_split add_u192

/*
 * Extremes are looked at before they are touched: most values change nothing,
 * and an old view of the word is only less extreme than the word is.
 */
DEVICE_FN void
word_min(uint64_t *word, uint64_t value)
{
	if ((int64_t) value < (int64_t) *word)
		atomic_min_s64((int64_t *) word, (int64_t) value);
}

DEVICE_FN void
word_max(uint64_t *word, uint64_t value)
{
	if ((int64_t) value > (int64_t) *word)
		atomic_max_s64((int64_t *) word, (int64_t) value);
}

DEVICE_FN void
word_umin(uint64_t *word, uint64_t value)
{
	if (value < *word)
		atomic_min_u64(word, value);
}

DEVICE_FN void
word_umax(uint64_t *word, uint64_t value)
{
	if (value > *word)
		atomic_max_u64(word, value);
}

/* Likewise: bits are only ever cleared by AND, and only ever set by OR. */
DEVICE_FN void
word_and(uint64_t *word, uint64_t value)
{
	if ((*word & ~value) != 0)
		atomic_and_u64(word, value);
}

DEVICE_FN void
word_or(uint64_t *word, uint64_t value)
{
	if ((value & ~*word) != 0)
		atomic_or_u64(word, value);
}

DEVICE_FN void
word_xor(uint64_t *word, uint64_t value)
{
	if (value != 0)
		atomic_xor_u64(word, value);
}

/*
 * The low half, then the high half with the carry: no thread needs to see both
 * at once, and the high half is only touched for a carry or a large value.
 */
DEVICE_FN void
shared_add(uint64_t *word, uint64_t value)
{
	uint32_t   *half = (uint32_t *) word;
	uint32_t	low = (uint32_t) value;
	uint32_t	high = (uint32_t) (value >> 32);

	if (low != 0 && atomic_add_u32(&half[0], low) + low < low)
		high++;
	if (high != 0)
		atomic_add_u32_noreturn(&half[1], high);
}

/* A count: fewer rows than 2^32 meet one private table, so no carry. */
DEVICE_FN void
shared_count(uint64_t *word, uint64_t value)
{
	atomic_add_u32_noreturn((uint32_t *) word, (uint32_t) value);
}

/* As word_exact, by halves; words are `stride` apart. */
DEVICE_FN void
shared_exact(uint64_t *state, uint32_t stride, const uint64_t *value, int n)
{
	bool		negative = (value[n - 1] >> 63) != 0;
	uint32_t	flip = negative ? UINT32_MAX : 0;
	uint32_t	one = flip & 1;
	uint32_t	carry = 0;

	PRAGMA_UNROLL
	for (int i = 0; i < 2 * n; i++)
	{
		uint32_t   *half = (uint32_t *) &state[(uint32_t) (i / 2) * stride] + i % 2;
		uint32_t	part = ((uint32_t) (value[i / 2] >> (32 * (i % 2))) ^ flip) + one;

		one = one & (part == 0);
		part += carry;
		carry = carry & (part == 0);
		if (part == 0)
			continue;
		if (i == 2 * n - 1)
			atomic_add_u32_noreturn(half, negative ? 0 - part : part);
		else
		{
			uint32_t	old = atomic_add_u32(half, negative ? 0 - part : part);

			carry = carry | (negative ? old < part : old + part < part);
		}
	}
}

/* As word_split, by halves. */
DEVICE_FN void
shared_split(uint64_t *low, uint64_t *middle, uint64_t *high, uint64_t by_low,
			 uint64_t by_middle, uint64_t by_high)
{
	bool		negative = (by_high >> 63) != 0;
	uint32_t	carry = 0;

	if (negative)
		split_negate(&by_low, &by_middle, &by_high);
	PRAGMA_UNROLL
	for (int i = 0; i < 6; i++)
	{
		uint64_t   *word = i < 2 ? low : i < 4 ? middle : high;
		uint64_t	by = i < 2 ? by_low : i < 4 ? by_middle : by_high;
		uint32_t	part = (uint32_t) (by >> (32 * (i % 2))) + carry;

		carry = carry & (part == 0);
		if (part != 0)
		{
			uint32_t	old = atomic_add_u32((uint32_t *) word + i % 2,
											 negative ? 0 - part : part);

			carry = negative ? old < part : old + part < part;
		}
	}
}

/*
 * The rest is compare-and-swap in any case; the compiler's own loop for it is
 * shorter than one written here.
 */
#define shared_min word_min
#define shared_max word_max
#define shared_umin word_umin
#define shared_umax word_umax

/* Bits do not carry: the halves are words of their own. */
DEVICE_FN void
shared_and(uint64_t *word, uint64_t value)
{
	uint32_t   *half = (uint32_t *) word;
	uint32_t	low = (uint32_t) value;
	uint32_t	high = (uint32_t) (value >> 32);

	if ((load_volatile_u32(&half[0]) & ~low) != 0)
		atomic_and_u32(&half[0], low);
	if ((load_volatile_u32(&half[1]) & ~high) != 0)
		atomic_and_u32(&half[1], high);
}

DEVICE_FN void
shared_or(uint64_t *word, uint64_t value)
{
	uint32_t   *half = (uint32_t *) word;
	uint32_t	low = (uint32_t) value;
	uint32_t	high = (uint32_t) (value >> 32);

	if ((low & ~load_volatile_u32(&half[0])) != 0)
		atomic_or_u32(&half[0], low);
	if ((high & ~load_volatile_u32(&half[1])) != 0)
		atomic_or_u32(&half[1], high);
}

DEVICE_FN void
shared_xor(uint64_t *word, uint64_t value)
{
	uint32_t   *half = (uint32_t *) word;
	uint32_t	low = (uint32_t) value;
	uint32_t	high = (uint32_t) (value >> 32);

	if (low != 0)
		atomic_xor_u32(&half[0], low);
	if (high != 0)
		atomic_xor_u32(&half[1], high);
}

#endif							/* GPUAGG_WORDS_CUH */
