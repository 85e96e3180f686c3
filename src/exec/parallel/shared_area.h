/*
 * shared_area.h
 *	  Memory that the processes of a query share, as long as the machine has any.
 */
#ifndef GPUAGG_SHARED_AREA_H
#define GPUAGG_SHARED_AREA_H

#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "storage/spin.h"

/* Each pair of segments is twice as large as the one before. */
#define SHARED_SEGMENTS 64

/* A place in the memory: the number of its segment, from 1, and an offset. */
typedef uint64 SharedPointer;

#define SHARED_POINTER_INVALID ((SharedPointer) 0)
#define SharedPointerIsValid(at) ((at) != SHARED_POINTER_INVALID)

typedef struct SharedSegment
{
	dsm_handle	handle;
	uint64		size;			/* bytes */
	pg_atomic_uint64 used;		/* bytes that have been asked for; can be more than size */
} SharedSegment;

/* What the processes share; lies in the query's own segment, with which the memory goes. */
typedef struct SharedMemory
{
	slock_t		mutex;			/* of nprocesses */
	LWLock		growing;		/* held by the process that adds a segment */
	uint32		nprocesses;		/* that have a SharedArea */
	dsm_handle	owner;			/* the query's segment */
	pg_atomic_uint32 nsegments;
	pg_atomic_uint32 current;	/* number of the segment that has room; those before are full */
	SharedSegment segments[SHARED_SEGMENTS];
} SharedMemory;

/* One process's view. */
typedef struct SharedArea SharedArea;

/*
 * In the leader, before there are other processes; then once in each worker.  The area, and what
 * this process has mapped, are there until it detaches the query's segment, on any way out; the
 * memory, until all have done so.
 */
extern SharedArea *shared_area_create(SharedMemory *memory, dsm_segment *owner);
extern SharedArea *shared_area_attach(SharedMemory *memory);

/* So many bytes, aligned to 8; invalid: the machine has no more, or PostgreSQL.  Raises nothing. */
extern SharedPointer shared_area_allocate(SharedArea *area, Size size);

/* Where it is in this process.  Raises an error if it cannot be mapped here. */
extern void *shared_area_address(SharedArea *area, SharedPointer at);

/* Nothing is used any more; in the leader, while there are no other processes. */
extern void shared_area_clear(SharedArea *area);

#endif							/* GPUAGG_SHARED_AREA_H */
