/*
 * block_allocator.c
 *	  Which process reads which blocks of which tables.
 *
 * All tables' blocks stand behind one another.  A process takes a chunk of them by
 * one atomic addition and reads it in order; chunks get smaller towards the end, so
 * that all processes end at about the same time.  The sizes are those of PostgreSQL's
 * own parallel scans (table_block_parallelscan_startblock_init), which let the
 * operating system read ahead.
 *
 * Where the engine may keep columns, a chunk is a stripe, since it keeps one only if a process
 * gives its pages in order.  An engine whose runs take stripes (EngineStripes) is told of each one,
 * and says then which of its blocks it has.
 *
 * One process alone takes all blocks at once.
 *
 * Blocks whose rows the engine has are left out: with nearly all of them served, their bits are
 * looked at by words.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"

#include "engine/stripe.h"
#include "source/block_allocator.h"

#define CHUNKS 2048				/* into which all blocks are divided, */
#define MOST_BLOCKS 8192		/* but a chunk has no more blocks than so many, */
#define LAST_CHUNKS 64			/* and before so many are left it is halved */
#define SHORT_CHUNK 256			/* behind fewer blocks, those of others are read soon, too */

void
shared_blocks_init(SharedBlocks *shared)
{
	pg_atomic_init_u64(&shared->next, 0);
	pg_atomic_init_u32(&shared->next_table, 0);
	pg_atomic_init_u32(&shared->stopped, 0);
}

void
shared_blocks_stop(SharedBlocks *shared)
{
	pg_atomic_write_u32(&shared->stopped, 1);
}

void
block_allocator_begin(BlockAllocator *allocator, SharedBlocks *shared,
					  const BlockNumber *nblocks, int ntables, BlockDivision division)
{
	*allocator = (BlockAllocator)
	{
		.shared = shared,.stopped = &shared->stopped,.nblocks = nblocks,.ntables = ntables,.division = division
	};
	for (int i = 0; i < ntables; i++)
		allocator->total += nblocks[i];
	allocator->chunk = Max(allocator->total, 1);
	if (division == BLOCKS_BY_CHUNKS)
		allocator->chunk = Min(pg_nextpower2_64(Max(allocator->total / CHUNKS, 1)),
							   MOST_BLOCKS);
}

bool
block_allocator_stopped(const BlockAllocator *allocator)
{
	return pg_atomic_read_u32(allocator->stopped) != 0;
}

/* The next stripe; false: there is none left. */
static bool
take_stripe(BlockAllocator *allocator)
{
	uint64		number = pg_atomic_fetch_add_u64(&allocator->shared->next, 1);
	uint32		stripe;
	uint64		first;

	for (;;)
	{
		BlockNumber nblocks;

		if (allocator->taken_table == allocator->ntables)
			return false;
		nblocks = allocator->nblocks[allocator->taken_table];
		if (number - allocator->taken_stripes < stripes_of_table(nblocks))
			break;
		allocator->taken_stripes += stripes_of_table(nblocks);
		allocator->taken_first += nblocks;
		allocator->taken_table++;
	}
	stripe = (uint32) (number - allocator->taken_stripes);
	first = stripe_first_block(stripe);
	allocator->next = allocator->stripe_first = allocator->taken_first + first;
	allocator->end = allocator->taken_first +
		Min(first + stripe_nblocks(stripe), allocator->nblocks[allocator->taken_table]);
	allocator->stripe_served = NULL;
	return allocator->take == NULL ||
		allocator->take(allocator->take_arg, allocator->taken_table, stripe,
						&allocator->stripe_served);
}

