/*
 * block_words.cuh
 *	  The words of a state in a block's shared memory.
 *
 * Only 32-bit additions are native there; 64-bit ones are compare-and-swap loops.
 * So a state is made of words of 32 bits, and the carry of an addition is known from
 * its result.  Each word of all states is an array of its own, so that states that
 * lie behind one another are in different banks: `states` is the first array, each
 * one has BLOCK_COPIES elements, and a row's state has the index `place` in all of
 * them.
 *
 * A count is one word: fewer rows than 2^32 meet one block.  Sums are modulo 2^64 or
 * 2^96, and upper words are touched for a carry or a large value only.  Extremes are
 * 64 bits in one array of twice the size.
 *
 * Several rows are taken in at once, word by word, so that a thread waits for the
 * results of all rows' additions together.  The functions' arguments: how many rows,
 * their places, the words of theirs, and which words of states and of rows.  The rows'
 * arrays have constant indexes and live in registers.
 */
#ifndef GPUAGG_BLOCK_WORDS_CUH
#define GPUAGG_BLOCK_WORDS_CUH

/* A word of a state.  Constants are added last: instructions have room for them. */
DEVICE_FN uint32_t *
block_word(uint32_t *states, uint32_t place, int word)
{
	return states + place + word * BLOCK_COPIES;
}

/* The address of an extreme. */
DEVICE_FN uint64_t *
block_extreme(uint32_t *states, uint32_t place, int word)
{
	return (uint64_t *) states + place + word / 2 * BLOCK_COPIES;
}

/* Two words as one of 64 bits. */
DEVICE_FN uint64_t
block_pair(uint32_t *states, uint32_t place, int word)
{
	return *block_word(states, place, word) |
		(uint64_t) *block_word(states, place, word + 1) << 32;
}

DEVICE_FN void
block_count(uint32_t *states, int n, const uint32_t *place, const Row *rows, int word,
			int from)
{
	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
		atomic_add_u32_noreturn(block_word(states, place[i], word),
								(uint32_t) rows[i].words[from]);
}

/* A sum modulo 2^64. */
DEVICE_FN void
block_sum(uint32_t *states, int n, const uint32_t *place, const Row *rows, int word,
		  int from)
{
	uint32_t	upper[BLOCK_ROWS];

	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
	{
		uint32_t	low = (uint32_t) rows[i].words[from];
		uint32_t	old = atomic_add_u32(block_word(states, place[i], word), low);

		upper[i] = add_carry_u32((uint32_t) (rows[i].words[from] >> 32), old, low);
	}
	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
		shared_add_nonzero_u32(block_word(states, place[i], word + 1), upper[i]);
}

/*
 * A sum modulo 2^96, its upper 64 bits from a row above `low`.  dense: these are
 * hardly ever 0 but for the sign.
 */
DEVICE_FN void
block_sum_96(uint32_t *states, int n, const uint32_t *place, const uint32_t *low,
			 uint64_t *upper, int word, bool dense)
{
	uint32_t	top[BLOCK_ROWS];

	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
	{
		uint32_t	old = atomic_add_u32(block_word(states, place[i], word), low[i]);

		upper[i] = add_carry_u64(upper[i], old, low[i]);
	}
	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
	{
		uint32_t	middle = (uint32_t) upper[i];

		top[i] = (uint32_t) (upper[i] >> 32);
		if (dense || middle != 0)
			top[i] = add_carry_u32(top[i],
								   atomic_add_u32(block_word(states, place[i], word + 1),
												  middle), middle);
	}
	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
		shared_add_nonzero_u32(block_word(states, place[i], word + 2), top[i]);
}

/* A sum of 64-bit numbers, which a row has in halves: see SUM_INT128 in state.h. */
DEVICE_FN void
block_sum_wide(uint32_t *states, int n, const uint32_t *place, const Row *rows, int word,
			   int from)
{
	uint32_t	low[BLOCK_ROWS];
	uint64_t	upper[BLOCK_ROWS];

	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
	{
		low[i] = (uint32_t) rows[i].words[from];
		upper[i] = rows[i].words[from + 1];
	}
	block_sum_96(states, n, place, low, upper, word, false);
}

/*
 * Behind row_eval_fixed: which rows' values of a sum have rests, in the sum's bit.  A row
 * whose value is no such number is missed.  So is, of rows that are taken one at a time,
 * one with a rest: these have many words, and adding rests, too, took more registers
 * than a thread has: 24.7 against 43.4 G rows/s for 8 sums of floats (on an H200).
 */
