/*
 * codegen_prefilter.c
 *	  Generates prefilter_tile: the filter's first conditions of neighbouring rows.
 *
 * Each condition is a function of a row.  Its columns are loaded once those before it have left
 * one of the thread's rows: of others nothing is read, and a warp that has no rows left goes on
 * to the next ones.  Where it asks whether a look-up has a key, the keys of all rows are looked up
 * together.
 */
#include <string.h>

#include "engine/cuda/codegen/codegen_parts.h"
#include "program/conjuncts.h"

/* Threads of a block of kernels over rows that no strategy belongs to: run_kernels.c. */
#define OTHER_THREADS 256

/*
 * The key of which a condition asks whether a look-up has it: the register, of INT4 if it was that
 * once; or -1: it asks something else.  *table: the parameter that is the table.
 */
static int
asked_key(const Program *program, const Prefilter *prefilter, int i, int *table)
{
	const Insn *insns = program_insns(program);
	const Insn *lookup;

	if (!prefilter->finds[i])
		return -1;
	lookup = &insns[insns[prefilter->conditions[i]].arg[0]];
	*table = insns[lookup->arg[1]].index;
	return insns[lookup->arg[0]].op == OP_int4_to_int8 ? insns[lookup->arg[0]].arg[0] :
		lookup->arg[0];
}

/* The columns of a condition that none before it has loaded. */
static void
columns_of_condition(const Program *program, const Prefilter *prefilter, int condition,
					 bool *wanted)
{
	bool		before[PROGRAM_MAX_INSNS] = {false};
	bool		needed[PROGRAM_MAX_INSNS] = {false};
	bool		loaded[PROGRAM_MAX_COLUMNS] = {false};

	memset(wanted, false, PROGRAM_MAX_COLUMNS * sizeof(*wanted));
	for (int i = 0; i < condition; i++)
		program_mark_register(program, prefilter->conditions[i], before);
	program_mark_columns(program, before, loaded);
	program_mark_register(program, prefilter->conditions[condition], needed);
	program_mark_columns(program, needed, wanted);
	for (int i = 0; i < program->ncolumns; i++)
		wanted[i] = wanted[i] && !loaded[i];
}

static void
write_condition(const Program *program, const KernelLayout *layout, int i, Text *text)
{
	bool		wanted[PROGRAM_MAX_COLUMNS];

	int			reg = layout->prefilter.conditions[i];
	int			table;
	int			key = asked_key(program, &layout->prefilter, i, &table);
	const char *type = key < 0 ? "bool" : codegen_type((ValueType) program_insns(program)[key].type);

	columns_of_condition(program, &layout->prefilter, i, wanted);
	codegen_tile_columns(program, layout, wanted, layout->prefilter.ahead[i], text);
	text_append(text, "\t{\n\t\t%s values[PREFILTER_ROWS];\n\n"
				"\t\tPRAGMA_UNROLL\n\t\tfor (int i = 0; i < PREFILTER_ROWS; i++)\n\t\t{\n"
				"\t\t\tbool isnull;\n\n"
				"\t\t\tvalues[i] = row_register_%d(args, &raw[i], index + (uint32_t) i, &isnull);\n"
				"\t\t\tpasses &= ~((uint32_t) (isnull%s) << i);\n\t\t}\n", type,
				key < 0 ? reg : key, key < 0 ? " || !values[i]" : "");
	if (key >= 0)
		text_append(text, "\t\tpasses &= table_has_%s(values, passes, PREFILTER_ROWS, "
					"table_bytes(&args->constants[%d]));\n",
					program_insns(program)[key].type == VT_INT4 ? "int4" : "int8", table);
	text_append(text, "\t}\n");
	if (i + 1 < layout->prefilter.n)
		text_append(text, "\tif (passes == 0)\n\t\treturn 0;\n");
}

/* Which rows are left out, before anything is loaded of them. */
static void
write_left(const Program *program, const KernelLayout *layout, Text *text)
{
	if (layout->segments)
		text_append(text, "\tconst uint64_t *segment = tile_segment(batch, tile);\n"
					"\tuint32_t first = tile->offset;\n");
	text_append(text, "\n\tPRAGMA_UNROLL\n\tfor (int i = 0; i < PREFILTER_ROWS; i++)\n"
				"\t\traw[i].left = 0;\n");
	text_append(text, "\tif (!tile_complete(batch, tile, PREFILTER_ROWS))\n\t{\n"
				"\t\tif (!prefilter_asked(batch, tile))\n"
				"\t\t\treturn prefilter_unasked(batch, tile);\n%s\t}\n", layout->segments ?
				"\t\tleft = segment_leaves_of_tile(segment, first);\n" : "");
	if (!layout->segments)
		codegen_tile_left(program, text);
	text_append(text, "\tpasses = ~left & PREFILTER_ALL;\n\tif (passes == 0)\n\t\treturn 0;\n");
}

/* row_register_N of what the conditions ask of, each once. */
static void
write_registers(const Program *program, const KernelLayout *layout, Text *text)
{
	bool		written[PROGRAM_MAX_INSNS] = {false};

	for (int i = 0; i < layout->prefilter.n; i++)
	{
		int			reg = layout->prefilter.conditions[i];
		int			table;
		int			key = asked_key(program, &layout->prefilter, i, &table);

		reg = key >= 0 ? key : reg;
		if (!written[reg])
			codegen_row_register(program, layout, reg, text);
		written[reg] = true;
	}
}

void
codegen_prefilter(const Program *program, const KernelLayout *layout, uint32_t threads,
				  Text *text)
{
	text_append(text, "#define PREFILTER %d\n", layout->prefilter.n > 0);
	if (layout->prefilter.n == 0)
		return;
	text_append(text, "#define PREFILTER_WARPS %u\n"
				"#define TILE_AT_ONCE PREFILTER_ROWS\n#include \"tile.cuh\"\n\n"
				"DEVICE_FN uint32_t prefilter_tile(const AggregateArgs *args, "
				"const TilePlace *tile);\n\n#include \"prefilter.cuh\"\n\n",
				(threads > OTHER_THREADS ? threads : OTHER_THREADS) / 32);
	write_registers(program, layout, text);
	text_append(text, "DEVICE_FN uint32_t\n"
				"prefilter_tile(const AggregateArgs *args, const TilePlace *tile)\n{\n"
				"\tconst RowBatch *batch = &args->batch;\n"
				"\tuint32_t index = (uint32_t) tile_first(batch, tile);\n"
				"\tuint32_t left = 0;\n\tuint32_t passes;\n\tRaw raw[PREFILTER_ROWS];\n");
	write_left(program, layout, text);
	for (int i = 0; i < layout->prefilter.n; i++)
		write_condition(program, layout, i, text);
	text_append(text, "\treturn passes;\n}\n\n");
}