static bool
take_chunk(BlockAllocator *allocator)
{
	if (block_allocator_stopped(allocator))
		return false;
	if (allocator->division == BLOCKS_BY_STRIPES)
		return take_stripe(allocator);
	/* where this process has got to is about where all have */
	while (allocator->chunk > 1 && allocator->end > 0 &&
		   allocator->end + allocator->chunk * LAST_CHUNKS > allocator->total)
		allocator->chunk /= 2;
	allocator->next = pg_atomic_fetch_add_u64(&allocator->shared->next, allocator->chunk);
	allocator->end = Min(allocator->next + allocator->chunk, allocator->total);
	return allocator->next < allocator->end;
}

/* The blocks' bits from a multiple of 64 on; behind the last byte there are none. */
static uint64
served_word(const uint8 *served, uint64 block, uint64 nblocks)
{
	uint64		word = 0;

	memcpy(&word, served + block / 8, Min((nblocks - block + 7) / 8, sizeof(word)));
#ifdef WORDS_BIGENDIAN
	word = pg_bswap64(word);
#endif
	return word;
}

/* From a multiple of 64 on, over words of blocks that are served, as nearly everywhere all are. */
static uint64
skip_served_words(const uint8 *served, uint64 block, uint64 nblocks)
{
	uint64		word;

	for (; block + 64 <= nblocks; block += 64)
	{
		memcpy(&word, served + block / 8, sizeof(word));
		if (word != PG_UINT64_MAX)
			break;
	}
	return block;
}

/* The first block from this one on that is not served, or nblocks. */
static uint64
skip_served(const uint8 *served, uint64 block, uint64 nblocks)
{
	while (block < nblocks)
	{
		uint64		left = ~served_word(served, block / 64 * 64, nblocks) >> block % 64;

		if (left != 0)
			return Min(block + pg_rightmost_one_pos64(left), nblocks);
		block = skip_served_words(served, (block / 64 + 1) * 64, nblocks);
	}
	return nblocks;
}

BlockNumber
served_blocks(const uint8 *served, BlockNumber nblocks)
{
	return served == NULL ? 0 : pg_popcount((const char *) served, (nblocks + 7) / 8);
}

bool
block_allocator_next(BlockAllocator *allocator, int table, BlockNumber *block)
{
	const uint8 *served = allocator->served != NULL ? allocator->served[table] : NULL;
	uint64		first = allocator->first;

	for (;;)
	{
		if (allocator->next >= allocator->end && !take_chunk(allocator))
			return false;
		if (allocator->stripe_served != NULL)
			allocator->next = allocator->stripe_first +
				skip_served(allocator->stripe_served, allocator->next - allocator->stripe_first,
							allocator->end - allocator->stripe_first);
		if (served != NULL && allocator->next - first < allocator->nblocks[table])
			allocator->next = first + skip_served(served, allocator->next - first,
												  Min(allocator->nblocks[table],
													  allocator->end - first));
		if (allocator->next - first >= allocator->nblocks[table])
		{
			allocator->first += allocator->nblocks[table];
			return false;
		}
		if (allocator->next < allocator->end)
			break;
	}
	*block = (BlockNumber) (allocator->next++ - first);
	return true;
}

bool
block_allocator_ends_stripe(const BlockAllocator *allocator)
{
	return allocator->division == BLOCKS_BY_STRIPES && allocator->next == allocator->end;
}

BlockNumber
block_allocator_run_end(const BlockAllocator *allocator, int table)
{
	bool		short_chunks = allocator->division == BLOCKS_BY_CHUNKS &&
		allocator->chunk < SHORT_CHUNK;
	uint64		end = short_chunks ? allocator->total : allocator->end;

	if (allocator->stripe_served != NULL ||
		(allocator->served != NULL && allocator->served[table] != NULL))
		return 0;
	return (BlockNumber) Min(end - allocator->first, allocator->nblocks[table]);
}

int
block_allocator_next_table(BlockAllocator *allocator)
{
	uint32		table;

	if (block_allocator_stopped(allocator))
		return allocator->ntables;
	table = pg_atomic_fetch_add_u32(&allocator->shared->next_table, 1);
	return Min(table, (uint32) allocator->ntables);
}
