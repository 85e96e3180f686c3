/*
 * block_allocator.h
 *	  Which process reads which blocks of which tables.
 */
#ifndef GPUAGG_BLOCK_ALLOCATOR_H
#define GPUAGG_BLOCK_ALLOCATOR_H

#include "port/atomics.h"
#include "storage/block.h"

/* How processes divide the blocks. */
typedef enum BlockDivision
{
	BLOCKS_UNDIVIDED,			/* there is one process */
	BLOCKS_BY_CHUNKS,
	BLOCKS_BY_STRIPES			/* an engine may keep them by these (engine/stripe.h) */
} BlockDivision;

/* What the processes share. */
typedef struct SharedBlocks
{
	pg_atomic_uint64 next;		/* block, or stripe, where all tables stand behind one
								 * another */
	pg_atomic_uint32 next_table;
	pg_atomic_uint32 stopped;	/* nobody needs to read any more */
} SharedBlocks;

/*
 * A stripe of a table is this process's: which of its blocks need not be given, as bits of the
 * stripe's blocks; NULL: none.  False: no more blocks are wanted.
 */
typedef bool (*TakeStripe) (void *arg, int table, uint32 stripe, const uint8 **served);

/* What one process has been given, and reads. */
typedef struct BlockAllocator
{
	SharedBlocks *shared;
	pg_atomic_uint32 *stopped;	/* that of the SharedBlocks, or of others */
	const BlockNumber *nblocks; /* by table */
	const uint8 *const *served; /* by table, blocks to leave out, as EngineKept.served says
								 * them; NULL: the engine keeps none */
	BlockDivision division;
	TakeStripe	take;			/* with BLOCKS_BY_STRIPES; NULL: nobody wants to know */
	void	   *take_arg;
	const uint8 *stripe_served; /* of the last stripe, until the next one */
	uint64		stripe_first;	/* block of the last stripe */
	int			ntables;
	uint64		total;			/* blocks */
	uint64		first;			/* of the current table */
	uint64		chunk;			/* blocks to take at once */
	int			taken_table;	/* that the last stripe was taken from, */
	uint64		taken_first;	/* its first block, */
	uint64		taken_stripes;	/* and the stripes of the tables before it */
	uint64		next;			/* of those taken, the next one */
	uint64		end;			/* and the end of them */
} BlockAllocator;

extern void shared_blocks_init(SharedBlocks *shared);

/* Let all processes stop soon. */
extern void shared_blocks_stop(SharedBlocks *shared);

/*
 * nblocks: how many blocks are read of each table, the same in all processes.  The
 * array stays the caller's.
 */
extern void block_allocator_begin(BlockAllocator *allocator, SharedBlocks *shared,
								  const BlockNumber *nblocks, int ntables,
								  BlockDivision division);

/*
 * The next block of a table that is this process's.  To be asked for each table in
 * turn, until the answer is false.
 */
extern bool block_allocator_next(BlockAllocator *allocator, int table, BlockNumber *block);

/* Is the block that was given last the end of a stripe, behind which others give theirs? */
extern bool block_allocator_ends_stripe(const BlockAllocator *allocator);

/*
 * The end of the table's blocks that are read soon after the one that was given last, by this
 * process or by others; 0 if some of them may be left out.
 */
extern BlockNumber block_allocator_run_end(const BlockAllocator *allocator, int table);

/* The next table that this process reads as a whole, or ntables. */
extern int	block_allocator_next_table(BlockAllocator *allocator);

/* How many of the bits are set, of that many blocks. */
extern BlockNumber served_blocks(const uint8 *served, BlockNumber nblocks);

extern bool block_allocator_stopped(const BlockAllocator *allocator);

#endif							/* GPUAGG_BLOCK_ALLOCATOR_H */
