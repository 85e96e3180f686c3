/*
 * layout.c
 *	  How a Program's columns, keys and states lie in device memory.
 *
 * Columns stand behind one another, each with room for the batch's capacity of
 * rows, so that a column's address is base + capacity * place.  A code stands in the place of
 * its text, so that columns are where they are without codes.  Keys are packed
 * into one word if they and their NULL bits fit 63 bits; else into a tag and as
 * many words as needed (cuda/table.cuh).
 */
#include <string.h>

#include "engine/cuda/codegen/layout.h"

/* Outer words whose place is not known yet. */
#define OUTER INT16_MAX

/* A TextRef: start and length. */
#define TEXT_REF_SIZE 8

int
layout_value_size(ValueType type)
{
	return type == VT_TEXT ? TEXT_REF_SIZE : value_type_size(type);
}

uint32_t
layout_type_width(ValueType type)
{
	if (!value_is_integer(type))
		return WIDTH_NONE;
	switch (value_type_size(type))
	{
		case 1:
			return WIDTH_1;
		case 2:
			return WIDTH_2;
		case 4:
			return WIDTH_4;
		default:
			return WIDTH_8;
	}
}

bool
layout_direct_possible(const Program *program)
{
	return program->nkeys == 1 && value_is_integer(program_key_type(program, 0));
}

bool
layout_direct_narrow(const Program *program)
{
	return layout_direct_possible(program) && value_type_size(program_key_type(program, 0)) < 8;
}

bool
layout_needs_exponents(const Program *program)
{
	return program->level != EXACT_FULL && program_sums_floats(program);
}

static void
place_columns(const Program *program, KernelLayout *layout)
{
	const Column *columns = program_columns(program);
	uint32_t	place = 0;

	for (int i = 0; i < program->ncolumns; i++)
	{
		layout->columns[i].values = place;
		place += columns[i].coded ? TEXT_REF_SIZE : layout_value_size((ValueType) columns[i].type);
	}
	for (int i = 0; i < program->ncolumns; i++)
	{
		/* a place of 0 says that there is none, so never the first one */
		layout->columns[i].nulls = columns[i].nullable ? place : 0;
		place += columns[i].nullable ? 1 : 0;
	}
	layout->row_bytes = place;
}

int
layout_nparts(const Program *program, int acc)
{
	const Accumulator *a = &program_accs(program)[acc];

	if (acc_is_value((AccKind) a->kind) || form_is_statistic(acc_form((AccKind) a->kind)) ||
		a->kind == ACC_FIRST_ROWS)
		return 0;
	if (acc_sums_floats(a))
		return program->level == EXACT_NARROW ? 1 : 2;
	return a->nwords;
}

/* Is it kept as a middle word and outer ones? */
static bool
is_split(const Program *program, const Accumulator *acc)
{
	return acc_form((AccKind) acc->kind) == FORM_FLOAT && program->level == EXACT_NARROW;
}

/* The part of that meaning, a new one if there is none yet. */
static int
find_part(const Program *program, KernelLayout *layout, const Accumulator *acc, int part)
{
	bool		is_sum = acc_sums_floats(acc);
	DeviceWord	word;

	memset(&word, 0, sizeof(word));
	word.kind = (uint8_t) (is_sum && part > 0 ? WORD_OR : acc_word((AccKind) acc->kind));
	word.acc = acc->kind;
	word.part = (uint8_t) part;
	word.nwords = (uint8_t) (is_sum && part == 0 ? acc_number_words(acc, program->level) : 1);
	word.arg = acc->arg;
	word.arg2 = acc->arg2;
	word.filter = acc->filter;
	word.limit = acc->limit;
	if (!acc_reads_value((AccKind) acc->kind) && acc->arg >= 0)
	{
		const Insn *arg = &program_insns(program)[acc->arg];

		if (!arg->nullable && !arg->fallible)
			word.arg = -1;
	}
	for (int i = 0; i < layout->nparts; i++)
	{
		word.word = layout->parts[i].word;
		word.sum = layout->parts[i].sum;
		word.outer = layout->parts[i].outer;
		if (memcmp(&layout->parts[i], &word, sizeof(word)) == 0)
			return i;
	}
	word.word = (uint16_t) layout->nhot;
	layout->nhot += is_split(program, acc) ? 1 : word.nwords;
	word.outer = is_split(program, acc) ? OUTER : -1;
	if (is_sum && part == 0)
		word.sum = (int16_t) layout->nsums++;
	layout->parts[layout->nparts] = word;
	return layout->nparts++;
}

