/*
 * heap.c
 *	  Heap tables' pages with their visible tuples, as PageRefs.
 *
 * A page is pinned, share-locked while it is decided which tuples the snapshot
 * sees, unlocked, and stays pinned while the engine reads it (page_pins.c): what
 * heapgetpage does, for the same reasons.  The pin keeps visible tuples where they are
 * (pruning and defragmentation need a cleanup lock), while other backends may
 * go on to add tuples, to reuse unused line pointers, and to set hint bits and
 * xmax.
 *
 * On an all-visible page every normal line pointer counts, and no list is made if
 * all of them are normal.  Those of tuples that a snapshot sees stay so while the page
 * is pinned.
 *
 * Blocks that the engine serves itself are passed over by the allocator, and none of them
 * is touched.
 *
 * Serializable transactions never come here (they need predicate locks and a
 * conflict check for every tuple).
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/transam.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/ipc.h"
#include "storage/predicate.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "source/heap.h"
#include "source/left.h"
#include "source/page_pins.h"
#include "stats/activity.h"

/* How many blocks ahead of the one being read memory is prefetched, and in what steps. */
#define PREFETCH_DISTANCE 4
#define PREFETCH_STEP 64

/* How many tuples ahead of the one that is looked at its header is prefetched. */
#define HEADERS_AHEAD 8

typedef struct HeapSource
{
	Relation	relation;		/* being read */
	uint32		table;			/* its number */
	bool		counts;			/* are its rows counted here? */
	uint64		rows;			/* its visible ones so far */
	Snapshot	snapshot;
	TransactionId settled_xmin; /* of tuples: it precedes the snapshot's */
	EngineHandle *engine;
	LeftSource *left;
	BlockAllocator *blocks;
	BufferAccessStrategy strategy;
	TableSourceStats *stats;
	Buffer		last;			/* the last block's buffer */
	Size		last_lower;		/* where its page's line pointers end */
	Buffer		guess;			/* where the next one is, or InvalidBuffer */
	Buffer		vmbuffer;		/* of the visibility map, or InvalidBuffer */
	PagePins   *pins;
	int			n;				/* pages of the next call */
	PageRef		pages[ENGINE_MAX_PAGES];
	OffsetNumber lines[ENGINE_MAX_PAGES][MaxHeapTuplesPerPage];
} HeapSource;

/*
 * Do its flags say that the tuple is visible?  Whoever inserted it is known to have
 * committed, and precedes all that the snapshot takes for running; nobody has deleted
 * it.  Of such a tuple HeapTupleSatisfiesMVCC says the
 * same, and sets no hint bits.  Many tuples have the same xmin, so the last one is kept.
 */
static inline bool
is_settled(HeapSource *source, HeapTupleHeader tuple)
{
	const uint16 settled = HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID;
	uint16		infomask = tuple->t_infomask;
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);

	if ((infomask & settled) != settled)
		return false;
	if ((infomask & HEAP_XMIN_FROZEN) == HEAP_XMIN_FROZEN || xmin == source->settled_xmin)
		return true;
	if (!TransactionIdPrecedes(xmin, source->snapshot->xmin))
		return false;
	source->settled_xmin = xmin;
	return true;
}

/* Does the snapshot see the tuple? */
static inline bool
is_visible(HeapSource *source, Buffer buffer, OffsetNumber line, ItemId item)
{
	HeapTupleHeader header = (HeapTupleHeader) PageGetItem(BufferGetPage(buffer), item);
	HeapTupleData tuple;

	if (is_settled(source, header))
		return true;
	tuple.t_tableOid = RelationGetRelid(source->relation);
	tuple.t_data = header;
	tuple.t_len = ItemIdGetLength(item);
	ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), line);
	return HeapTupleSatisfiesVisibility(&tuple, source->snapshot, buffer);
}

/* The line pointers of the tuples that the snapshot sees. */
static uint32_t
visible_lines(HeapSource *source, Buffer buffer, bool all_visible, OffsetNumber *lines)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber max = Min(PageGetMaxOffsetNumber(page), (OffsetNumber) MaxHeapTuplesPerPage);
	uint32_t	n = 0;

	for (OffsetNumber line = FirstOffsetNumber; line <= max; line++)
	{
		ItemId		item = PageGetItemId(page, line);

		if (!all_visible && line + HEADERS_AHEAD <= max)
			__builtin_prefetch(page + ItemIdGetOffset(PageGetItemId(page, line + HEADERS_AHEAD)));
		if (ItemIdIsNormal(item) && (all_visible || is_visible(source, buffer, line, item)))
			lines[n++] = line;
	}
	return n;
}

