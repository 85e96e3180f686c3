/*
 * shared_area.c
 *	  Memory that the processes of a query share, as long as the machine has any.
 *
 * It is in segments of dynamic shared memory, the next one of which is made when the last one has
 * no room.  Nothing is freed but all at once.
 *
 * A query's dsa_area would do more, but raises an error while it holds its locks, where there is
 * no room for another segment, such as in a container whose /dev/shm is small, or PostgreSQL has
 * as many segments as it can have.  Groups can go to files instead.  Without a subtransaction,
 * of which there can be none beside a parallel plan, nobody could release those locks.
 * dsm_create, too, raises an error, but holds no lock when it does: all that it leaves is the
 * descriptor of a segment that has not been made.  That belongs to a resource owner of the
 * attempt's own, which is released.
 *
 * A segment that has been made, or mapped, belongs to no resource owner.  It is unmapped when the
 * process detaches the query's own segment, which PostgreSQL does on all ways out.  Segments are
 * pinned until the last process does so, since the one that has made a segment may end before
 * others map it.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/resowner.h"

#include "exec/parallel/shared_area.h"
#include "source/kept_error.h"

/* Bits of a SharedPointer that are the offset. */
#define OFFSET_BITS 40

/* Of the first two segments, bytes. */
#define FIRST_SEGMENT ((Size) 1024 * 1024)

struct SharedArea
{
	SharedMemory *memory;
	dsm_segment *mapped[SHARED_SEGMENTS];	/* by number; NULL: not in this process */
};

/* A segment is unmapped: at the process's end, before the query's own. */
static void
forget_segment(dsm_segment *segment, Datum argument)
{
	SharedArea *area = (SharedArea *) DatumGetPointer(argument);

	for (int i = 0; i < SHARED_SEGMENTS; i++)
		if (area->mapped[i] == segment)
			area->mapped[i] = NULL;
}

static void
note_segment(SharedArea *area, uint32 i, dsm_segment *segment)
{
	area->mapped[i] = segment;
	on_dsm_detach(segment, forget_segment, PointerGetDatum(area));
}

/* The process detaches the query's segment. */
static void
end_area(dsm_segment *owner, Datum argument)
{
	SharedArea *area = (SharedArea *) DatumGetPointer(argument);
	SharedMemory *memory = area->memory;
	uint32		n = pg_atomic_read_u32(&memory->nsegments);
	bool		last;

	for (uint32 i = 0; i < SHARED_SEGMENTS; i++)
		if (area->mapped[i] != NULL)
			dsm_detach(area->mapped[i]);
	SpinLockAcquire(&memory->mutex);
	last = --memory->nprocesses == 0;
	SpinLockRelease(&memory->mutex);
	for (uint32 i = 0; last && i < n; i++)
		dsm_unpin_segment(memory->segments[i].handle);
	pfree(area);
}

/* An area of this process, which has been counted. */
static SharedArea *
begin_area(SharedMemory *memory, dsm_segment *owner)
{
	SharedArea *area = MemoryContextAllocZero(TopMemoryContext, sizeof(SharedArea));

	area->memory = memory;
	on_dsm_detach(owner, end_area, PointerGetDatum(area));
	return area;
}

SharedArea *
shared_area_create(SharedMemory *memory, dsm_segment *owner)
{
	SpinLockInit(&memory->mutex);
	LWLockInitialize(&memory->growing, LWTRANCHE_PARALLEL_QUERY_DSA);
	memory->nprocesses = 1;
	memory->owner = dsm_segment_handle(owner);
	pg_atomic_init_u32(&memory->nsegments, 0);
	pg_atomic_init_u32(&memory->current, 0);
	return begin_area(memory, owner);
}

SharedArea *
shared_area_attach(SharedMemory *memory)
{
	bool		ended;

	SpinLockAcquire(&memory->mutex);
	ended = memory->nprocesses == 0;
	if (!ended)
		memory->nprocesses++;
	SpinLockRelease(&memory->mutex);
	if (ended)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the processes of the aggregation have ended")));
	return begin_area(memory, dsm_find_mapping(memory->owner));
}

static void
release_owner(ResourceOwner owner)
{
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
}

