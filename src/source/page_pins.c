/*
 * page_pins.c
 *	  The pins of pages that an engine reads, in the order in which it gets them.
 *
 * A queue of buffers.  Pages are unpinned from its beginning, as far as the engine
 * says that it has released them, so that it reads some calls' pages while the
 * next ones are found.
 *
 * A backend pins half of its share of the buffers at most.  A bulk read's ring has
 * 32 buffers, and takes others from the pool in place of those that it finds
 * pinned: without a limit, one scan of 50 MB over 64 MB of buffers, 90 of them pinned,
 * took 3672 buffers more, with it 32, as PostgreSQL's own does.  So while pages are
 * read into the ring, no more than it has are pinned, the older ones of which the
 * engine has to release first.  Pages of a large table
 * that are found in the pool are not in the ring, and count as others do.
 *
 * After a failure pages are unpinned that the engine may still read.  It then
 * makes nothing of them.
 */
#include "postgres.h"

#include "storage/bufmgr.h"

#include "source/block_pin.h"
#include "source/page_pins.h"

/* More pins bring nothing: not measured; 32 MB, 0.6 ms of a PCIe 5 x16 link. */
#define MAX_PINS 4096

/* The buffers of a bulk read's ring. */
#define BULK_RING 32

/* How many pages ahead of the one that is unpinned descriptors are prefetched. */
#define UNPINS_AHEAD 8

/* A run's first call has so few pages, so that the device begins early. */
#define FIRST_GROUP 64

struct PagePins
{
	EngineHandle *engine;
	int			capacity;
	uint64		pinned;			/* pages, since the beginning */
	uint64		called;			/* of these, before the call in the making */
	uint64		unpinned;		/* of these */
	uint64		bulk;			/* number of the last page read into a ring, from
								 * 1 */
	Buffer		buffers[FLEXIBLE_ARRAY_MEMBER];
};

PagePins *
page_pins_create(EngineHandle *engine, int share)
{
	int			capacity = Max(1, Min(MAX_PINS, share / 2));
	PagePins   *pins = palloc(offsetof(PagePins, buffers) + capacity * sizeof(Buffer));

	pins->engine = engine;
	pins->capacity = capacity;
	pins->pinned = 0;
	pins->called = 0;
	pins->unpinned = 0;
	pins->bulk = 0;
	return pins;
}

/* How many pages may be pinned now. */
static int
limit(const PagePins *pins)
{
	bool		reads = pins->bulk > 0 && pins->pinned - pins->bulk < BULK_RING;

	return reads ? Min(pins->capacity, BULK_RING) : pins->capacity;
}

/*
 * One half is found while the engine reads the other.  The first calls have as many
 * pages as those before them together.
 */
int
page_pins_group(const PagePins *pins)
{
	int			most = Min(engine_pages_at_once(pins->engine), limit(pins) / 2);

	return Max(1, (int) Min((uint64) Max(most, 0), Max(pins->called, FIRST_GROUP)));
}

/* Descriptors have left the caches since the pages were pinned: they are prefetched. */
static void
unpin(PagePins *pins, uint64 number)
{
	for (; pins->unpinned < number; pins->unpinned++)
	{
		uint64		ahead = pins->unpinned + UNPINS_AHEAD;

		if (ahead < number)
			prefetch_descriptor(pins->buffers[ahead % pins->capacity]);
		ReleaseBuffer(pins->buffers[pins->unpinned % pins->capacity]);
	}
}

void
page_pins_wait(PagePins *pins)
{
	int			before;

	pins->called = pins->pinned;
	before = limit(pins) - page_pins_group(pins);
	unpin(pins, engine_released(pins->engine));
	if (pins->pinned - pins->unpinned <= (uint64) before)
		return;
	engine_wait_released(pins->engine, pins->pinned - before);
	unpin(pins, pins->pinned - before);
}

void
page_pins_add(PagePins *pins, Buffer buffer, bool bulk)
{
	pins->buffers[pins->pinned++ % pins->capacity] = buffer;
	if (bulk)
		pins->bulk = pins->pinned;
}

void
page_pins_end(PagePins *pins)
{
	unpin(pins, pins->pinned);
	pfree(pins);
}
