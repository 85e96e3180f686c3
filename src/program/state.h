/*
 * state.h
 *	  The words of a group's state: their start values and their merging.
 *
 * Every accumulator owns one or more 8-byte words:
 *
 *	COUNT		number of rows
 *	SUM_INT		the sum as int64, wrapping (int2 and int4 cannot overflow it)
 *	SUM_INT128	two words: the sum of the values' low 32 bits, unsigned, and the
 *				sum of their high 32 bits, signed; the sum is high * 2^32 + low.
 *				Both halves are plain 64-bit additions without a carry, hence
 *				two independent atomics on a GPU.  Exact for 2^31 values between
 *				two calls of state_normalize.
 *	SUM_FLOAT, SUM_PRODUCT	an integer of several words that counts units of a
 *				power of 2, and above EXACT_NARROW a word of flags (exact.h).
 *				The unit belongs to the run: only states of equal units merge
 *	MIN_INT, MAX_INT	an int64
 *	MIN_FLOAT, MAX_FLOAT	the double's bits, mapped to an unsigned integer of
 *				the same order, NaN above all, -0 more extreme than 0
 *				(float_to_ordered)
 *	BIT_AND, BIT_OR, BIT_XOR	the values' bits as an int64; narrower values are
 *				sign-extended, and so is what the operations make of them
 *	MIN_TEXT, MAX_TEXT, MIN_BPCHAR, MAX_BPCHAR	two words: the address of the
 *				bytes, 0 if there is no text yet, and the length, with the bytes'
 *				room in the upper half.  The bytes belong to the state's owner
 *	MIN_WIDE, MAX_WIDE	two words: the number, the low word first
 *	MIN_INTERVAL, MAX_INTERVAL	three words: the interval, and whether an equal
 *				one that is written differently was met, so that it is not known
 *				which PostgreSQL would return
 *
 * Whether an accumulator has taken in any value is what an ACC_COUNT says
 * over the same argument and filter (Aggregate.count), so the start values are
 * those that change nothing.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_STATE_H
#define GPUAGG_STATE_H

#include "fn.h"

/*
 * Double bits in the order of PostgreSQL's float comparison.  0 and -0 are equal
 * there, and PostgreSQL's extreme is whichever came last.  Here they are
 * neighbours, whose codes are each other's complements, and -0 is the lesser for
 * a minimum and the greater for a maximum: an extreme that is 0 has met no -0,
 * and one that is -0 may have met both (states_are_ambiguous).
 */
GA_FN uint64_t
float_to_ordered(double value, bool max)
{
	uint64_t	bits;
	uint64_t	ordered;

	if (value != value)
		return UINT64_C(0xffffffffffffffff);
	memcpy(&bits, &value, sizeof(bits));
	ordered = (bits >> 63) ? ~bits : bits | UINT64_C(0x8000000000000000);
	return max && value == 0 ? ~ordered : ordered;
}

GA_FN double
float_from_ordered(uint64_t ordered, bool max)
{
	uint64_t	bits;
	double		value;

	if (ordered == UINT64_C(0xffffffffffffffff))
		bits = UINT64_C(0x7ff8000000000000);
	else if (ordered >> 63)
		bits = ordered & UINT64_C(0x7fffffffffffffff);
	else
		bits = ~ordered;
	memcpy(&value, &bits, sizeof(value));
	return max && value == 0 ? -value : value;
}

#ifndef __CUDACC_RTC__

#include "interval_order.h"
#include "ops_wide.h"
#include "program.h"
#include "text_order.h"

/* The text that an extreme's state holds; there must be one. */
GA_FN Bytes
extreme_text(const uint64_t *words)
{
	Bytes		text = {(const char *) (uintptr_t) words[0], (uint32_t) words[1]};

	return text;
}

/* Must a text replace that of the state? */
GA_FN bool
extreme_is_beaten(AccKind kind, const uint64_t *words, Bytes text)
{
	Bytes		best = extreme_text(words);
	int			order;

	if (words[0] == 0)
		return true;
	if (kind == ACC_MIN_BPCHAR || kind == ACC_MAX_BPCHAR)
		order = text_order(bpchar_trimmed(text), bpchar_trimmed(best));
	else
		order = text_order(text, best);
	return kind == ACC_MIN_TEXT || kind == ACC_MIN_BPCHAR ? order < 0 : order > 0;
}

