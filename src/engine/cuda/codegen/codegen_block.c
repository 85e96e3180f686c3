/*
 * codegen_block.c
 *	  Generates what strategy `block` needs besides: how its rows are loaded and
 *	  evaluated, and the words of its states.
 */
#include <stdio.h>

#include "engine/cuda/codegen/codegen_parts.h"

/*
 * Rows of a thread at once: one where a row is large, since they are in registers, of
 * which a thread of a block of 1024 has 64: 53 against 24 G rows/s of 2 rows at once
 * for sums of 8 numerics (on an H200).  Rows that have passed other conditions come one by one.
 */
static int
rows_at_once(const Program *program, const KernelLayout *layout)
{
	return layout->prefilter.n > 0 || layout->row_bytes > 24 ||
		layout->nwords + layout->nvalues > 8 || program->ninsns > 64 ? 1 : 4;
}

/*
 * Four rows in segments with sums of floats take some 76 registers a thread.  With 64, sums of
 * a column without NULLs ran at 160 to 240 G rows/s, with 80 at 230 to 320 (on an H200).
 */
uint32_t
codegen_block_threads(const Program *program, const KernelLayout *layout)
{
	return layout->segments && layout->nsums > 0 && rows_at_once(program, layout) > 1 ?
		768 : strategy_threads(STRATEGY_BLOCK);
}

/* block_start: what a word is at first; half: of an extreme. */
static void
write_start(const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN uint32_t\nblock_start(uint32_t word, uint32_t half)\n{\n"
				"\t(void) half;\n");
	for (int i = 0; i < layout->nparts; i++)
	{
		const DeviceWord *part = &layout->parts[i];

		if (part->kind != WORD_ADD && part->kind != WORD_EXACT)
			text_append(text, "\tif (word / 2 == %d && word %% 2 == %d)\n"
						"\t\treturn (uint32_t) (word_start(%d) >> (32 * half));\n"
						"\tif (word / 2 == %d && word %% 2 == %d)\n"
						"\t\treturn (uint32_t) (word_start(%d) >> (32 * half));\n",
						part->block / 2, part->block % 2, part->word,
						(part->block + 1) / 2, (part->block + 1) % 2, part->word);
	}
	text_append(text, "\treturn 0;\n}\n\n");
}

/* A part's contribution to the states of n rows. */
static void
write_add_part(const DeviceWord *part, Text *text)
{
	const char *each = "\tPRAGMA_UNROLL\n\tfor (int i = 0; i < n; i++)\n\t\t";
	const char *kind = codegen_word_kind(part->kind);
	AccForm		form = acc_form((AccKind) part->acc);
	int			block = part->block;
	int			word = part->word;

	if (part->outer >= 0)
		text_append(text, "\tblock_sum_fixed(states, n, place, rows, rests, %d, "
					"args->units[%d], %d, %d, %d);\n", part->sum, part->sum, block,
					part->outer, word);
	else if (part->kind == WORD_EXACT)
		text_append(text, "%sblock_exact(states, place[i], rows[i].words + %d, %d, %d);\n",
					each, word, block, part->nwords);
	else if (part->kind == WORD_ADD)
		text_append(text, "\tblock_%s(states, n, place, rows, %d, %d);\n",
					form == FORM_COUNT ? "count" :
					form == FORM_INT128 ? "sum_wide" : "sum", block, word);
	else if (word_is_extreme((WordKind) part->kind))
		text_append(text, "%sword_%s(block_extreme(states, place[i], %d), "
					"rows[i].words[%d]);\n", each, kind, block, word);
	else
		text_append(text, "%sblock_%s(states, place[i], rows[i].words[%d], %d);\n", each,
					kind, word, block);
}

/* block_add: rows into the states of their places; rests: see block_sum_fixed. */
static void
write_add(const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\nblock_add(const AggregateArgs *args, "
				"uint32_t *states, int n, const uint32_t *place, const Row *rows, "
				"const uint32_t *rests)\n{\n\t(void) args, (void) rests;\n");
	for (int i = 0; i < layout->nparts; i++)
		if (layout_block_words(&layout->parts[i]) > 0)
			write_add_part(&layout->parts[i], text);
	text_append(text, "}\n\n");
}

