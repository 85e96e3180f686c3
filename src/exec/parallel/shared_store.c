/*
 * shared_store.c
 *	  A GroupStore that the processes of a query share: in memory, then in files.
 *
 * A piece lies in a chunk of dynamic shared memory, behind those that the same
 * process has written before.  Each partition has a list of its pieces, to which
 * all processes add by compare-and-swap.  Nobody reads a partition before all have
 * written it.
 *
 * A process that writes a partition for the first time gets as much room as it needs, for
 * that may be all.  From then on it gets the room of the largest piece, and what
 * it writes later is added there: a process whose table is spilled often writes little of
 * each partition at a time, and a partition that lies in one place is in few pages.
 *
 * Pieces of a released partition, which have been merged, give their places to those
 * that the process writes next, the merged groups: that memory is mapped, and in the
 * processor's caches.
 *
 * What is beyond the limit of all chunks, or of the machine's shared memory, goes to
 * temporary files.
 *
 * An engine calls these functions, and must not be left by longjmp.  What they cannot do, such
 * as to write to a full disk, is a failure of theirs, and no error.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/parallel/shared_store.h"
#include "source/temp_file.h"

/* Chunks grow with what a process writes. */
#define FIRST_CHUNK ((Size) 64 * 1024)
#define LARGEST_CHUNK ((Size) 1024 * 1024)

typedef struct Piece
{
	SharedPointer next;			/* of the same partition */
	uint64		size;			/* of the bytes that follow */
	uint64		room;			/* for such bytes */
} Piece;

/* No groups in memory. */
static void
begin_groups(SharedGroups *groups)
{
	memset(groups->units, 0, sizeof(groups->units));
	pg_atomic_init_u64(&groups->bytes, 0);
	for (int i = 0; i < 2 * SHARED_PARTITIONS; i++)
		pg_atomic_init_u64(&groups->pieces[i], SHARED_POINTER_INVALID);
}

void
shared_groups_init(SharedGroups *groups, uint64 limit, dsm_segment *segment)
{
	groups->limit = limit;
	shared_files_init(&groups->files, segment);
	begin_groups(groups);
}

void
shared_groups_attach(SharedGroups *groups)
{
	shared_files_attach(&groups->files);
}

void
shared_groups_clear(SharedGroups *groups)
{
	shared_files_clear(&groups->files);
	begin_groups(groups);
}

/* Put something at the head of a list, whose link is *next. */
static void
push(pg_atomic_uint64 *list, SharedPointer at, SharedPointer *next)
{
	*next = pg_atomic_read_u64(list);
	while (!pg_atomic_compare_exchange_u64(list, next, at))
		;						/* *next is the head that was found */
}

/* A chunk that has room for so many bytes; false: it would be beyond the limit. */
static bool
add_chunk(SharedStore *store, Size needed)
{
	SharedGroups *groups = store->groups;
	Size		size = Max(needed, Max(FIRST_CHUNK, Min(2 * store->size, LARGEST_CHUNK)));
	SharedPointer at;

	if (pg_atomic_add_fetch_u64(&groups->bytes, size) > groups->limit)
		return false;
	at = shared_area_allocate(store->area, size);
	if (!SharedPointerIsValid(at))
	{
		/* nobody tries again */
		pg_atomic_write_u64(&groups->bytes, groups->limit);
		return false;
	}
	store->chunk = at;
	store->used = 0;
	store->size = size;
	return true;
}

/* A released piece that has room for so many bytes; those before it are given up. */
static SharedPointer
take_spare(SharedStore *store, size_t size)
{
	while (SharedPointerIsValid(store->spare))
	{
		SharedPointer at = store->spare;
		const Piece *piece = shared_area_address(store->area, at);

		store->spare = piece->next;
		if (piece->room >= size)
			return at;
	}
	return SHARED_POINTER_INVALID;
}

/* A new piece that has room for so many bytes; invalid: there is no more memory. */
static SharedPointer
make_piece(SharedStore *store, size_t room)
{
	Size		needed = sizeof(Piece) + TYPEALIGN(8, room);
	SharedPointer at;

	if (store->used + needed > store->size && !add_chunk(store, needed))
		return SHARED_POINTER_INVALID;
	at = store->chunk + store->used;
	store->used += needed;
	((Piece *) shared_area_address(store->area, at))->room = room;
	return at;
}

