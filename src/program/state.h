/*
 * state.h
 *	  The words of a group's state: their start values and their merging.
 *
 * Every accumulator owns one or more 8-byte words, by its form (accs.def):
 *
 *	COUNT		number of rows
 *	INT			an int64: the sum, wrapping (int2 and int4 cannot overflow it), the
 *				extreme, or the values' bits; narrower values are sign-extended, and so
 *				is what bit operations make of them
 *	INT128		two words: the sum of the values' low 32 bits, unsigned, and the
 *				sum of their high 32 bits, signed; the sum is high * 2^32 + low.
 *				Both halves are plain 64-bit additions without a carry, hence
 *				two independent atomics on a GPU.  Exact for 2^31 values between
 *				two calls of state_normalize.
 *	FLOAT, FLOAT_PRODUCT	an integer of several words that counts units of a
 *				power of 2, and above EXACT_NARROW a word of flags (exact.h).
 *				The unit belongs to the run: only states of equal units merge
 *	ORDERED		the double's bits, mapped to an unsigned integer of the same order,
 *				NaN above all, -0 more extreme than 0 (float_to_ordered)
 *	SIZE		the sum of sizes: one above SIZE_LIMIT may be that of values whose sum overflows
 *	texts		two words: the address of the bytes, 0 if there is no text yet, and
 *				the length, with the bytes' room in the upper half.  The bytes belong to
 *				the state's owner
 *	WIDE		two words: the number, the low word first
 *	INTERVAL	three words: the interval, and whether an equal one that is written
 *				differently was met, so that it is not known which PostgreSQL would
 *				return
 *
 *	VALUES		two words: where the next value goes, 0 if there are none, and how many
 *				there are (engine/cpu/value_list.h).  The list belongs to the state's owner.  What
 *				leaves an engine of GIVEN_VALUES is the address of the values in their order,
 *				as integers of order_statistic.h, and how many there are; no address if they have
 *				stayed in the store (EngineLists)
 *	ROWS		likewise, of words (row_list.h).  What leaves an engine is their address, which
 *				may be missing likewise, and how many there are
 *	ROW_COLUMN	none
 *	VALUE		as INT or ORDERED, by the values' type, once all of them are there
 *	BETWEEN		two of the values, floats as their bits, and the bits of the share of the way from the first to the
 *				second at which the result is: 0, the first; likewise
 *	DISTINCT_COUNT, DISTINCT_SUM, DISTINCT_SUM128
 *				as COUNT, INT and INT128, of the values that are different; likewise
 *	FIRST_ROWS	entries of the first rows in their order (first_rows.h)
 *
 * Whether an accumulator has taken in any value is what an ACC_COUNT says
 * over the same argument and filter (Aggregate.count), so the start values are
 * those that change nothing.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_STATE_H
#define GPUAGG_STATE_H

#include "accs.h"
#include "fn.h"

/* Sums of values whose sizes (value_size) sum up to this are in range, in any order of the rows. */
#define SIZE_LIMIT INT32_MAX

/*
 * Double bits in the order of PostgreSQL's float comparison.  0 and -0 are equal
 * there, and PostgreSQL's extreme is whichever came last.  Here they are
 * neighbours, whose codes are each other's complements, and -0 is the lesser for
 * a minimum and the greater for a maximum: an extreme that is 0 has met no -0,
 * and one that is -0 may have met both (states_are_inexact).
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

#include "first_rows.h"
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
	int			order;

	if (words[0] == 0)
		return true;
	order = form_text_order(acc_form(kind), text, extreme_text(words));
	return acc_is_greatest(kind) ? order > 0 : order < 0;
}

/* Let a state hold the lesser, or the greater, of its number and another. */
GA_FN void
take_wide(bool greatest, uint64_t *words, Wide value)
{
	Wide		best = wide_of_words(words[0], words[1]);

	if (greatest ? wide_lt(best, value) : wide_lt(value, best))
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
	else if ((order > 0) == acc_is_greatest(kind))
	{
		words[0] = (uint64_t) value.time;
		words[1] = interval_days_word(value);
		words[2] = 0;
	}
}

/* Start values: the number, or the interval, that is greatest, or least. */
GA_FN void
wide_init(AccKind kind, uint64_t *words)
{
	bool		least = acc_is_greatest(kind);

	words[0] = least ? 0 : UINT64_MAX;
	words[1] = (uint64_t) (least ? INT64_MIN : INT64_MAX);
}

GA_FN void
interval_init(AccKind kind, uint64_t *words)
{
	bool		least = acc_is_greatest(kind);
	TimeSpan	start;

	start.time = least ? INT64_MIN : INT64_MAX;
	start.day = start.month = least ? INT32_MIN : INT32_MAX;
	words[0] = (uint64_t) start.time;
	words[1] = interval_days_word(start);
	words[2] = 0;
}