DEVICE_FN void
rows_fix_sum(const Row *rows, int bits, int whole, int sum, int32_t unit, uint32_t *place,
			 uint32_t missed, uint32_t *rests)
{
	uint32_t	differs[BLOCK_ROWS];
	uint32_t	any = 0;
	uint32_t	rest;

	PRAGMA_UNROLL
	for (int i = 0; i < BLOCK_ROWS; i++)
	{
		differs[i] = fixed_differs(rows[i].words[bits], rows[i].words[whole], unit);
		any |= differs[i];
	}
	if (any == 0)
		return;
	PRAGMA_UNROLL
	for (int i = 0; i < BLOCK_ROWS; i++)
	{
		if (differs[i] == 0)
			continue;
		if (BLOCK_ROWS == 1)
		{
			place[i] = missed;
			continue;
		}
		rests[i] |= 1u << sum;
		if (!fixed_rest(rows[i].words[bits], rows[i].words[whole], unit, &rest))
			place[i] = missed;
	}
}

/*
 * A narrow sum of floats, of fixed-point numbers (fixed.cuh).  Rows of row_eval_fixed
 * have the value's bits in the word `rest`, and few a rest, as rests tells.  Without
 * rests there is one row, with the number in three words.  One sum is computed after
 * another, so that numbers of few are in registers at once.
 */
DEVICE_FN void
block_sum_fixed(uint32_t *states, int n, const uint32_t *place, const Row *rows,
				const uint32_t *rests, int sum, int32_t unit, int word, int rest, int whole)
{
	uint32_t	low[BLOCK_ROWS];
	uint64_t	upper[BLOCK_ROWS];
	uint32_t	some = rests == NULL;

	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
	{
		int64_t		number = (int64_t) rows[i].words[whole];
		uint64_t	above = rests ? (uint64_t) (number >> 63) : rows[i].words[rest + 1];

		low[i] = (uint32_t) number;
		upper[i] = rows[i].words[whole] >> 32 | above << 32;
		some |= rests ? (rests[i] >> sum) & 1 : 1;
	}
	PRAGMA_UNROLL
	for (int i = 0; i < n && some; i++)
	{
		uint32_t	bits = (uint32_t) rows[i].words[rest];
		uint32_t	old;
		uint64_t	carry;

		if (rests && ((rests[i] >> sum) & 1) == 0)
			continue;
		if (rests)
			(void) fixed_rest(rows[i].words[rest], rows[i].words[whole], unit, &bits);
		old = atomic_add_u32(block_word(states, place[i], word), bits);
		carry = add_carry_u64(0, old, bits);
		upper[i] = add_carry_u64(upper[i], low[i], (uint32_t) carry);
		low[i] += (uint32_t) carry;
	}
	block_sum_96(states, n, place, low, upper, word + 1, true);
}

/* As word_exact, by halves; one row after another. */
DEVICE_FN void
block_exact(uint32_t *states, uint32_t place, const uint64_t *value, int word, int nwords)
{
	bool		negative = (value[nwords - 1] >> 63) != 0;
	uint32_t	flip = negative ? UINT32_MAX : 0;
	uint32_t	one = flip & 1;
	uint32_t	carry = 0;

	PRAGMA_UNROLL
	for (int i = 0; i < 2 * nwords; i++)
	{
		uint32_t   *half = block_word(states, place, word + i);
		uint32_t	part = ((uint32_t) (value[i / 2] >> (32 * (i % 2))) ^ flip) + one;
		uint32_t	old;

		one = one & (part == 0);
		part += carry;
		carry = carry & (part == 0);
		if (part == 0)
			continue;
		old = atomic_add_u32(half, negative ? 0 - part : part);
		carry = carry | (negative ? old < part : old > ~part);
	}
}

/* Bits do not carry: the halves are words of their own. */
DEVICE_FN void
block_and(uint32_t *states, uint32_t place, uint64_t value, int word)
{
	PRAGMA_UNROLL
	for (int i = 0; i < 2; i++)
	{
		uint32_t   *half = block_word(states, place, word + i);
		uint32_t	bits = (uint32_t) (value >> (32 * i));

		if ((load_volatile_u32(half) & ~bits) != 0)
			atomic_and_u32(half, bits);
	}
}

DEVICE_FN void
block_or(uint32_t *states, uint32_t place, uint64_t value, int word)
{
	PRAGMA_UNROLL
	for (int i = 0; i < 2; i++)
	{
		uint32_t   *half = block_word(states, place, word + i);
		uint32_t	bits = (uint32_t) (value >> (32 * i));

		if ((bits & ~load_volatile_u32(half)) != 0)
			atomic_or_u32(half, bits);
	}
}

DEVICE_FN void
block_xor(uint32_t *states, uint32_t place, uint64_t value, int word)
{
	PRAGMA_UNROLL
	for (int i = 0; i < 2; i++)
	{
		uint32_t	bits = (uint32_t) (value >> (32 * i));

		if (bits != 0)
			atomic_xor_u32(block_word(states, place, word + i), bits);
	}
}

#endif							/* GPUAGG_BLOCK_WORDS_CUH */
