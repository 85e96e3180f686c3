/*
 * shared_files.h
 *	  Temporary files for pieces of a GroupStore that the processes of a query share.
 */
#ifndef GPUAGG_SHARED_FILES_H
#define GPUAGG_SHARED_FILES_H

#include "port/atomics.h"
#include "storage/sharedfileset.h"

/*
 * Into how many partitions groups are divided.  A process merges a partition at a
 * time, so there should be some for each process, and one's table should be small.
 */
#define SHARED_PARTITIONS 256

/* What the processes share. */
typedef struct SharedFiles
{
	SharedFileSet set;
	dsm_handle	segment;		/* that the set belongs to */
	pg_atomic_uint32 writers;	/* processes that have written files, so far */
	pg_atomic_uint64 bytes;		/* of all files */
} SharedFiles;

typedef struct SharedFile SharedFile;

/* One process's view. */
typedef struct FileStore
{
	SharedFiles *files;
	int			writer;			/* this process's number among them; -1: none yet */
	SharedFile *written[2 * SHARED_PARTITIONS]; /* by partition, or NULL */
	uint32		partition;		/* that is being read */
	uint32		next;			/* number of the writer whose file is next */
	SharedFile *read;			/* of the one before, or NULL */
	char	   *piece;			/* that has been read */
	Size		room;			/* for it */
} FileStore;

/* In the leader: before there are other processes; then once in each worker. */
extern void shared_files_init(SharedFiles *files, dsm_segment *segment);
extern void shared_files_attach(SharedFiles *files);

/* Delete all files; nobody has any open. */
extern void shared_files_clear(SharedFiles *files);

/*
 * The functions below raise PostgreSQL's errors, all but file_store_rewind and file_store_end, and
 * may be called by temp_file_call (temp_file.h).  All that they allocate is in the current
 * context, which must be the same one for a FileStore.
 */
extern void file_store_begin(FileStore *store, SharedFiles *files);
extern void file_store_write(FileStore *store, uint32 partition, const void *data,
							 Size size);

/* Close what has been written, so that all processes can read it. */
extern void file_store_flush(FileStore *store);

/* From the first piece of a partition; NULL: there are no more. */
extern void file_store_rewind(FileStore *store, uint32 partition);
extern const void *file_store_read(FileStore *store, Size *size);

/* Close all files.  What has not been flushed is lost. */
extern void file_store_end(FileStore *store);

#endif							/* GPUAGG_SHARED_FILES_H */
