/*
 * words.cuh
 *	  The words of a state: how a contribution is taken in.
 *
 * Each kind of word has two functions: merge_*, of two values in registers; word_*,
 * into a state in device memory, where the hardware adds 64-bit integers without a
 * result (RED), so that no thread waits.  (States in shared memory are made of other
 * words: block_words.cuh.)  Contributions that change nothing are left out.
 *
 * A word holds a uint64_t or an int64_t.  The words of an exact sum are one
 * number (exact.h) and have functions of their own: *_exact if they lie behind one
 * another, *_split if they are a narrow sum's.
 */
#ifndef GPUAGG_WORDS_CUH
#define GPUAGG_WORDS_CUH

#define WORD(name, suffix, start, extreme, idempotent, merge) \
DEVICE_FN void \
merge_##suffix(uint64_t *w, uint64_t v) \
{ \
	merge; \
}
#include "accs.def"

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

/* As word_split, where no other thread adds; the middle word is in a register. */
DEVICE_FN void
alone_split(uint64_t *low, uint64_t *middle, uint64_t *high, uint64_t by_low,
			uint64_t by_middle, uint64_t by_high)
{
	bool		negative = (by_high >> 63) != 0;
	uint64_t	old = *middle;

	if (negative)
		split_negate(&by_low, &by_middle, &by_high);
	if (by_low != 0)
	{
		uint64_t	before = load_volatile_u64(low);
		bool		carry = negative ? before < by_low : before + by_low < by_low;

		*low = negative ? before - by_low : before + by_low;
		by_middle += carry;
		by_high += carry && by_middle == 0;
	}
	*middle = negative ? old - by_middle : old + by_middle;
	by_high += negative ? old < by_middle : *middle < by_middle;
	if (by_high != 0)
		*high = load_volatile_u64(high) + (negative ? 0 - by_high : by_high);
}

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

#endif							/* GPUAGG_WORDS_CUH */
