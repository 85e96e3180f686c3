/*
 * codegen_emit.c
 *	  Generates emit_group: a group's key and state to the output's vectors.
 *
 * Keys get their own types again, codes become texts, validity bits are set in zeroed memory, and a
 * state gets the words of the Program.  The bytes of texts, keys or extremes, go
 * to a place of their own; the host puts those of a key behind one another, and
 * makes addresses of where extremes have theirs.
 */
#include <stdio.h>

#include "engine/cuda/codegen/codegen_parts.h"
#include "program/state.h"

/* Write to a vector of the output; the macro's argument is in bits a group. */
static void
write_macros(Text *text)
{
	text_append(text, "#define OUTPUT(type, bits) "
				"((type *) (args->output + args->capacity / 8 * (bits)))\n\n");
}

static void
write_valid(const KernelLayout *layout, int key, Text *text)
{
	text_append(text, "\t\tatomic_or_u32(&OUTPUT(uint32_t, %u)[place / 32], "
				"1u << (place %% 32));\n", layout->out_valid[key]);
}

/* The text of a code: an expression of the kernel's.  One that is not read is empty, as zeros are. */
static void
write_coded_key(const KernelLayout *layout, int key, const char *code, Text *text)
{
	text_append(text, "\t\tif (!key_is_unread(args, %d))\n"
				"\t\t\tOUTPUT(TextRef, %u)[place] = "
				"emit_coded(args, %d, (uint32_t) (%s));\n",
				key, layout->out_values[key], layout->keys[key].coded, code);
}

static void
write_direct_key(const KernelLayout *layout, Text *text)
{
	const char *type = codegen_type((ValueType) layout->keys[0].type);
	const char *value = "args->table.direct_min + (int64_t) slot - 1";

	text_append(text, "\tif (slot > 0)\n\t{\n");
	write_valid(layout, 0, text);
	if (layout->keys[0].coded)
		write_coded_key(layout, 0, value, text);
	else
		text_append(text, "\t\tOUTPUT(%s, %u)[place] = (%s) (%s);\n", type,
					layout->out_values[0], type, value);
	text_append(text, "\t}\n");
}

static void
write_text_key(const KernelLayout *layout, int key, Text *text)
{
	text_append(text, "\t\tif (!key_is_unread(args, %d))\n"
				"\t\t\tOUTPUT(TextRef, %u)[place] = "
				"emit_text(args, args->table.arena, words[%d]);\n",
				key, layout->out_values[key], layout->keys[key].word);
}

/*
 * What an extreme refers to: a number, an interval; of a text, its place and
 * length.  Without one, a place that none has, or the start values.
 */
static void
write_extreme(const Program *program, const KernelLayout *layout, int acc, Text *text)
{
	int			from = layout->state + layout->nhot +
		LAYOUT_VALUE_WORDS * layout->value_of[acc];
	int			word = program_accs(program)[acc].word;
	uint64_t	start[3] = {UINT64_MAX};
	bool		is_text = acc_is_text((AccKind) program_accs(program)[acc].kind);

	if (!is_text)
		acc_init(&program_accs(program)[acc], start);
	for (int i = 0; i < program_accs(program)[acc].nwords; i++)
		text_append(text, "\tstate[%d] = UINT64_C(%llu);\n", word + i,
					(unsigned long long) start[i]);
	text_append(text, "\tif (words[%d] != UINT64_MAX)\n\t{\n", from);
	if (is_text)
		text_append(text,
					"\t\tTextRef ref = emit_text(args, args->table.values, words[%d]);\n\n"
					"\t\tstate[%d] = ref.start;\n\t\tstate[%d] = ref.length;\n\t}\n",
					from, word, word + 1);
	else
		text_append(text,
					"\t\tconst uint64_t *value = (const uint64_t *) args->table.values + "
					"text_start(words[%d]);\n\n"
					"\t\tfor (int i = 0; i < %d; i++)\n\t\t\tstate[%d + i] = value[i];\n\t}\n",
					from, program_accs(program)[acc].nwords, word);
}

/* A word of what has been read from a list; of the list itself, which stays, there is none. */
static void
write_statistic(const KernelLayout *layout, int first, int i, int word, Text *text)
{
	if (first < 0)
		text_append(text, "\tstate[%d] = 0;\n", word);
	else
		text_append(text, "\tstate[%d] = args->statistics[(uint64_t) slot * %d + %d];\n", word,
					layout->nstatistics, first + i);
}

