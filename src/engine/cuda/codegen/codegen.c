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
 * The Program's parameters are read at run time; so Programs whose constants alone
 * differ share a kernel.
 */
#include "engine/cuda/codegen/codegen.h"
#include "engine/cuda/codegen/codegen_parts.h"

/*
 * Rows of a tile whose values a thread holds at once: fewer where a row is
 * large, since they are in registers, of which a thread has 255 at most.  The limits
 * have not been measured one by one.
 */
static int
rows_at_once(const Program *program, const KernelLayout *layout)
{
	/* those that have passed other conditions come one by one */
	if (layout->prefilter.n > 0)
		return 1;
	if (layout->row_bytes > 64 || layout->nwords + layout->nvalues > 16 || program->ninsns > 64)
		return 1;
	return layout->row_bytes > 32 ? 2 : 4;
}

/* What the kernels' files ask of all programs' text; see table.cuh. */
static void
codegen_kinds(const KernelLayout *layout, Text *text)
{
	bool		direct = layout->table == TABLE_DIRECT;

	text_append(text, "#define INTERPRETED 0\n#define KERNEL_BEGIN(table)\n");
	text_append(text, "#define HAS_WORD_KEYS %d\n", !direct && layout->key_words == 1);
	text_append(text, "#define HAS_TAGGED_KEYS %d\n", layout->key_words > 1);
	text_append(text, "#define HAS_VALUES %d\n", layout->nvalues > 0);
	text_append(text, "#define SEGMENTS %d\n#define PACKED_ROWS %d\n", layout->segments,
				layout->prefilter.n > 0 ? 8 : 4);
	text_append(text, "#define KEY_ROOM %d\n", layout->key_words);
	text_append(text, "#define STATE_ROOM %d\n", layout->nwords);
	text_append(text, "#define SUMS_ROOM %d\n", layout->nsums);
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
	text_append(text, "#define NLISTS %d\n", layout->nlists);
	text_append(text, "#define NFIRST %d\n", layout->nfirst);
	text_append(text, "#define FIRST_WORDS %d\n", layout->first_words);
	text_append(text, "#define KEY_WORDS %d\n", layout->key_words);
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
	codegen_kinds(layout, text);
}

