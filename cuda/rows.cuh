/*
 * rows.cuh
 *	  How a warp goes over the rows of a batch.
 *
 * A warp takes tiles of ROWS_AT_ONCE steps of 32 neighbouring rows, one a lane:
 * all loads of a tile are coalesced and are given out before the first value is
 * used, so that enough bytes are in flight.  A chunk is what a warp takes in one
 * piece, so many tiles behind one another, so that runs of equal keys stay with
 * one warp.  (The blocks of strategy `block` share the rows in a way of their own.)
 *
 * Where conditions are evaluated first, PREFILTER, a tile is of rows for which these are true
 * (prefilter.cuh).
 */
#ifndef GPUAGG_ROWS_CUH
#define GPUAGG_ROWS_CUH

#define TILE_ROWS (ROWS_AT_ONCE * WARP_SIZE)

/* A thread's way over the batch. */
typedef struct RowCursor
{
	uint64_t	next;			/* the tile's first row */
	uint64_t	chunk_end;
	uint64_t	chunk_rows;
	uint64_t	stride;			/* between a warp's chunks */
	uint32_t	passed;			/* rows that passed, of this thread */
	uint32_t	error;			/* did one of them have an error? */
	uint32_t	widen;			/* did a float sum have no room for one? */
#if PREFILTER
	PrefilterCursor prefilter;
#endif
} RowCursor;

/* One tile: the thread's rows, one a step. */
typedef struct Tile
{
	Raw			raw[ROWS_AT_ONCE];
	uint32_t	index[ROWS_AT_ONCE];	/* of the row in the batch */
	bool		valid[ROWS_AT_ONCE];	/* is it there? */
} Tile;

DEVICE_FN RowCursor
rows_begin(const AggregateArgs *args, uint32_t chunk_tiles)
{
	RowCursor	cursor;
	uint64_t	warp = grid_index() / WARP_SIZE;

	cursor.chunk_rows = (uint64_t) chunk_tiles * TILE_ROWS;
	cursor.next = warp * cursor.chunk_rows;
	cursor.chunk_end = cursor.next + cursor.chunk_rows;
	cursor.stride = grid_size() / WARP_SIZE * cursor.chunk_rows;
	cursor.passed = 0;
	cursor.error = 0;
	cursor.widen = 0;
#if PREFILTER
	cursor.prefilter = prefilter_begin(args);
#else
	(void) args;
#endif
	return cursor;
}

/* Is there another tile?  For all lanes of a warp alike. */
DEVICE_FN bool
rows_more(const AggregateArgs *args, RowCursor *cursor)
{
	if (cursor->next == cursor->chunk_end)
	{
		cursor->next += cursor->stride - cursor->chunk_rows;
		cursor->chunk_end = cursor->next + cursor->chunk_rows;
	}
	return cursor->next < args->batch.nrows;
}

/* Are all rows of the next tile there, one behind the other? */
DEVICE_FN bool
rows_whole(const AggregateArgs *args, const RowCursor *cursor)
{
	return args->batch.rows == NULL && cursor->next + TILE_ROWS <= args->batch.nrows;
}

/* Load the next tile, of which all rows are there; `valid` stays open. */
DEVICE_FN void
rows_load_whole(const AggregateArgs *args, RowCursor *cursor, Tile *tile)
{
	uint64_t	first = cursor->next + lane_index();

	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
	{
		tile->index[i] = (uint32_t) first + (uint32_t) i * WARP_SIZE;
		row_load(&args->batch, first + (uint32_t) i * WARP_SIZE, &tile->raw[i]);
	}
	cursor->next += TILE_ROWS;
}

/*
 * Load a row of the tile behind which the cursor stands, for the first time or
 * once more; false: it is not there.
 */
DEVICE_FN bool
rows_load_step(const AggregateArgs *args, const RowCursor *cursor, int step, Raw *raw,
			   uint32_t *index)
{
	const RowBatch *batch = &args->batch;
	uint64_t	row = cursor->next - TILE_ROWS + (uint32_t) step * WARP_SIZE + lane_index();

	if (row >= batch->nrows)
		return false;
	*index = batch->rows ? batch->rows[row] : (uint32_t) row;
	row_load(batch, *index, raw);
	return true;
}

