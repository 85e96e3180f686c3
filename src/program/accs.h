/*
 * accs.h
 *	  What is kept for each group, in words of 8 bytes: accumulators, their forms
 *	  and their words, as accs.def has them.
 *
 * See state.h for what the words hold and how two states merge.  Read as C and as
 * CUDA C.
 */
#ifndef GPUAGG_ACCS_H
#define GPUAGG_ACCS_H

#include "fn.h"

/* What a word of a state holds, and how it merges. */
typedef enum WordKind
{
	WORD_EXACT,					/* several words, a float sum (exact.h) */
#define WORD(name, ...) WORD_##name,
#include "accs.def"
	WORD_KINDS
} WordKind;

/* How an argument becomes the words of a state. */
typedef enum AccForm
{
#define FORM(name, ...) FORM_##name,
#define REFERENCE(name, ...) FORM_##name,
#define STATISTIC(name, ...) FORM_##name,
#define ENTRIES(name) FORM_##name,
#include "accs.def"
	FORM_KINDS
} AccForm;

typedef enum AccKind
{
#define ACC(name, ...) ACC_##name,
#include "accs.def"
	ACC_KINDS
} AccKind;

GA_FN AccForm
acc_form(AccKind kind)
{
	switch (kind)
	{
#define ACC(name, shown, first, last, form, word) case ACC_##name: return FORM_##form;
#include "accs.def"
		case ACC_KINDS:
			break;
	}
	return FORM_KINDS;
}

GA_FN WordKind
acc_word(AccKind kind)
{
	switch (kind)
	{
#define ACC(name, shown, first, last, form, word) case ACC_##name: return WORD_##word;
#include "accs.def"
		case ACC_KINDS:
			break;
	}
	return WORD_KINDS;
}

/* Is it an extreme of texts, whose states refer to bytes? */
GA_FN bool
form_is_text(AccForm form)
{
	switch (form)
	{
#define REFERENCE(name, words, checked, text, take) case FORM_##name: return text;
#include "accs.def"
		default:
			return false;
	}
}

/* Is it an extreme of values that no word holds? */
GA_FN bool
form_is_reference(AccForm form)
{
	switch (form)
	{
#define REFERENCE(name, ...) case FORM_##name: return true;
#include "accs.def"
		default:
			return false;
	}
}

/* May a state not tell PostgreSQL's result (states_are_inexact)? */
GA_FN bool
form_is_checked(AccForm form)
{
	switch (form)
	{
#define FORM(name, words, checked) case FORM_##name: return checked;
#define REFERENCE(name, words, checked, ...) case FORM_##name: return checked;
#define STATISTIC(name, ...) case FORM_##name: return false;
#define ENTRIES(name) case FORM_##name: return false;
#include "accs.def"
		case FORM_KINDS:
			break;
	}
	return false;
}

/* Is it known only once all of a group's rows are there? */
GA_FN bool
form_is_statistic(AccForm form)
{
	switch (form)
	{
#define STATISTIC(name, words, read) case FORM_##name: return true;
#include "accs.def"
		default:
			return false;
	}
}

/* Is it read from another accumulator's list of values? */
GA_FN bool
form_is_read(AccForm form)
{
	switch (form)
	{
#define STATISTIC(name, words, read) case FORM_##name: return read;
#include "accs.def"
		default:
			return false;
	}
}

/* The value of a word that changes nothing. */
GA_FN uint64_t
word_start_of(WordKind kind)
{
	switch (kind)
	{
#define WORD(name, suffix, start, ...) case WORD_##name: return start;
#include "accs.def"
		case WORD_EXACT:
		case WORD_KINDS:
			break;
	}
	return 0;
}

GA_FN bool
word_is_extreme(WordKind kind)
{
	switch (kind)
	{
#define WORD(name, suffix, start, extreme, ...) case WORD_##name: return extreme;
#include "accs.def"
		case WORD_EXACT:
		case WORD_KINDS:
			break;
	}
	return false;
}

/* Does a value that comes a second time change nothing? */
GA_FN bool
word_is_idempotent(WordKind kind)
{
	switch (kind)
	{
#define WORD(name, suffix, start, extreme, idempotent, merge) case WORD_##name: return idempotent;
#include "accs.def"
		case WORD_EXACT:
		case WORD_KINDS:
			break;
	}
	return false;
}

GA_FN bool
acc_is_text(AccKind kind)
{
	return form_is_text(acc_form(kind));
}

/* Is it an extreme of values that no word holds? */
GA_FN bool
acc_is_value(AccKind kind)
{
	return form_is_reference(acc_form(kind));
}

/* Is the state a list, of values or of rows? */
GA_FN bool
acc_is_list(AccKind kind)
{
	return acc_form(kind) == FORM_VALUES || acc_form(kind) == FORM_ROWS;
}

/* Does the list itself leave the engine, its values in their order, or its rows in none? */
GA_FN bool
acc_is_given(AccKind kind)
{
	return kind == ACC_GIVEN_VALUES || kind == ACC_ROWS;
}

/* Is it read at a place in the values' order that a fraction says? */
GA_FN bool
acc_has_fraction(AccKind kind)
{
	return kind == ACC_PERCENTILE_DISC || kind == ACC_PERCENTILE_CONT;
}

/* Does it take each of a list's values once, however often it comes? */
GA_FN bool
acc_reads_distinct(AccKind kind)
{
	return kind == ACC_COUNT_DISTINCT || kind == ACC_SUM_DISTINCT || kind == ACC_SUM_DISTINCT128;
}

/* Are the states two words of a sum of 128 bits? */
GA_FN bool
acc_is_sum128(AccKind kind)
{
	return acc_form(kind) == FORM_INT128 || acc_form(kind) == FORM_DISTINCT_SUM128;
}

/* Are the states sums of floats, or of products of two? */
GA_FN bool
acc_is_exact(AccKind kind)
{
	return acc_word(kind) == WORD_EXACT;
}

/* Of an extreme: is the greatest value kept, not the least? */
GA_FN bool
acc_is_greatest(AccKind kind)
{
	return acc_word(kind) == WORD_MAX || acc_word(kind) == WORD_UMAX;
}

/* Does the argument's value matter, not only whether it is NULL? */
GA_FN bool
acc_reads_value(AccKind kind)
{
	return acc_form(kind) != FORM_COUNT;
}

#endif							/* GPUAGG_ACCS_H */