static void
place_words(const Program *program, KernelLayout *layout)
{
	const Accumulator *accs = program_accs(program);
	static const Accumulator count_all = {
		.kind = ACC_COUNT, .nwords = 1, .arg = -1, .filter = -1, .arg2 = -1
	};

	for (int i = 0; i < program->naccs; i++)
		for (int part = 0; part < layout_nparts(program, i); part++)
			layout->part_of[i][part] = (int16_t) find_part(program, layout, &accs[i], part);
	/* direct slots exist if they count rows; no state has no words at all */
	if ((layout->table == TABLE_DIRECT && program->nkeys > 0) || layout->nhot == 0)
		layout->presence = layout->parts[find_part(program, layout, &count_all, 0)].word;
	layout->nwords = layout->nhot;
	for (int i = 0; i < layout->nparts; i++)
		if (layout->parts[i].outer == OUTER)
		{
			layout->parts[i].outer = (int16_t) layout->nwords;
			layout->nwords += 2;
		}
}

/*
 * A wide sum's parts are one number in a block's table, that of the first part.  A
 * narrow sum of floats has as many words as a fixed-point number (fixed.cuh).
 */
int
layout_block_words(const DeviceWord *part)
{
	AccForm		form = acc_form((AccKind) part->acc);

	if (form == FORM_INT128)
		return part->part == 0 ? 3 : 0;
	if (part->outer >= 0)
		return 4;
	return form == FORM_COUNT ? 1 : 2 * part->nwords;
}

/* Extremes come first: they are words of 64 bits, and so aligned. */
static void
place_block(KernelLayout *layout)
{
	for (int other = 0; other < 2; other++)
		for (int i = 0; i < layout->nparts; i++)
		{
			DeviceWord *part = &layout->parts[i];

			if (word_is_extreme((WordKind) part->kind) != (other == 0))
				continue;
			part->block = (uint16_t) layout->nblock;
			layout->nblock += layout_block_words(part);
		}
}

/* What is kept by reference. */
static void
place_values(const Program *program, KernelLayout *layout)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
	{
		layout->value_of[i] = -1;
		if (!acc_is_value((AccKind) accs[i].kind))
			continue;
		layout->has_text_value |= acc_is_text((AccKind) accs[i].kind);
		layout->value_of[i] = (int16_t) layout->nvalues;
		layout->values[layout->nvalues++] = (DeviceValue)
		{
			.acc = accs[i].kind, .arg = accs[i].arg, .filter = accs[i].filter
		};
	}
}

/* Where the table has a word of its states. */
static WordPlace
place_of_word(const KernelLayout *layout, uint64_t capacity, int word)
{
	if (word < layout->nhot)
		return (WordPlace)
	{
		.first = (uint64_t) (layout->state + word),.stride = (uint32_t) layout->stride
	};
	return (WordPlace)
	{
		.first = capacity * (uint64_t) layout->stride + (uint64_t) (word - layout->nhot),
			.stride = (uint32_t) (layout->nwords - layout->nhot)
	};
}

WordPlace
layout_place(const KernelLayout *layout, uint64_t capacity, int acc, int i)
{
	const DeviceWord *part;

	if (layout->statistic_of[acc] >= 0)
		return (WordPlace)
	{
		.first = (uint64_t) (layout->statistic_of[acc] + i),.stride = (uint32_t) layout->nstatistics,
			.is_statistic = 1
	};
	part = &layout->parts[layout->part_of[acc][0]];
	if (i >= part->nwords)
	{
		i -= part->nwords;
		part = &layout->parts[layout->part_of[acc][1]];
	}
	return place_of_word(layout, capacity, layout_word(part, i));
}

int
layout_nlists(const Program *program)
{
	int			n = 0;

	for (int i = 0; i < program->naccs; i++)
		n += acc_is_list((AccKind) program_accs(program)[i].kind);
	return n;
}