/*
 * Blocks that share a multiprocessor's 65536 registers: the smaller the
 * states, the more.  Scan and vote hold a run's state as well as a row's.  4
 * blocks of 256 threads leave 64 registers a thread, 3 leave 85; a block of
 * 1024 has 64.
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

uint32_t
codegen_threads(const Program *program, const KernelLayout *layout, Strategy strategy)
{
	return strategy == STRATEGY_BLOCK ? codegen_block_threads(program, layout) :
		strategy_threads(strategy);
}

static void
codegen_aggregate(const Program *program, const KernelLayout *layout, Strategy strategy,
				  bool block_direct, uint32_t block_copies, uint32_t scatter_rows, Text *text)
{
	codegen_prefilter(program, layout, codegen_threads(program, layout, strategy), text);
	text_append(text, "#include \"table.cuh\"\n#include \"rows.cuh\"\n#include \"values.cuh\"\n");
	codegen_values(layout, text);
	text_append(text, "#include \"atomic.cuh\"\n#include \"move.cuh\"\n");
	codegen_emit(program, layout, text);
	text_append(text, "#include \"emit.cuh\"\n");
	if (layout->merges)
		text_append(text, "#include \"merge.cuh\"\n");
	if (layout->nlists > 0)
		text_append(text, "#include \"lists.cuh\"\n");
	if (layout->nfirst > 0)
		text_append(text, "#include \"first_rows.cuh\"\n");
	if (layout_needs_exponents(program))
		text_append(text, "#include \"exponents.cuh\"\n");
	if (strategy == STRATEGY_BLOCK || strategy_scatters(strategy))
	{
		codegen_block(program, layout, block_direct, block_copies,
					  strategy_scatters(strategy), text);
		text_append(text, "#include \"block.cuh\"\n");
	}
	if (strategy_scatters(strategy))
		codegen_scatter_sizes(program, layout, scatter_rows, text);
	if (strategy_file(strategy) != NULL)
		text_append(text, "#include \"%s.cuh\"\n", strategy_file(strategy));
	if (strategy_scatters(strategy))
		codegen_scatter(program, layout, text);
	text_append(text, "\nKERNEL_BOUNDS(aggregate, AggregateArgs, args, %u, %d)\n"
				"{\n\taggregate_%s(&args);\n}\n",
				codegen_threads(program, layout, strategy), blocks_wanted(layout, strategy),
				strategy_name(strategy));
}

void
codegen(const Program *program, const KernelLayout *layout, KernelPart part,
		Strategy strategy, bool block_direct, uint32_t block_copies, uint32_t scatter_rows, Text *text)
{
	codegen_macros(program, layout, text);
	text_append(text, "#include \"prelude.cuh\"\n#include \"ops.h\"\n"
				"#include \"state.h\"\n#include \"exact.h\"\n#include \"text_order.h\"\n"
				"#include \"order_statistic.h\"\n#include \"interval_order.h\"\n"
				"#include \"first_rows.h\"\n"
				"#include \"args.cuh\"\n#include \"tables.cuh\"\n"
				"#include \"key.cuh\"\n#include \"words.cuh\"\n%s\n",
				layout->segments ? "#include \"segments.cuh\"\n" : "");
	codegen_words(program, layout, text);
	codegen_keys(program, layout, part == PART_SAMPLE, text);
	codegen_rows(program, layout, text);
	if (part == PART_SAMPLE)
		codegen_sampled_conditions(program, layout, text);
	if (part == PART_SAMPLE)
		text_append(text, "#define PREFILTER 0\n#include \"table.cuh\"\n#include \"rows.cuh\"\n"
					"#include \"sample.cuh\"\n");
	else
		codegen_aggregate(program, layout, strategy, block_direct, block_copies, scatter_rows,
						  text);
}

/* Without a table or a program: its text is always the same. */
void
codegen_interpreter(Text *text)
{
	text_append(text, "#define INTERPRETED 1\n#define WIDE_STATE 1\n"
				"#define DIRECT_POSSIBLE 1\n"
				"#define HAS_WORD_KEYS 1\n#define HAS_TAGGED_KEYS 1\n"
				"#define HAS_VALUES 1\n#define KEY_ROOM SCRIPT_KEY_WORDS\n"
				"#define STATE_ROOM SCRIPT_WORDS\n#define SUMS_ROOM SCRIPT_WORDS\n"
				"#define ROWS_AT_ONCE 1\n#define SEGMENTS 0\n#define PACKED_ROWS 4\n"
				"#define PREFILTER 0\n"
				"#include \"prelude.cuh\"\n#include \"ops.h\"\n"
				"#include \"state.h\"\n#include \"exact.h\"\n#include \"text_order.h\"\n"
				"#include \"interval_order.h\"\n#include \"kinds.h\"\n"
				"#include \"args.cuh\"\n#include \"key.cuh\"\n#include \"words.cuh\"\n"
				"#include \"segments.cuh\"\n#include \"tables.cuh\"\n"
				"#include \"interpret_rows.cuh\"\n#include \"table.cuh\"\n"
				"#include \"rows.cuh\"\n#include \"values.cuh\"\n"
				"#include \"interpret_groups.cuh\"\n#include \"interpret_states.cuh\"\n"
				"#include \"move.cuh\"\n"
				"#include \"emit.cuh\"\n#include \"merge.cuh\"\n#include \"exponents.cuh\"\n"
				"#include \"sample.cuh\"\n#include \"peers.cuh\"\n"
				"#include \"reduce.cuh\"\n#include \"interpret.cuh\"\n");
}

void
codegen_deform(bool numeric, Text *text)
{
	text_append(text, "#define DEFORM_NUMERIC %d\n#define PACKED_ROWS 4\n", numeric);
	text_append(text, "#include \"prelude.cuh\"\n#include \"ops.h\"\n"
				"#include \"args.cuh\"\n#include \"gather.cuh\"\n"
				"#include \"gather_tuples.cuh\"\n"
				"#include \"deform.cuh\"\n#include \"mask.cuh\"\n#include \"pack.cuh\"\n"
				"#include \"unpack.cuh\"\n"
				"#include \"key.cuh\"\n#include \"dictionary.cuh\"\n");
}

void
codegen_statistics(Text *text)
{
	text_append(text, "#include \"prelude.cuh\"\n#include \"ops.h\"\n"
				"#include \"state.h\"\n#include \"order_statistic.h\"\n"
				"#include \"args.cuh\"\n#include \"prefix.cuh\"\n"
				"#include \"sort.cuh\"\n#include \"statistics.cuh\"\n#include \"distinct.cuh\"\n");
}

void
codegen_top(Text *text)
{
	text_append(text, "#include \"prelude.cuh\"\n#include \"top_order.h\"\n"
				"#include \"args.cuh\"\n#include \"top.cuh\"\n");
}
