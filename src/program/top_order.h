/*
 * top_order.h
 *	  The order of groups by keys and aggregates, as that of 64-bit words.
 *
 * A group that comes before another one by a column's value has a word that is not
 * greater; and of two groups, the one with the lesser word has a value that comes before
 * the other's in PostgreSQL's order.  Values that are equal, or too large for a word to
 * tell apart, have the same word.  So groups can be left out by their words: if enough
 * others have lesser ones.
 *
 * Of several columns each has a word, and the first one that differs decides.  It may only
 * decide where equal words before it are those of equal values.  So nothing follows a column
 * whose words are the beginnings of values, or are near to them; and of a
 * group with a first or last word that several values share, all later words are 0
 * (top_word_is_shared).
 *
 * A sum of floats has the double, or the float, that it is rounded to, and an average of
 * floats PostgreSQL's double: these are the values.  The quotient by which numeric averages are
 * ordered is a double that is near to them: words that are not further apart than
 * TopOrder.slack may belong to values in any order.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_TOP_ORDER_H
#define GPUAGG_TOP_ORDER_H

#include "fn.h"

/*
 * How a word is made of a state or a key: an int64 unless it is one of INT128, FLOAT,
 * SUM_FLOAT, WIDE and BEGINNING.
 */
#define TOP_INT128 1u			/* of a SUM_INT128's words */
#define TOP_FLOAT 2u			/* of an extreme of floats (float_to_ordered), or a key
								 * (top_float_key) */
#define TOP_SUM_FLOAT 4u		/* of a narrow sum's words (exact.h), */
#define TOP_SINGLE 8u			/* rounded to a float */
#define TOP_AVERAGE 16u			/* the value is divided by the count */
#define TOP_DESCENDING 32u
#define TOP_NULLS_FIRST 64u
#define TOP_WIDE 128u			/* of a number of 128 bits, its low word first */
#define TOP_BEGINNING 256u		/* of the first bytes of a longer value (top_bytes) */

/* Words of a state that a value is made of. */
#define TOP_WORDS 3

/*
 * The quotient of two doubles that are rounded, and numeric's of at least 16 digits, are
 * nearer to what they stand for than 2^-50 of it.
 */
#define TOP_AVERAGE_SLACK (UINT64_C(1) << 10)

/* The value of SUM_INT128's words, or the int64 next to it. */
GA_FN int64_t
top_int128(uint64_t low, uint64_t high)
{
	int64_t		upper = (int64_t) (high + (low >> 32));

	if (upper > INT32_MAX)
		return INT64_MAX;
	if (upper < INT32_MIN)
		return INT64_MIN;
	return (int64_t) (((uint64_t) upper << 32) | (low & UINT64_C(0xffffffff)));
}

/* The same of a number of 128 bits. */
GA_FN int64_t
top_wide(uint64_t low, uint64_t high)
{
	if (high == (uint64_t) ((int64_t) low >> 63))
		return (int64_t) low;
	return high >> 63 ? INT64_MIN : INT64_MAX;
}

/* A key of so many bits, the lowest ones, as an int64. */
GA_FN uint64_t
top_int_key(uint64_t key, uint32_t bits)
{
	return (uint64_t) ((int64_t) (key << (64 - bits)) >> (64 - bits));
}

/* The first 8 bytes of a value, in memory's order, as a number in their order. */
GA_FN uint64_t
top_bytes(uint64_t bytes)
{
	bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
	bytes = (bytes & UINT64_C(0x0000ffff0000ffff)) << 16 | (bytes >> 16 & UINT64_C(0x0000ffff0000ffff));
	return bytes << 32 | bytes >> 32;
}

