/*
 * codegen.c
 *	  From a Program to the text of its kernels.
 *
 * The generated text holds what differs between Programs: the places of columns
 * and words, the expressions, the packing of keys.  The kernels themselves are
 * the files of cuda/, which are included around it; macros and functions with
 * fixed names connect the two.  Everything generated is straight-line code over
 * variables with constant indexes, so that states live in registers.
 *
 * Constants and parameters are read from slots at run time; so Programs that
 * differ in them only share a kernel.
 */
#include <string.h>

#include "engine/cuda/codegen/codegen.h"

static const char *const strategy_names[STRATEGY_COUNT] = {
	"atomic", "block", "peers", "peers_ballot", "scan", "vote", "reduce"
};

bool
codegen_needs_exponents(const Program *program)
{
	return program->level != EXACT_FULL && program_sums_floats(program);
}

const char *
strategy_name(Strategy strategy)
{
	return strategy_names[strategy];
}

int
strategy_named(const char *name)
{
	for (int i = 0; i < STRATEGY_COUNT; i++)
		if (strcmp(name, strategy_names[i]) == 0)
			return i;
	return -1;
}

const char *
codegen_type(ValueType type)
{
	static const char *const names[VT_COUNT] = {
#define X(name, ctype, size) #ctype,
		VALUE_TYPES(X)
#undef X
	};

	return names[type];
}

const char *
codegen_column_type(ValueType type)
{
	return type == VT_TEXT ? "TextRef" : codegen_type(type);
}

/*
 * Rows of a tile whose values a thread holds at once: fewer where a row is
 * large, for the sake of registers.
 */
static int
rows_at_once(const Program *program, const KernelLayout *layout)
{
	if (layout->row_bytes > 64 || layout->nwords + layout->nvalues > 16 || program->ninsns > 64)
		return 1;
	return layout->row_bytes > 32 ? 2 : 4;
}

static void
codegen_macros(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "#define NKEYS %d\n", program->nkeys);
	text_append(text, "#define NWORDS %d\n", layout->nwords);
	text_append(text, "#define NHOT %d\n", layout->nhot);
	text_append(text, "#define WIDE_STATE %d\n", layout->nwords > LAYOUT_MERGE_WORDS);
	text_append(text, "#define NSUMS %d\n", layout->nsums);
	text_append(text, "#define NVALUES %d\n", layout->nvalues);
	text_append(text, "#define KEY_WORDS %d\n", layout->key_words);
	text_append(text, "#define KEY_IS_TEXT %d\n", layout->has_text);
	text_append(text, "#define STATE %d\n", layout->state);
	text_append(text, "#define STRIDE %d\n", layout->stride);
	text_append(text, "#define TABLE_DIRECT %d\n", layout->table == TABLE_DIRECT);
	text_append(text, "#define DIRECT_POSSIBLE %d\n", layout_direct_possible(program));
	if (layout_direct_possible(program))
	{
		text_append(text, "#define DIRECT_STRIDE %d\n", layout->direct_stride);
		text_append(text, "#define DIRECT_PRESENCE %d\n", layout->direct_presence);
		text_append(text, "#define DIRECT_VALUES %d\n", layout->direct_nhot);
	}
	text_append(text, "#define PRESENCE_WORD %d\n", layout->presence);
	text_append(text, "#define ROWS_AT_ONCE %d\n\n", rows_at_once(program, layout));
}

static const char *
word_suffix(int kind)
{
	static const char *const suffixes[] = {
		"add", "exact", "min", "max", "umin", "umax", "and", "or", "xor"
	};

	return suffixes[kind];
}

static const char *
word_start(int kind)
{
	static const char *const starts[] = {
		"0", "0", "(uint64_t) INT64_MAX", "(uint64_t) INT64_MIN", "UINT64_MAX", "0",
		"UINT64_MAX", "0", "0"
	};

	return starts[kind];
}

/* Which of the functions below; their names, arguments, and a line for a part. */
typedef struct WordsFunction
{
	const char *head;
	const char *plain;			/* word_suffix, place, place */
	const char *exact;			/* place, place, number of words */
	const char *split;			/* places of the three words, and once more */
} WordsFunction;

static void
codegen_words_function(const KernelLayout *layout, const WordsFunction *function, Text *text)
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
			text_append(text, function->plain, word_suffix(part->kind), word, word);
	}
	text_append(text, "}\n\n");
}

