/*
 * temp_store.c
 *	  A GroupStore in a temporary file of PostgreSQL's, for one run of an engine.
 *
 * All partitions share one file, to whose end pieces are written; where each
 * partition's are is kept in memory.  The file is made with the first piece.
 *
 * It is a BufFile, as nodeAgg's temporary files are: temp_file_limit, log_temp_files,
 * temp_tablespaces and the counts of pg_stat_database hold for it.  It belongs to
 * the query's resource owner, which closes it after an error, also if it is made while
 * another query runs within that one; its memory, like the store's, to the context that
 * the store was made in.
 *
 * An engine calls the functions, and must not be left by longjmp.  An error is
 * therefore kept, and raised by the caller of the engine.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/buffile.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "compat.h"
#include "exec/kept_error.h"
#include "exec/temp_store.h"

/*
 * Few partitions make large pieces, many let each be merged at once.  A table that is
 * full has about half of the limit in records, and writes a piece for each
 * partition.
 */
#define LEAST_PARTITIONS 16
#define MOST_PARTITIONS 1024
#define GOOD_PIECE (UINT64CONST(1) << 16)	/* of the limit, for each partition */
#define LEAST_PIECE (UINT64CONST(1) << 12)

/* Where a piece is. */
typedef struct FilePiece
{
	int			file;			/* of the BufFile's files */
	off_t		offset;
	size_t		size;
} FilePiece;

typedef struct FilePartition
{
	FilePiece  *pieces;
	uint32		npieces;
	uint32		room;
	uint32		next;			/* to be read */
} FilePartition;

struct TempStore
{
	GroupStore	groups;
	MemoryContext context;
	ResourceOwner owner;		/* of the query */
	BufFile    *file;			/* NULL: nothing has been written */
	FilePiece	end;			/* of the file */
	bool		at_end;			/* the file's position */
	uint64		bytes;
	char	   *piece;			/* what was read last */
	size_t		room;
	ErrorData  *error;			/* NULL: there was none */
	FilePartition *partitions;
	uint32		npartitions;	/* with those beyond the groups' npartitions */
};

/* A partition, which may be a new one. */
static FilePartition *
get_partition(TempStore *store, uint32 number)
{
	if (number >= store->npartitions)
	{
		uint32		n = number + LEAST_PARTITIONS;

		store->partitions = repalloc_huge(store->partitions, n * sizeof(FilePartition));
		memset(store->partitions + store->npartitions, 0,
			   (n - store->npartitions) * sizeof(FilePartition));
		store->npartitions = n;
	}
	return &store->partitions[number];
}

/* The file, for as long as the query lasts. */
static void
make_file(TempStore *store)
{
	ResourceOwner old = CurrentResourceOwner;

	CurrentResourceOwner = store->owner;
	PG_TRY();
	{
		store->file = BufFileCreateTemp(false);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = old;
	}
	PG_END_TRY();
}

static void
write_piece(TempStore *store, FilePartition *partition, const void *bytes, size_t size)
{
	if (store->file == NULL)
		make_file(store);
	else if (!store->at_end &&
			 BufFileSeek(store->file, store->end.file, store->end.offset, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in temporary file: %m")));
	if (partition->npieces == partition->room)
	{
		partition->room = Max(partition->room * 2, 8);
		partition->pieces = partition->pieces == NULL ?
			palloc(partition->room * sizeof(FilePiece)) :
			repalloc_huge(partition->pieces, partition->room * sizeof(FilePiece));
	}
	BufFileTell(store->file, &store->end.file, &store->end.offset);
	store->end.size = size;
	BufFileWrite(store->file, compat_buffile_bytes(bytes), size);
	partition->pieces[partition->npieces++] = store->end;
	BufFileTell(store->file, &store->end.file, &store->end.offset);
	store->at_end = true;
	store->bytes += size;
}

static void
read_piece(TempStore *store, const FilePiece *piece)
{
	if (store->room < piece->size)
	{
		if (store->piece != NULL)
			pfree(store->piece);
		store->piece = NULL;
		store->room = 0;
		store->piece = MemoryContextAllocHuge(store->context, piece->size);
		store->room = piece->size;
	}
	store->at_end = false;
	if (BufFileSeek(store->file, piece->file, piece->offset, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in temporary file: %m")));
	compat_buffile_read(store->file, store->piece, piece->size);
}

static bool
temp_store_write(GroupStore *groups, uint32_t partition, const void *piece, size_t size)
{
	TempStore  *store = (TempStore *) groups;
	MemoryContext old = MemoryContextSwitchTo(store->context);
	uint32		holdoff = InterruptHoldoffCount;

	PG_TRY();
	{
		write_piece(store, get_partition(store, partition), piece, size);
	}
	PG_CATCH();
	{
		store->error = keep_error(store->context, holdoff);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return store->error == NULL;
}

static bool
temp_store_rewind(GroupStore *groups, uint32_t partition)
{
	TempStore  *store = (TempStore *) groups;

	if (partition < store->npartitions)
		store->partitions[partition].next = 0;
	return true;
}

static bool
temp_store_read(GroupStore *groups, uint32_t number, const void **piece, size_t *size)
{
	TempStore  *store = (TempStore *) groups;
	MemoryContext old = MemoryContextSwitchTo(store->context);
	uint32		holdoff = InterruptHoldoffCount;

	*size = 0;
	PG_TRY();
	{
		FilePartition *partition = number < store->npartitions ? &store->partitions[number] : NULL;

		if (partition != NULL && partition->next < partition->npieces)
		{
			const FilePiece *next = &partition->pieces[partition->next++];

			read_piece(store, next);
			*piece = store->piece;
			*size = next->size;
		}
	}
	PG_CATCH();
	{
		store->error = keep_error(store->context, holdoff);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return store->error == NULL;
}

/* A power of two. */
static uint32
good_partitions(const Program *program, const EngineHints *hints)
{
	double		record = (program->nkeys + program->nwords) * sizeof(uint64);
	double		expected = hints->groups * record * 2 / hints->memory_limit;
	uint64		most = Max(hints->memory_limit / LEAST_PIECE, LEAST_PARTITIONS);
	uint64		good = Max(hints->memory_limit / GOOD_PIECE, LEAST_PARTITIONS);

	if (expected > good)
		good = expected < most ? (uint64) expected : most;
	return pg_nextpower2_32((uint32) Min(good, MOST_PARTITIONS));
}

TempStore *
temp_store_create(const Program *program, const EngineHints *hints)
{
	TempStore  *store = palloc0(sizeof(TempStore));

	store->context = CurrentMemoryContext;
	store->owner = CurrentResourceOwner;
	store->groups.npartitions = good_partitions(program, hints);
	store->groups.grows = true;
	store->groups.write = temp_store_write;
	store->groups.rewind = temp_store_rewind;
	store->groups.read = temp_store_read;
	store->npartitions = store->groups.npartitions;
	store->partitions = palloc0(store->npartitions * sizeof(FilePartition));
	return store;
}

GroupStore *
temp_store_groups(TempStore *store)
{
	return &store->groups;
}

void
temp_store_raise(TempStore *store)
{
	if (store->error != NULL)
		ReThrowError(store->error);
}

uint64
temp_store_bytes(const TempStore *store)
{
	return store->bytes;
}

void
temp_store_close(TempStore *store)
{
	BufFile    *file = store->file;

	store->file = NULL;
	if (file != NULL)
		BufFileClose(file);
}
