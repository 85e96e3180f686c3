/*
 * tile.cuh
 *	  Where neighbouring rows that a thread takes at once stand.
 *
 * A thread goes over the batch by steps, and hardly a step leads to another segment.  So a
 * place has what its segment tells of all rows, and is looked for anew behind its end only.
 */
#ifndef GPUAGG_TILE_CUH
#define GPUAGG_TILE_CUH

#if SEGMENTS

typedef struct TilePlace
{
	uint32_t	segment;
	uint32_t	offset;			/* the first row's number there */
	uint32_t	complete;		/* so many rows, from the segment's first one on, are there and
								 * not left out */
} TilePlace;

/*
 * How many rows before it is loaded a value is fetched to L2, if the segment has that many.
 * About one round of a block: 322 against 280 G rows/s of 9 bytes (on an H200).
 */
#define TILE_AHEAD (1024 * PACKED_ROWS)

DEVICE_FN const uint64_t *
tile_segment(const RowBatch *batch, const TilePlace *tile)
{
	return batch->segments + (uint64_t) tile->segment * batch->segment_words;
}

/* What a segment tells of its rows. */
DEVICE_FN void
tile_look(const RowBatch *batch, TilePlace *tile)
{
	const uint64_t *segment = tile_segment(batch, tile);
	uint64_t	first = (uint64_t) tile->segment * batch->segment_rows;

	tile->complete = 0;
	if (batch->rows != NULL || first >= batch->nrows || segment[SEGMENT_MASK] != 0)
		return;
	tile->complete = (uint32_t) (segment[SEGMENT_NROWS] < batch->nrows - first ?
								 segment[SEGMENT_NROWS] : batch->nrows - first);
}

DEVICE_FN TilePlace
tile_place(const RowBatch *batch, uint64_t first)
{
	TilePlace	tile;

	tile.segment = row_segment_number(batch, first);
	tile.offset = (uint32_t) (first - (uint64_t) tile.segment * batch->segment_rows);
	tile_look(batch, &tile);
	return tile;
}

/* Its first row's number in the batch. */
DEVICE_FN uint64_t
tile_first(const RowBatch *batch, const TilePlace *tile)
{
	return (uint64_t) tile->segment * batch->segment_rows + tile->offset;
}

/* Are so many rows there, and none of them left out? */
DEVICE_FN bool
tile_complete(const RowBatch *batch, const TilePlace *tile, uint32_t rows)
{
	(void) batch;
	return tile->offset + rows <= tile->complete;
}

/* On to the rows so many rows behind. */
DEVICE_FN void
tile_move(const RowBatch *batch, TilePlace *tile, uint32_t step)
{
	tile->offset += step;
	if (tile->offset < batch->segment_rows)
		return;
	PRAGMA_NO_UNROLL
	while (tile->offset >= batch->segment_rows)
	{
		tile->offset -= batch->segment_rows;
		tile->segment++;
	}
	tile_look(batch, tile);
}

#else

typedef struct TilePlace
{
	uint64_t	first;
} TilePlace;

DEVICE_FN TilePlace
tile_place(const RowBatch *batch, uint64_t first)
{
	TilePlace	tile = {first};

	(void) batch;
	return tile;
}

DEVICE_FN uint64_t
tile_first(const RowBatch *batch, const TilePlace *tile)
{
	(void) batch;
	return tile->first;
}

DEVICE_FN bool
tile_complete(const RowBatch *batch, const TilePlace *tile, uint32_t rows)
{
	return batch->rows == NULL && tile->first + rows <= batch->nrows;
}

DEVICE_FN void
tile_move(const RowBatch *batch, TilePlace *tile, uint32_t step)
{
	(void) batch;
	tile->first += step;
}

#endif							/* SEGMENTS */

/* Are so many rows of each of the warp's threads there, one behind the other? */
DEVICE_FN bool
tile_whole(const RowBatch *batch, const TilePlace *tile, uint32_t rows)
{
	if (warp_all(FULL_MASK, tile_complete(batch, tile, rows)))
		return true;
	return SEGMENTS && warp_all(FULL_MASK, batch->rows == NULL &&
								tile_first(batch, tile) + rows <= batch->nrows);
}

#endif							/* GPUAGG_TILE_CUH */
