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
 * is touched.  Those of the same table that are read are probably read again by the next run, and
 * what is seen of them is remembered (seen_pages.c).
 *
 * An engine whose runs take stripes is told of each one that this process is going to read, and
 * says which of its blocks it has.  Pages of the stripe before have been given to it by then.
 *
 * Serializable transactions never come here (they need predicate locks and a
 * conflict check for every tuple).
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/parallel.h"
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
#include "engine/stripe.h"
#include "source/heap.h"
#include "source/block_ahead.h"
#include "source/block_pin.h"
#include "source/left.h"
#include "source/page_pins.h"
#include "source/read_ahead.h"
#include "source/seen_pages.h"
#include "source/visibility.h"
#include "stats/activity.h"

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
	const SourceTable *tables;
	EngineStatus taken;			/* what the engine has said of the last stripe */
	bool		keeps;			/* may the engine keep what it makes of pages? */
	uint64		lsns[STRIPE_MAX_BLOCKS];	/* of a stripe's pages */
	LeftSource *left;
	BlockAllocator *blocks;
	BlockPinner pinner;
	BlockAhead	ahead;
	ReadAhead	read_ahead;
	SeenPages  *seen;			/* NULL: nothing is remembered of the table's pages */
	TableSourceStats *stats;
	Buffer		vmbuffer;		/* of the visibility map, or InvalidBuffer */
	PagePins   *pins;
	int			n;				/* pages of the next call */
	PageRef		pages[ENGINE_MAX_PAGES];
	OffsetNumber lines[ENGINE_MAX_PAGES][MaxHeapTuplesPerPage];
} HeapSource;

/*
 * Do its flags say that the tuple is visible?  Whoever inserted it is known to have
 * committed, and precedes all that the snapshot takes for running; nobody has deleted
 * it, at most locked it.  Of such a tuple HeapTupleSatisfiesMVCC says the
 * same, and sets no hint bits.  Many tuples have the same xmin, so the last one is kept.
 */
static inline bool
is_settled(HeapSource *source, HeapTupleHeader tuple)
{
	const uint16 settled = HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID;
	uint16		infomask = tuple->t_infomask;
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);

	if ((infomask & settled) != settled &&
		((infomask & HEAP_XMIN_COMMITTED) == 0 || !HEAP_XMAX_IS_LOCKED_ONLY(infomask)))
		return false;
	if ((infomask & HEAP_XMIN_FROZEN) == HEAP_XMIN_FROZEN || xmin == source->settled_xmin)
		return true;
	if (!TransactionIdPrecedes(xmin, source->snapshot->xmin))
		return false;
	source->settled_xmin = xmin;
	return true;
}

/*
 * Do the flags of a tuple that the snapshot does not see say that no later one sees it?  It was
 * never there, or the deleter is known to have committed and precedes all that the snapshot takes
 * for running.
 */
static inline bool
is_gone(const HeapSource *source, HeapTupleHeader tuple)
{
	uint16		infomask = tuple->t_infomask;

	if (HeapTupleHeaderXminInvalid(tuple))
		return true;
	return (infomask & HEAP_XMAX_COMMITTED) != 0 &&
		(infomask & (HEAP_XMAX_INVALID | HEAP_XMAX_IS_MULTI)) == 0 &&
		!HEAP_XMAX_IS_LOCKED_ONLY(infomask) &&
		TransactionIdPrecedes(HeapTupleHeaderGetRawXmax(tuple), source->snapshot->xmin);
}

/*
 * Does the snapshot see the tuple?  *stays becomes false, unless all snapshots do with the same
 * xmin or a later one, or none of them.
 */
static inline bool
is_visible(HeapSource *source, Buffer buffer, OffsetNumber line, ItemId item, bool *stays)
{
	HeapTupleHeader header = (HeapTupleHeader) PageGetItem(BufferGetPage(buffer), item);
	HeapTupleData tuple;
	bool		visible;

	if (is_settled(source, header))
		return true;
	tuple.t_tableOid = RelationGetRelid(source->relation);
	tuple.t_data = header;
	tuple.t_len = ItemIdGetLength(item);
	ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), line);
	visible = HeapTupleSatisfiesVisibility(&tuple, source->snapshot, buffer);
	/* this has set hint bits */
	*stays = *stays && (visible ? is_settled(source, header) : is_gone(source, header));
	return visible;
}

/*
 * The line pointers of the tuples that the snapshot sees.  *stays: later ones see the same, unless
 * the page changes.
 */