/* Let a state hold the lesser, or the greater, of its number and another. */
GA_FN void
take_min_wide(uint64_t *words, Wide value)
{
	if (wide_lt(value, wide_of_words(words[0], words[1])))
		memcpy(words, value.w, sizeof(value.w));
}

GA_FN void
take_max_wide(uint64_t *words, Wide value)
{
	if (wide_lt(wide_of_words(words[0], words[1]), value))
		memcpy(words, value.w, sizeof(value.w));
}

/* The same of intervals. */
GA_FN void
take_interval(AccKind kind, uint64_t *words, TimeSpan value)
{
	TimeSpan	best = interval_of_words(words[0], words[1]);
	int			order = interval_order(value, best);

	if (order == 0)
		words[2] |= !interval_is_same(value, best);
	else if ((order < 0) == (kind == ACC_MIN_INTERVAL))
	{
		words[0] = (uint64_t) value.time;
		words[1] = interval_days_word(value);
		words[2] = 0;
	}
}

/* Of the interval that is greatest, or least. */
GA_FN void
interval_init(AccKind kind, uint64_t *words)
{
	bool		greatest = kind == ACC_MIN_INTERVAL;
	TimeSpan	start;

	start.time = greatest ? INT64_MAX : INT64_MIN;
	start.day = start.month = greatest ? INT32_MAX : INT32_MIN;
	words[0] = (uint64_t) start.time;
	words[1] = interval_days_word(start);
	words[2] = 0;
}

/* Write the start values of one accumulator's words. */
GA_FN void
acc_init(const Accumulator *acc, uint64_t *words)
{
	switch ((AccKind) acc->kind)
	{
		case ACC_COUNT:
		case ACC_SUM_INT:
		case ACC_BIT_OR:
		case ACC_BIT_XOR:
			words[0] = 0;
			break;
		case ACC_MIN_TEXT:
		case ACC_MAX_TEXT:
		case ACC_MIN_BPCHAR:
		case ACC_MAX_BPCHAR:
			words[0] = words[1] = 0;
			break;
		case ACC_MIN_WIDE:
			words[0] = UINT64_MAX;
			words[1] = (uint64_t) INT64_MAX;
			break;
		case ACC_MAX_WIDE:
			words[0] = 0;
			words[1] = (uint64_t) INT64_MIN;
			break;
		case ACC_MIN_INTERVAL:
		case ACC_MAX_INTERVAL:
			interval_init((AccKind) acc->kind, words);
			break;
		case ACC_SUM_INT128:
		case ACC_SUM_FLOAT:
		case ACC_SUM_PRODUCT:
			memset(words, 0, acc->nwords * sizeof(uint64_t));
			break;
		case ACC_MIN_INT:
			words[0] = (uint64_t) INT64_MAX;
			break;
		case ACC_MAX_INT:
			words[0] = (uint64_t) INT64_MIN;
			break;
		case ACC_MIN_FLOAT:
		case ACC_BIT_AND:
			words[0] = UINT64_MAX;
			break;
		case ACC_MAX_FLOAT:
			words[0] = 0;
			break;
	}
}

/* Carry what SUM_INT128's low word has above 32 bits into its high word. */
GA_FN void
sum128_normalize(uint64_t *words)
{
	words[1] += words[0] >> 32;
	words[0] &= UINT64_C(0xffffffff);
}

/* Merge an extreme of values that no word holds. */
GA_FN void
acc_merge_value(const Accumulator *acc, uint64_t *into, const uint64_t *from)
{
	AccKind		kind = (AccKind) acc->kind;

	if (kind == ACC_MIN_WIDE)
		take_min_wide(into, wide_of_words(from[0], from[1]));
	else if (kind == ACC_MAX_WIDE)
		take_max_wide(into, wide_of_words(from[0], from[1]));
	else if (acc_is_interval(kind))
	{
		take_interval(kind, into, interval_of_words(from[0], from[1]));
		if (into[0] == from[0] && into[1] == from[1])
			into[2] |= from[2];
	}
	else if (from[0] != 0 && extreme_is_beaten(kind, into, extreme_text(from)))
		memcpy(into, from, 2 * sizeof(*into));
}

