/*
 * codegen_scatter.c
 *	  Generates what strategy `scatter` needs besides: how all columns of a tile of rows
 *	  are moved.
 */
#include "engine/cuda/codegen/codegen_rows.h"
#include "engine/cuda/codegen/codegen_scatter.h"

/*
 * A float key 0 remembers its row's number; extremes kept by reference look at their
 * group at once; and which rows are left out is told by their numbers.
 */
bool
codegen_scatter_possible(const Program *program, const KernelLayout *layout)
{
	for (int i = 0; i < program->nkeys; i++)
		if (layout->keys[i].type == VT_FLOAT4 || layout->keys[i].type == VT_FLOAT8)
			return false;
	return program->nkeys > 0 && layout_has_word_keys(layout) && layout->nvalues == 0 &&
		layout->nwords <= LAYOUT_MERGE_WORDS && !program_leaves_rows(program);
}

static const char *
type_of_size(int size)
{
	return size == 1 ? "uint8_t" : size == 2 ? "uint16_t" : size == 4 ? "uint32_t" :
		"uint64_t";
}

static void
write_column(int size, uint32_t place, Text *text)
{
	const char *type = type_of_size(size);

	text_append(text, "\tscatter_column_%d((const %s *) (batch->columns + "
				"batch->capacity * %u) + from * %d,\n\t\t(%s *) (args->to + "
				"args->to_capacity * %u), stage, place);\n", size, type, place,
				size > 8 ? size / 8 : 1, type, place);
}

void
codegen_scatter(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "\nDEVICE_FN void\n"
				"scatter_columns(const ScatterArgs *args, uint64_t from, "
				"const ScatterStage *stage,\n\tconst uint32_t *place)\n{\n"
				"\tconst RowBatch *batch = &args->rows.batch;\n\n");
	for (int i = 0; i < program->ncolumns; i++)
	{
		const Column *column = &program_columns(program)[i];

		write_column(layout_value_size((ValueType) column->type), layout->columns[i].values,
					 text);
		if (column->nullable)
			write_column(1, layout->columns[i].nulls, text);
	}
	text_append(text, "}\n");
}
