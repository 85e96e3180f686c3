/*
 * temp_file.h
 *	  Temporary files of PostgreSQL's that can be given up when they cannot be written.
 */
#ifndef GPUAGG_TEMP_FILE_H
#define GPUAGG_TEMP_FILE_H

#include "storage/fd.h"

typedef struct TempFile TempFile;

/* Where bytes are that have been appended. */
typedef struct TempPiece
{
	int			segment;
	off_t		offset;
	size_t		size;
} TempPiece;

/*
 * In the current context, and for the current resource owner.  There is no file yet.  Raises
 * errors of the setting temp_tablespaces.
 */
extern TempFile *temp_file_create(void);

/*
 * Append bytes; a piece of the file.  These raise PostgreSQL's errors, and nothing but memory
 * of the current context is lost if they are caught: see temp_file_call.
 */
extern TempPiece temp_file_append(TempFile *file, const void *bytes, size_t size);
extern void temp_file_read(TempFile *file, const TempPiece *piece, void *to);

/* Delete it, whatever it has come to.  Raises no error. */
extern void temp_file_close(TempFile *file);

/* The same of any temporary File; read: how many bytes there were. */
extern void temp_bytes_write(File file, const void *bytes, size_t size, off_t offset);
extern size_t temp_bytes_read(File file, void *to, size_t size, off_t offset);

/*
 * Call a function that does nothing but to allocate memory and to make, write, read and close
 * temporary files.  False: it has raised an error, which says message (256 bytes), and which is
 * over.
 */
extern bool temp_file_call(void (*function) (void *), void *arg, char *message);

#endif							/* GPUAGG_TEMP_FILE_H */
