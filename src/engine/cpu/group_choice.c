/*
 * group_choice.c
 *	  Which groups leave the CPU engine.
 *
 * Those that fulfil all conditions, and of these, if few are wanted, those that can be among
 * the first ones.  A group's place in the order is a word for each column (top_order.h).
 * All groups are looked at once: a heap holds the words of the first ones, those of the last
 * of them on top.  Then those leave whose words are not behind that.  If groups come part by
 * part (stored_groups.c), the heap is that of the parts so far, and a few more leave.
 *
 * The first column's words are made for many groups at once, the others' only of those that
 * it does not decide for.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/group_choice.h"
#include "program/top_order.h"

/* Groups between two looks for an interrupt. */
#define LOOKED_AT_ONCE (64 * CHOICE_GROUPS)

/* More groups than these are not chosen. */
#define MOST_WANTED (UINT32_C(1) << 16)

struct GroupChoice
{
	const Program *program;
	const int32_t *units;
	int			nconditions;
	TopCondition conditions[TOP_CONDITIONS];
	TopOrder	of_conditions[TOP_CONDITIONS];
	int			ncolumns;		/* 0: all that fulfil the conditions leave */
	TopOrder	columns[TOP_COLUMNS];
	uint32_t	wanted;			/* groups */
	uint32_t	size;			/* of the heap */
	uint64_t   *heap;			/* ncolumns words each */
	uint64_t	left_out;		/* groups, by their order */
	uint64_t	removed;		/* by the conditions */
	uint64_t	words[CHOICE_GROUPS];	/* of the first column */
};

/* What the hints ask for. */
static void
set_choice(GroupChoice *choice, const TopHint *hint)
{
	choice->nconditions = top_conditions_make(choice->program, hint, choice->conditions,
											  choice->of_conditions);
	if (hint->groups <= MOST_WANTED)
		choice->ncolumns = top_orders_make(choice->program, hint, choice->columns);
	choice->wanted = choice->ncolumns > 0 ? hint->groups : 0;
}

bool
choice_create(const Program *program, const EngineHints *hints, const int32_t *units,
			  GroupChoice **result)
{
	GroupChoice *choice;

	*result = NULL;
	if (hints->top.groups == 0 && hints->top.nconditions == 0)
		return true;
	choice = calloc(1, sizeof(GroupChoice));
	if (choice == NULL)
		return false;
	choice->program = program;
	choice->units = units;
	set_choice(choice, &hints->top);
	choice->heap = calloc(choice->wanted + (size_t) 1,
						  (size_t) (choice->ncolumns + 1) * sizeof(uint64_t));
	if (choice->heap == NULL || (choice->ncolumns == 0 && choice->nconditions == 0))
	{
		bool		needless = choice->heap != NULL;

		choice_free(choice);
		return needless;
	}
	*result = choice;
	return true;
}

void
choice_free(GroupChoice *choice)
{
	if (choice == NULL)
		return;
	free(choice->heap);
	free(choice);
}

size_t
choice_memory(const GroupChoice *choice)
{
	return sizeof(*choice) +
		(choice->wanted + (size_t) 1) * (size_t) (choice->ncolumns + 1) * sizeof(uint64_t);
}

void
choice_reset(GroupChoice *choice)
{
	choice->size = 0;
	choice_rewind(choice);
}

void
choice_rewind(GroupChoice *choice)
{
	choice->left_out = 0;
	choice->removed = 0;
}

uint64_t
choice_left_out(const GroupChoice *choice)
{
	return choice->left_out;
}

uint64_t
choice_removed(const GroupChoice *choice)
{
	return choice->removed;
}