/*
 * Prefetch the cache lines that a page some blocks ahead will need: its descriptor,
 * and its header with as many line pointers as the last page has.  Always inline: gcc
 * takes a function that only prefetches for one without effect, and drops its calls.
 */
static pg_attribute_always_inline void
prefetch_buffer(const HeapSource *source, Buffer buffer)
{
	const char *page;

	if (buffer > NBuffers)
		return;
	page = BufferBlocks + (Size) (buffer - 1) * BLCKSZ;
	__builtin_prefetch(GetBufferDescriptor(buffer - 1), 1);
	for (Size at = 0; at < source->last_lower; at += PREFETCH_STEP)
		__builtin_prefetch(page + at);
}

/*
 * Pin a block, and keep the pin.  A table read or loaded in one go lies in consecutive buffers, so
 * the buffer behind the last block's is tried first: that is cheaper than a
 * search in the buffer table, whose entries are in no cache.
 */
static Buffer
pin_block(HeapSource *source, BlockNumber block)
{
	Relation	relation = source->relation;
	Buffer		guess = source->guess;
	Buffer		buffer = guess;
	int64		reads = pgBufferUsage.shared_blks_read;

	if (BufferIsValid(guess) &&
		ReadRecentBuffer(relation->rd_locator, MAIN_FORKNUM, block, guess))
	{
		pgstat_count_buffer_read(relation);
		pgstat_count_buffer_hit(relation);
		prefetch_buffer(source, guess + PREFETCH_DISTANCE);
	}
	else
		buffer = ReadBufferExtended(relation, MAIN_FORKNUM, block, RBM_NORMAL,
									source->strategy);

	/* guess the next buffer if this one is next to the last block's */
	source->guess = buffer == source->last + 1 && buffer > 0 && buffer < NBuffers
		? buffer + 1 : InvalidBuffer;
	source->last = buffer;
	page_pins_add(source->pins, buffer,
				  source->strategy != NULL && pgBufferUsage.shared_blks_read > reads);
	return buffer;
}

/* Two neighbouring line pointers, compared as one number. */
typedef union LinePair
{
	ItemIdData	items[2];
	uint64		bits;
} LinePair;

/*
 * Have all of the page's line pointers tuples?  There are some hundreds of them, so they
 * are compared two at a time, without a branch for each.
 */
static bool
all_normal(Page page)
{
	const LinePair flags = {{{.lp_flags = 3}, {.lp_flags = 3}}};
	const LinePair normal = {{{.lp_flags = LP_NORMAL}, {.lp_flags = LP_NORMAL}}};
	OffsetNumber max = Min(PageGetMaxOffsetNumber(page), (OffsetNumber) MaxHeapTuplesPerPage);
	const LinePair *pairs = (const LinePair *) ((PageHeader) page)->pd_linp;
	uint64		other = 0;

	for (int i = 0; i < max / 2; i++)
		other |= pairs[i].bits ^ normal.bits;
	return (other & flags.bits) == 0 &&
		(max % 2 == 0 || ItemIdIsNormal(PageGetItemId(page, max)));
}

static void
read_page(HeapSource *source, BlockNumber block)
{
	int			i = source->n++;
	Buffer		buffer = pin_block(source, block);
	Page		page;
	PageRef    *ref = &source->pages[i];
	bool		all_visible;

	compat_prune_page(source->relation, buffer, &source->vmbuffer);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	TestForOldSnapshot(source->snapshot, source->relation, page);
	all_visible = PageIsAllVisible(page) && !source->snapshot->takenDuringRecovery;

	ref->page = (const char *) page;
	ref->block = block;
	ref->table = source->table;
	ref->lines = NULL;
	ref->nlines = PageGetMaxOffsetNumber(page);
	source->last_lower = Min(((PageHeader) page)->pd_lower, BLCKSZ);
	if (!all_visible || !all_normal(page))
	{
		ref->lines = source->lines[i];
		ref->nlines = visible_lines(source, buffer, all_visible, source->lines[i]);
	}
	source->rows += ref->nlines;
	source->stats->all_visible += all_visible && !PageHasFreeLinePointers(page);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	source->stats->pages++;
}

/* The pages to the engine; then what it has left out. */
static EngineStatus
send_pages(HeapSource *source)
{
	EngineStatus status = engine_pages(source->engine, source->pages, source->n);

	activity_read(source->n, engine_stats(source->engine)->rows);
	source->n = 0;
	if (status == ENGINE_OK)
		status = left_send(source->left, &source->stats->left_rows);
	return status;
}

