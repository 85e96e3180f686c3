/*
 * table_state.h
 *	  What a table's visibility map says, for an engine that keeps columns from one run
 *	  to the next.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_TABLE_STATE_H
#define GPUAGG_TABLE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * A page of the visibility map tells of 32,672 blocks, with two bits each: is the block
 * all-visible, and all-frozen.  A frame is an eighth of these blocks: whole bytes of one
 * page of the map.
 */
#define FRAME_BLOCKS 4084
#define FRAME_MAP_BYTES (FRAME_BLOCKS / 4)

/* Of a frame: its map page's LSN, and its part of that page, of one moment. */
typedef struct FrameMap
{
	uint64_t	lsn;			/* 0: not known, or the page is not there */
	uint8_t		bits[FRAME_MAP_BYTES];
} FrameMap;

/* What all bytes of a frame's bits are, as nearly everywhere, or -1. */
static inline int
frame_map_byte(const FrameMap *frame)
{
	return memcmp(frame->bits, frame->bits + 1, FRAME_MAP_BYTES - 1) == 0 ? frame->bits[0] : -1;
}

/*
 * A table that is read, its file, and its visibility map, as it was after the query's
 * snapshot was taken and before any of the table's pages is read.
 */
typedef struct TableState
{
	uint32_t	file[3];		/* tablespace, database, file number */
	uint32_t	relation;		/* its OID, to be shown */
	uint32_t	table;			/* as in PageRef */
	uint32_t	nblocks;		/* that are read */
	uint64_t	wal_end;		/* LSN where the WAL ended before the map was read */
	const FrameMap *frames;		/* table_state_frames(nblocks) */
} TableState;

static inline uint32_t
table_state_frames(uint32_t nblocks)
{
	return nblocks / FRAME_BLOCKS + (nblocks % FRAME_BLOCKS != 0);
}

#endif							/* GPUAGG_TABLE_STATE_H */
