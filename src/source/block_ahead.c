/*
 * block_ahead.c
 *	  The blocks that a process reads next, and their memory fetched meanwhile.
 *
 * What is read of a block is in no cache: its buffer's descriptor, the page's header with the
 * line pointers, and of a page that is not all-visible the header of each tuple.  So these are
 * prefetched, some blocks ahead, from where the block was once or should be; if it is elsewhere,
 * that was in vain.  What the pages hold is guessed from the last one.
 *
 * Where all of a table's blocks are read, the next ones need not be known: they follow.
 *
 * Nothing is read of a page before it is pinned.
 */
#include "postgres.h"

#include "storage/bufpage.h"

#include "source/block_ahead.h"

/* How many blocks ahead pages' headers and tuples are prefetched. */
#define HEADERS_AHEAD 8
#define TUPLES_AHEAD 2

/* The same where all blocks are read. */
#define ALL_AHEAD 4

/* Of longer tuples only some cache lines are read. */
#define SHORT_TUPLE 128

void
block_ahead_begin(BlockAhead *ahead, BlockAllocator *blocks, int table,
				  const BlockPinner *pinner, SeenPages *seen)
{
	ahead->blocks = blocks;
	ahead->table = table;
	ahead->all = blocks->served == NULL || blocks->served[table] == NULL;
	ahead->pinner = pinner;
	ahead->seen = seen;
	ahead->lower = 0;
	ahead->upper = 0;
	ahead->ended = false;
	ahead->added = 0;
	ahead->taken = 0;
}

/* Where the block probably is. */
static Buffer
probable_buffer(const BlockAhead *ahead, const AheadBlock *block)
{
	return block->seen != NULL ? block->seen->buffer : block_guess(ahead->pinner, block->block);
}

/* Is there one more block?  Then its descriptor is prefetched. */
static bool
add_block(BlockAhead *ahead)
{
	AheadBlock *block = &ahead->ring[ahead->added % BLOCKS_AHEAD];

	if (ahead->ended || !block_allocator_next(ahead->blocks, ahead->table, &block->block))
	{
		ahead->ended = true;
		return false;
	}
	block->ends_stripe = block_allocator_ends_stripe(ahead->blocks);
	block->seen = ahead->seen != NULL ? seen_pages_find(ahead->seen, block->block) : NULL;
	prefetch_descriptor(probable_buffer(ahead, block));
	ahead->added++;
	return true;
}

/* A block that so many others come before, or NULL. */
static const AheadBlock *
block_behind(const BlockAhead *ahead, int others)
{
	return ahead->taken + others < ahead->added ?
		&ahead->ring[(ahead->taken + others) % BLOCKS_AHEAD] : NULL;
}

static void
prefetch_header(const BlockAhead *ahead, const AheadBlock *block)
{
	Size		end = block->seen != NULL && block->seen->lsn != 0 ? 1 : Max(ahead->lower, 1);

	prefetch_page(probable_buffer(ahead, block), 0, end);
}

static void
prefetch_tuples(const BlockAhead *ahead, const AheadBlock *block)
{
	if (ahead->upper > 0 && (block->seen == NULL || block->seen->lsn == 0))
		prefetch_page(probable_buffer(ahead, block), ahead->upper, BLCKSZ);
}

/* Of all of the table's blocks. */
static bool
next_of_all(BlockAhead *ahead, AheadBlock *next)
{
	Buffer		buffer;

	next->seen = NULL;
	if (!block_allocator_next(ahead->blocks, ahead->table, &next->block))
		return false;
	next->ends_stripe = block_allocator_ends_stripe(ahead->blocks);
	buffer = block_guess(ahead->pinner, next->block + ALL_AHEAD);
	prefetch_descriptor(buffer);
	prefetch_page(buffer, 0, ahead->lower);
	if (ahead->upper > 0)
		prefetch_page(block_guess(ahead->pinner, next->block + TUPLES_AHEAD), ahead->upper, BLCKSZ);
	return true;
}

bool
block_ahead_next(BlockAhead *ahead, AheadBlock *next)
{
	const AheadBlock *block;

	if (ahead->all)
		return next_of_all(ahead, next);
	while (ahead->added - ahead->taken < BLOCKS_AHEAD && add_block(ahead))
		continue;
	if (ahead->taken == ahead->added)
		return false;
	block = block_behind(ahead, HEADERS_AHEAD);
	if (block != NULL)
		prefetch_header(ahead, block);
	block = block_behind(ahead, TUPLES_AHEAD);
	if (block != NULL)
		prefetch_tuples(ahead, block);
	*next = ahead->ring[ahead->taken++ % BLOCKS_AHEAD];
	return true;
}

void
block_ahead_note(BlockAhead *ahead, Page page, bool looked)
{
	const PageHeaderData *header = (const PageHeaderData *) page;
	int			lines = Max(PageGetMaxOffsetNumber(page), 1);

	ahead->lower = Min(header->pd_lower, BLCKSZ);
	ahead->upper = 0;
	if (looked && header->pd_upper < BLCKSZ && (BLCKSZ - header->pd_upper) / lines <= SHORT_TUPLE)
		ahead->upper = Max(header->pd_upper, ahead->lower);
}
