/*
 * visibility.c
 *	  What the visibility map says of the tables that are read.
 *
 * An engine that has kept a block's rows may use them instead of the block's page if the
 * map's page has the LSN that it had before the rows were read (the stamp), and the
 * block's all-visible bit is set in both; or if the block's own page has the LSN that it had
 * then, and the bit is set in both.  That this is exact for every snapshot rests on
 * PostgreSQL's own rules, as index-only scans do:
 *
 * - Whoever changes a page's rows clears its bit before his transaction can commit, while
 *	 he has the page locked: heap_insert, heap_multi_insert, heap_delete and heap_update
 *	 by visibilitymap_clear.  heap_lock_tuple, which changes no value, clears the other
 *	 bit only.  Replay clears it before it changes the page (heap_xlog_insert and the
 *	 like), so before the commit is replayed.  heap_inplace_update clears nothing:
 *	 it is for catalogs, which do not stay.
 *
 * - Whoever sets a bit gives the map's page the LSN of the WAL record that says so:
 *	 visibilitymap_set up to 18, from 19 on also the record of pruning
 *	 (log_heap_prune_and_freeze).  So bits that are set under the same LSN have been
 *	 set all the time in between.  That needs a relation which is WAL-logged.  Clearing a
 *	 bit, also by visibilitymap_prepare_truncate, leaves the LSN or gives another one: newer
 *	 releases (seen in 17.11, 18.6 and 19) register the map's page in the record, also of a row
 *	 lock that clears the all-frozen bit (HEAP_INSERT_BLKREF_VM, HEAP_LOCK_BLKREF_VM and the
 *	 like), older ones (15.20) do not.
 *
 * - Whatever else than hint bits is changed on a page of such a relation is WAL-logged, and gives
 *	 the page the LSN of its record (heap_insert and the like, heap_lock_tuple, freezing and
 *	 pruning by log_heap_prune_and_freeze or heap_page_prune), so that replay can tell what a
 *	 page has already.  Hence two pages of a block, at two moments, that have the same LSN have
 *	 the same tuples.  Setting PD_ALL_VISIBLE or hint bits keeps the LSN, or with checksums or
 *	 wal_log_hints may give another one (MarkBufferDirtyHint): then the block is read.  With
 *	 wal_level = minimal, WAL is left out for a file in the transaction that makes it.  What
 *	 this changes leaves a page's LSN as it is: none, or that of the page it is a copy of
 *	 (SET TABLESPACE).  Nobody else reads the file before that transaction has ended, and
 *	 nothing of it stays until then (see below).
 *
 * - A file's LSNs only grow, in WAL and in replay, for as long as the server runs; an engine
 *	 keeps nothing beyond that.  Changes clear the bit before they insert their record
 *	 (XLogInsert), in one critical section, and replay says that it has got beyond a record when
 *	 it has applied it.  So, of a block whose bit is set, a page with an LSN up to the end of
 *	 the WAL before the map was read (wal_end) has not been changed since the map was read.
 *
 * - A bit is set only if all of the page's tuples are visible to every snapshot
 *	 that there is and will be: lazy_scan_heap (heap_page_is_all_visible), which looks at
 *	 the oldest snapshot; COPY FREEZE, into tables of its own transaction only.  A standby
 *	 first ends the queries whose snapshots are older (heap_xlog_visible by
 *	 ResolveRecoveryConflictWithSnapshot).
 *
 * - What this snapshot sees has been committed before it was taken, and has cleared its
 *	 bits before that.  The map is read behind the snapshot, under its page's lock.  What
 *	 is changed later, or not committed yet, the snapshot does not see; but its own
 *	 transaction's changes it does, and these have cleared their bits, too.
 *
 * - A file's name stands for its contents' history: TRUNCATE, VACUUM FULL, CLUSTER and
 *	 ALTER TABLE that rewrites make a new file (RelationSetNewRelfilenumber).  A file that
 *	 gets the number of one which is gone has map pages with other LSNs, since no two files
 *	 share a record.  Both may be copies of one file, pages and LSNs alike (CREATE DATABASE
 *	 with the OID of a database that is gone, and STRATEGY file_copy).  Then LSNs can go back,
 *	 but those that are equal are of one record all the same, and what has been changed in
 *	 either file since then has cleared its bit there, or given the page another LSN.
 *
 * Not the business of the map, and so not of the tables' states: which attributes a
 * tuple lacks has to do with the Program's columns, which name the value to take.
 *
 * Relations do not stay
 * - that are catalogs or toast tables (see above);
 * - without WAL (temporary, unlogged, and with wal_level = minimal those made in this
 *	 transaction), since bits are then set under an old LSN;
 * - made, or given a new file, in this transaction: nobody else can read them yet, and
 *	 if it is rolled back the file's number may be given to another one;
 * - where snapshots can become too old (old_snapshot_threshold, up to 16): a page that is
 *	 not read raises no error.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/catalog.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "source/visibility.h"

/* Frames of a page of the map. */
#define MAP_FRAMES 8
#define MAP_BYTES (BLCKSZ - MAXALIGN(SizeOfPageHeaderData))

