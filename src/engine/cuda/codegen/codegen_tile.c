/*
 * codegen_tile.c
 *	  Generates how a thread loads neighbouring rows at once: all of their columns, or those that
 *	  conditions need.
 *
 * Loads are as large as they can be.  The functions below write into ones that have `batch`,
 * `raw`, an array of the rows, and, of rows in segments, `segment`, `first`, the first row's number
 * there, and `tile`.  In segments there are PACKED_ROWS.
 */
#include <stdio.h>
#include <string.h>

#include "engine/cuda/codegen/codegen_parts.h"

/* A column of neighbouring rows. */
static void
write_load(const char *type, const char *member, const char *address, const char *first,
		   Text *text)
{
	text_append(text, "\t{\n\t\t%s values[TILE_AT_ONCE];\n\n"
				"\t\tload_stream(values, (const %s *) (%s) + %s, sizeof(values));\n"
				"\t\tPRAGMA_UNROLL\n\t\tfor (int i = 0; i < TILE_AT_ONCE; i++)\n"
				"\t\t\traw[i].%s = values[i];\n\t}\n", type, type, address, first, member);
}

/* Load a column's numbers, or its NULLs; see write_unpack. */
static void
write_packed_load(const char *member, const char *place, uint32_t most, Text *text)
{
	text_append(text, "\tPacked %s;\n\n\tpacked_load(&%s, %s, first, %u);\n", member, member,
				place, most);
}

/* And give them to the rows, once all columns' loads are on their way. */
static void
write_unpack(const char *member, const char *type, const char *place, const char *base,
			 uint32_t most, Text *text)
{
	if (most == WIDTH_8)
		text_append(text, "\t{\n\t\tuint64_t values[PACKED_ROWS];\n\n"
					"\t\tpacked_u64(&%s, %s, %s, first, values);\n", member, place, base);
	else
		text_append(text, "\t{\n\t\tuint32_t values[PACKED_ROWS];\n\n"
					"\t\tpacked_u32(&%s, %s, %s, first, %u, values);\n", member, place, base,
					most);
	text_append(text, "\t\tPRAGMA_UNROLL\n\t\tfor (int i = 0; i < PACKED_ROWS; i++)\n"
				"\t\t\traw[i].%s = (%s) values[i];\n\t}\n", member, type);
}

/* One column of a segment: its loads, or what is done when they have come. */
static void
write_segment_column(const Column *column, int i, bool loads, Text *text)
{
	ValueType	type = (ValueType) column->type;
	uint32_t	most = layout_type_width(type);
	char		place[64];
	char		base[64];
	char		member[16];

	snprintf(place, sizeof(place), "segment[SEGMENT_VALUES(%d)]", i);
	snprintf(base, sizeof(base), "segment[SEGMENT_BASE(%d)]", i);
	snprintf(member, sizeof(member), "c%d", i);
	if (most != WIDTH_NONE && loads)
		write_packed_load(member, place, most, text);
	else if (most != WIDTH_NONE)
		write_unpack(member, codegen_column_type(type), place, base, most, text);
	else if (type == VT_TEXT && !loads)
		text_append(text, "\tPRAGMA_UNROLL\n\tfor (int i = 0; i < TILE_AT_ONCE; i++)\n"
					"\t\traw[i].%s = segment_text(%s, %s, first + i);\n", member, place, base);
	else if (loads && type != VT_TEXT)
	{
		snprintf(place, sizeof(place), "PLACE_ADDRESS(segment[SEGMENT_VALUES(%d)])", i);
		write_load(codegen_column_type(type), member, place, "first", text);
	}
	if (!column->nullable)
		return;
	snprintf(place, sizeof(place), "segment[SEGMENT_NULLS(%d)]", i);
	snprintf(member, sizeof(member), "n%d", i);
	if (loads)
		write_packed_load(member, place, WIDTH_1, text);
	else
		write_unpack(member, "uint8_t", place, "0", WIDTH_1, text);
}

/* Have the columns' values on their way that the block's threads load in their next round. */
static void
write_segment_ahead(const Program *program, const bool *wanted, Text *text)
{
	const Column *columns = program_columns(program);

	text_append(text, "\tif (tile_complete(batch, tile, TILE_AHEAD + TILE_AT_ONCE))\n\t{\n");
	for (int i = 0; i < program->ncolumns; i++)
	{
		ValueType	type = (ValueType) columns[i].type;

		if (!wanted[i])
			continue;
		if (layout_type_width(type) != WIDTH_NONE)
			text_append(text, "\t\tpacked_ahead(segment[SEGMENT_VALUES(%d)], first + TILE_AHEAD);\n",
						i);
		else if (type != VT_TEXT)
			text_append(text, "\t\tload_ahead((const %s *) "
						"PLACE_ADDRESS(segment[SEGMENT_VALUES(%d)]) + first + TILE_AHEAD);\n",
						codegen_column_type(type), i);
	}
	text_append(text, "\t}\n");
}

