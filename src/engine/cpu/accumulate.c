/*
 * accumulate.c
 *	  Rows into the states of their groups.
 *
 * Rows whose argument is NULL, or that FILTER leaves out, are sorted out first,
 * so that the loops proper have no branches: one loop for each kind and type,
 * in two forms, for many groups and for a single one, whose words stay in
 * registers.
 */
#include <stdio.h>

#include "engine/cpu/accumulate.h"
#include "engine/cpu/row_lists.h"
#include "engine/cpu/sum_float.h"
#include "engine/cpu/value_list.h"
#include "program/order_statistic.h"
#include "program/state.h"

#define MIN_TEXT_ROOM 16

/*
 * One statement for each row, over its value and its group's words w.  What the loop reads stands in
 * variables of its own: the compiler takes a word for something that may be one of the structs'
 * members, and would read these again for each row.
 */
#define FOR_ROWS(ctype, statement) \
	do { \
		const ctype *values = arg->values; \
		const uint16_t *numbers = rows->rows; \
		const uint32_t n = rows->n; \
		if (states->single) \
		{ \
			uint64_t	w[2] = {states->base[acc->word], \
								acc->nwords > 1 ? states->base[acc->word + 1] : 0}; \
			for (uint32_t i = 0; i < n; i++) \
			{ \
				const ctype value = values[numbers[i]]; \
				statement; \
			} \
			for (int i = 0; i < acc->nwords; i++) \
				states->base[acc->word + i] = w[i]; \
		} \
		else \
		{ \
			uint64_t   *base = states->base + acc->word; \
			const uint32_t *groups = rows->groups; \
			const size_t stride = states->stride; \
			for (uint32_t i = 0; i < n; i++) \
			{ \
				const ctype value = values[numbers[i]]; \
				uint64_t   *w = base + groups[i] * stride; \
				statement; \
			} \
		} \
	} while (0)

/* All rows into counts, whose words these are. */
static void
count_rows(const uint16_t *words, int nwords, const RowGroups *rows, const States *states)
{
	const uint32_t *groups = rows->groups;
	const size_t stride = states->stride;
	const uint32_t n = rows->n;

	for (int i = 0; states->single && i < nwords; i++)
		states->base[words[i]] += n;
	for (int i = 0; !states->single && i < nwords; i += 2)
	{
		uint64_t   *first = states->base + words[i];
		uint64_t   *second = states->base + words[i + 1 < nwords ? i + 1 : i];

		if (first == second)
			for (uint32_t row = 0; row < n; row++)
				first[groups[row] * stride]++;
		else
			for (uint32_t row = 0; row < n; row++)
			{
				first[groups[row] * stride]++;
				second[groups[row] * stride]++;
			}
	}
}

#define FOR_INTEGERS(type, statement) \
	do { \
		if ((type) == VT_INT8) \
			FOR_ROWS(int64_t, statement); \
		else if ((type) == VT_INT4) \
			FOR_ROWS(int32_t, statement); \
		else if ((type) == VT_INT2) \
			FOR_ROWS(int16_t, statement); \
		else \
			FOR_ROWS(uint8_t, statement); \
	} while (0)

#define FOR_FLOATS(type, statement) \
	do { \
		if ((type) == VT_FLOAT8) \
			FOR_ROWS(double, statement); \
		else \
			FOR_ROWS(float, statement); \
	} while (0)

/*
 * Let a state hold a text.  Its bytes are overwritten if they have room for it;
 * else they get twice the room that is needed, so that all that is left behind
 * is never more than what is in use.
 */
static bool
keep_text(GroupTable *table, uint64_t *w, Bytes text)
{
	uint64_t	room = w[1] >> 32;
	char	   *bytes = (char *) (uintptr_t) w[0];

	if (bytes == NULL || room < text.len)
	{
		room = MIN_TEXT_ROOM;
		while (room < text.len)
			room *= 2;
		bytes = table_text_room(table, room);
		if (bytes == NULL)
			return false;
	}
	memcpy(bytes, text.data, text.len);
	w[0] = (uint64_t) (uintptr_t) bytes;
	w[1] = room << 32 | text.len;
	return true;
}

/* Extremes of texts; false: no memory. */
static bool
take_texts(const Accumulator *acc, const Vector *arg, const RowGroups *rows,
		   const States *states)
{
	const Bytes *values = arg->values;

	for (uint32_t i = 0; i < rows->n; i++)
	{
		uint64_t   *w = states->base + acc->word +
			(states->single ? 0 : rows->groups[i] * states->stride);
		Bytes		text = values[rows->rows[i]];

		if (extreme_is_beaten((AccKind) acc->kind, w, text) &&
			!keep_text(states->table, w, text))
			return false;
	}
	return true;
}