/* 2^exponent, a normal double. */
GA_FN double
top_power_of_two(int32_t exponent)
{
	uint64_t	bits = (uint64_t) (exponent + 1023) << 52;
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* How many bits a word has. */
GA_FN int32_t
top_word_length(uint64_t word)
{
#ifdef __CUDACC_RTC__
	return 64 - (int32_t) bits_leading_zeros_u64(word);
#else
	return word == 0 ? 0 : 64 - __builtin_clzll(word);
#endif
}

/* How many bits a number of three words has. */
GA_FN int32_t
top_length(const uint64_t *words)
{
	int32_t		i = TOP_WORDS - 1;

	while (i > 0 && words[i] == 0)
		i--;
	return 64 * i + top_word_length(words[i]);
}

/* Bits of a number of three words from `from` on, 64 of them. */
GA_FN uint64_t
top_bits_from(const uint64_t *words, int32_t from)
{
	int32_t		word = from / 64;
	int32_t		bit = from % 64;
	uint64_t	bits = word < TOP_WORDS ? words[word] >> bit : 0;

	if (bit > 0 && word + 1 < TOP_WORDS)
		bits |= words[word + 1] << (64 - bit);
	return bits;
}

/* Its digits without the lowest `drop` bits, to the nearest, ties to even. */
GA_FN uint64_t
top_round(const uint64_t *words, int32_t drop)
{
	uint64_t	digits = top_bits_from(words, drop);
	bool		below = false;

	if (drop == 0 || (top_bits_from(words, drop - 1) & 1) == 0)
		return digits;
	for (int32_t i = 0; i < drop - 1; i += 64)
		below = below || (words[i / 64] << (drop - 1 - i < 64 ? 64 - (drop - 1 - i) : 0)) != 0;
	return digits + (below || (digits & 1));
}

/* As exact_round of exact_result.h, of a narrow sum. */
GA_FN double
top_sum_float(const uint64_t *words, int32_t unit, bool single)
{
	bool		negative = words[TOP_WORDS - 1] >> 63 != 0;
	int32_t		least = (single ? -149 : -1074) - unit;
	uint64_t	magnitude[TOP_WORDS];
	uint64_t	carry = negative;
	int32_t		drop;
	double		value;

	/* nearly every sum's digits are in one word, and the processor rounds them */
	if (!single && words[0] == 0 && words[2] == (uint64_t) ((int64_t) words[1] >> 63) &&
		unit >= -1000 && unit < 800)
		return (double) (int64_t) words[1] * top_power_of_two(unit + 64);
	for (int i = 0; i < TOP_WORDS; i++)
	{
		magnitude[i] = (negative ? ~words[i] : words[i]) + carry;
		carry = carry && magnitude[i] == 0;
	}
	drop = top_length(magnitude) - (single ? 24 : 53);
	drop = drop < least ? least : drop;
	drop = drop < 0 ? 0 : drop;
	value = drop > 192 ? 0 : (double) top_round(magnitude, drop);
	unit += drop;
	/* in two steps: a power of two may be no normal double */
	value = unit < -600 ? value * top_power_of_two(-600) * top_power_of_two(unit + 600) :
		unit > 600 ? value * top_power_of_two(600) * top_power_of_two(unit - 600) :
		value * top_power_of_two(unit);
	return negative ? -value : value;
}

/* The sum of an average, as a double near to it; of floats, its double. */
GA_FN double
top_sum(uint32_t order, const uint64_t *words, int32_t unit)
{
	uint64_t	high = words[1] + (words[0] >> 32);

	if (order & TOP_SUM_FLOAT)
		return top_sum_float(words, unit, (order & TOP_SINGLE) != 0);
	if (order & TOP_INT128)
		return (double) (int64_t) high * 4294967296.0 +
			(double) (words[0] & UINT64_C(0xffffffff));
	return (double) (int64_t) words[0];
}

/* A double's bits, which are no NaN's, in its order. */
GA_FN uint64_t
top_ordered(double value)
{
	uint64_t	bits;

	value += 0.0;				/* 0 and -0 are equal */
	memcpy(&bits, &value, sizeof(bits));
	return (bits >> 63) ? ~bits : bits | UINT64_C(0x8000000000000000);
}

/* A key that is a float of so many bits, in the order of floats. */
GA_FN uint64_t
top_float_key(uint64_t key, uint32_t bits)
{
	double		value;
	uint32_t	half = (uint32_t) key;
	float		single;

	if (bits == 32)
	{
		memcpy(&single, &half, sizeof(single));
		value = single;
	}
	else
		memcpy(&value, &key, sizeof(value));
	/* above the infinity, and no word that others share */
	return value != value ? UINT64_C(0xfff8000000000000) : top_ordered(value);
}

/*
 * The word of a state's words or a key's, of which there are as many as `order` needs, and
 * its count if there is one, which is not 0.  NULLs have words of their own.
 */
GA_FN uint64_t
top_word(uint32_t order, int32_t unit, bool isnull, const uint64_t *words, uint64_t count)
{
	uint64_t	word = words[0];

	if (isnull)
		return (order & TOP_NULLS_FIRST) ? 0 : UINT64_MAX;
	if (order & TOP_AVERAGE)
		word = top_ordered(top_sum(order, words, unit) / (double) (int64_t) count);
	else if (order & TOP_SUM_FLOAT)
		word = top_ordered(top_sum(order, words, unit));
	else if (order & TOP_INT128)
		word = (uint64_t) top_int128(words[0], words[1]) ^ UINT64_C(0x8000000000000000);
	else if (order & TOP_WIDE)
		word = (uint64_t) top_wide(words[0], words[1]) ^ UINT64_C(0x8000000000000000);
	else if (!(order & (TOP_FLOAT | TOP_BEGINNING)))
		word ^= UINT64_C(0x8000000000000000);
	else if (!(order & TOP_FLOAT))
		;						/* it is in their order */
	else if (word == UINT64_C(0x7fffffffffffffff))
		word++;					/* 0 and -0, which are equal */
	if (order & TOP_DESCENDING)
		word = ~word;
	if (word == 0)
		return 1;
	return word == UINT64_MAX ? word - 1 : word;
}

/* Can values that differ have this word, of a column that others follow? */
GA_FN bool
top_word_is_shared(uint64_t word)
{
	return word == 1 || word == UINT64_MAX - 1;
}

/* The ascending word of an int64 that no other one shares. */
GA_FN uint64_t
top_word_of_int(int64_t value)
{
	return (uint64_t) value ^ UINT64_C(0x8000000000000000);
}

/* The last word of groups that leave, where the wanted ones have words up to this one. */
GA_FN uint64_t
top_last_word(uint64_t word, uint64_t slack)
{
	return word < UINT64_MAX - 1 - slack ? word + slack : word < UINT64_MAX - 1 ? UINT64_MAX - 1 : word;
}

#ifndef __CUDACC_RTC__

#include "program.h"

/* Columns that groups are ordered by at most. */
#define TOP_COLUMNS 4

/* A column of the order, in that of a type's default operators. */
typedef struct TopHintColumn
{
	uint16_t	number;			/* of the Program's keys, then of its aggregates */
	uint8_t		descending;
	uint8_t		nulls_first;
} TopHintColumn;

/* Conditions that groups are known by at most. */
#define TOP_CONDITIONS 4

/* A column's ascending word is in a range, and its value is not NULL. */
typedef struct TopCondition
{
	uint64_t	least;
	uint64_t	most;
	uint32_t	number;			/* as TopHintColumn's */
	uint32_t	unused;
} TopCondition;

/*
 * Which groups are wanted: of those that fulfil all conditions, how many, and what they are
 * ordered by.  A key that is a number has its values' order, any other that of its bytes.
 */
typedef struct TopHint
{
	uint32_t	groups;			/* at least; 0: all */
	uint32_t	ncolumns;
	TopHintColumn columns[TOP_COLUMNS];
	uint32_t	nconditions;
	uint32_t	ties;			/* 1: all that are equal to the last wanted one, too; 0: any of these will do */
	TopCondition conditions[TOP_CONDITIONS];
} TopHint;

/* What a column's word is made of. */
typedef struct TopOrder
{
	uint32_t	order;			/* TOP_* */
	uint32_t	nwords;			/* that it is made of */
	uint64_t	slack;			/* words that are so near may be those of values in any order */
	int			key;			/* or -1: an aggregate */
	int			acc;			/* accumulator of the value */
	int			count;			/* one that is 0 if the value is NULL, or -1 */
} TopOrder;

/* The ascending order of a column, or false: words cannot tell it. */
extern bool top_order_of(const Program *program, uint32_t number, TopOrder *order);

/*
 * Those of the conditions that words can tell, and what the words are made of; returns how many
 * these are.
 */
extern int	top_conditions_make(const Program *program, const TopHint *hint,
								TopCondition conditions[TOP_CONDITIONS],
								TopOrder orders[TOP_CONDITIONS]);

/*
 * The order that is asked for, of as many columns as words can tell; returns how many these
 * are.  0: none, or none is asked for, or not all conditions can be told: then those that
 * come first may not be wanted.
 */
extern int	top_orders_make(const Program *program, const TopHint *hint,
							TopOrder orders[TOP_COLUMNS]);

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_TOP_ORDER_H */
