/*
 * batch_file.c
 *	  Column batches kept in a temporary file, to be read again.
 *
 * A batch is written as its number of rows and then, column by column, a byte
 * that says whether a validity bitmap follows, the bitmap, a text column's
 * offsets, and the values.  The file is PostgreSQL's BufFile, so temp_file_limit
 * and temp_tablespaces hold for it.
 *
 * Memory: the file and, below it, the batch read last are in contexts below the
 * one that was current in batch_file_create.
 */
#include "postgres.h"

#include "storage/buffile.h"
#include "utils/memutils.h"

#include "source/batch_file.h"

struct BatchFile
{
	MemoryContext context;
	MemoryContext batch_context;	/* of the batch read last */
	const Program *program;
	BufFile    *buffile;
	ColumnBatch batch;
};

BatchFile *
batch_file_create(const Program *program)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpuagg batch file",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	BatchFile  *file = palloc0(sizeof(BatchFile));

	file->context = context;
	file->batch_context = AllocSetContextCreate(context, "gpuagg batch read",
												ALLOCSET_SMALL_SIZES);
	file->program = program;
	file->buffile = BufFileCreateTemp(false);
	MemoryContextSwitchTo(old);
	return file;
}

static void
put(BatchFile *file, const void *data, Size size)
{
	/* BufFileWrite only reads the bytes, but does not say so */
	BufFileWrite(file->buffile, unconstify(void *, data), size);
}

void
batch_file_write(BatchFile *file, const ColumnBatch *batch)
{
	const Column *columns = program_columns(file->program);
	uint32		nrows = batch->nrows;

	put(file, &nrows, sizeof(nrows));
	for (int i = 0; i < file->program->ncolumns; i++)
	{
		const ColumnVector *vector = &batch->columns[i];
		uint8		has_validity = (vector->validity != NULL);
		Size		size = (Size) nrows * value_type_size((ValueType) columns[i].type);

		put(file, &has_validity, sizeof(has_validity));
		if (has_validity)
			put(file, vector->validity, (nrows + 7) / 8);
		if (columns[i].type == VT_TEXT)
		{
			put(file, vector->offsets, ((Size) nrows + 1) * sizeof(uint32));
			size = vector->offsets[nrows];
		}
		put(file, vector->values, size);
	}
}

void
batch_file_rewind(BatchFile *file)
{
	if (BufFileSeek(file->buffile, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind temporary file of column batches")));
}

static void
get(BatchFile *file, void *data, Size size)
{
	if (BufFileRead(file->buffile, data, size) != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from temporary file of column batches")));
}

/* Read bytes into new memory of the current context. */
static void *
get_new(BatchFile *file, Size size)
{
	void	   *data = palloc_extended(Max(size, 1), MCXT_ALLOC_HUGE);

	get(file, data, size);
	return data;
}

static void
read_vector(BatchFile *file, ValueType type, uint32 nrows, ColumnVector *vector)
{
	Size		size = (Size) nrows * value_type_size(type);
	uint8		has_validity;

	get(file, &has_validity, sizeof(has_validity));
	if (has_validity)
		vector->validity = get_new(file, (nrows + 7) / 8);
	if (type == VT_TEXT)
	{
		vector->offsets = get_new(file, ((Size) nrows + 1) * sizeof(uint32));
		size = vector->offsets[nrows];
	}
	vector->values = get_new(file, size);
}

const ColumnBatch *
batch_file_read(BatchFile *file)
{
	const Column *columns = program_columns(file->program);
	int			ncolumns = file->program->ncolumns;
	uint32		nrows;
	ColumnVector *vectors;
	MemoryContext old;

	if (BufFileRead(file->buffile, &nrows, sizeof(nrows)) != sizeof(nrows))
		return NULL;

	MemoryContextReset(file->batch_context);
	old = MemoryContextSwitchTo(file->batch_context);
	vectors = palloc0(Max(ncolumns, 1) * sizeof(ColumnVector));
	for (int i = 0; i < ncolumns; i++)
		read_vector(file, (ValueType) columns[i].type, nrows, &vectors[i]);
	MemoryContextSwitchTo(old);

	file->batch.nrows = nrows;
	file->batch.columns = vectors;
	return &file->batch;
}

void
batch_file_close(BatchFile *file)
{
	BufFileClose(file->buffile);
	MemoryContextDelete(file->context);
}
