/*
 * batch.c
 *	  Column batches made of Datums, for all rows that are not heap pages.
 *
 * A writer's arrays begin small and double until they hold BATCH_ROWS rows, so
 * that a writer which never sees many rows costs half a kilobyte: aggregates keep
 * one for every group.  After a reset the arrays stay as large as they were.  A
 * batch is full at BATCH_ROWS rows, or earlier once one of its text
 * columns has BATCH_TEXT bytes; a varlena is below 1 GB, so the offsets of a
 * text column never pass 32 bits.
 *
 * A column's validity bitmap is made at its first NULL and handed out only for
 * batches in which it has one.
 *
 * Memory: all of it is in the context that was current in batch_create, and
 * freed piece by piece, see batch.h.  Detoasted copies of varlenas are made in the
 * context that is current in batch_append, and freed before it returns.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"

#include "compat.h"
#include "program/numeric_page.h"
#include "source/batch.h"

/* Rows in a new writer: a multiple of 8, BATCH_ROWS divided by a power of 2. */
#define FIRST_ROWS 16

/* Bytes in a new writer's text column. */
#define FIRST_TEXT 128

/* A varlena's bytes come on top of BATCH_TEXT at most once. */
StaticAssertDecl((uint64) BATCH_TEXT + MaxAllocSize < PG_UINT32_MAX,
				 "offsets of a batch must fit into 32 bits");

typedef struct ColumnWriter
{
	ValueType	type;
	int			size;			/* of a value; 0: TEXT */
	uint8		numeric;		/* as in Column, of this scale */
	uint8		scale;
	bool		presence;		/* as in Column: Datums are of any type */
	bool		has_null;		/* in this batch */
	char	   *values;			/* TEXT: the bytes */
	Size		text_size;		/* TEXT: bytes allocated */
	uint32	   *offsets;		/* TEXT: capacity + 1 */
	uint8	   *validity;		/* capacity bits, or NULL: never had a NULL */
} ColumnWriter;

struct BatchWriter
{
	MemoryContext context;
	uint32		capacity;		/* rows that the arrays hold now */
	bool		text_full;		/* a text column has BATCH_TEXT bytes */
	bool		met_special;	/* a numeric that no column could hold */
	ColumnBatch batch;			/* what batch_columns returns */
	ColumnVector *vectors;
	int			ncolumns;
	ColumnWriter columns[FLEXIBLE_ARRAY_MEMBER];
};

static void
column_create(ColumnWriter *column, const Column *def)
{
	column->type = (ValueType) def->type;
	column->size = value_type_size(column->type);
	column->numeric = def->numeric;
	column->scale = def->scale;
	column->presence = def->presence;
	if (column->type == VT_TEXT)
	{
		column->text_size = FIRST_TEXT;
		column->values = palloc(FIRST_TEXT);
		column->offsets = palloc((FIRST_ROWS + 1) * sizeof(uint32));
		column->offsets[0] = 0;
	}
	else
		column->values = palloc(FIRST_ROWS * column->size);
}

BatchWriter *
batch_create(const Program *program)
{
	const Column *columns = program_columns(program);
	BatchWriter *writer;

	writer = palloc0(offsetof(BatchWriter, columns) +
					 program->ncolumns * sizeof(ColumnWriter));
	writer->context = CurrentMemoryContext;
	writer->capacity = FIRST_ROWS;
	writer->ncolumns = program->ncolumns;
	writer->vectors = palloc0(Max(program->ncolumns, 1) * sizeof(ColumnVector));
	writer->batch.columns = writer->vectors;
	for (int i = 0; i < writer->ncolumns; i++)
		column_create(&writer->columns[i], &columns[i]);
	return writer;
}

/* Make room for twice as many rows. */
static void
batch_grow(BatchWriter *writer)
{
	uint32		capacity = writer->capacity * 2;

	for (int i = 0; i < writer->ncolumns; i++)
	{
		ColumnWriter *column = &writer->columns[i];

		if (column->type == VT_TEXT)
			column->offsets = repalloc(column->offsets,
									   (capacity + 1) * sizeof(uint32));
		else
			column->values = repalloc(column->values, capacity * column->size);

		if (column->validity)
		{
			column->validity = repalloc(column->validity, capacity / 8);
			memset(column->validity + writer->capacity / 8, 0xff,
				   (capacity - writer->capacity) / 8);
		}
	}
	writer->capacity = capacity;
}

/* Note that a row is NULL; the first NULL of a batch begins with all bits set. */
static void
column_set_null(BatchWriter *writer, ColumnWriter *column, uint32 row)
{
	if (!column->validity)
		column->validity = MemoryContextAlloc(writer->context,
											  writer->capacity / 8);
	if (!column->has_null)
	{
		memset(column->validity, 0xff, writer->capacity / 8);
		column->has_null = true;
	}
	column->validity[row / 8] &= ~(1 << (row % 8));
}

