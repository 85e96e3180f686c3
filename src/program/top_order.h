/*
 * top_order.h
 *	  The order of groups by one aggregate, as that of 64-bit words.
 *
 * A group that comes before another one by the aggregate's value has a word that is not
 * greater; and of two groups, the one with the lesser word has a value that comes before
 * the other's in PostgreSQL's order.  Values that are equal, or too large for a word to
 * tell apart, have the same word.  So groups can be left out by their words: if enough
 * others have lesser ones.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_TOP_ORDER_H
#define GPUAGG_TOP_ORDER_H

#include "fn.h"

/* How a word is made of a state: an int64 unless one of the first two is set. */
#define TOP_INT128 1u			/* of a SUM_INT128's words */
#define TOP_FLOAT 2u			/* of an extreme of floats (float_to_ordered) */
#define TOP_DESCENDING 4u
#define TOP_NULLS_FIRST 8u

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

/* The word of a state's words; high: only of TOP_INT128.  NULLs have words of their own. */
GA_FN uint64_t
top_word(uint32_t order, bool isnull, uint64_t low, uint64_t high)
{
	uint64_t	word = low;

	if (isnull)
		return (order & TOP_NULLS_FIRST) ? 0 : UINT64_MAX;
	if (order & TOP_INT128)
		word = (uint64_t) top_int128(low, high);
	if (!(order & TOP_FLOAT))
		word ^= UINT64_C(0x8000000000000000);
	else if (word == UINT64_C(0x7fffffffffffffff))
		word++;					/* 0 and -0, which are equal */
	if (order & TOP_DESCENDING)
		word = ~word;
	if (word == 0)
		return 1;
	return word == UINT64_MAX ? word - 1 : word;
}

#ifndef __CUDACC_RTC__

#include "program.h"

/* How many groups are wanted, and the first thing that they are ordered by. */
typedef struct TopHint
{
	uint32_t	groups;			/* at least; 0: all */
	uint16_t	agg;			/* the Program's aggregate whose value it is */
	uint8_t		descending;
	uint8_t		nulls_first;
} TopHint;

/* What a word is made of. */
typedef struct TopOrder
{
	uint32_t	order;			/* TOP_* */
	int			acc;			/* accumulator of the value */
	int			count;			/* one that is 0 if the value is NULL, or -1 */
} TopOrder;

/* The order that is asked for; false: words cannot tell it, or none is asked for. */
extern bool top_order_make(const Program *program, const TopHint *hint, TopOrder *order);

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_TOP_ORDER_H */
