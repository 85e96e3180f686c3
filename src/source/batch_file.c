/*
 * batch_file.c
 *	  Column batches kept in a temporary file, to be read again.
 *
 * A batch is one piece of the file (temp_file.h): its number of rows and then, column by column,
 * the sizes of a validity bitmap, of a text column's offsets and of the values, and these,
 * each in multiples of 8 bytes.
 *
 * Memory: the file and, below it, the batch read last are in contexts below the
 * one that was current in batch_file_create.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "source/batch_file.h"
#include "source/temp_file.h"

/* Bytes of a column's arrays, in a piece, in this order. */
typedef struct VectorSizes
{
	uint64		validity;		/* 0: no NULLs */
	uint64		offsets;		/* 0 unless it is a text */
	uint64		values;
} VectorSizes;

struct BatchFile
{
	MemoryContext context;
	MemoryContext batch_context;	/* of the batch read last */
	const Program *program;
	TempFile   *file;
	TempPiece  *pieces;
	int			npieces;
	int			room;			/* for pieces */
	int			next;			/* to be read */
	const ColumnBatch *written; /* while it is written */
	ColumnBatch batch;
	char		message[256];
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
	file->file = temp_file_create();
	file->room = 16;
	file->pieces = palloc(file->room * sizeof(TempPiece));
	MemoryContextSwitchTo(old);
	return file;
}

static VectorSizes
sizes_of(const ColumnVector *vector, ValueType type, uint32 nrows)
{
	VectorSizes sizes = {vector->validity ? (nrows + 7) / 8 : 0, 0,
		(uint64) nrows * value_type_size(type)
	};

	if (type == VT_TEXT)
	{
		sizes.offsets = ((uint64) nrows + 1) * sizeof(uint32);
		sizes.values = vector->offsets[nrows];
	}
	return sizes;
}

/* All columns' arrays behind one another. */
static Size
piece_size(const BatchFile *file, const ColumnBatch *batch, VectorSizes *sizes)
{
	const Column *columns = program_columns(file->program);
	Size		size = sizeof(uint64);

	for (int i = 0; i < file->program->ncolumns; i++)
	{
		sizes[i] = sizes_of(&batch->columns[i], (ValueType) columns[i].type, batch->nrows);
		size += sizeof(VectorSizes) + MAXALIGN(sizes[i].validity) + MAXALIGN(sizes[i].offsets) +
			MAXALIGN(sizes[i].values);
	}
	return size;
}

static char *
put(char *to, const void *bytes, Size size)
{
	if (size > 0)
		memcpy(to, bytes, size);
	return to + MAXALIGN(size);
}

static void
write_batch(void *arg)
{
	BatchFile  *file = arg;
	const ColumnBatch *batch = file->written;
	int			ncolumns = file->program->ncolumns;
	uint64		nrows = batch->nrows;
	VectorSizes *sizes;
	Size		size;
	char	   *piece;
	char	   *to;

	MemoryContextSwitchTo(file->batch_context);
	sizes = palloc(Max(ncolumns, 1) * sizeof(VectorSizes));
	size = piece_size(file, batch, sizes);
	piece = palloc_extended(size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	to = put(piece, &nrows, sizeof(nrows));
	for (int i = 0; i < ncolumns; i++)
	{
		to = put(to, &sizes[i], sizeof(VectorSizes));
		to = put(to, batch->columns[i].validity, sizes[i].validity);
		to = put(to, batch->columns[i].offsets, sizes[i].offsets);
		to = put(to, batch->columns[i].values, sizes[i].values);
	}
	if (file->npieces == file->room)
	{
		file->pieces = repalloc_huge(file->pieces, 2 * file->room * sizeof(TempPiece));
		file->room *= 2;
	}
	file->pieces[file->npieces] = temp_file_append(file->file, piece, size);
	file->npieces++;
}

bool
batch_file_write(BatchFile *file, const ColumnBatch *batch)
{
	bool		done;

	file->written = batch;
	done = temp_file_call(write_batch, file, file->message);
	MemoryContextReset(file->batch_context);
	return done;
}

const char *
batch_file_message(const BatchFile *file)
{
	return file->message;
}

void
batch_file_rewind(BatchFile *file)
{
	file->next = 0;
}

/* A column's arrays, in a piece; what is behind them. */
static const char *
find_vector(const char *at, ColumnVector *vector)
{
	const VectorSizes *sizes = (const VectorSizes *) at;

	at += sizeof(VectorSizes);
	vector->validity = sizes->validity > 0 ? (const uint8 *) at : NULL;
	at += MAXALIGN(sizes->validity);
	vector->offsets = sizes->offsets > 0 ? (const uint32 *) at : NULL;
	at += MAXALIGN(sizes->offsets);
	vector->values = at;
	return at + MAXALIGN(sizes->values);
}

const ColumnBatch *
batch_file_read(BatchFile *file)
{
	int			ncolumns = file->program->ncolumns;
	const TempPiece *piece;
	ColumnVector *vectors;
	MemoryContext old;
	char	   *bytes;
	const char *at;

	MemoryContextReset(file->batch_context);
	if (file->next == file->npieces)
		return NULL;
	piece = &file->pieces[file->next++];
	old = MemoryContextSwitchTo(file->batch_context);
	vectors = palloc0(Max(ncolumns, 1) * sizeof(ColumnVector));
	bytes = palloc_extended(piece->size, MCXT_ALLOC_HUGE);
	MemoryContextSwitchTo(old);
	temp_file_read(file->file, piece, bytes);

	at = bytes + sizeof(uint64);
	for (int i = 0; i < ncolumns; i++)
		at = find_vector(at, &vectors[i]);
	file->batch.nrows = (uint32) *(const uint64 *) bytes;
	file->batch.columns = vectors;
	return &file->batch;
}

void
batch_file_close(BatchFile *file)
{
	temp_file_close(file->file);
	MemoryContextDelete(file->context);
}
