/*
 * shared_store.h
 *	  A GroupStore that the processes of a query share: in memory, then in files.
 */
#ifndef GPUAGG_SHARED_STORE_H
#define GPUAGG_SHARED_STORE_H

#include "port/atomics.h"

#include "engine/engine.h"
#include "exec/parallel/shared_area.h"
#include "exec/parallel/shared_files.h"

/* What the processes share; its pieces lie in a SharedMemory. */
typedef struct SharedGroups
{
	int64		units[PROGRAM_MAX_ACCS];	/* GroupStore.units */
	uint64		limit;			/* for all chunks, in bytes; then files are used */
	pg_atomic_uint64 bytes;		/* of all chunks; the limit if there is no more memory */
	pg_atomic_uint64 pieces[2 * SHARED_PARTITIONS]; /* each partition's last */
	SharedFiles files;
} SharedGroups;

/* One process's view. */
typedef struct SharedStore
{
	GroupStore	store;
	SharedGroups *groups;
	SharedArea *area;
	SharedPointer chunk;			/* where this process puts its next piece */
	Size		used;			/* of it */
	Size		size;
	SharedPointer open[2 * SHARED_PARTITIONS];	/* its last piece of each partition */
	SharedPointer next;			/* piece to be read */
	SharedPointer spare;			/* pieces of a released partition, in whose place
								 * others can be written */
	FileStore	files;
	MemoryContext context;		/* of open files */
	char		message[256];	/* why one of the functions has failed */
} SharedStore;

/*
 * In the leader, before there are other processes: no groups, and room for so many
 * bytes; then once in each worker.
 */
extern void shared_groups_init(SharedGroups *groups, uint64 limit, dsm_segment *segment);
extern void shared_groups_attach(SharedGroups *groups);

/* Drop all groups; the memory has been cleared. */
extern void shared_groups_clear(SharedGroups *groups);

/*
 * Begin to write, or with merged to read the groups that are merged.  What it opens is in the
 * current context, and must be ended before that goes.
 */
extern void shared_store_begin(SharedStore *store, SharedGroups *groups,
							   SharedArea *area, bool merged);

/* Let all processes read what has been written; false: it is not all there, message says why. */
extern bool shared_store_flush(SharedStore *store);

/* Close what is open, and give up what has not been flushed. */
extern void shared_store_end(SharedStore *store);

#endif							/* GPUAGG_SHARED_STORE_H */
