/*
 * batch_file.h
 *	  Column batches kept in a temporary file, to be read again.
 */
#ifndef GPUAGG_BATCH_FILE_H
#define GPUAGG_BATCH_FILE_H

#include "engine/engine.h"

typedef struct BatchFile BatchFile;

/*
 * An empty file for batches of the Program's columns; the Program must outlive
 * it.  Belongs to the current resource owner, which closes it after an error;
 * without an error batch_file_close must be called.
 */
extern BatchFile *batch_file_create(const Program *program);

/* Append a batch; false: there is no room for it, as the message says. */
extern bool batch_file_write(BatchFile *file, const ColumnBatch *batch);
extern const char *batch_file_message(const BatchFile *file);

/* Go to the first batch.  Writing can go on once all have been read. */
extern void batch_file_rewind(BatchFile *file);

/* The next batch, valid until the next read or close; NULL after the last. */
extern const ColumnBatch *batch_file_read(BatchFile *file);
extern void batch_file_close(BatchFile *file);

#endif							/* GPUAGG_BATCH_FILE_H */