/* Extremes of intervals. */
static void
take_intervals(const Accumulator *acc, const Vector *arg, const RowGroups *rows,
			   const States *states)
{
	const TimeSpan *values = arg->values;

	for (uint32_t i = 0; i < rows->n; i++)
	{
		uint64_t   *w = states->base + acc->word +
			(states->single ? 0 : rows->groups[i] * states->stride);

		take_interval((AccKind) acc->kind, w, values[rows->rows[i]]);
	}
}

/* Numbers of 128 bits. */
static void
take_wides(const Accumulator *acc, const Vector *arg, const RowGroups *rows,
		   const States *states)
{
	if (acc_is_greatest((AccKind) acc->kind))
		FOR_ROWS(Wide, take_wide(true, w, value));
	else
		FOR_ROWS(Wide, take_wide(false, w, value));
}

/* Values into lists; false: no memory. */
static bool
take_values(const Accumulator *acc, ValueType type, const Vector *arg, const RowGroups *rows,
			const States *states)
{
	GroupTable *table = states->table;
	bool		has_negative_zero = false;

	if (type == VT_FLOAT4 || type == VT_FLOAT8)
	{
		FOR_FLOATS(type, uint64_t v = order_of_float(value);
				   has_negative_zero |= v == ORDER_NEGATIVE_ZERO;
				   if (!list_add(table, w, v)) return false);
		*states->has_negative_zero |= has_negative_zero;
	}
	else
		FOR_INTEGERS(type, if (!list_add(table, w, order_of_integer(value))) return false);
	return true;
}

/* Integers into a word, of each kind one loop for each type. */
static void
take_integers(const Accumulator *acc, ValueType type, const Vector *arg,
			  const RowGroups *rows, const States *states)
{
	switch (acc_word((AccKind) acc->kind))
	{
#define WORD(name, suffix, start, extreme, idempotent, merge) \
		case WORD_##name: \
			FOR_INTEGERS(type, uint64_t v = (uint64_t) (int64_t) value; merge); \
			break;
#include "program/accs.def"
		case WORD_EXACT:
		case WORD_KINDS:
			break;
	}
}

/* Extremes of floats. */
static void
take_ordered(const Accumulator *acc, ValueType type, const Vector *arg,
			 const RowGroups *rows, const States *states)
{
	if (acc_is_greatest((AccKind) acc->kind))
		FOR_FLOATS(type, word_merge(WORD_UMAX, w, float_to_ordered(value, true)));
	else
		FOR_FLOATS(type, word_merge(WORD_UMIN, w, float_to_ordered(value, false)));
}

/* Are the rows' values, and those between them, all in 0 .. 2^32 - 1? */
static bool
fit_low_word(const int64_t *values, const RowGroups *rows)
{
	uint64_t	bits = 0;

	if (rows->n == 0)
		return true;
	for (uint32_t i = rows->rows[0]; i <= rows->rows[rows->n - 1]; i++)
		bits |= (uint64_t) values[i];
	return bits >> 32 == 0;
}

/* Integers into sums of 32-bit halves; of small ones the upper half is 0. */
static void
take_halves(const Accumulator *acc, const Vector *arg, const RowGroups *rows, const States *states)
{
	if (fit_low_word(arg->values, rows))
		FOR_ROWS(int64_t, w[0] += (uint64_t) value);
	else
		FOR_ROWS(int64_t, (w[0] += (uint32_t) value, w[1] += (uint64_t) (value >> 32)));
}

/* Rows that all count: into the words of any but a float sum or a text. */
static void
take_rows(const Accumulator *acc, ValueType type, const Vector *arg,
		  const RowGroups *rows, const States *states)
{
	switch (acc_form((AccKind) acc->kind))
	{
		case FORM_COUNT:
			count_rows(&acc->word, 1, rows, states);
			break;
		case FORM_INT:
		case FORM_SIZE:
			take_integers(acc, type, arg, rows, states);
			break;
		case FORM_INT128:
			take_halves(acc, arg, rows, states);
			break;
		case FORM_ORDERED:
			take_ordered(acc, type, arg, rows, states);
			break;
		case FORM_WIDE:
			take_wides(acc, arg, rows, states);
			break;
		case FORM_INTERVAL:
			take_intervals(acc, arg, rows, states);
			break;
		default:
			break;
	}
}