/* Into a block's shared memory: counts have a way of their own. */
static void
codegen_words_shared(const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\nwords_add_shared(uint64_t *state, uint32_t stride, "
				"const uint64_t *words)\n{\n");
	for (int i = 0; i < layout->nparts; i++)
	{
		const DeviceWord *part = &layout->parts[i];
		int			word = part->word;
		int			outer = part->outer;

		if (outer >= 0)
			text_append(text, "\tshared_split(&state[%d * stride], &state[%d * stride], "
						"&state[%d * stride],\n\t\t\t\t words[%d], words[%d], words[%d]);\n",
						outer, word, outer + 1, outer, word, outer + 1);
		else if (part->kind == WORD_EXACT)
			text_append(text, "\tshared_exact(&state[%d * stride], stride, words + %d, %d);\n",
						word, word, part->nwords);
		else
			text_append(text, "\tshared_%s(&state[%d * stride], words[%d]);\n",
						part->acc == ACC_COUNT ? "count" : word_suffix(part->kind),
						word, word);
	}
	text_append(text, "}\n\n");
}

/* words_identity, words_merge, words_add, words_add_shared */
static void
codegen_words(const KernelLayout *layout, Text *text)
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
	codegen_words_function(layout, &merge, text);
	codegen_words_function(layout, &add, text);
	codegen_words_shared(layout, text);
}

/* SUM_INT128's low words, which must not run over: see state.h. */
static void
codegen_normalize(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\nstate_normalize(uint64_t *state)\n{\n");
	for (int i = 0; i < program->naccs; i++)
	{
		int			low = layout->parts[layout->part_of[i][0]].word;
		int			high = layout->parts[layout->part_of[i][1]].word;

		if (program_accs(program)[i].kind == ACC_SUM_INT128)
			text_append(text, "\tstate[%d] += state[%d] >> 32;\n"
						"\tstate[%d] &= UINT64_C(0xffffffff);\n", high, low, low);
	}
	text_append(text, "}\n\n");
}

/*
 * Blocks that share a multiprocessor's registers: the smaller the states, the
 * more.  Scan and vote hold a run's besides a row's.
 */
static int
blocks_wanted(const KernelLayout *layout, Strategy strategy)
{
	if (strategy == STRATEGY_BLOCK || layout->nwords > 8)
		return 1;
	if (strategy == STRATEGY_SCAN || strategy == STRATEGY_VOTE || layout->nwords > 4)
		return 3;
	return 4;
}

static void
codegen_aggregate(const Program *program, const KernelLayout *layout, Strategy strategy,
				  bool block_direct, Text *text)
{
	static const char *const files[STRATEGY_COUNT] = {
		NULL, "block", "peers", "peers", "scan", "vote", "reduce"
	};
	static const int threads[STRATEGY_COUNT] = {256, 1024, 256, 256, 256, 256, 256};

	text_append(text, "#include \"table.cuh\"\n#include \"rows.cuh\"\n#include \"values.cuh\"\n");
	codegen_values(layout, text);
	text_append(text, "#include \"atomic.cuh\"\n#include \"move.cuh\"\n");
	codegen_emit(program, layout, text);
	text_append(text, "#include \"emit.cuh\"\n");
	if (codegen_needs_exponents(program))
		text_append(text, "#include \"exponents.cuh\"\n");
	if (strategy == STRATEGY_BLOCK)
		text_append(text, "#define BLOCK_DIRECT %d\n", block_direct);
	if (files[strategy] != NULL)
		text_append(text, "#include \"%s.cuh\"\n", files[strategy]);
	text_append(text, "\nKERNEL_BOUNDS(aggregate, AggregateArgs, args, %d, %d)\n"
				"{\n\taggregate_%s(&args);\n}\n",
				threads[strategy], blocks_wanted(layout, strategy), strategy_names[strategy]);
}

void
codegen(const Program *program, const KernelLayout *layout, KernelPart part,
		Strategy strategy, bool block_direct, Text *text)
{
	codegen_macros(program, layout, text);
	text_append(text, "#include \"prelude.cuh\"\n#include \"ops.h\"\n"
				"#include \"state.h\"\n#include \"exact.h\"\n#include \"text_order.h\"\n"
				"#include \"interval_order.h\"\n"
				"#include \"args.cuh\"\n"
				"#include \"key.cuh\"\n#include \"words.cuh\"\n\n");
	codegen_words(layout, text);
	codegen_normalize(program, layout, text);
	codegen_keys(program, layout, text);
	codegen_rows(program, layout, text);
	if (part == PART_SAMPLE)
		text_append(text, "#include \"table.cuh\"\n#include \"rows.cuh\"\n"
					"#include \"sample.cuh\"\n");
	else
		codegen_aggregate(program, layout, strategy, block_direct, text);
}

void
codegen_deform(bool numeric, Text *text)
{
	text_append(text, "#define DEFORM_NUMERIC %d\n", numeric);
	text_append(text, "#include \"prelude.cuh\"\n#include \"ops.h\"\n"
				"#include \"args.cuh\"\n#include \"deform.cuh\"\n");
}
