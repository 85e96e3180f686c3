/*
 * lookup_values.c
 *	  The bytes of a look-up's columns.
 */
#include "postgres.h"

#include "exec/lookup/lookup_rows.h"
#include "program/ops_lookup.h"

/* A column's bytes in the making. */
typedef struct ValuesWriter
{
	const RowColumn *column;
	int			number;			/* of the column */
	const uint64 *words;		/* of the first row */
	int			nwords;			/* of a row */
	int			masks;			/* bytes of a row before its bits of columns */
	uint32		nrows;
	LookupValues header;
	char	   *data;
	uint64		size;
} ValuesWriter;

static const char *
row_bytes(const ValuesWriter *writer, uint32 row)
{
	return (const char *) (writer->words + (Size) row * writer->nwords);
}

static bool
has_value(const ValuesWriter *writer, uint32 row)
{
	return row_bytes(writer, row)[writer->masks + writer->number / 8] >> (writer->number % 8) & 1;
}

/* A row's number of a text or a code; anything if it has no value. */
static uint32
number_of(const ValuesWriter *writer, uint32 row)
{
	return *(const uint32 *) (row_bytes(writer, row) + writer->column->offset);
}

static bool
is_text(const ValuesWriter *writer)
{
	return writer->column->info->use == LOOKUP_VALUE && writer->column->type == VT_TEXT;
}

/* Bytes of a value: of a code, a number + 1, as few as hold the greatest. */
static uint32
width_of(const ValuesWriter *writer)
{
	uint32		ncodes;

	if (writer->column->info->use == LOOKUP_PRESENCE)
		return 0;
	if (writer->column->info->use == LOOKUP_VALUE)
		return is_text(writer) ? sizeof(uint32) : (uint32) value_type_size(writer->column->type);
	ncodes = numbering_count(writer->column->values);
	return ncodes < PG_UINT8_MAX ? 1 : ncodes < PG_UINT16_MAX ? 2 : 4;
}

/* Bytes behind the header: values, or places of texts and their bytes. */
static uint64
values_size(const ValuesWriter *writer)
{
	uint64		size = (uint64) writer->nrows * writer->header.width;

	if (!is_text(writer))
		return size;
	size += sizeof(uint32);
	for (uint32 row = 0; row < writer->nrows; row++)
		if (has_value(writer, row))
			size += numbering_texts(writer->column->values)[number_of(writer, row)].len;
	return size;
}

static void
write_texts(ValuesWriter *writer)
{
	uint32	   *places = (uint32 *) (writer->data + sizeof(LookupValues));
	const Bytes *texts = numbering_texts(writer->column->values);

	places[0] = (uint32) (sizeof(LookupValues) + (writer->nrows + UINT64CONST(1)) * sizeof(uint32));
	for (uint32 row = 0; row < writer->nrows; row++)
	{
		Bytes		text = {"", 0};

		if (has_value(writer, row))
			text = texts[number_of(writer, row)];
		memcpy(writer->data + places[row], text.data, text.len);
		places[row + 1] = places[row] + text.len;
	}
}

static uint32
code_of(const ValuesWriter *writer, uint32 row)
{
	const uint32 *ranks = writer->column->ranks;
	uint32		number = number_of(writer, row);

	return ranks != NULL ? ranks[number] : number;
}

static void
write_codes(ValuesWriter *writer)
{
	char	   *codes = writer->data + sizeof(LookupValues);

	for (uint32 row = 0; row < writer->nrows; row++)
	{
		uint32		code = has_value(writer, row) ? code_of(writer, row) + 1 : 0;

		if (writer->header.width == 1)
			((uint8 *) codes)[row] = (uint8) code;
		else if (writer->header.width == 2)
			((uint16 *) codes)[row] = (uint16) code;
		else
			((uint32 *) codes)[row] = code;
	}
}

static void
write_values(ValuesWriter *writer)
{
	uint32		width = writer->header.width;
	char	   *values = writer->data + sizeof(LookupValues);

	if (is_text(writer))
		write_texts(writer);
	else if (lookup_use_is_code(writer->column->info->use))
		write_codes(writer);
	else
		for (uint32 row = 0; row < writer->nrows && width > 0; row++)
			memcpy(values + (Size) row * width, row_bytes(writer, row) + writer->column->offset, width);
}

/* Which rows have a value; a code says so itself. */
static void
write_present(ValuesWriter *writer)
{
	char	   *bits = writer->data + writer->header.present;

	for (uint32 row = 0; row < writer->nrows; row++)
		if (has_value(writer, row))
			bits[row / 8] |= (char) (1 << (row % 8));
}

static bool
all_have_values(const ValuesWriter *writer)
{
	for (uint32 row = 0; row < writer->nrows; row++)
		if (!has_value(writer, row))
			return false;
	return true;
}

Bytes
lookup_column_bytes(const LookupRows *rows, int column)
{
	ValuesWriter writer = {
		.column = &rows->columns[column],.number = column,
		.words = numbering_words(rows->rows),.nwords = rows->nwords,.masks = rows->masks,
		.nrows = numbering_count(rows->rows)
	};

	writer.header.nrows = writer.nrows;
	writer.header.width = width_of(&writer);
	writer.size = sizeof(LookupValues) + TYPEALIGN(8, values_size(&writer));
	if (!lookup_use_is_code(rows->columns[column].info->use) && !all_have_values(&writer))
	{
		writer.header.present = writer.size;
		writer.size += (writer.nrows + 7) / 8;
	}
	if (writer.size > PG_INT32_MAX)
		return (Bytes) {NULL, 0};
	writer.data = palloc_extended(writer.size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	memcpy(writer.data, &writer.header, sizeof(LookupValues));
	write_values(&writer);
	if (writer.header.present != 0)
		write_present(&writer);
	return (Bytes) {writer.data, (uint32) writer.size};
}
