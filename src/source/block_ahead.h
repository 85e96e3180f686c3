/*
 * block_ahead.h
 *	  The blocks that a process reads next, and their memory fetched meanwhile.
 */
#ifndef GPUAGG_BLOCK_AHEAD_H
#define GPUAGG_BLOCK_AHEAD_H

#include "source/block_allocator.h"
#include "source/block_pin.h"
#include "source/seen_pages.h"

/* How many blocks are known before they are read. */
#define BLOCKS_AHEAD 16

typedef struct AheadBlock
{
	BlockNumber block;
	bool		ends_stripe;	/* behind it, others give theirs */
	const SeenPage *seen;		/* what the last run has seen of it, or NULL */
} AheadBlock;

typedef struct BlockAhead
{
	BlockAllocator *blocks;
	int			table;
	bool		all;			/* no blocks of the table are left out */
	const BlockPinner *pinner;
	SeenPages  *seen;			/* NULL: nothing is remembered */
	uint16		lower;			/* where the last page's line pointers end, */
	uint16		upper;			/* and the tuples begin, if they were looked at; else 0 */
	bool		ended;			/* no more blocks come behind those that are known: */
	uint64		added;
	uint64		taken;			/* of these */
	AheadBlock	ring[BLOCKS_AHEAD];
} BlockAhead;

/* Begin with a table; its blocks are pinned by the pinner, in this order. */
extern void block_ahead_begin(BlockAhead *ahead, BlockAllocator *blocks, int table,
							  const BlockPinner *pinner, SeenPages *seen);

/* The next block; false: there are no more. */
extern bool block_ahead_next(BlockAhead *ahead, AheadBlock *next);

/* What the page was like that was read last; looked: also at its tuples. */
extern void block_ahead_note(BlockAhead *ahead, Page page, bool looked);

#endif							/* GPUAGG_BLOCK_AHEAD_H */