/* The same of a float sum. */
static EngineStatus
take_floats(const Accumulator *acc, const Program *program, const Vector *arg,
			const Vector *arg2, const RowGroups *rows, const States *states,
			SumUnit *unit, char *message)
{
	const Insn *insns = program_insns(program);
	FloatArgs	args = {.a = arg,.b = arg2};
	uint32_t	problems;

	args.a_single = insns[acc->arg].type == VT_FLOAT4;
	args.b_single = arg2 && insns[acc->arg2].type == VT_FLOAT4;
	problems = sum_floats(acc, program->level, &args, rows, states, unit);
	if (problems & EXACT_BEYOND)
	{
		snprintf(message, 256, "a float is so large that its sums can overflow");
		return ENGINE_INEXACT;
	}
	if (problems == 0)
		return ENGINE_OK;
	snprintf(message, 256, "a float sum needs more words");
	return ENGINE_WIDEN;
}

static bool
has_value(const Vector *arg, uint32_t row)
{
	return !(arg && arg->valid) || bit_is_set(arg->valid, row);
}

/* A key of an order, as an integer in ascending order. */
#define ORDER_OF(ctype, order) \
	do { \
		const ctype *values = arg->values; \
		for (uint32_t i = 0; i < rows->n; i++) \
		{ \
			const ctype value = values[rows->rows[i]]; \
			entries[i * size] = (order) ^ flip; \
		} \
	} while (0)

/* Write key n of the rows' entries, and its bits into their marks; false: one is an error. */
static bool
write_order(const Accumulator *acc, int n, ValueType type, const Vector *arg,
			const RowGroups *rows, uint64_t *marks)
{
	int			size = acc_order_keys(acc) + 1;
	uint64_t	flip = key_is_descending(acc->order, n) ? UINT64_MAX : 0;
	uint64_t   *entries = marks + n + 1;

	if (type == VT_FLOAT8)
		ORDER_OF(double, order_of_float(value == 0 ? 0 : value));
	else if (type == VT_FLOAT4)
		ORDER_OF(float, order_of_float(value == 0 ? 0 : value));
	else if (type == VT_INT8)
		ORDER_OF(int64_t, order_of_integer(value));
	else if (type == VT_INT4)
		ORDER_OF(int32_t, order_of_integer(value));
	else if (type == VT_INT2)
		ORDER_OF(int16_t, order_of_integer(value));
	else
		ORDER_OF(uint8_t, order_of_integer(value));
	for (uint32_t i = 0; i < rows->n; i++)
	{
		if (arg->error && bit_is_set(arg->error, rows->rows[i]))
			return false;
		if (has_value(arg, rows->rows[i]))
			marks[i * size] |= mark_rank(RANK_VALUE, n);
		else
		{
			marks[i * size] |= mark_rank(rank_of_null(acc->order, n), n);
			entries[i * size] = 0;
		}
	}
	return true;
}

/* Rows into the first ones of their groups; false: a key is an error. */
static bool
take_first_rows(const Accumulator *acc, const Program *program, const Evaluator *eval,
				const RowGroups *rows, const States *states)
{
	const int16_t keys[] = {acc->arg, acc->arg2};
	const int64_t *places = eval_register(eval, acc->place)->values;
	int			nkeys = acc_order_keys(acc);
	int			size = nkeys + 1;
	int			nwords = acc->nwords;
	uint64_t	entries[CPU_BATCH * FIRST_ROWS_MAX_WORDS];

	for (uint32_t i = 0; i < rows->n; i++)
		entries[i * size] = (uint64_t) places[rows->rows[i]];
	for (int n = 0; n < nkeys; n++)
		if (!write_order(acc, n, (ValueType) program_insns(program)[keys[n]].type,
						 eval_register(eval, keys[n]), rows, entries))
			return false;
	for (uint32_t i = 0; i < rows->n; i++)
		first_rows_take(states->base + acc->word +
						(states->single ? 0 : rows->groups[i] * states->stride),
						nwords, nkeys, &entries[i * size]);
	return true;
}

static EngineStatus
argument_fails(char *message)
{
	snprintf(message, 256, "an aggregate's argument would raise an error");
	return ENGINE_INEXACT;
}

/*
 * The rows that an accumulator takes in: FILTER true, arguments not NULL.  False
 * if one of them has an error, in its FILTER or in an argument.
 */
static bool
choose_rows(const Vector *filter, const Vector *arg, const Vector *arg2,
			const RowGroups *in, uint16_t *rows, uint32_t *groups, uint32_t *n)
{
	*n = 0;
	for (uint32_t i = 0; i < in->n; i++)
	{
		uint32_t	row = in->rows[i];

		if (filter)
		{
			if (filter->error && bit_is_set(filter->error, row))
				return false;
			if ((filter->valid && !bit_is_set(filter->valid, row)) ||
				!((const uint8_t *) filter->values)[row])
				continue;
		}
		if ((arg && arg->error && bit_is_set(arg->error, row)) ||
			(arg2 && arg2->error && bit_is_set(arg2->error, row)))
			return false;
		rows[*n] = (uint16_t) row;
		groups[*n] = in->groups[i];
		*n += has_value(arg, row) && has_value(arg2, row);
	}
	return true;
}