/* Lists of values, and the words of what is read from them. */
static void
place_statistics(const Program *program, KernelLayout *layout)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
	{
		layout->statistic_of[i] = -1;
		if (acc_is_list((AccKind) accs[i].kind) && layout->nlists < ARGS_MAX_LISTS)
			layout->lists[layout->nlists++] = (DeviceListPlace)
		{
			(int16_t) i, accs[i].arg, accs[i].filter
		};
		if (accs[i].arg != ACC_READ)
			continue;
		layout->statistic_of[i] = (int16_t) layout->nstatistics;
		layout->nstatistics += accs[i].nwords;
	}
}

static void
place_first_rows(const Program *program, KernelLayout *layout)
{
	const Accumulator *acc = program_first_rows(program);

	if (acc == NULL)
		return;
	layout->nfirst = acc_first_rows(acc);
	layout->first_words = acc_order_keys(acc) + 1;
}

/* 1 more than the number of the coded column that a key is, or 0. */
static uint8_t
key_coded(const Program *program, const Insn *insn)
{
	uint8_t		number = 0;

	if (insn->op != OP_column || !program_columns(program)[insn->index].coded)
		return 0;
	for (int i = 0; i <= insn->index; i++)
		number += program_columns(program)[i].coded;
	return number;
}

static int
key_bits(ValueType type)
{
	return type == VT_TEXT || value_is_words(type) ? 64 : 8 * value_type_size(type);
}

/* All keys in one word, lowest bits first; only called if they fit. */
static void
pack_single(const Program *program, KernelLayout *layout)
{
	uint8_t		shift = 0;

	for (int i = 0; i < program->nkeys; i++)
	{
		KeyPlace   *field = &layout->keys[i];

		field->shift = shift;
		shift += field->bits;
		if (field->nullable)
			field->null_shift = shift++;
	}
	layout->key_words = 1;
	/* a lone key's NULL bit is apart: see block_home in block.cuh */
	layout->key32 = shift <= 32 || (program->nkeys == 1 && layout->keys[0].bits == 32);
}

/* The first word with room for that many bits. */
static int
take_bits(uint8_t *used, int *nwords, int bits, uint8_t *shift)
{
	int			word = 1;

	while (word < *nwords && used[word] + bits > 64)
		word++;
	if (word == *nwords)
		used[(*nwords)++] = 0;
	*shift = used[word];
	used[word] += (uint8_t) bits;
	return word;
}

static void
pack_many(const Program *program, KernelLayout *layout)
{
	uint8_t		used[1 + 3 * PROGRAM_MAX_KEYS];
	int			nwords = 1;
	int			nnulls = 0;

	for (int i = 0; i < program->nkeys; i++)
	{
		KeyPlace   *field = &layout->keys[i];

		if (value_is_words((ValueType) field->type))
		{
			field->word = (int16_t) nwords;
			for (int j = 0; j < value_type_size((ValueType) field->type) / 8; j++)
				used[nwords++] = 64;
		}
		else
			field->word = (int16_t) take_bits(used, &nwords, field->bits, &field->shift);
		nnulls += field->nullable;
	}
	for (int i = 0, in_tag = 0; i < program->nkeys; i++)
	{
		KeyPlace   *field = &layout->keys[i];

		if (!field->nullable)
			continue;
		if (nnulls <= TAG_NULL_BITS)
			field->null_shift = (uint8_t) (TAG_NULL_SHIFT + in_tag++);
		else
			field->null_word = (int16_t) take_bits(used, &nwords, 1, &field->null_shift);
	}
	layout->key_words = nwords;
	layout->key64 = nwords == 2 && !layout->has_text && nnulls <= TAG_NULL_BITS;
}

static void
place_keys(const Program *program, KernelLayout *layout)
{
	int			bits = 0;
	bool		wide = false;

	for (int i = 0; i < program->nkeys; i++)
	{
		const Insn *insn = &program_insns(program)[program_keys(program)[i]];
		KeyPlace   *field = &layout->keys[i];

		field->type = insn->type;
		field->nullable = insn->nullable;
		field->coded = key_coded(program, insn);
		field->bits = (uint8_t) key_bits((ValueType) insn->type);
		bits += field->bits + field->nullable;
		wide |= value_is_words((ValueType) insn->type) || insn->type == VT_TEXT;
		layout->has_text |= insn->type == VT_TEXT;
	}
	if (layout->table == TABLE_DIRECT)
	{
		layout->key_words = 1;
		layout->key32 = true;
	}
	else if (!wide && bits <= 63)
		pack_single(program, layout);
	else
		pack_many(program, layout);
}