/* What a key's word is made of, beside its second word. */
static uint64_t
key_bits(const KeyField *field, const uint64_t *record)
{
	uint64_t	bits = 0;
	uint32_t	size = (uint32_t) value_type_size(field->type);

	if (field->type == VT_TEXT)
	{
		Bytes		text = keys_text(record + field->offset / 8);

		memcpy(&bits, text.data, text.len < sizeof(bits) ? text.len : sizeof(bits));
		return top_bytes(bits);
	}
	memcpy(&bits, (const char *) record + field->offset, size < 8 ? size : 8);
	if (value_is_float(field->type))
		return top_float_key(bits, 8 * size);
	if (value_is_bytes(field->type))
		return top_bytes(bits);
	return field->type == VT_WIDE ? bits : top_int_key(bits, 8 * size);
}

static uint64_t
key_word(const TopOrder *column, const KeyField *field, const uint64_t *record)
{
	bool		isnull = keys_is_null(field, record);
	uint64_t	words[TOP_WORDS] = {0};

	if (!isnull)
		words[0] = key_bits(field, record);
	if (field->type == VT_WIDE)
		words[1] = record[field->offset / 8 + 1];
	return top_word(column->order, 0, isnull, words, 1);
}

static uint64_t
state_word(const GroupChoice *choice, const TopOrder *column, const uint64_t *state)
{
	const Accumulator *accs = program_accs(choice->program);
	uint64_t	count = column->count < 0 ? 1 : state[accs[column->count].word];
	int32_t		unit = column->order & TOP_SUM_FLOAT ? choice->units[column->acc] : 0;

	/* the usual one: an int64 */
	if (column->order == 0 && count != 0)
		return top_word(0, 0, false, state + accs[column->acc].word, 1);
	return top_word(column->order, unit, count == 0, state + accs[column->acc].word, count);
}

static uint64_t
column_word(const GroupChoice *choice, const TopOrder *column, const KeyLayout *layout,
			const uint64_t *record)
{
	return column->key >= 0 ? key_word(column, &layout->fields[column->key], record) :
		state_word(choice, column, record + layout->words);
}

/* The first column's words of n groups. */
static void
make_words(GroupChoice *choice, const KeyLayout *layout, const uint64_t *records,
		   size_t stride, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		choice->words[i] = column_word(choice, &choice->columns[0], layout, records + i * stride);
}

/* Does a group fulfil the conditions? */
static bool
passes(const GroupChoice *choice, const KeyLayout *layout, const uint64_t *record)
{
	for (int i = 0; i < choice->nconditions; i++)
	{
		const TopCondition *condition = &choice->conditions[i];
		uint64_t	word = column_word(choice, &choice->of_conditions[i], layout, record);

		/* a NULL's word is the last one */
		if (word < condition->least || word > condition->most || word == UINT64_MAX)
			return false;
	}
	return true;
}

/* All words of a group, the first of which is known. */
static void
complete_words(const GroupChoice *choice, const KeyLayout *layout, const uint64_t *record,
			   uint64_t *words)
{
	bool		shared = false;

	for (int i = 1; i < choice->ncolumns; i++)
	{
		shared = shared || top_word_is_shared(words[i - 1]);
		words[i] = shared ? 0 : column_word(choice, &choice->columns[i], layout, record);
	}
}

