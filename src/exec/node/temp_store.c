/*
 * temp_store.c
 *	  A GroupStore in a temporary file of PostgreSQL's, for one run of an engine.
 *
 * All partitions share one file (temp_file.h), to whose end pieces are written; where each
 * partition's are is kept in memory.  The file is made with the first piece.
 *
 * It belongs to the query's resource owner, which closes it after an error, also if it is made
 * while another query runs within that one; its memory, like the store's, to the context that
 * the store was made in.
 *
 * An engine calls the functions, and must not be left by longjmp.  What they cannot do, such
 * as to write to a full disk, is a failure of theirs, and no error.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "exec/node/temp_store.h"
#include "source/temp_file.h"

/*
 * Few partitions make large pieces, many let each be merged at once.  A table that is
 * full has about half of the limit in records, and writes a piece for each
 * partition.
 */
#define LEAST_PARTITIONS 16
#define MOST_PARTITIONS 1024
#define GOOD_PIECE (UINT64CONST(1) << 16)	/* of the limit, for each partition */
#define LEAST_PIECE (UINT64CONST(1) << 12)

typedef struct FilePartition
{
	TempPiece  *pieces;
	uint32		npieces;
	uint32		room;
	uint32		next;			/* to be read */
} FilePartition;

struct TempStore
{
	GroupStore	groups;
	MemoryContext context;
	TempFile   *file;
	uint64		bytes;
	char	   *piece;			/* what was read last */
	size_t		room;
	FilePartition *partitions;
	uint32		npartitions;	/* with those beyond the groups' npartitions */
	char		message[256];	/* why a function has failed */
};

/* A piece to be written, or one that is read. */
typedef struct StoreCall
{
	TempStore  *store;
	uint32		partition;
	const void *bytes;
	size_t		size;
} StoreCall;

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

static void
write_piece(void *arg)
{
	StoreCall  *call = arg;
	TempStore  *store = call->store;
	FilePartition *partition;

	MemoryContextSwitchTo(store->context);
	partition = get_partition(store, call->partition);
	if (partition->npieces == partition->room)
	{
		uint32		room = Max(partition->room * 2, 8);

		partition->pieces = partition->pieces == NULL ?
			palloc(room * sizeof(TempPiece)) :
			repalloc_huge(partition->pieces, room * sizeof(TempPiece));
		partition->room = room;
	}
	partition->pieces[partition->npieces] = temp_file_append(store->file, call->bytes, call->size);
	partition->npieces++;
	store->bytes += call->size;
}

static void
read_piece(void *arg)
{
	StoreCall  *call = arg;
	TempStore  *store = call->store;
	FilePartition *partition = call->partition < store->npartitions ?
		&store->partitions[call->partition] : NULL;
	const TempPiece *piece;

	call->size = 0;
	if (partition == NULL || partition->next == partition->npieces)
		return;
	piece = &partition->pieces[partition->next++];
	if (store->room < piece->size)
	{
		if (store->piece != NULL)
			pfree(store->piece);
		store->piece = NULL;
		store->room = 0;
		store->piece = MemoryContextAllocHuge(store->context, piece->size);
		store->room = piece->size;
	}
	temp_file_read(store->file, piece, store->piece);
	call->bytes = store->piece;
	call->size = piece->size;
}

static bool
temp_store_write(GroupStore *groups, uint32_t partition, const void *piece, size_t size)
{
	TempStore  *store = (TempStore *) groups;
	StoreCall	call = {store, partition, piece, size};

	return temp_file_call(write_piece, &call, store->message);
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
temp_store_read(GroupStore *groups, uint32_t partition, const void **piece, size_t *size)
{
	TempStore  *store = (TempStore *) groups;
	StoreCall	call = {store, partition, NULL, 0};
	bool		done = temp_file_call(read_piece, &call, store->message);

	*piece = call.bytes;
	*size = done ? call.size : 0;
	return done;
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
	store->file = temp_file_create();
	store->groups.message = store->message;
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

uint64
temp_store_bytes(const TempStore *store)
{
	return store->bytes;
}

void
temp_store_close(TempStore *store)
{
	temp_file_close(store->file);
}
