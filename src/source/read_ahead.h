/*
 * read_ahead.h
 *	  The system told of blocks that are read from files soon.
 */
#ifndef GPUAGG_READ_AHEAD_H
#define GPUAGG_READ_AHEAD_H

#include "storage/block.h"
#include "utils/relcache.h"

typedef struct ReadAhead
{
	Relation	relation;		/* NULL: the system is not told */
	BlockNumber next;			/* blocks before it have been told of, or need not be */
	BlockNumber last;			/* the last one that was in no buffer */
	uint32		told;			/* so many blocks the system was told of behind it */
} ReadAhead;

extern void read_ahead_begin(ReadAhead *ahead, Relation relation);

/* The block was in no buffer.  Those up to `end` are read soon after it. */
extern void read_ahead_missed(ReadAhead *ahead, BlockNumber block, BlockNumber end);

#endif							/* GPUAGG_READ_AHEAD_H */