/* This process's last piece of the partition, if it has room for so many bytes more. */
static Piece *
open_piece(SharedStore *store, uint32_t partition, size_t size)
{
	Piece	   *piece;

	if (!SharedPointerIsValid(store->open[partition]))
		return NULL;
	piece = shared_area_address(store->area, store->open[partition]);
	return piece->room - piece->size >= size ? piece : NULL;
}

/* Another piece of the partition, for so many bytes; NULL: there is no more memory. */
static Piece *
next_open_piece(SharedStore *store, uint32_t partition, size_t size)
{
	bool		first = !SharedPointerIsValid(store->open[partition]);
	SharedPointer at = take_spare(store, size);
	Piece	   *piece;

	if (!SharedPointerIsValid(at))
		at = make_piece(store, first ? size : Max(size, GROUPS_PIECE));
	if (!SharedPointerIsValid(at))
		return NULL;
	piece = shared_area_address(store->area, at);
	piece->size = 0;
	push(&store->groups->pieces[partition], at, &piece->next);
	store->open[partition] = at;
	return piece;
}

/* A call of one of the store's functions. */
typedef struct StoreCall
{
	SharedStore *store;
	uint32		partition;
	const void *data;
	Size		size;
} StoreCall;

/* Raises errors of files, and where what another process has made cannot be mapped. */
static void
add_groups(void *arg)
{
	StoreCall  *call = arg;
	SharedStore *store = call->store;
	Piece	   *piece = open_piece(store, call->partition, call->size);

	MemoryContextSwitchTo(store->context);
	if (piece == NULL)
		piece = next_open_piece(store, call->partition, call->size);
	if (piece == NULL)
	{
		file_store_write(&store->files, call->partition, call->data, call->size);
		return;
	}
	memcpy((char *) (piece + 1) + piece->size, call->data, call->size);
	piece->size += call->size;
}

/* The next piece of the partition that is being read; size 0: there are no more. */
static void
next_piece(void *arg)
{
	StoreCall  *call = arg;
	SharedStore *store = call->store;
	Piece	   *piece;

	MemoryContextSwitchTo(store->context);
	if (!SharedPointerIsValid(store->next))
	{
		call->data = file_store_read(&store->files, &call->size);
		return;
	}
	piece = shared_area_address(store->area, store->next);
	call->data = piece + 1;
	call->size = piece->size;
	store->next = piece->next;
}

static void
flush_files(void *arg)
{
	SharedStore *store = arg;

	file_store_flush(&store->files);
}

static bool
write_groups(GroupStore *head, uint32_t partition, const void *data, size_t size)
{
	SharedStore *store = (SharedStore *) head;
	StoreCall	call = {store, partition, data, size};

	return temp_file_call(add_groups, &call, store->message);
}

static bool
rewind_groups(GroupStore *head, uint32_t partition)
{
	SharedStore *store = (SharedStore *) head;

	store->next = pg_atomic_read_u64(&store->groups->pieces[partition]);
	file_store_rewind(&store->files, partition);
	return true;
}

static bool
read_groups(GroupStore *head, uint32_t partition, const void **data, size_t *size)
{
	SharedStore *store = (SharedStore *) head;
	StoreCall	call = {store, partition, NULL, 0};
	bool		done = temp_file_call(next_piece, &call, store->message);

	*data = call.data;
	*size = done && call.data != NULL ? call.size : 0;
	return done;
}

static void
release_groups(GroupStore *head, uint32_t partition)
{
	SharedStore *store = (SharedStore *) head;

	store->spare = pg_atomic_read_u64(&store->groups->pieces[partition]);
	pg_atomic_write_u64(&store->groups->pieces[partition], SHARED_POINTER_INVALID);
}

void
shared_store_begin(SharedStore *store, SharedGroups *groups, SharedArea *area, bool merged)
{
	*store = (SharedStore)
	{
		.groups = groups,.area = area,.context = CurrentMemoryContext
	};
	store->store = (GroupStore)
	{
		.npartitions = SHARED_PARTITIONS,.merged = merged,.units = groups->units,
			.message = store->message,.write = write_groups,.rewind = rewind_groups,.read = read_groups,
			.release = release_groups
	};
	file_store_begin(&store->files, &groups->files);
}

bool
shared_store_flush(SharedStore *store)
{
	return temp_file_call(flush_files, store, store->message);
}

void
shared_store_end(SharedStore *store)
{
	file_store_end(&store->files);
}