static int
compare(const GroupChoice *choice, const uint64_t *a, const uint64_t *b)
{
	for (int i = 0; i < choice->ncolumns; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static uint64_t *
entry(const GroupChoice *choice, uint32_t i)
{
	return choice->heap + (size_t) i * (size_t) choice->ncolumns;
}

static void
put(const GroupChoice *choice, uint32_t i, const uint64_t *words)
{
	memcpy(entry(choice, i), words, (size_t) choice->ncolumns * sizeof(uint64_t));
}

/* Put a group into the heap, which has room. */
static void
heap_add(GroupChoice *choice, const uint64_t *words)
{
	uint32_t	i = choice->size++;

	while (i > 0 && compare(choice, entry(choice, (i - 1) / 2), words) < 0)
	{
		put(choice, i, entry(choice, (i - 1) / 2));
		i = (i - 1) / 2;
	}
	put(choice, i, words);
}

/* Put a group into the place of the last one. */
static void
heap_replace(GroupChoice *choice, const uint64_t *words)
{
	uint32_t	i = 0;
	uint32_t	child;

	while ((child = 2 * i + 1) < choice->size)
	{
		if (child + 1 < choice->size &&
			compare(choice, entry(choice, child), entry(choice, child + 1)) < 0)
			child++;
		if (compare(choice, entry(choice, child), words) <= 0)
			break;
		put(choice, i, entry(choice, child));
		i = child;
	}
	put(choice, i, words);
}

/* Look at some groups. */
static void
look(GroupChoice *choice, const KeyLayout *layout, const uint64_t *records, size_t stride,
	 uint32_t n)
{
	make_words(choice, layout, records, stride, n);
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	words[TOP_COLUMNS] = {choice->words[i]};
		bool		full = choice->size == choice->wanted;

		if ((full && words[0] > choice->heap[0]) ||
			!passes(choice, layout, records + i * stride))
			continue;
		complete_words(choice, layout, records + i * stride, words);
		if (!full)
			heap_add(choice, words);
		else if (compare(choice, words, choice->heap) < 0)
			heap_replace(choice, words);
	}
}

bool
choice_look(GroupChoice *choice, const GroupRecords *groups, const EngineHints *hints)
{
	uint32_t	n;

	if (choice->ncolumns == 0)
		return true;
	for (uint32_t first = 0; first < groups->ngroups; first += n)
	{
		n = groups->ngroups - first;
		n = n < CHOICE_GROUPS ? n : CHOICE_GROUPS;
		if (first % LOOKED_AT_ONCE == 0 && engine_interrupted(hints))
			return false;
		look(choice, groups->layout, groups->records + first * groups->stride,
			 groups->stride, n);
	}
	return true;
}

/* Is a group, whose first word is known, not behind the last one? */
static bool
leaves(const GroupChoice *choice, const uint64_t *last, const KeyLayout *layout,
	   const uint64_t *record, uint64_t first)
{
	uint64_t	words[TOP_COLUMNS] = {first};

	if (first != last[0])
		return first < last[0];
	complete_words(choice, layout, record, words);
	return compare(choice, words, last) <= 0;
}

/* Of n groups the numbers of those that fulfil the conditions. */
static uint32_t
take_passing(GroupChoice *choice, const KeyLayout *layout, const uint64_t *records,
			 size_t stride, uint32_t n, uint16_t *passing)
{
	uint32_t	npassing = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		passing[npassing] = (uint16_t) i;
		npassing += choice->nconditions == 0 || passes(choice, layout, records + i * stride);
	}
	choice->removed += n - npassing;
	return npassing;
}

/* Of these the numbers of those that are not behind the last one. */
static uint32_t
take_first(GroupChoice *choice, const KeyLayout *layout, const uint64_t *records,
		   size_t stride, uint32_t n, uint16_t *numbers)
{
	bool		full = choice->size == choice->wanted;
	uint64_t	last[TOP_COLUMNS];
	uint32_t	nleaving = 0;

	for (int i = 0; i < choice->ncolumns; i++)
		last[i] = full ? top_last_word(choice->heap[i], choice->columns[i].slack) : UINT64_MAX;
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *record = records + numbers[i] * stride;
		uint64_t	word = column_word(choice, &choice->columns[0], layout, record);

		if (word <= last[0] && leaves(choice, last, layout, record, word))
			numbers[nleaving++] = numbers[i];
	}
	choice->left_out += n - nleaving;
	return nleaving;
}

uint32_t
choice_take(GroupChoice *choice, const KeyLayout *layout, const uint64_t *records,
			size_t stride, uint32_t n, uint16_t *leaving)
{
	uint32_t	npassing = take_passing(choice, layout, records, stride, n, leaving);

	return choice->ncolumns == 0 ? npassing :
		take_first(choice, layout, records, stride, npassing, leaving);
}
