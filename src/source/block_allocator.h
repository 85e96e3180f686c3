/*
 * block_allocator.h
 *	  Which process reads which blocks of which tables.
 */
#ifndef GPUAGG_BLOCK_ALLOCATOR_H
#define GPUAGG_BLOCK_ALLOCATOR_H

#include "port/atomics.h"
#include "storage/block.h"

/* What the processes share. */
typedef struct SharedBlocks
{
	pg_atomic_uint64 next;		/* block, where all tables stand behind one another */
	pg_atomic_uint32 next_table;
	pg_atomic_uint32 stopped;	/* nobody needs to read any more */
} SharedBlocks;

/* What one process has been given, and reads. */
typedef struct BlockAllocator
{
	SharedBlocks *shared;
	const BlockNumber *nblocks; /* by table */
	const uint8 *const *served; /* by table, blocks to leave out; NULL: none.  As
								 * EngineOps.served says them; of one process alone */
	int			ntables;
	uint64		total;			/* blocks */
	uint64		first;			/* of the current table */
	uint64		chunk;			/* blocks to take at once */
	uint64		next;			/* of those taken, the next one */
	uint64		end;			/* and the end of them */
} BlockAllocator;

extern void shared_blocks_init(SharedBlocks *shared);

/* Let all processes stop soon. */
extern void shared_blocks_stop(SharedBlocks *shared);

/*
 * nblocks: how many blocks are read of each table, the same in all processes.  The
 * array stays the caller's.  alone: no other process takes blocks.
 */
extern void block_allocator_begin(BlockAllocator *allocator, SharedBlocks *shared,
								  const BlockNumber *nblocks, int ntables, bool alone);

/*
 * The next block of a table that is this process's.  To be asked for each table in
 * turn, until the answer is false.
 */
extern bool block_allocator_next(BlockAllocator *allocator, int table, BlockNumber *block);

/* The next table that this process reads as a whole, or ntables. */
extern int	block_allocator_next_table(BlockAllocator *allocator);

/* How many of the bits are set, of that many blocks. */
extern BlockNumber served_blocks(const uint8 *served, BlockNumber nblocks);

extern bool block_allocator_stopped(const BlockAllocator *allocator);

#endif							/* GPUAGG_BLOCK_ALLOCATOR_H */