/* Append a varlena's bytes to a text column. */
static void
column_add_text(BatchWriter *writer, ColumnWriter *column, uint32 row, Datum value)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	Size		len = VARSIZE_ANY_EXHDR(packed);
	Size		used = column->offsets[row];

	if (used + len > column->text_size)
	{
		Size		size = column->text_size;

		while (size < used + len)
			size *= 2;
		column->values = repalloc_huge(column->values, size);
		column->text_size = size;
	}
	memcpy(column->values + used, VARDATA_ANY(packed), len);
	column->offsets[row + 1] = used + len;
	if (used + len >= BATCH_TEXT)
		writer->text_full = true;

	if ((Pointer) packed != DatumGetPointer(value))
		pfree(packed);
}

/* Store what engines calculate with. */
static bool
column_add_numeric(BatchWriter *writer, ColumnWriter *column, uint32 row, Datum value)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	bool		fits;

	fits = numeric_read_part(column->numeric, column->type == VT_WIDE,
							 (const uint8 *) VARDATA_ANY(packed),
							 VARSIZE_ANY_EXHDR(packed), column->scale,
							 column->values + row * column->size);
	if (!fits)
		writer->met_special = numeric_is_not_admitted(column->numeric,
													  (const uint8 *) VARDATA_ANY(packed),
													  VARSIZE_ANY_EXHDR(packed));
	if ((Pointer) packed != DatumGetPointer(value))
		pfree(packed);
	return fits;
}

static void
column_add_float(ColumnWriter *column, uint32 row, Datum value)
{
	if (column->type == VT_FLOAT4)
		((float4 *) column->values)[row] = DatumGetFloat4(value);
	else
		((float8 *) column->values)[row] = DatumGetFloat8(value);
}

/* Bytes that the Datum points to; zeros behind them. */
static void
column_add_bytes(ColumnWriter *column, uint32 row, Datum value)
{
	char	   *to = column->values + row * column->size;
	int			stored = value_type_stored(column->type);

	memcpy(to, DatumGetPointer(value), stored);
	memset(to + stored, 0, column->size - stored);
}

/* Store a Datum that is not NULL; false: its column cannot hold it. */
static bool
column_add(BatchWriter *writer, ColumnWriter *column, uint32 row, Datum value)
{
	if (column->numeric != NUMERIC_NONE)
		return column_add_numeric(writer, column, row, value);
	if (column->presence)
	{
		column->values[row] = true;
		return true;
	}
	switch (column->type)
	{
#define ADD_INTEGER(ctype) ((ctype *) column->values)[row] = (ctype) value
#define ADD_FLOAT(ctype) column_add_float(column, row, value)
#define ADD_BYTES(ctype) column_add_bytes(column, row, value)
#define ADD_WIDE(ctype) elog(ERROR, "column batch with a number of no numeric")
#define ADD_TEXT(ctype) column_add_text(writer, column, row, value)
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			ADD_##class(ctype); \
			break;
#include "program/types.def"
		case VT_COUNT:
			elog(ERROR, "column batch with unknown value type");
	}
	return true;
}

bool
batch_append(BatchWriter *writer, const Datum *values, const bool *isnull)
{
	uint32		row = writer->batch.nrows;

	Assert(!batch_full(writer));
	if (row == writer->capacity)
		batch_grow(writer);

	for (int i = 0; i < writer->ncolumns; i++)
	{
		ColumnWriter *column = &writer->columns[i];

		if (!isnull[i])
		{
			if (!column_add(writer, column, row, values[i]))
				return false;
		}
		else
		{
			column_set_null(writer, column, row);
			if (column->type == VT_TEXT)
				column->offsets[row + 1] = column->offsets[row];
			else
				memset(column->values + row * column->size, 0, column->size);
		}
	}
	writer->batch.nrows = row + 1;
	return true;
}

bool
batch_met_special(const BatchWriter *writer)
{
	return writer->met_special;
}

uint32_t
batch_rows(const BatchWriter *writer)
{
	return writer->batch.nrows;
}

bool
batch_full(const BatchWriter *writer)
{
	return writer->batch.nrows >= BATCH_ROWS || writer->text_full;
}

const ColumnBatch *
batch_columns(BatchWriter *writer)
{
	for (int i = 0; i < writer->ncolumns; i++)
	{
		const ColumnWriter *column = &writer->columns[i];
		ColumnVector *vector = &writer->vectors[i];

		vector->values = column->values;
		vector->offsets = column->offsets;
		vector->validity = column->has_null ? column->validity : NULL;
	}
	return &writer->batch;
}

void
batch_reset(BatchWriter *writer)
{
	writer->batch.nrows = 0;
	writer->text_full = false;
	for (int i = 0; i < writer->ncolumns; i++)
		writer->columns[i].has_null = false;
}

void
batch_free(BatchWriter *writer)
{
	for (int i = 0; i < writer->ncolumns; i++)
	{
		ColumnWriter *column = &writer->columns[i];

		pfree(column->values);
		if (column->offsets)
			pfree(column->offsets);
		if (column->validity)
			pfree(column->validity);
	}
	pfree(writer->vectors);
	pfree(writer);
}