static void
write_segment_columns(const Program *program, const bool *wanted, bool ahead, Text *text)
{
	const Column *columns = program_columns(program);

	for (int i = 0; i < program->ncolumns; i++)
		if (wanted[i])
			write_segment_column(&columns[i], i, true, text);
	if (ahead)
		write_segment_ahead(program, wanted, text);
	for (int i = 0; i < program->ncolumns; i++)
		if (wanted[i])
			write_segment_column(&columns[i], i, false, text);
}

/* Columns that stand behind one another. */
static void
write_columns(const Program *program, const KernelLayout *layout, const bool *wanted, Text *text)
{
	const Column *columns = program_columns(program);

	for (int i = 0; i < program->ncolumns; i++)
	{
		for (int nulls = 0; nulls <= columns[i].nullable && wanted[i]; nulls++)
		{
			char		place[64];
			char		member[16];

			snprintf(place, sizeof(place), "batch->columns + batch->capacity * %u",
					 nulls ? layout->columns[i].nulls : layout->columns[i].values);
			snprintf(member, sizeof(member), "%c%d", nulls ? 'n' : 'c', i);
			write_load(nulls ? "uint8_t" : codegen_column_type((ValueType) columns[i].type),
					   member, place, "tile->first", text);
		}
	}
}

void
codegen_tile_columns(const Program *program, const KernelLayout *layout, const bool *wanted,
					 bool ahead, Text *text)
{
	if (layout->segments)
		write_segment_columns(program, wanted, ahead, text);
	else
		write_columns(program, layout, wanted, text);
}

void
codegen_tile_left(const Program *program, Text *text)
{
	if (!program_leaves_rows(program))
		return;
	write_load("uint8_t", "left", "batch->left", "tile->first", text);
	text_append(text, "\tPRAGMA_UNROLL\n\tfor (int i = 0; i < TILE_AT_ONCE; i++)\n"
				"\t\tleft |= (uint32_t) (raw[i].left != 0) << i;\n");
}

/* Which of the rows are left out; zeros, if all are. */
static void
write_segment_left(Text *text)
{
	text_append(text, "\tPRAGMA_UNROLL\n\tfor (int i = 0; i < BLOCK_ROWS; i++)\n"
				"\t\traw[i].left = 0;\n"
				"\tif (!tile_complete(batch, tile, BLOCK_ROWS))\n\t{\n"
				"\t\tleft = segment_leaves_of_tile(segment, first);\n"
				"\t\tPRAGMA_UNROLL\n\t\tfor (int i = 0; i < BLOCK_ROWS; i++)\n"
				"\t\t\traw[i].left = (left & 1u << i) != 0;\n"
				"\t\tif (left == BLOCK_ALL)\n\t\t{\n\t\t\tRaw none = {1};\n\n"
				"\t\t\tPRAGMA_UNROLL\n\t\t\tfor (int i = 0; i < BLOCK_ROWS; i++)\n"
				"\t\t\t\traw[i] = none;\n\t\t\treturn left;\n\t\t}\n\t}\n");
}

/*
 * rows_load_tile of rows in segments: a thread's are in one.  Some of them may be beyond the
 * segment's rows; there is room for these.  One row is loaded as by other kernels.
 */
static void
write_load_segment_tile(const Program *program, int rows, const bool *wanted, Text *text)
{
	text_append(text, "\tconst uint64_t *segment = tile_segment(batch, tile);\n");
	if (rows == 1)
	{
		text_append(text, "\n\tsegment_load(segment, tile->offset, raw);\n"
					"\treturn raw->left != 0;\n}\n\n");
		return;
	}
	text_append(text, "\tuint32_t first = tile->offset;\n\tuint32_t left = 0;\n\n");
	write_segment_left(text);
	write_segment_columns(program, wanted, true, text);
	text_append(text, "\treturn left;\n}\n\n");
}

void
codegen_tile(const Program *program, const KernelLayout *layout, int rows, Text *text)
{
	bool		wanted[PROGRAM_MAX_COLUMNS];

	memset(wanted, true, sizeof(wanted));
	text_append(text, "#define TILE_AT_ONCE BLOCK_ROWS\n\nDEVICE_FN uint32_t\n"
				"rows_load_tile(const RowBatch *batch, const TilePlace *tile, Raw *raw)\n{\n");
	if (layout->segments)
	{
		write_load_segment_tile(program, rows, wanted, text);
		return;
	}
	text_append(text, "\tuint32_t left = 0;\n\n");
	codegen_tile_left(program, text);
	write_columns(program, layout, wanted, text);
	text_append(text, "\treturn left;\n}\n\n");
}