EngineStatus
accumulate(const Accumulator *acc, const Program *program, const Evaluator *eval,
		   const RowGroups *rows, const States *states, SumUnit *unit, char *message)
{
	const Vector *arg = acc->arg >= 0 ? eval_register(eval, acc->arg) : NULL;
	const Vector *arg2 = acc->arg2 >= 0 ? eval_register(eval, acc->arg2) : NULL;
	const Vector *filter = acc->filter >= 0 ? eval_register(eval, acc->filter) : NULL;
	ValueType	type = acc->arg >= 0 ?
		(ValueType) program_insns(program)[acc->arg].type : VT_BOOL;
	uint16_t	chosen_rows[CPU_BATCH];
	uint32_t	chosen_groups[CPU_BATCH];
	RowGroups	chosen = {0, chosen_rows, chosen_groups};

	if (acc->arg == ACC_READ || acc->kind == ACC_ROW_COLUMN)
		return ENGINE_OK;
	if (acc->kind == ACC_FIRST_ROWS)
		return take_first_rows(acc, program, eval, rows, states) ? ENGINE_OK :
			argument_fails(message);
	if (filter || (arg && (arg->valid || arg->error)) ||
		(arg2 && (arg2->valid || arg2->error)))
	{
		if (!choose_rows(filter, arg, arg2, rows, chosen_rows, chosen_groups, &chosen.n))
			return argument_fails(message);
		rows = &chosen;
	}
	if (acc_is_text((AccKind) acc->kind))
	{
		if (take_texts(acc, arg, rows, states))
			return ENGINE_OK;
		snprintf(message, 256, "the groups' texts take more memory than allowed");
		return ENGINE_NO_MEMORY;
	}
	if (acc->kind == ACC_ROWS)
		return row_lists_take(acc, program, eval, rows, states, message);
	if (acc_is_list((AccKind) acc->kind))
	{
		if (take_values(acc, type, arg, rows, states))
			return ENGINE_OK;
		snprintf(message, 256, "the groups' values take more memory than allowed");
		return ENGINE_NO_MEMORY;
	}
	if (acc_sums_floats(acc))
		return take_floats(acc, program, arg, arg2, rows, states, unit, message);
	take_rows(acc, type, arg, rows, states);
	return ENGINE_OK;
}

/* Does the accumulator count all rows of the batch? */
static bool
counts_all(const Accumulator *acc, const Evaluator *eval)
{
	const Vector *arg;

	if (acc_form((AccKind) acc->kind) != FORM_COUNT || acc->filter >= 0 || acc->arg == ACC_READ ||
		acc->arg2 >= 0)
		return false;
	arg = acc->arg >= 0 ? eval_register(eval, acc->arg) : NULL;
	return arg == NULL || (arg->valid == NULL && arg->error == NULL);
}

EngineStatus
accumulate_all(const Program *program, const Evaluator *eval, const RowGroups *rows,
			   const States *states, SumUnit *units, char *message)
{
	const Accumulator *accs = program_accs(program);
	uint16_t	counts[PROGRAM_MAX_ACCS];
	int			ncounts = 0;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < program->naccs && status == ENGINE_OK; i++)
	{
		if (counts_all(&accs[i], eval))
			counts[ncounts++] = accs[i].word;
		else
			status = accumulate(&accs[i], program, eval, rows, states, &units[i], message);
	}
	count_rows(counts, ncounts, rows, states);
	return status;
}

/* Add another list's values. */
static bool
merge_values(GroupTable *table, uint64_t *into, const uint64_t *from)
{
	ListWalk	walk;
	ListPiece	piece;

	list_walk(&walk, from);
	while ((piece = list_next(&walk)).n > 0)
		for (uint64_t i = 0; i < piece.n; i++)
			if (!list_add(table, into, piece.values[i]))
				return false;
	return true;
}

bool
merge_state(const Program *program, GroupTable *table, uint64_t *into, const uint64_t *from,
			bool with_values)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
	{
		AccKind		kind = (AccKind) accs[i].kind;
		const uint64_t *words = from + accs[i].word;

		if (acc_is_list(kind) && with_values)
		{
			if (kind == ACC_ROWS ? !row_lists_merge(table, into + accs[i].word, words) :
				!merge_values(table, into + accs[i].word, words))
				return false;
		}
		else if (acc_is_list(kind))
			into[accs[i].word + 1] += words[1];
		else if (!acc_is_text(kind))
			acc_merge(&accs[i], program->level, into + accs[i].word, words);
		else if (words[0] != 0 &&
				 extreme_is_beaten(kind, into + accs[i].word, extreme_text(words)) &&
				 !keep_text(table, into + accs[i].word, extreme_text(words)))
			return false;
	}
	return true;
}