/* Entries of first rows in their order, as far as there are any. */
static void
write_first_rows(const KernelLayout *layout, int word, Text *text)
{
	text_append(text, "\tfor (int i = 0; i < %d; i++)\n\t{\n"
				"\t\tuint32_t ref = args->first.refs == NULL ? FIRST_NONE :\n"
				"\t\t\targs->first.refs[(uint64_t) slot * %d + i];\n\n"
				"\t\tfor (int j = 0; j < %d; j++)\n"
				"\t\t\tstate[%d + i * %d + j] = ref == FIRST_NONE ? UINT64_MAX :\n"
				"\t\t\t\targs->first.entries[(uint64_t) ref * %d + j];\n\t}\n",
				layout->nfirst, layout->nfirst, layout->first_words, word,
				layout->first_words, layout->first_words);
}

static void
write_words_key(const KeyPlace *field, uint32_t out, Text *text)
{
	int			n = value_type_size((ValueType) field->type) / 8;

	for (int i = 0; i < n; i++)
		text_append(text, "\t\tOUTPUT(uint64_t, %u)[%d * place + %d] = words[%d];\n", out, n, i,
					field->word + i);
}

static void
write_key_value(const KernelLayout *layout, int key, Text *text)
{
	const KeyPlace *field = &layout->keys[key];
	uint32_t	out = layout->out_values[key];
	char		code[64];

	if (field->coded)
	{
		snprintf(code, sizeof(code), "words[%d] >> %d", field->word, field->shift);
		write_coded_key(layout, key, code, text);
		return;
	}
	switch (value_class((ValueType) field->type))
	{
		case CLASS_TEXT:
			write_text_key(layout, key, text);
			break;
		case CLASS_BYTES:
		case CLASS_WIDE:
			write_words_key(field, out, text);
			break;
		default:
			/* the value's bits are those of an integer of its size */
			text_append(text, "\t\tOUTPUT(uint%d_t, %u)[place] = "
						"(uint%d_t) (words[%d] >> %d);\n", field->bits, out,
						field->bits, field->word, field->shift);
			if (value_is_float((ValueType) field->type))
				text_append(text, "\t\tif (args->negative_zero && "
							"OUTPUT(uint%d_t, %u)[place] == 0)\n"
							"\t\t\tOUTPUT(uint%d_t, %u)[place] = (uint%d_t) 1 << %d;\n",
							field->bits, out, field->bits, out, field->bits,
							field->bits - 1);
			break;
	}
}

void
codegen_emit(const Program *program, const KernelLayout *layout, Text *text)
{
	write_macros(text);
	text_append(text, "DEVICE_FN void\nemit_group(const EmitArgs *args, uint32_t slot, "
				"const uint64_t *words, uint64_t place)\n{\n"
				"\tuint64_t *state = OUTPUT(uint64_t, %u) + place * %d;\n\n",
				layout->out_states, program->nwords);
	for (int i = 0; i < program->naccs; i++)
	{
		int			word = program_accs(program)[i].word;

		if (layout->value_of[i] >= 0)
			write_extreme(program, layout, i, text);
		if (program_accs(program)[i].kind == ACC_FIRST_ROWS)
			write_first_rows(layout, word, text);
		for (int j = 0; form_is_statistic(acc_form((AccKind) program_accs(program)[i].kind)) &&
			 j < program_accs(program)[i].nwords; j++)
			write_statistic(layout, layout->statistic_of[i], j, word + j, text);
		for (int part = 0; part < layout_nparts(program, i); part++)
		{
			const DeviceWord *from = &layout->parts[layout->part_of[i][part]];

			for (int j = 0; j < from->nwords; j++)
				text_append(text, "\tstate[%d] = *group_word(&args->table, slot, %d);\n", word++,
							layout_word(from, j));
		}
	}
	if (program->nkeys > 0 && layout->table == TABLE_DIRECT)
		write_direct_key(layout, text);
	for (int i = 0; i < program->nkeys && layout->table != TABLE_DIRECT; i++)
	{
		const KeyPlace *field = &layout->keys[i];

		if (field->nullable)
			text_append(text, "\tif (!((words[%d] >> %d) & 1))\n",
						field->null_word, field->null_shift);
		text_append(text, "\t{\n");
		write_valid(layout, i, text);
		write_key_value(layout, i, text);
		text_append(text, "\t}\n");
	}
	text_append(text, "}\n\n");
}