/* Load the next tile, or what there is of it. */
DEVICE_FN void
rows_load(const AggregateArgs *args, RowCursor *cursor, Tile *tile)
{
	cursor->next += TILE_ROWS;
	PRAGMA_UNROLL
	for (int i = 0; i < ROWS_AT_ONCE; i++)
		tile->valid[i] = rows_load_step(args, cursor, i, &tile->raw[i], &tile->index[i]);
}

/* The next tile, or false, for all lanes of a warp alike. */
#if PREFILTER
DEVICE_FN bool
rows_tile(const AggregateArgs *args, RowCursor *cursor, Tile *tile)
{
	Raw			none = {0};
	uint32_t	place;

	if (!prefilter_next(args, &cursor->prefilter, &place, &tile->valid[0]))
		return false;
	tile->index[0] = place;
	tile->raw[0] = none;
	tile->raw[0].left = !tile->valid[0];
	if (!tile->valid[0])
		return true;
	if (args->batch.rows != NULL)
		tile->index[0] = args->batch.rows[place];
	row_load(&args->batch, tile->index[0], &tile->raw[0]);
	return true;
}
#else
DEVICE_FN bool
rows_tile(const AggregateArgs *args, RowCursor *cursor, Tile *tile)
{
	if (!rows_more(args, cursor))
		return false;
	rows_load(args, cursor, tile);
	return true;
}
#endif							/* PREFILTER */

/* Count a row that has been computed. */
DEVICE_FN void
rows_note(RowCursor *cursor, const Row *row)
{
	cursor->passed += row->passes;
	cursor->error |= row->error;
	cursor->widen |= row->widen;
}

/* A row that does not pass contributes nothing. */
DEVICE_FN void
rows_clear(Row *row)
{
	if (row->passes)
		return;
	for (int i = 0; i < KEY_WORDS; i++)
		row->key[i] = 0;
	words_identity(row->words);
}

DEVICE_FN void
rows_count(RowCursor *cursor, Row *row)
{
	rows_clear(row);
	rows_note(cursor, row);
}

/* A row that has been loaded, if `valid`. */
DEVICE_FN void
rows_eval(const AggregateArgs *args, RowCursor *cursor, const Raw *raw, uint32_t index,
		  bool valid, Row *row)
{
	row->passes = false;
	row->error = false;
	row->widen = false;
	if (valid)
		row_eval(args, raw, index, row);
	rows_count(cursor, row);
}

DEVICE_FN void
rows_step(const AggregateArgs *args, RowCursor *cursor, const Tile *tile, int step,
		  Row *row)
{
	rows_eval(args, cursor, &tile->raw[step], tile->index[step], tile->valid[step], row);
}

/* Tell what came of the thread's rows; all lanes of a warp together. */
DEVICE_FN void
rows_end(const AggregateArgs *args, const RowCursor *cursor)
{
	uint64_t	passed = cursor->passed;

	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
		passed += warp_shfl_xor_u64(FULL_MASK, passed, lanes);
	if (lane_index() == 0 && passed > 0)
		atomic_add_u64_noreturn(&args->counters->rows_passed, passed);
	if (cursor->error)
		atomic_or_u32(&args->counters->errors, ERROR_INEXACT);
	if (cursor->widen)
		atomic_or_u32(&args->counters->errors, ERROR_WIDEN);
}

/* The state of a warp's lanes merged into that of each lane. */
DEVICE_FN void
words_reduce_warp(uint64_t *words)
{
	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
	{
		uint64_t	other[STATE_ROOM];

		PRAGMA_UNROLL
		for (int i = 0; i < NWORDS; i++)
			other[i] = warp_shfl_xor_u64(FULL_MASK, words[i], lanes);
		words_merge(words, other);
	}
}

#endif							/* GPUAGG_ROWS_CUH */
