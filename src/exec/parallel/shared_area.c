/*
 * shared_area.c
 *	  Memory of a query's dsa_area, as long as the machine has any.
 *
 * Where an area needs another segment, and there is no room for one, such as in a container
 * whose /dev/shm is small, or PostgreSQL has as many segments as it can have, dsa_allocate
 * raises an error, with DSA_ALLOC_NO_OOM too.  Groups can go to files instead.  So the error,
 * whichever it is, is caught, and what it leaves behind cleaned up.  No subtransaction can do
 * that beside a parallel plan.  But there is little: the area's locks, the only ones of their
 * kind that are held here, and the descriptor of a segment that has not been made.  The area
 * itself is as it was, since it is changed once the segment is there.
 *
 * The descriptor belongs to a resource owner of the attempt's own, which is released.
 * Segments that have been made must not belong to that.  So the area's mappings are pinned, and
 * belong to none.  Then only detaching the area unmaps them, which the executor does not do
 * after an error.
 */
#include "postgres.h"

#include "storage/lwlock.h"
#include "utils/resowner.h"

#include "exec/parallel/shared_area.h"
#include "source/kept_error.h"

void
shared_area_begin(dsa_area *area)
{
	dsa_pin_mapping(area);
}

static void
release_owner(ResourceOwner owner)
{
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
}

/* In PG_CATCH. */
static void
clean_up(MemoryContext context, uint32 holdoff)
{
	char		message[256];

	keep_error(context, holdoff, message);
	LWLockReleaseAll();
}

dsa_pointer
shared_area_allocate(dsa_area *area, Size size)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ResourceOwner attempt = ResourceOwnerCreate(owner, "gpuagg shared memory");
	uint32		holdoff = InterruptHoldoffCount;
	volatile dsa_pointer at = InvalidDsaPointer;

	CurrentResourceOwner = attempt;
	PG_TRY();
	{
		at = dsa_allocate_extended(area, size, DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);
	}
	PG_CATCH();
	{
		CurrentResourceOwner = owner;
		clean_up(context, holdoff);
	}
	PG_END_TRY();
	CurrentResourceOwner = owner;
	release_owner(attempt);
	return at;
}
