/*
 * shared_files.c
 *	  Temporary files for pieces of a GroupStore that the processes of a query share.
 *
 * Each process has a file of its own for each partition, made when it writes the first
 * piece of it: lengths, each with its bytes behind it.  Files are written to their
 * end and closed before any process reads them.  They are PostgreSQL's, in its
 * temporary tablespaces, count for temp_file_limit, and go with the set, which goes
 * with the query's segment of shared memory.
 */
#include "postgres.h"

#include <fcntl.h>

#include "storage/dsm.h"

#include "exec/shared_files.h"

#define NAME_LENGTH 32

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

static BufFile *
create_file(FileStore *store, uint32 partition)
{
	char		name[NAME_LENGTH];

	if (store->writer < 0)
		store->writer = (int) pg_atomic_fetch_add_u32(&store->files->writers, 1);
	file_name(name, (uint32) store->writer, partition);
	return BufFileCreateFileSet(&store->files->set.fs, name);
}

void
file_store_write(FileStore *store, uint32 partition, const void *data, Size size)
{
	uint64		length = size;

	if (store->written[partition] == NULL)
		store->written[partition] = create_file(store, partition);
	BufFileWrite(store->written[partition], &length, sizeof(length));
	/* BufFileWrite only reads the bytes, but does not say so */
	BufFileWrite(store->written[partition], unconstify(void *, data), size);
	pg_atomic_fetch_add_u64(&store->files->bytes, sizeof(length) + size);
}

void
file_store_flush(FileStore *store)
{
	for (int i = 0; i < 2 * SHARED_PARTITIONS; i++)
	{
		BufFile    *file = store->written[i];

		store->written[i] = NULL;
		if (file != NULL)
			BufFileClose(file);
	}
}

static void
close_read(FileStore *store)
{
	BufFile    *file = store->read;

	store->read = NULL;
	if (file != NULL)
		BufFileClose(file);
}

void
file_store_rewind(FileStore *store, uint32 partition)
{
	close_read(store);
	store->partition = partition;
	store->next = 0;
}

/* Open the next writer's file of the partition; false: there is none. */
static bool
open_next(FileStore *store)
{
	char		name[NAME_LENGTH];

	close_read(store);
	while (store->read == NULL &&
		   store->next < pg_atomic_read_u32(&store->files->writers))
	{
		file_name(name, store->next++, store->partition);
		store->read = BufFileOpenFileSet(&store->files->set.fs, name, O_RDONLY, true);
	}
	return store->read != NULL;
}

static void
read_bytes(FileStore *store, void *data, Size size)
{
	if (BufFileRead(store->read, data, size) != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of groups")));
}

/* The length of the next piece of the file; false: it has no more. */
static bool
read_length(FileStore *store, uint64 *length)
{
	Size		got = BufFileRead(store->read, length, sizeof(*length));

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
	file_store_flush(store);
	close_read(store);
	if (store->piece != NULL)
		pfree(store->piece);
	store->files = NULL;
}
