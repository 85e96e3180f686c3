/*
 * page_lsns.c
 *	  The LSNs of tables' pages, by which an engine tells whether they have changed.
 *
 * A page is pinned and share-locked meanwhile: who changes it has it locked exclusively until it
 * has its new LSN.  Who sets hint bits may give it a new LSN under a share lock (with
 * wal_log_hints or checksums, MarkBufferDirtyHint), hence BufferGetLSNAtomic.
 *
 * A page that is in no buffer is read, as it would be if nothing of its block were kept.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "engine/stripe.h"
#include "source/block_pin.h"
#include "source/visibility.h"

/* How many blocks ahead buffers' descriptors and pages' LSNs are prefetched. */
#define LSNS_AHEAD 12

static uint64
page_lsn(BlockPinner *pinner, BlockNumber block)
{
	Buffer		buffer = block_pin(pinner, block, InvalidBuffer);
	Buffer		ahead = block_guess(pinner, block + LSNS_AHEAD);
	uint64		lsn;

	/* nearly all blocks are asked for */
	prefetch_descriptor(ahead);
	prefetch_page(ahead, 0, 1);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	lsn = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	return lsn;
}

/* Of one table; behind the last one. */
static uint64 *
read_table(Relation relation, BlockNumber nblocks, const uint8 *asked, uint64 *lsns)
{
	BlockPinner pinner;

	block_pinner_begin(&pinner, relation, nblocks);
	for (BlockNumber block = 0; block < nblocks; block++)
	{
		if ((asked[block / 8] >> block % 8 & 1) == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		*lsns++ = page_lsn(&pinner, block);
	}
	block_pinner_end(&pinner);
	return lsns;
}

void
page_lsns_read_stripe(Relation relation, BlockNumber nblocks, uint32 stripe, const uint8 *asked,
					  uint64 *lsns)
{
	BlockNumber first = stripe_first_block(stripe);
	BlockPinner pinner;

	block_pinner_begin(&pinner, relation, nblocks);
	for (uint32 i = 0; i < STRIPE_MAX_BLOCKS; i++)
	{
		bool		is_asked = first + i < nblocks && (asked[i / 8] >> i % 8 & 1) != 0;

		CHECK_FOR_INTERRUPTS();
		lsns[i] = is_asked ? page_lsn(&pinner, first + i) : 0;
	}
	block_pinner_end(&pinner);
}

uint64 *
page_lsns_read(const SourceTable *tables, int ntables, const BlockNumber *nblocks,
			   const uint8 *const *asked, uint64 *n)
{
	uint64	   *lsns;
	uint64	   *next;

	*n = 0;
	for (int i = 0; i < ntables; i++)
		*n += served_blocks(asked[i], nblocks[i]);
	lsns = next = palloc_extended(sizeof(uint64) * (*n + 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < ntables; i++)
		if (asked[i] != NULL)
			next = read_table(tables[i].relation, nblocks[i], asked[i], next);
	return lsns;
}
