/*
 * shared_files.c
 *	  Temporary files for pieces of a GroupStore that the processes of a query share.
 *
 * Each process has a file of its own for each partition, made when it writes the first
 * piece of it: lengths, each with its bytes behind it.  Files are written to their
 * end and closed before any process reads them.  They are PostgreSQL's, in its
 * temporary tablespaces, count for temp_file_limit, and go with the set, which goes
 * with the query's segment of shared memory.  What cannot be written is given up
 * (temp_file.h).
 */
#include "postgres.h"

#include <fcntl.h>

#include "storage/dsm.h"

#include "exec/parallel/shared_files.h"
#include "source/temp_file.h"

#define NAME_LENGTH 32

/* A partition's file of one process, which is written, or read, from its beginning to its end. */
struct SharedFile
{
	File		file;
	off_t		offset;			/* of it, behind the buffer */
	Size		used;			/* bytes of the buffer */
	Size		at;				/* of them those that have been read */
	char		buffer[BLCKSZ];
};

void
shared_files_init(SharedFiles *files, dsm_segment *segment)
{
	SharedFileSetInit(&files->set, segment);
	files->segment = dsm_segment_handle(segment);
	pg_atomic_init_u32(&files->writers, 0);
	pg_atomic_init_u64(&files->bytes, 0);
}

void
shared_files_attach(SharedFiles *files)
{
	SharedFileSetAttach(&files->set, dsm_find_mapping(files->segment));
}

void
shared_files_clear(SharedFiles *files)
{
	SharedFileSetDeleteAll(&files->set);
	pg_atomic_write_u32(&files->writers, 0);
	pg_atomic_write_u64(&files->bytes, 0);
}

void
file_store_begin(FileStore *store, SharedFiles *files)
{
	memset(store, 0, sizeof(*store));
	store->files = files;
	store->writer = -1;
}

static void
file_name(char *name, uint32 writer, uint32 partition)
{
	snprintf(name, NAME_LENGTH, "w%u.p%u", writer, partition);
}

/* What is written to a partition's file, or read from it, at a time. */
static SharedFile *
make_file(void)
{
	SharedFile *file = palloc(sizeof(SharedFile));

	file->file = 0;
	file->offset = 0;
	file->used = file->at = 0;
	return file;
}

static SharedFile *
create_file(FileStore *store, uint32 partition)
{
	char		name[NAME_LENGTH];
	SharedFile *file = make_file();

	if (store->writer < 0)
		store->writer = (int) pg_atomic_fetch_add_u32(&store->files->writers, 1);
	file_name(name, (uint32) store->writer, partition);
	file->file = FileSetCreate(&store->files->set.fs, name);
	return file;
}

static void
close_file(SharedFile **file)
{
	if (*file == NULL)
		return;
	FileClose((*file)->file);
	pfree(*file);
	*file = NULL;
}

static void
write_buffer(SharedFile *file)
{
	temp_bytes_write(file->file, file->buffer, file->used, file->offset);
	file->offset += file->used;
	file->used = 0;
}

static void
put(SharedFile *file, const void *data, Size size)
{
	if (file->used + size > sizeof(file->buffer))
		write_buffer(file);
	if (size > sizeof(file->buffer))
	{
		temp_bytes_write(file->file, data, size, file->offset);
		file->offset += size;
		return;
	}
	memcpy(file->buffer + file->used, data, size);
	file->used += size;
}

void
file_store_write(FileStore *store, uint32 partition, const void *data, Size size)
{
	uint64		length = size;

	if (store->written[partition] == NULL)
		store->written[partition] = create_file(store, partition);
	put(store->written[partition], &length, sizeof(length));
	put(store->written[partition], data, size);
	pg_atomic_fetch_add_u64(&store->files->bytes, sizeof(length) + size);
}

void
file_store_flush(FileStore *store)
{
	for (int i = 0; i < 2 * SHARED_PARTITIONS; i++)
	{
		if (store->written[i] != NULL)
			write_buffer(store->written[i]);
		close_file(&store->written[i]);
	}
}

void
file_store_rewind(FileStore *store, uint32 partition)
{
	close_file(&store->read);
	store->partition = partition;
	store->next = 0;
}

/* Open the next writer's file of the partition; false: there is none. */
static bool
open_next(FileStore *store)
{
	char		name[NAME_LENGTH];
	File		file = 0;

	close_file(&store->read);
	while (file <= 0 && store->next < pg_atomic_read_u32(&store->files->writers))
	{
		file_name(name, store->next++, store->partition);
		file = FileSetOpen(&store->files->set.fs, name, O_RDONLY);
	}
	if (file <= 0)
		return false;
	store->read = make_file();
	store->read->file = file;
	return true;
}

/* Read so many bytes, or as many as there are. */
static Size
get(SharedFile *file, void *data, Size size)
{
	Size		done = Min(size, file->used - file->at);

	memcpy(data, file->buffer + file->at, done);
	file->at += done;
	if (done < size && size - done > sizeof(file->buffer))
	{
		Size		got = temp_bytes_read(file->file, (char *) data + done, size - done,
										  file->offset);

		file->offset += got;
		return done + got;
	}
	if (done < size)
	{
		file->used = temp_bytes_read(file->file, file->buffer, sizeof(file->buffer), file->offset);
		file->offset += file->used;
		file->at = Min(size - done, file->used);
		memcpy((char *) data + done, file->buffer, file->at);
		done += file->at;
	}
	return done;
}

static void
read_bytes(FileStore *store, void *data, Size size)
{
	if (get(store->read, data, size) != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of groups")));
}

/* The length of the next piece of the file; false: it has no more. */
static bool
read_length(FileStore *store, uint64 *length)
{
	Size		got = get(store->read, length, sizeof(*length));

	if (got != 0 && got != sizeof(*length))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of groups")));
	return got != 0;
}

static void
make_room(FileStore *store, Size size)
{
	if (size <= store->room)
		return;
	if (store->piece != NULL)
		pfree(store->piece);
	store->piece = NULL;
	store->room = 0;
	store->piece = MemoryContextAllocHuge(CurrentMemoryContext, size);
	store->room = size;
}

const void *
file_store_read(FileStore *store, Size *size)
{
	uint64		length;

	while (store->read == NULL || !read_length(store, &length))
		if (!open_next(store))
			return NULL;
	make_room(store, length);
	read_bytes(store, store->piece, length);
	*size = length;
	return store->piece;
}

void
file_store_end(FileStore *store)
{
	if (store->files == NULL)
		return;
	for (int i = 0; i < 2 * SHARED_PARTITIONS; i++)
		close_file(&store->written[i]);
	close_file(&store->read);
	if (store->piece != NULL)
		pfree(store->piece);
	store->files = NULL;
}