/* A new segment of this size, or with a handle that one, mapped here; NULL, and a message. */
static dsm_segment *
try_segment(dsm_handle handle, Size size, char *message)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ResourceOwner attempt = ResourceOwnerCreate(owner, "gpuagg shared memory");
	uint32		holdoff = InterruptHoldoffCount;
	dsm_segment *volatile segment = NULL;

	strlcpy(message, "there are too many segments", 256);
	CurrentResourceOwner = attempt;
	PG_TRY();
	{
		segment = handle != DSM_HANDLE_INVALID ? dsm_attach(handle) :
			dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
		if (segment != NULL)
			dsm_pin_mapping(segment);
	}
	PG_CATCH();
	{
		CurrentResourceOwner = owner;
		keep_error(context, holdoff, message);
	}
	PG_END_TRY();
	CurrentResourceOwner = owner;
	release_owner(attempt);
	return segment;
}

/*
 * One more segment, with room for so many bytes; false: there is none.  The caller holds the
 * lock: were all processes to add one when the last is full, their sizes would soon be beyond
 * all memory.
 */
static bool
add_segment(SharedArea *area, Size needed)
{
	SharedMemory *memory = area->memory;
	uint32		n = pg_atomic_read_u32(&memory->nsegments);
	Size		size = Max(FIRST_SEGMENT << n / 2, needed);
	dsm_segment *segment;
	char		message[256];

	if (n == SHARED_SEGMENTS || (segment = try_segment(DSM_HANDLE_INVALID, size, message)) == NULL)
		return false;
	dsm_pin_segment(segment);
	memory->segments[n].handle = dsm_segment_handle(segment);
	memory->segments[n].size = size;
	pg_atomic_init_u64(&memory->segments[n].used, 0);
	note_segment(area, n, segment);
	/* a barrier, too: who sees the number sees the segment */
	pg_atomic_fetch_add_u32(&memory->nsegments, 1);
	return true;
}

/* Have segment i there; false: there is none. */
static bool
have_segment(SharedArea *area, uint32 i, Size needed)
{
	SharedMemory *memory = area->memory;
	bool		there;

	LWLockAcquire(&memory->growing, LW_EXCLUSIVE);
	there = i < pg_atomic_read_u32(&memory->nsegments) || add_segment(area, needed);
	LWLockRelease(&memory->growing);
	return there;
}

SharedPointer
shared_area_allocate(SharedArea *area, Size size)
{
	SharedMemory *memory = area->memory;

	size = TYPEALIGN(8, size);
	for (;;)
	{
		uint32		i = pg_atomic_read_u32(&memory->current);
		SharedSegment *segment = &memory->segments[i];
		uint64		at;

		if (i == pg_atomic_read_u32(&memory->nsegments))
		{
			if (!have_segment(area, i, size))
				return SHARED_POINTER_INVALID;
			continue;
		}
		pg_read_barrier();
		at = pg_atomic_fetch_add_u64(&segment->used, size);
		if (at + size <= segment->size)
			return (uint64) (i + 1) << OFFSET_BITS | at;
		/* unless another process has done so */
		pg_atomic_compare_exchange_u32(&memory->current, &i, i + 1);
	}
}

/* Map a segment that another process has made. */
static void
map_segment(SharedArea *area, uint32 i)
{
	char		message[256];
	dsm_segment *segment = try_segment(area->memory->segments[i].handle, 0, message);

	if (segment == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not map shared memory: %s", message)));
	note_segment(area, i, segment);
}

void *
shared_area_address(SharedArea *area, SharedPointer at)
{
	uint32		i = (uint32) (at >> OFFSET_BITS) - 1;
	Size		offset = at & (((uint64) 1 << OFFSET_BITS) - 1);

	if (area->mapped[i] == NULL)
		map_segment(area, i);
	return (char *) dsm_segment_address(area->mapped[i]) + offset;
}

void
shared_area_clear(SharedArea *area)
{
	SharedMemory *memory = area->memory;

	for (uint32 i = 0; i < pg_atomic_read_u32(&memory->nsegments); i++)
		pg_atomic_write_u64(&memory->segments[i].used, 0);
	pg_atomic_write_u32(&memory->current, 0);
}
