/*
 * codegen_scatter.c
 *	  Generates what strategy `scatter` needs besides: how all columns of a tile of rows
 *	  are moved.
 */
#include "engine/cuda/codegen/codegen_parts.h"

/*
 * A float key 0 remembers its row's number; extremes kept by reference look at their
 * group at once; and which rows are left out is told by their numbers.
 */
bool
codegen_scatter_possible(const Program *program, const KernelLayout *layout)
{
	for (int i = 0; i < program->nkeys; i++)
		if (value_is_float((ValueType) layout->keys[i].type))
			return false;
	return program->nkeys > 0 && layout_has_word_keys(layout) && layout->nvalues == 0 &&
		layout->nwords <= LAYOUT_MERGE_WORDS && !program_leaves_rows(program);
}

/* Arrays of values, and of NULLs. */
static int
count_arrays(const Program *program)
{
	int			arrays = program->ncolumns;

	for (int i = 0; i < program->ncolumns; i++)
		arrays += program_columns(program)[i].nullable;
	return arrays;
}

void
codegen_scatter_sizes(const Program *program, const KernelLayout *layout, uint32_t rows,
					  Text *text)
{
	text_append(text, "\n#define SCATTER_ROWS %u\n#define SCATTER_ARRAYS %d\n"
				"#define ROW_BYTES %u\n", rows, count_arrays(program), layout->row_bytes);
}

/*
 * May the partition of a row depend on a column?  A row that does not pass may have an error
 * of any column.
 */
static bool
is_needed(const Program *program, int column)
{
	const Insn *insns = program_insns(program);
	bool		is_key = program->filter >= 0;

	for (int i = 0; i < program->ninsns; i++)
		is_key |= insns[i].op != OP_column;
	for (int i = 0; i < program->nkeys; i++)
		is_key |= insns[program_keys(program)[i]].index == column;
	return is_key;
}

/* An array's place in a row, its number, and the size of its values. */
typedef void (*WriteArray) (const Program *program, int column, int size, uint32_t place,
							int number, Text *text);

static void
write_fetch(const Program *program, int column, int size, uint32_t place, int number, Text *text)
{
	text_append(text, "\tif (i == %d)\n\t{\n"
				"\t\tcopy_expect(barrier, rows * %d);\n"
				"\t\tcopy_begin(barrier, staged->columns + SCATTER_TILE * %u,\n"
				"\t\t\tbatch->columns + batch->capacity * %u + from * %d, rows * %d);\n\t}\n",
				number, size, place, place, size, size);
}

static void
write_array(const Program *program, int column, int size, uint32_t place, int number, Text *text)
{
	text_append(text, "\tif (i == %d)\n"
				"\t\tscatter_values_%d(staged->columns + SCATTER_TILE * %u,\n"
				"\t\t\targs->to + args->to_capacity * %u, row, to);\n",
				number, size, place, place);
}

static void
write_needs(const Program *program, int column, int size, uint32_t place, int number, Text *text)
{
	if (is_needed(program, column))
		text_append(text, "\tif (i == %d)\n\t\treturn true;\n", number);
}

static void
write_arrays(const Program *program, const KernelLayout *layout, WriteArray write, Text *text)
{
	int			number = 0;

	for (int i = 0; i < program->ncolumns; i++)
	{
		const Column *column = &program_columns(program)[i];

		write(program, i, layout_value_size((ValueType) column->type),
			  layout->columns[i].values, number++, text);
		if (column->nullable)
			write(program, i, 1, layout->columns[i].nulls, number++, text);
	}
}

void
codegen_scatter(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "\nDEVICE_FN void\n"
				"scatter_fetch(const RowBatch *batch, uint64_t from, uint32_t rows, uint32_t i,\n"
				"\tconst RowBatch *staged, uint64_t *barrier)\n{\n");
	write_arrays(program, layout, write_fetch, text);
	text_append(text, "}\n\nDEVICE_FN void\n"
				"scatter_array(const ScatterArgs *args, const RowBatch *staged, uint32_t i,\n"
				"\tconst uint32_t *row, const uint32_t *to)\n{\n");
	write_arrays(program, layout, write_array, text);
	text_append(text, "}\n\nDEVICE_FN bool\nscatter_needs(uint32_t i)\n{\n");
	write_arrays(program, layout, write_needs, text);
	text_append(text, "\treturn false;\n}\n");
}
