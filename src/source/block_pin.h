/*
 * block_pin.h
 *	  Pinning the blocks of a table, in their order.
 */
#ifndef GPUAGG_BLOCK_PIN_H
#define GPUAGG_BLOCK_PIN_H

#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/relcache.h"

typedef struct BlockPinner
{
	Relation	relation;
	BufferAccessStrategy strategy;	/* NULL: the table is small */
	BlockNumber block;			/* the last one, */
	Buffer		buffer;			/* and where it is; InvalidBuffer: there is none */
	int			direction;		/* of buffers while blocks ascend: 1 or -1; 0: none */
} BlockPinner;

/* Begin with a table of so many blocks. */
extern void block_pinner_begin(BlockPinner *pinner, Relation relation, BlockNumber nblocks);

/* Where a later block is, if it is as near to the last one as their numbers, or InvalidBuffer. */
extern Buffer block_guess(const BlockPinner *pinner, BlockNumber block);

/*
 * The block's buffer, with a pin that the caller releases.  seen: where it was once, or
 * InvalidBuffer.
 */
extern Buffer block_pin(BlockPinner *pinner, BlockNumber block, Buffer seen);
extern void block_pinner_end(BlockPinner *pinner);

#define PREFETCH_STEP 64

/*
 * Prefetch the cache lines that are needed of a shared buffer: its descriptor, or bytes of its
 * page.  The buffer may be none.  Always inline: gcc takes a function that only prefetches
 * for one without effect, and drops its calls.
 */
static pg_attribute_always_inline void
prefetch_descriptor(Buffer buffer)
{
	if (buffer > 0)
		__builtin_prefetch(GetBufferDescriptor(buffer - 1), 1);
}

static pg_attribute_always_inline void
prefetch_page(Buffer buffer, Size from, Size to)
{
	const char *page = BufferBlocks + (Size) (Max(buffer, 1) - 1) * BLCKSZ;

	if (buffer > 0)
		for (Size at = from; at < to; at += PREFETCH_STEP)
			__builtin_prefetch(page + at);
}

#endif							/* GPUAGG_BLOCK_PIN_H */