static EngineStatus
read_blocks(HeapSource *source)
{
	EngineStatus status = ENGINE_OK;
	BlockNumber block;

	while (status == ENGINE_OK && block_allocator_next(source->blocks, source->table, &block))
	{
		CHECK_FOR_INTERRUPTS();
		if (source->n == 0)
			page_pins_wait(source->pins);
		read_page(source, block);
		if (source->n >= page_pins_group(source->pins))
			status = send_pages(source);
	}
	return status;
}

void
heap_source_count_rows(Relation relation, uint64 rows)
{
	/* the macro counts tuples returned by any scan */
	pgstat_count_index_tuples(relation, rows);
}

static EngineStatus
read_table(HeapSource *source, Relation relation, uint32 table)
{
	BlockNumber nblocks = source->blocks->nblocks[table];
	EngineStatus status;

	source->relation = relation;
	source->table = table;
	source->rows = 0;
	source->last = InvalidBuffer;
	source->last_lower = 0;
	source->guess = InvalidBuffer;
	source->vmbuffer = InvalidBuffer;

	/* as a sequential scan: large tables must not flush the buffer pool */
	source->strategy = NULL;
	if (!RelationUsesLocalBuffers(relation) && nblocks > (BlockNumber) NBuffers / 4)
		source->strategy = GetAccessStrategy(BAS_BULKREAD);
	pgstat_count_heap_scan(relation);

	status = read_blocks(source);

	if (BufferIsValid(source->vmbuffer))
		ReleaseBuffer(source->vmbuffer);
	if (source->strategy != NULL)
		FreeAccessStrategy(source->strategy);
	source->stats->page_rows += source->rows;
	if (source->counts)
		heap_source_count_rows(relation, source->rows);
	return status;
}

/*
 * A quarter of the session's own buffers that are not pinned, by cursors for one:
 * nobody else unpins them.
 */
static int
share_of_local_buffers(void)
{
	int			unpinned = num_temp_buffers;

	/* none are there before the first is needed */
	for (int i = 0; i < NLocBuffer; i++)
		if (LocalRefCount[i] > 0)
			unpinned--;
	return unpinned / 4;
}

/* How many buffers a backend may pin, of the least kind that the tables are in. */
static int
share_of_buffers(const SourceTable *tables, int ntables)
{
	int			share = INT_MAX;

	for (int i = 0; i < ntables; i++)
		share = Min(share, RelationUsesLocalBuffers(tables[i].relation) ? share_of_local_buffers()
					: NBuffers / (MaxBackends + NUM_AUXILIARY_PROCS));
	return share;
}

/*
 * An engine that may keep what it makes of pages learns, by being closed, that it ends before
 * they are unpinned; also in an error, which unpins them before it frees the engine's handle.
 */
static void
give_up(int code, Datum source)
{
	HeapSource *heap = (HeapSource *) DatumGetPointer(source);

	if (heap->blocks->served != NULL)
		engine_close(heap->engine);
}

/* All tables' pages. */
static EngineStatus
read_tables(HeapSource *source, const SourceTable *tables, int ntables)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < ntables && status == ENGINE_OK; i++)
		if (tables[i].pages)
			status = read_table(source, tables[i].relation, i);
	if (status == ENGINE_OK && source->n > 0)
		status = send_pages(source);
	if (status == ENGINE_OK)
		status = engine_pages(source->engine, NULL, 0);
	return status;
}

EngineStatus
heap_source_run(const SourceTable *tables, int ntables, Snapshot snapshot,
				BlockAllocator *blocks, EngineHandle *engine, RowSender *sender,
				TableSourceStats *stats)
{
	HeapSource *source = palloc(sizeof(HeapSource));
	volatile EngineStatus status = ENGINE_OK;

	Assert(snapshot->snapshot_type == SNAPSHOT_MVCC);
	source->snapshot = snapshot;
	source->settled_xmin = InvalidTransactionId;
	source->engine = engine;
	source->blocks = blocks;
	/* of one table the engine counts them, without another look at each page */
	source->counts = ntables > 1;
	source->left = left_create(tables, ntables, blocks->nblocks, snapshot, engine, sender);
	source->stats = stats;
	source->pins = page_pins_create(engine, share_of_buffers(tables, ntables));
	source->n = 0;

	PG_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(source));
	{
		status = read_tables(source, tables, ntables);
	}
	PG_END_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(source));
	if (status != ENGINE_OK)
		give_up(0, PointerGetDatum(source));
	page_pins_end(source->pins);
	if (status == ENGINE_OK)
		status = left_send(source->left, &stats->left_rows);
	left_end(source->left);
	pfree(source);
	return status;
}