static uint32_t
visible_lines(HeapSource *source, Buffer buffer, bool all_visible, OffsetNumber *lines,
			  bool *stays)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber max = Min(PageGetMaxOffsetNumber(page), (OffsetNumber) MaxHeapTuplesPerPage);
	uint32_t	n = 0;

	for (OffsetNumber line = FirstOffsetNumber; line <= max; line++)
	{
		ItemId		item = PageGetItemId(page, line);

		if (!all_visible && line + HEADERS_AHEAD <= max)
			__builtin_prefetch(page + ItemIdGetOffset(PageGetItemId(page, line + HEADERS_AHEAD)));
		if (ItemIdIsNormal(item) && (all_visible || is_visible(source, buffer, line, item, stays)))
			lines[n++] = line;
	}
	return n;
}

/* Pin a block, and keep the pin.  seen: where it was once. */
static Buffer
pin_block(HeapSource *source, BlockNumber block, Buffer seen)
{
	int64		reads = pgBufferUsage.shared_blks_read;
	Buffer		buffer = block_pin(&source->pinner, block, seen);
	bool		missed = pgBufferUsage.shared_blks_read > reads;

	page_pins_add(source->pins, buffer, source->pinner.strategy != NULL && missed);
	if (missed)
		read_ahead_missed(&source->read_ahead, block,
						  block_allocator_run_end(source->blocks, source->table));
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
 * are compared two at a time, without a branch for each.  A corrupted page may have more than
 * there is room for.
 */
static bool
all_normal(Page page)
{
	const LinePair flags = {{{.lp_flags = 3}, {.lp_flags = 3}}};
	const LinePair normal = {{{.lp_flags = LP_NORMAL}, {.lp_flags = LP_NORMAL}}};
	OffsetNumber max = PageGetMaxOffsetNumber(page);
	const LinePair *pairs = (const LinePair *) ((PageHeader) page)->pd_linp;
	uint64		other = 0;

	if (max > MaxHeapTuplesPerPage)
		return false;
	for (int i = 0; i < max / 2; i++)
		other |= pairs[i].bits ^ normal.bits;
	return (other & flags.bits) == 0 &&
		(max % 2 == 0 || ItemIdIsNormal(PageGetItemId(page, max)));
}

/* Find the visible tuples of a page, and remember them if that is of use. */
static void
look_at_page(HeapSource *source, Buffer buffer, bool all_visible, PageRef *ref,
			 OffsetNumber *lines)
{
	Page		page = BufferGetPage(buffer);
	bool		looks = !all_visible || !all_normal(page);
	bool		stays = true;
	SeenPage	seen = {.block = ref->block,.buffer = buffer};

	ref->nlines = PageGetMaxOffsetNumber(page);
	if (looks)
	{
		uint32		n = visible_lines(source, buffer, all_visible, lines, &stays);

		ref->lines = n < ref->nlines ? lines : NULL;
		ref->nlines = n;
	}
	block_ahead_note(&source->ahead, page, looks && !all_visible);
	if (source->seen == NULL)
		return;
	if (stays)
	{
		seen.lsn = ref->lsn;
		seen.xmin = source->snapshot->xmin;
		seen_page_set_lines(&seen, ref->lines, ref->nlines);
	}
	seen_pages_add(source->seen, &seen);
}

#ifdef GPUAGG_TESTING
/* Does the snapshot see what was seen? */
static void
check_seen(HeapSource *source, Buffer buffer, const PageRef *ref)
{
	OffsetNumber lines[MaxHeapTuplesPerPage];
	bool		stays = true;
	uint32		n = visible_lines(source, buffer, false, lines, &stays);
	bool		same = n == ref->nlines;

	for (uint32 i = 0; same && i < n; i++)
		same = lines[i] == (ref->lines != NULL ? ref->lines[i] : i + FirstOffsetNumber);
	if (!same)
		elog(ERROR, "INVARIANT: block %u is not as it was seen", ref->block);
}
#endif

/* Take the visible tuples from what was seen of the page. */
static void
take_seen(HeapSource *source, Buffer buffer, const SeenPage *seen, PageRef *ref,
		  OffsetNumber *lines)
{
	SeenPage	again = *seen;

	ref->nlines = seen->nvisible;
	if (seen->nvisible < PageGetMaxOffsetNumber(BufferGetPage(buffer)))
	{
		ref->lines = lines;
		seen_page_lines(seen, lines);
	}
#ifdef GPUAGG_TESTING
	check_seen(source, buffer, ref);
#endif
	again.buffer = buffer;
	seen_pages_add(source->seen, &again);
}

static void
read_page(HeapSource *source, const AheadBlock *next)
{
	int			i = source->n++;
	const SeenPage *seen = next->seen;
	Buffer		buffer = pin_block(source, next->block, seen != NULL ? seen->buffer : InvalidBuffer);
	PageRef    *ref = &source->pages[i];
	Page		page;
	bool		all_visible;

	compat_prune_page(source->relation, buffer, &source->vmbuffer);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	TestForOldSnapshot(source->snapshot, source->relation, page);
	all_visible = PageIsAllVisible(page) && !source->snapshot->takenDuringRecovery;

	ref->page = (const char *) page;
	ref->block = next->block;
	ref->table = source->table;
	ref->lsn = source->keeps ? BufferGetLSNAtomic(buffer) : InvalidXLogRecPtr;
	ref->lines = NULL;
	if (seen_page_holds(seen, ref->lsn, source->snapshot->xmin))
		take_seen(source, buffer, seen, ref, source->lines[i]);
	else
		look_at_page(source, buffer, all_visible, ref, source->lines[i]);
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

/* The table's number among EngineHints.tables; -1: its columns may not stay. */
static int
kept_number(const HeapSource *source, int table)
{
	int			n;
	const TableState *states = engine_tables(source->engine, &n);

	for (int i = 0; i < n; i++)
		if (states[i].table == (uint32) table)
			return i;
	return -1;
}

/* As TakeStripe: the stripe is this process's. */
static bool
take_stripe(void *arg, int table, uint32 stripe, const uint8 **served)
{
	HeapSource *source = arg;
	Relation	relation = source->tables[table].relation;
	StripeTurn	turn = {.table = kept_number(source, table),.stripe = stripe};
	const uint8 *asked;

	source->taken = source->n > 0 ? send_pages(source) : ENGINE_OK;
	if (turn.table < 0 || source->taken != ENGINE_OK)
		return source->taken == ENGINE_OK;
	asked = engine_asks(source->engine, &turn);
	if (asked != NULL)
	{
		page_lsns_read_stripe(relation, source->blocks->nblocks[table], stripe, asked,
							  source->lsns);
		turn.lsns = source->lsns;
	}
	source->taken = engine_take(source->engine, &turn);
	*served = turn.served;
	if (source->counts)
		heap_source_count_rows(relation, turn.rows);
	return source->taken == ENGINE_OK;
}

static EngineStatus
read_blocks(HeapSource *source)
{
	EngineStatus status = ENGINE_OK;
	AheadBlock	next;

	while (status == ENGINE_OK && block_ahead_next(&source->ahead, &next))
	{
		CHECK_FOR_INTERRUPTS();
		if (source->n == 0)
			page_pins_wait(source->pins);
		read_page(source, &next);
		if (source->n >= page_pins_group(source->pins) || next.ends_stripe)
			status = send_pages(source);
	}
	return status == ENGINE_OK ? source->taken : status;
}

void
heap_source_count_rows(Relation relation, uint64 rows)
{
	/* the macro counts tuples returned by any scan */
	pgstat_count_index_tuples(relation, rows);
}

/*
 * Remember pages of a table of which the engine has blocks; without any, it is about to keep all
 * of them.  A parallel worker has no next run.
 */
static SeenPages *
begin_seen(const BlockAllocator *blocks, Relation relation, uint32 table)
{
	BlockNumber nblocks = blocks->nblocks[table];

	if (IsParallelWorker() || blocks->served == NULL || blocks->served[table] == NULL)
		return NULL;
	return seen_pages_begin(relation, nblocks - served_blocks(blocks->served[table], nblocks));
}

static EngineStatus
read_table(HeapSource *source, Relation relation, uint32 table)
{
	EngineStatus status;

	source->relation = relation;
	source->table = table;
	source->rows = 0;
	source->vmbuffer = InvalidBuffer;

	block_pinner_begin(&source->pinner, relation, source->blocks->nblocks[table]);
	source->seen = begin_seen(source->blocks, relation, table);
	block_ahead_begin(&source->ahead, source->blocks, table, &source->pinner, source->seen);
	read_ahead_begin(&source->read_ahead, relation);
	pgstat_count_heap_scan(relation);

	status = read_blocks(source);

	if (status == ENGINE_OK && source->seen != NULL)
		seen_pages_end(source->seen);
	if (BufferIsValid(source->vmbuffer))
		ReleaseBuffer(source->vmbuffer);
	block_pinner_end(&source->pinner);
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
	source->tables = tables;
	source->blocks = blocks;
	source->taken = ENGINE_OK;
	source->keeps = blocks->served != NULL || engine_takes_stripes(engine);
	if (engine_takes_stripes(engine))
	{
		blocks->take = take_stripe;
		blocks->take_arg = source;
	}
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