/* A part of the words of a block's state. */
static void
write_words_part(const DeviceWord *part, Text *text)
{
	int			block = part->block;
	int			word = part->word;
	int			outer = part->outer;
	AccForm		form = acc_form((AccKind) part->acc);

	if (outer >= 0)
		text_append(text, "\twords[%d] = *block_word(states, place, %d);\n"
					"\twords[%d] = block_pair(states, place, %d);\n"
					"\twords[%d] = (uint64_t) (int64_t) (int32_t) "
					"*block_word(states, place, %d);\n"
					"\tfixed_to_words(&words[%d], &words[%d], &words[%d]);\n", outer, block,
					word, block + 1, outer + 1, block + 3, outer, word, outer + 1);
	else if (form == FORM_COUNT || form == FORM_INT128)
		text_append(text, "\twords[%d] = *block_word(states, place, %d);\n", word, block);
	else if (word_is_extreme((WordKind) part->kind))
		text_append(text, "\twords[%d] = *block_extreme(states, place, %d);\n", word, block);
	else
		for (int i = 0; i < part->nwords; i++)
			text_append(text, "\twords[%d] = block_pair(states, place, %d);\n", word + i,
						block + 2 * i);
	if (form == FORM_INT128)
		text_append(text, "\twords[%d] = block_pair(states, place, %d);\n", word + 1,
					block + 1);
}

/* block_words: the words of a block's state. */
static void
write_words(const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\nblock_words(uint32_t *states, uint32_t place, "
				"uint64_t *words)\n{\n");
	for (int i = 0; i < layout->nparts; i++)
		if (layout_block_words(&layout->parts[i]) > 0)
			write_words_part(&layout->parts[i], text);
	text_append(text, "}\n\n");
}

/* words_fix: a row's words to those of row_eval_fixed, if they have such ones. */
static void
write_fix(const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN bool\nwords_fix(uint64_t *words, uint32_t most_above)\n{\n"
				"\t(void) words, (void) most_above;\n");
	for (int i = 0; i < layout->nparts; i++)
		if (layout->parts[i].outer >= 0)
			text_append(text, "\tif (!fixed_possible(words[%d], words[%d], words[%d], "
						"most_above))\n\t\treturn false;\n", layout->parts[i].outer,
						layout->parts[i].word, layout->parts[i].outer + 1);
	for (int i = 0; i < layout->nparts; i++)
		if (layout->parts[i].outer >= 0)
			text_append(text, "\tfixed_from_words(&words[%d], &words[%d], &words[%d]);\n",
						layout->parts[i].outer, layout->parts[i].word,
						layout->parts[i].outer + 1);
	text_append(text, "\treturn true;\n}\n\n");
}

/*
 * rows_fix: which of a thread's rows' fixed-point numbers have rests.  A row that has a value
 * without such a number is missed.
 */
static void
write_rows_fix(const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\nrows_fix(const AggregateArgs *args, Row *rows, "
				"uint32_t *place, uint32_t missed, uint32_t *rests)\n{\n"
				"\t(void) args, (void) rows, (void) place, (void) missed, (void) rests;\n");
	for (int i = 0; i < layout->nparts; i++)
		if (layout->parts[i].outer >= 0)
			text_append(text, "\trows_fix_sum(rows, %d, %d, %d, args->units[%d], place, missed, "
						"rests);\n", layout->parts[i].outer, layout->parts[i].word,
						layout->parts[i].sum, layout->parts[i].sum);
	text_append(text, "}\n\n");
}

void
codegen_block(const Program *program, const KernelLayout *layout, bool direct,
			  uint32_t copies, bool claims, Text *text)
{
	int			key = program_keys(program)[0];

	text_append(text, "#define BLOCK_DIRECT %d\n", direct);
	text_append(text, "#define BLOCK_CLAIMS %d\n", claims);
	text_append(text, "#define BLOCK_COPIES %u\n", copies);
	text_append(text, "#define BLOCK_ROWS %d\n", rows_at_once(program, layout));
	text_append(text, "#define BLOCK_WORDS %d\n", layout->nblock);
	text_append(text, "#define BLOCK_FLAT %d\n", codegen_rows_flat(program, layout));
	text_append(text, "#define BLOCK_KEY32 %d\n", layout->key32);
	text_append(text, "#define BLOCK_KEY64 %d\n", layout->key64);
	text_append(text, "#define DIRECT_NULLS %d\n",
				program->nkeys == 0 || program_insns(program)[key].nullable);
	text_append(text, "#define BLOCK_ALL ((1u << BLOCK_ROWS) - 1)\n");
	text_append(text, "#include \"fixed.cuh\"\n#include \"block_words.cuh\"\n"
				"#include \"tile.cuh\"\n\n");
	if (layout->prefilter.n == 0)
		codegen_tile(program, layout, rows_at_once(program, layout), text);
	codegen_row_fixed(program, layout, text);
	write_start(layout, text);
	write_add(layout, text);
	write_words(layout, text);
	write_fix(layout, text);
	write_rows_fix(layout, text);
}