/* Slots of up to 4 words do not cross a sector of 32 bytes. */
static int
slot_stride(int words)
{
	return words <= 2 ? words : (words + 3) / 4 * 4;
}

static void
place_slot(const Program *program, KernelLayout *layout)
{
	layout->state = layout->table == TABLE_DIRECT ? 0 : layout->key_words;
	layout->stride = slot_stride(layout->state + layout->nhot +
								 LAYOUT_VALUE_WORDS * layout->nvalues);
	if (layout_direct_possible(program))
	{
		KernelLayout direct = *layout;

		direct.table = TABLE_DIRECT;
		direct.nhot = direct.nparts = direct.nsums = 0;
		place_words(program, &direct);
		layout->direct_stride = slot_stride(direct.nhot + LAYOUT_VALUE_WORDS * layout->nvalues);
		layout->direct_presence = direct.presence;
		layout->direct_nhot = direct.nhot;
	}
}

static void
place_output(const Program *program, KernelLayout *layout)
{
	uint32_t	place = 0;

	for (int i = 0; i < program->nkeys; i++)
		layout->out_valid[i] = place++;
	place = (place + 63) / 64 * 64;
	layout->out_states = place;
	place += 64 * program->nwords;
	for (int i = 0; i < program->nkeys; i++)
	{
		layout->out_values[i] = place;
		place += 8 * (layout->keys[i].coded ? TEXT_REF_SIZE :
					  layout_value_size(program_key_type(program, i)));
		layout->emits_texts |= layout->keys[i].coded != 0;
	}
	layout->emits_texts |= layout->has_text || layout->has_text_value;
	layout->out_bits = place;
}

void
layout_make(const Program *program, TableKind table, KernelLayout *layout)
{
	memset(layout, 0, sizeof(*layout));
	/* without keys there is one group: slot 0 */
	layout->table = program->nkeys == 0 ? TABLE_DIRECT : table;
	place_columns(program, layout);
	place_words(program, layout);
	place_block(layout);
	place_values(program, layout);
	place_statistics(program, layout);
	place_first_rows(program, layout);
	place_keys(program, layout);
	place_slot(program, layout);
	place_output(program, layout);
}

bool
layout_can_merge(const Program *program, const KernelLayout *layout)
{
	for (int i = 0; i < program->nkeys; i++)
		if (layout->keys[i].coded != 0)
			return false;
	return program->nkeys > 0 && !program_has_float_key(program) && !layout->has_text &&
		layout->nvalues == 0 && layout->nlists == 0 && layout->nfirst == 0 &&
		layout->nwords <= LAYOUT_MERGE_WORDS;
}

uint64_t
layout_slot_size(const KernelLayout *layout)
{
	return 8 * (uint64_t) (layout->stride + layout->nwords - layout->nhot);
}

/*
 * As value_lists.c has it: words that are read, where pairs begin and end, the longest run.  As
 * group_rows.c has it: numbers of entries, a bound, and the entries.
 */
uint64_t
layout_slot_memory(const KernelLayout *layout)
{
	uint64_t	places = layout->nlists > 0 ? 2 * sizeof(uint32_t) + sizeof(uint64_t) : 0;
	uint64_t	entry = sizeof(uint32_t) + (uint64_t) layout->first_words * sizeof(uint64_t);
	uint64_t	first = layout->nfirst > 0 ? sizeof(uint64_t) + (uint64_t) layout->nfirst * entry : 0;

	return layout_slot_size(layout) + places + layout->nstatistics * sizeof(uint64_t) + first;
}

uint64_t
layout_slots_for(uint64_t groups)
{
	uint64_t	slots = TABLE_MIN_SLOTS;

	while (slots < groups * TABLE_LOAD && slots < TABLE_MAX_SLOTS)
		slots *= 2;
	return slots;
}