StaticAssertDecl(MAP_FRAMES * FRAME_MAP_BYTES == MAP_BYTES,
				 "frames must fill the visibility map's pages");
StaticAssertDecl(BITS_PER_HEAPBLOCK == 2 && VISIBILITYMAP_ALL_VISIBLE == 1,
				 "the visibility map's bits must be a frame's");

/* Was it made, or given another file, in this transaction? */
static bool
has_new_file(Relation relation)
{
	return relation->rd_createSubid != InvalidSubTransactionId ||
		relation->rd_newRelfilelocatorSubid != InvalidSubTransactionId ||
		relation->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
}

bool
table_columns_may_stay(Relation relation)
{
	return RelationNeedsWAL(relation) && !IsSystemRelation(relation) &&
		!has_new_file(relation) && !compat_snapshots_become_too_old();
}

/* The frames of one page of the map, n of them. */
static void
read_map_page(Relation relation, BlockNumber first, FrameMap *frames, uint32 n, Buffer *buffer)
{
	Page		page;

	/* this pins the page, and unlike visibilitymap_pin makes none */
	(void) visibilitymap_get_status(relation, first, buffer);
	if (!BufferIsValid(*buffer))
		return;
	page = BufferGetPage(*buffer);
	LockBuffer(*buffer, BUFFER_LOCK_SHARE);
	for (uint32 i = 0; i < n; i++)
	{
		frames[i].lsn = PageGetLSN(page);
		memcpy(frames[i].bits, PageGetContents(page) + i * FRAME_MAP_BYTES, FRAME_MAP_BYTES);
	}
	LockBuffer(*buffer, BUFFER_LOCK_UNLOCK);
}

/* Blocks behind those that are read are none of the frame's. */
static void
clear_behind(FrameMap *frame, uint32 nblocks)
{
	if (nblocks % 4 != 0)
		frame->bits[nblocks / 4] &= (1 << nblocks % 4 * 2) - 1;
	for (uint32 byte = (nblocks + 3) / 4; byte < FRAME_MAP_BYTES; byte++)
		frame->bits[byte] = 0;
}

/* The map of the first blocks of a relation. */
static FrameMap *
read_map(Relation relation, BlockNumber nblocks)
{
	uint32		nframes = table_state_frames(nblocks);
	FrameMap   *frames = palloc_extended(nframes * sizeof(FrameMap),
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	Buffer		buffer = InvalidBuffer;

	for (uint32 i = 0; i < nframes; i += MAP_FRAMES)
		read_map_page(relation, i * FRAME_BLOCKS, frames + i,
					  Min(nframes - i, MAP_FRAMES), &buffer);
	if (BufferIsValid(buffer))
		ReleaseBuffer(buffer);
	if (nblocks % FRAME_BLOCKS != 0)
		clear_behind(&frames[nframes - 1], nblocks % FRAME_BLOCKS);
	return frames;
}

/* Where the WAL ends: whatever is changed from now on gets LSNs behind that. */
static XLogRecPtr
wal_end(void)
{
	return RecoveryInProgress() ? GetXLogReplayRecPtr(NULL) : GetXLogInsertRecPtr();
}

TableState *
table_states_read(const SourceTable *tables, int ntables, const BlockNumber *nblocks, int *n)
{
	TableState *states = NULL;

	*n = 0;
	for (int i = 0; i < ntables; i++)
	{
		Relation	relation = tables[i].relation;

		if (!tables[i].pages || nblocks[i] == 0 || !table_columns_may_stay(relation))
			continue;
		if (states == NULL)
			states = palloc(sizeof(TableState) * (ntables - i));
		states[*n] = (TableState)
		{
			.file = COMPAT_FILE(relation->rd_locator),
				.relation = RelationGetRelid(relation),.table = i,.nblocks = nblocks[i],
				.wal_end = wal_end()
		};
		states[(*n)++].frames = read_map(relation, nblocks[i]);
	}
	return states;
}
