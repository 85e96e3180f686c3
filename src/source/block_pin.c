/*
 * block_pin.c
 *	  Pinning the blocks of a table, in their order.
 *
 * A table read or loaded in one go lies in consecutive buffers, or, in buffers that a dropped
 * table has left, in those of descending numbers.  So a buffer is tried first that is as far from
 * the last block's as the blocks are from each other: that is cheaper than a search in the buffer
 * table, whose entries are in no cache.  So is one in which the block has been before.
 *
 * Blocks that are in no buffer are read as by a sequential scan: large tables must not flush
 * the buffer pool.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "utils/rel.h"

#include "compat.h"
#include "source/block_pin.h"

void
block_pinner_begin(BlockPinner *pinner, Relation relation, BlockNumber nblocks)
{
	*pinner = (BlockPinner)
	{
		.relation = relation,.buffer = InvalidBuffer
	};
	if (!RelationUsesLocalBuffers(relation) && nblocks > (BlockNumber) NBuffers / 4)
		pinner->strategy = GetAccessStrategy(BAS_BULKREAD);
}

Buffer
block_guess(const BlockPinner *pinner, BlockNumber block)
{
	int64		guess = pinner->buffer +
		pinner->direction * ((int64) block - (int64) pinner->block);

	return pinner->direction != 0 && guess > 0 && guess <= NBuffers ? (Buffer) guess :
		InvalidBuffer;
}

/* Note where the block is, and whether it is as far from the last one as their numbers say. */
static void
note_block(BlockPinner *pinner, BlockNumber block, Buffer buffer)
{
	int64		blocks = (int64) block - (int64) pinner->block;
	int64		buffers = (int64) buffer - (int64) pinner->buffer;

	pinner->direction = 0;
	if (buffer > 0 && pinner->buffer > 0 && (buffers == blocks || buffers == -blocks))
		pinner->direction = buffers == blocks ? 1 : -1;
	pinner->block = block;
	pinner->buffer = buffer;
}

/* Is the block in that buffer?  Then it is pinned. */
static bool
pin_in(const BlockPinner *pinner, BlockNumber block, Buffer buffer)
{
	Relation	relation = pinner->relation;

	if (!BufferIsValid(buffer) ||
		!ReadRecentBuffer(relation->rd_locator, MAIN_FORKNUM, block, buffer))
		return false;
	pgstat_count_buffer_read(relation);
	pgstat_count_buffer_hit(relation);
	return true;
}

Buffer
block_pin(BlockPinner *pinner, BlockNumber block, Buffer seen)
{
	Buffer		buffer = seen;

	if (!pin_in(pinner, block, buffer))
	{
		buffer = block_guess(pinner, block);
		if (buffer == seen || !pin_in(pinner, block, buffer))
			buffer = ReadBufferExtended(pinner->relation, MAIN_FORKNUM, block, RBM_NORMAL,
										pinner->strategy);
	}
	note_block(pinner, block, buffer);
	return buffer;
}

void
block_pinner_end(BlockPinner *pinner)
{
	if (pinner->strategy != NULL)
		FreeAccessStrategy(pinner->strategy);
}