/* Merge the words of one accumulator from another state of the same group. */
GA_FN void
acc_merge(const Accumulator *acc, int level, uint64_t *into, const uint64_t *from)
{
	switch ((AccKind) acc->kind)
	{
		case ACC_COUNT:
		case ACC_SUM_INT:
			into[0] += from[0];
			break;
		case ACC_SUM_INT128:
			sum128_normalize(into);
			into[1] += from[1] + (from[0] >> 32);
			into[0] += from[0] & UINT64_C(0xffffffff);
			break;
		case ACC_SUM_FLOAT:
		case ACC_SUM_PRODUCT:
			exact_add(into, from, acc_number_words(acc, level));
			if (level != EXACT_NARROW)
				into[acc->nwords - 1] |= from[acc->nwords - 1];
			break;
		case ACC_MIN_INT:
			if ((int64_t) from[0] < (int64_t) into[0])
				into[0] = from[0];
			break;
		case ACC_MAX_INT:
			if ((int64_t) from[0] > (int64_t) into[0])
				into[0] = from[0];
			break;
		case ACC_MIN_FLOAT:
			if (from[0] < into[0])
				into[0] = from[0];
			break;
		case ACC_MAX_FLOAT:
			if (from[0] > into[0])
				into[0] = from[0];
			break;
		case ACC_BIT_AND:
			into[0] &= from[0];
			break;
		case ACC_BIT_OR:
			into[0] |= from[0];
			break;
		case ACC_BIT_XOR:
			into[0] ^= from[0];
			break;
		case ACC_MIN_TEXT:
		case ACC_MAX_TEXT:
		case ACC_MIN_BPCHAR:
		case ACC_MAX_BPCHAR:
		case ACC_MIN_WIDE:
		case ACC_MAX_WIDE:
		case ACC_MIN_INTERVAL:
		case ACC_MAX_INTERVAL:
			acc_merge_value(acc, into, from);
			break;
	}
}

/* The start values of a whole group's state, and the merging of two. */
GA_FN void
state_init(const Program *p, uint64_t *words)
{
	const Accumulator *acc = program_accs(p);

	for (int i = 0; i < p->naccs; i++)
		acc_init(&acc[i], words + acc[i].word);
}

GA_FN void
state_merge(const Program *p, uint64_t *into, const uint64_t *from)
{
	const Accumulator *acc = program_accs(p);

	for (int i = 0; i < p->naccs; i++)
		acc_merge(&acc[i], p->level, into + acc[i].word, from + acc[i].word);
}

/*
 * Has one of n states, each `stride` words behind the one before, an extreme that
 * has met equal values which are not identical, so that it is not known which
 * of them PostgreSQL would return?  Of intervals a word says so, of floats -0 does.
 */
GA_FN bool
states_are_ambiguous(const Program *p, const uint64_t *words, size_t stride, uint32_t n)
{
	const Accumulator *acc = program_accs(p);

	for (int i = 0; i < p->naccs; i++)
	{
		bool		max = acc[i].kind == ACC_MAX_FLOAT;
		uint64_t	zero = float_to_ordered(-0.0, max);

		if (max || acc[i].kind == ACC_MIN_FLOAT)
		{
			for (uint32_t j = 0; j < n; j++)
				if (words[j * stride + acc[i].word] == zero)
					return true;
		}
		else if (acc_is_interval((AccKind) acc[i].kind))
		{
			for (uint32_t j = 0; j < n; j++)
				if (words[j * stride + acc[i].word + 2] != 0)
					return true;
		}
	}
	return false;
}

#define AMBIGUOUS_MESSAGE "which of several equal values is the extreme is not known"

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_STATE_H */