/* Write the start values of one accumulator's words. */
GA_FN void
acc_init(const Accumulator *acc, uint64_t *words)
{
	AccKind		kind = (AccKind) acc->kind;

	switch (acc_form(kind))
	{
		case FORM_COUNT:
		case FORM_INT:
		case FORM_SIZE:
		case FORM_ORDERED:
			words[0] = word_start_of(acc_word(kind));
			break;
		case FORM_WIDE:
			wide_init(kind, words);
			break;
		case FORM_INTERVAL:
			interval_init(kind, words);
			break;
		case FORM_FIRST_ROWS:	/* there are none */
			memset(words, 0xff, acc->nwords * sizeof(uint64_t));
			break;
		default:				/* sums, and texts, of which there is none yet */
			memset(words, 0, acc->nwords * sizeof(uint64_t));
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

	switch (acc_form(kind))
	{
		case FORM_WIDE:
			take_wide(acc_is_greatest(kind), into, wide_of_words(from[0], from[1]));
			break;
		case FORM_INTERVAL:
			take_interval(kind, into, interval_of_words(from[0], from[1]));
			if (into[0] == from[0] && into[1] == from[1])
				into[2] |= from[2];
			break;
		case FORM_FIRST_ROWS:
			first_rows_merge(into, acc->nwords, acc_order_keys(acc), from);
			break;
		case FORM_VALUES:		/* only a list's owner can: merge_state */
		case FORM_ROWS:
		case FORM_ROW_COLUMN:
		case FORM_VALUE:
		case FORM_BETWEEN:
		case FORM_DISTINCT_COUNT:
		case FORM_DISTINCT_SUM:
		case FORM_DISTINCT_SUM128:
			break;
		default:				/* texts */
			if (from[0] != 0 && extreme_is_beaten(kind, into, extreme_text(from)))
				memcpy(into, from, 2 * sizeof(*into));
			break;
	}
}

/* Take a value into a word. */
GA_FN void
word_merge(WordKind kind, uint64_t *w, uint64_t v)
{
	switch (kind)
	{
#define WORD(name, suffix, start, extreme, idempotent, merge) \
		case WORD_##name: \
			merge; \
			break;
#include "accs.def"
		case WORD_EXACT:
		case WORD_KINDS:
			break;
	}
}

/* Merge the words of one accumulator from another state of the same group. */
GA_FN void
acc_merge(const Accumulator *acc, int level, uint64_t *into, const uint64_t *from)
{
	AccKind		kind = (AccKind) acc->kind;

	switch (acc_form(kind))
	{
		case FORM_COUNT:
		case FORM_INT:
		case FORM_SIZE:
		case FORM_ORDERED:
			word_merge(acc_word(kind), into, from[0]);
			break;
		case FORM_INT128:
			sum128_normalize(into);
			into[1] += from[1] + (from[0] >> 32);
			into[0] += from[0] & UINT64_C(0xffffffff);
			break;
		case FORM_FLOAT:
		case FORM_FLOAT_PRODUCT:
			exact_add(into, from, acc_number_words(acc, level));
			if (level != EXACT_NARROW)
				into[acc->nwords - 1] |= from[acc->nwords - 1];
			break;
		default:
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

#define AMBIGUOUS_MESSAGE "which of several equal values is the extreme is not known"
#define SIZE_MESSAGE "values are so large that their sums can overflow"

/* Is it the state of a form that is checked, and does not tell PostgreSQL's result? */
GA_FN bool
state_is_inexact(const Accumulator *acc, const uint64_t *word)
{
	AccKind		kind = (AccKind) acc->kind;

	switch (acc_form(kind))
	{
		case FORM_ORDERED:
			return word[0] == float_to_ordered(-0.0, acc_is_greatest(kind));
		case FORM_SIZE:
			return word[0] > SIZE_LIMIT;
		default:				/* an interval */
			return word[2] != 0;
	}
}

/*
 * Has one of n states, each `stride` words behind the one before, met equal values which are
 * not identical, so that it is not known which of them PostgreSQL would return as an extreme,
 * or values so large that PostgreSQL's own sum may overflow?  NULL: none; else a message.
 * Of intervals' extremes a word says so, of floats' -0 does.
 */
GA_FN const char *
states_are_inexact(const Program *p, const uint64_t *words, size_t stride, uint32_t n)
{
	const Accumulator *acc = program_accs(p);

	for (int i = 0; i < p->naccs; i++)
	{
		AccForm		form = acc_form((AccKind) acc[i].kind);
		const uint64_t *word = words + acc[i].word;

		if (!form_is_checked(form))
			continue;
		for (uint32_t j = 0; j < n; j++, word += stride)
			if (state_is_inexact(&acc[i], word))
				return form == FORM_SIZE ? SIZE_MESSAGE : AMBIGUOUS_MESSAGE;
	}
	return NULL;
}

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_STATE_H */
