/*
 * words.cuh
 *	  The words of a state: how a contribution is taken in.
 *
 * Each kind of word has three functions: merge_*, of two values in registers;
 * word_*, into a state in device memory, where the hardware adds 64-bit integers
 * and doubles by itself and needs no answer (RED); shared_*, into a state in
 * shared memory, where only 32-bit additions are native on Hopper: 64-bit ones
 * are compare-and-swap loops.  Contributions that change nothing are left out.
 *
 * A word holds a uint64_t, an int64_t or a double's bits.
 */
#ifndef GPUAGG_WORDS_CUH
#define GPUAGG_WORDS_CUH

/* -0: the only double that leaves every other as it is. */
#define FLOAT_NEUTRAL UINT64_C(0x8000000000000000)

DEVICE_FN uint64_t
merge_add(uint64_t a, uint64_t b)
{
	return a + b;
}

DEVICE_FN uint64_t
merge_float(uint64_t a, uint64_t b)
{
	return f64_bits(f64_from_bits(a) + f64_from_bits(b));
}

DEVICE_FN uint64_t
merge_min(uint64_t a, uint64_t b)
{
	return (int64_t) b < (int64_t) a ? b : a;
}

DEVICE_FN uint64_t
merge_max(uint64_t a, uint64_t b)
{
	return (int64_t) b > (int64_t) a ? b : a;
}

DEVICE_FN uint64_t
merge_umin(uint64_t a, uint64_t b)
{
	return b < a ? b : a;
}

DEVICE_FN uint64_t
merge_umax(uint64_t a, uint64_t b)
{
	return b > a ? b : a;
}

DEVICE_FN uint64_t
merge_and(uint64_t a, uint64_t b)
{
	return a & b;
}

DEVICE_FN uint64_t
merge_or(uint64_t a, uint64_t b)
{
	return a | b;
}

DEVICE_FN uint64_t
merge_xor(uint64_t a, uint64_t b)
{
	return a ^ b;
}

DEVICE_FN void
word_add(uint64_t *word, uint64_t value)
{
	if (value != 0)
		atomic_add_u64_noreturn(word, value);
}

DEVICE_FN void
word_float(uint64_t *word, uint64_t value)
{
	if (value != FLOAT_NEUTRAL)
		atomic_add_f64_noreturn((double *) word, f64_from_bits(value));
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

/*
 * The rest is compare-and-swap in any case; the compiler's own loop for it is
 * shorter than one written here.
 */
#define shared_float word_float
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
