/*
 * codegen_words.c
 *	  Generates what is done with the words of a state: their start values, merging
 *	  and adding.
 */
#include <string.h>

#include "engine/cuda/codegen/codegen_parts.h"

const char *
codegen_word_kind(int kind)
{
	static const char *const suffixes[WORD_KINDS] = {
		[WORD_EXACT] = "exact",
#define WORD(name, suffix, ...) [WORD_##name] = #suffix,
#include "program/accs.def"
	};

	return suffixes[kind];
}

/* A start value as text. */
static const char *
word_start(int kind)
{
	static const char *const starts[WORD_KINDS] = {
		[WORD_EXACT] = "0",
#define WORD(name, suffix, start, ...) [WORD_##name] = #start,
#include "program/accs.def"
	};

	return starts[kind];
}

/* Which of the functions below; their names, arguments, and a line for a part. */
typedef struct WordsFunction
{
	const char *head;
	const char *plain;			/* codegen_word_kind, place, place */
	const char *exact;			/* place, place, number of words */
	const char *split;			/* places of the three words, and once more */
} WordsFunction;

static void
write_function(const KernelLayout *layout, const WordsFunction *function, Text *text)
{
	text_append(text, "DEVICE_FN void\n%s\n{\n", function->head);
	for (int i = 0; i < layout->nparts; i++)
	{
		const DeviceWord *part = &layout->parts[i];
		int			word = part->word;
		int			outer = part->outer;

		if (outer >= 0)
			text_append(text, function->split, outer, word, outer + 1, outer, word, outer + 1);
		else if (part->kind == WORD_EXACT)
			text_append(text, function->exact, word, word, part->nwords);
		else
			text_append(text, function->plain, codegen_word_kind(part->kind), word, word);
	}
	text_append(text, "}\n\n");
}

static void
write_words(const KernelLayout *layout, Text *text)
{
	static const WordsFunction merge = {
		"words_merge(uint64_t *into, const uint64_t *from)",
		"\tmerge_%s(&into[%d], from[%d]);\n",
		"\texact_add(into + %d, from + %d, %d);\n",
		"\tmerge_split(&into[%d], &into[%d], &into[%d], from[%d], from[%d], from[%d]);\n"
	};
	static const WordsFunction add = {
		"words_add(uint64_t *state, uint64_t *cold, const uint64_t *words)",
		"\tword_%s(&state[%d], words[%d]);\n",
		"\tword_exact(state + %d, words + %d, %d);\n",
		"\tword_split(&cold[%d - NHOT], &state[%d], &cold[%d - NHOT], "
		"words[%d], words[%d], words[%d]);\n"
	};
	static const WordsFunction add_alone = {
		"words_add_alone(uint64_t *hot, uint64_t *cold, const uint64_t *words)",
		"\tmerge_%s(&hot[%d], words[%d]);\n",
		"\texact_add(hot + %d, words + %d, %d);\n",
		"\talone_split(&cold[%d - NHOT], &hot[%d], &cold[%d - NHOT], "
		"words[%d], words[%d], words[%d]);\n"
	};

	text_append(text, "DEVICE_FN uint64_t\nword_start(int word)\n{\n");
	for (int i = 0; i < layout->nparts; i++)
		if (strcmp(word_start(layout->parts[i].kind), "0") != 0)
			text_append(text, "\tif (word == %d)\n\t\treturn %s;\n", layout->parts[i].word,
						word_start(layout->parts[i].kind));
	text_append(text, "\treturn 0;\n}\n\n"
				"DEVICE_FN void\nwords_identity(uint64_t *words)\n{\n");
	for (int i = 0; i < layout->nparts; i++)
		for (int j = 0; j < layout->parts[i].nwords; j++)
			text_append(text, "\twords[%d] = %s;\n", layout_word(&layout->parts[i], j),
						word_start(layout->parts[i].kind));
	text_append(text, "}\n\n");
	write_function(layout, &merge, text);
	write_function(layout, &add, text);
	write_function(layout, &add_alone, text);
}

/* SUM_INT128's low words, which must not run over: see state.h. */
static void
write_normalize(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\nstate_normalize(uint64_t *state)\n{\n");
	for (int i = 0; i < program->naccs; i++)
	{
		int			low = layout->parts[layout->part_of[i][0]].word;
		int			high = layout->parts[layout->part_of[i][1]].word;

		if (acc_form((AccKind) program_accs(program)[i].kind) == FORM_INT128)
			text_append(text, "\tstate[%d] += state[%d] >> 32;\n"
						"\tstate[%d] &= UINT64_C(0xffffffff);\n", high, low, low);
	}
	text_append(text, "}\n\n");
}

void
codegen_words(const Program *program, const KernelLayout *layout, Text *text)
{
	write_words(layout, text);
	write_normalize(program, layout, text);
}
