/*
 * read_ahead.c
 *	  The system told of blocks that are read from files soon.
 *
 * By itself a system reads 128 kB ahead of a sequential reader, unless it is told otherwise
 * (read_ahead_kb), which is less than disks with a latency need.  From 18 on PostgreSQL's own
 * scans have 16 such reads under way, by asynchronous I/O.  So the system is told of as many
 * blocks, by advice, which copies nothing and keeps no buffers pinned as a read stream does.
 *
 * It is told once neighbouring blocks were in no buffer, of twice as many blocks each time: a table
 * that is in the pool costs nothing, and one of which single blocks are missing is not read as a
 * whole.
 * Each piece of advice is for as many blocks as the system reads at once: for single ones
 * it reads single ones, of which a disk does not do many.
 */
#include "postgres.h"

#include "compat.h"
#include "source/read_ahead.h"

/* 128 kB, as io_combine_limit is by default; and 2 MB, 16 of these. */
#define ADVICE_BLOCKS (131072 / BLCKSZ)
#define BLOCKS_TOLD (16 * ADVICE_BLOCKS)

void
read_ahead_begin(ReadAhead *ahead, Relation relation)
{
	*ahead = (ReadAhead)
	{
		.relation = compat_reads_ahead(relation) ? relation : NULL,.last = InvalidBlockNumber
	};
}

void
read_ahead_missed(ReadAhead *ahead, BlockNumber block, BlockNumber end)
{
	bool		near = ahead->last != InvalidBlockNumber && block >= ahead->last &&
		block - ahead->last <= ADVICE_BLOCKS;
	BlockNumber until;

	if (ahead->relation == NULL)
		return;
	ahead->told = near ? Min(Max(2 * ahead->told, ADVICE_BLOCKS), BLOCKS_TOLD) : 0;
	ahead->last = block;
	until = (BlockNumber) Min((uint64) block + ahead->told, end);
	ahead->next = Max(ahead->next, block + 1);
	while (ahead->next < until && (until - ahead->next >= ADVICE_BLOCKS || until == end))
	{
		BlockNumber n = Min(until - ahead->next, ADVICE_BLOCKS);

		compat_read_ahead(ahead->relation, ahead->next, (int) n);
		ahead->next += n;
	}
}
