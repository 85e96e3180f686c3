/*
 * served.c
 *	  Rows that a run takes from columns that are kept, instead of their pages.
 *
 * Who changes a page clears the block's bit in the visibility map first, and who sets a bit
 * gives the page of the map a new LSN.  The caller has read the map after the query's
 * snapshot was taken.  So if the LSN now is that of the stripe's stamp, and a block's bit is
 * set in both, it has been set all the time from before the block was read until now: the
 * kept rows are the block's rows, and all of them are visible to the snapshot.
 *
 * If the LSN differs, the caller has been asked for those that the blocks' pages have now
 * (asked.c), after the map was read.  A block is taken if its bit is set now, too, and its page's
 * LSN is that of the stamp's moment: whatever changes a page but its hint bits is WAL-logged and
 * gives it another LSN, so it is the page of that moment.  It was all-visible then: all of its
 * tuples are visible to every snapshot that there was or that came later, and no tuple that one of
 * these sees had gone.  The stripe gets the map as its new stamp, so that later runs need not ask;
 * blocks whose LSN is another one are lost to it.
 *
 * The rows of blocks that are not taken are masked, and the caller gives their pages: up to an
 * eighth of the stripe's blocks, beyond which it is read as if it were not kept, and kept anew.
 *
 * All-visible blocks that a stripe lacks are read, too: those that it has lost, that were not
 * all-visible when it was kept, or that the table has got since.  Once runs have read as many of
 * them as the stripe has blocks in the table, it is kept anew.
 *
 * Where the least and the greatest values of a stripe's columns tell that none of its rows
 * passes the filter, there is nothing to take in: its blocks are served, and that is all.  Not
 * if the Program hides rows, whose values these ranges would tell of.
 *
 * Chunks are pinned, so that they stay for the run, and stay where they are, whatever becomes of
 * the cache.  Those in host memory may have moved to the device's before (kept/room.c).
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/compiled/fnv.h"
#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/served.h"
#include "engine/cuda/kept/room.h"
#include "program/filter_range.h"
#include "program/first_rows.h"

/*
 * Stripes that the processor fetches ahead of the one that is looked at: between two queries others
 * take the place of their memory in its caches.
 */
#define STRIPES_AHEAD 16

/* A stripe that is looked at. */
typedef struct Candidate
{
	const KeptTable *table;
	KeptStripe *stripe;
	uint32_t	first;			/* block */
	const uint8_t *bits;		/* of the map now */
	int			map_byte;		/* what all bytes of the map's frame are now, or -1 */
	bool		same_map;		/* has it the stamp's LSN? */
	bool		masked;			/* does it have masked blocks? */
	uint8_t		served[STRIPE_MAX_BLOCKS / 8];	/* a bit a block */
	uint32_t	nserved;
} Candidate;

/* Room for n more entries of an array; false: no memory. */
static bool
have_room(void **array, size_t size, uint32_t used, uint32_t n, uint32_t *room)
{
	void	   *larger;

	if (n <= *room - used)
		return true;
	larger = realloc(*array, ((size_t) used * 2 + n) * size);
	if (larger == NULL)
		return false;
	*array = larger;
	*room = used * 2 + n;
	return true;
}

/* Has the map changed since the stripe was kept, or the table become shorter? */
static bool
is_unchanged(const Candidate *candidate, uint32_t number)
{
	return memcmp(candidate->stripe->map.bits, candidate->bits, stripe_nblocks(number) / 4) == 0 &&
		candidate->table->state->nblocks - candidate->first >= stripe_nblocks(number);
}

/* The same, and all of its blocks are kept: as nearly everywhere, and soon seen. */
static bool
is_whole(const Candidate *candidate, uint32_t number)
{
	return candidate->map_byte >= 0 && candidate->stripe->map_byte == candidate->map_byte &&
		candidate->table->state->nblocks - candidate->first >= stripe_nblocks(number);
}

/* All of its blocks are served. */
static void
serve_whole(Candidate *candidate)
{
	uint32_t	nblocks = candidate->stripe->nblocks;

	candidate->nserved = nblocks;
	memset(candidate->served, 0xff, nblocks / 8);
	memset(candidate->served + nblocks / 8, 0, sizeof(candidate->served) - nblocks / 8);
	if (nblocks % 8 != 0)
		candidate->served[nblocks / 8] = (uint8_t) ((1 << nblocks % 8) - 1);
}

/* Is a block's page that of the stamp's moment? */
static bool
has_same_page(const Candidate *candidate, uint32_t block)
{
	uint64_t	lsn = candidate->stripe->lsns[block];

	return lsn != 0 && lsn == candidate->table->lsns[candidate->first + block];
}

/* Of 64 blocks whose bits are set, those that have the page of the stamp's moment. */
static uint64_t
with_same_pages(const Candidate *candidate, uint32_t first, uint64_t bits)
{
	uint64_t	same = 0;

	for (uint64_t left = bits; left != 0; left &= left - 1)
		if (has_same_page(candidate, first + (uint32_t) __builtin_ctzll(left)))
			same |= left & -left;
	return same;
}

/* Which blocks are served: by words, since in nearly all of them all are. */
static void
mask_blocks(Candidate *candidate, uint32_t number)
{
	uint32_t	nblocks = stripe_blocks_there(candidate->table->state, number);

	candidate->nserved = 0;
	for (uint32_t i = 0; i < STRIPE_MAX_BLOCKS; i += 64)
	{
		uint64_t	bits = stripe_blocks_word(candidate->stripe->has, i) &
			stripe_all_visible_word(candidate->bits, i, nblocks);

		if (!candidate->same_map)
			bits = with_same_pages(candidate, i, bits);
		memcpy(candidate->served + i / 8, &bits, sizeof(bits));
		candidate->nserved += (uint32_t) __builtin_popcountll(bits);
	}
}

/* Have runs read as many blocks that the stripe lacks as reading all anew would take? */
static bool
is_worn(Candidate *candidate, uint32_t number)
{
	KeptStripe *stripe = candidate->stripe;
	uint32_t	nblocks = stripe_blocks_there(candidate->table->state, number);
	uint32_t	all_visible;

	if (stripe->nblocks >= nblocks)
		return false;
	all_visible = stripe_all_visible(candidate->bits, nblocks);
	if (all_visible > stripe->nblocks)
		stripe->nmissed += all_visible - stripe->nblocks;
	if (stripe->nmissed < nblocks)
		return false;
	/* should it not be kept anew, it is of use all the same */
	stripe->nmissed = 0;
	return true;
}

/* Blocks whose rows are masked. */
static uint32_t
masked_blocks(const Candidate *candidate)
{
	return candidate->stripe->nblocks + candidate->stripe->nlost - candidate->nserved;
}

/* Can the stripe be served, as far as the map and LSNs tell, and which of its blocks? */
static bool
look_at(const KeptTable *table, uint32_t number, Candidate *candidate)
{
	KeptStripe *stripe = kept_stripe(table->file, number);
	uint64_t	lsn = stripe_lsn(table->state, number);

	if (stripe == NULL || lsn == 0 || (stripe->map.lsn != lsn && table->lsns == NULL))
		return false;
	candidate->table = table;
	candidate->stripe = stripe;
	candidate->first = stripe_first_block(number);
	candidate->bits = stripe_bits(table->state, number);
	candidate->same_map = stripe->map.lsn == lsn;
	if (candidate->same_map && is_whole(candidate, number))
		serve_whole(candidate);
	else if (candidate->same_map && is_unchanged(candidate, number))
	{
		candidate->nserved = stripe->nblocks;
		memcpy(candidate->served, stripe->has, sizeof(candidate->served));
	}
	else
		mask_blocks(candidate, number);
	candidate->masked = masked_blocks(candidate) > 0;
	return masked_blocks(candidate) <=
		(stripe->nblocks + stripe->nlost) / STRIPE_MASKED_SHARE && !is_worn(candidate, number);
}

static void
pin(Served *served, KeptChunk *chunk)
{
	for (uint32_t i = served->nchunks; i > 0 && i + 4 > served->nchunks; i--)
		if (served->chunks[i - 1] == chunk)
			return;
	served->chunks[served->nchunks++] = chunk;
	kept_pin(chunk);
}

/*
 * Has the stripe what the run is to keep beside the Program's columns?  If not, it is read, as
 * else its pages would not come.
 */
static bool
has_others(const KeptTables *tables, int ncolumns, const Candidate *candidate)
{
	const KeptPlace *place;

	for (int i = ncolumns; i < tables->ncolumns; i++)
		if (!candidate->table->columns[i]->given_up &&
			kept_find(candidate->stripe, candidate->table->columns[i], &place) == NULL)
			return false;
	return true;
}

/* Where a stripe's columns are. */
typedef struct Found
{
	KeptChunk  *chunks[PROGRAM_MAX_COLUMNS];
	const KeptPlace *places[PROGRAM_MAX_COLUMNS];
} Found;

/* False: not all of them are there. */
static bool
find_columns(int ncolumns, const Candidate *candidate, Found *found)
{
	for (int i = 0; i < ncolumns; i++)
	{
		found->chunks[i] = kept_find(candidate->stripe, candidate->table->columns[i],
										 &found->places[i]);
		if (found->chunks[i] == NULL)
			return false;
	}
	return true;
}

/* Can any of the stripe's rows pass the filter, or does it have to be evaluated at least? */
static bool
can_pass(const RunCore *run, const Candidate *candidate, const Found *found)
{
	ValueRange	ranges[PROGRAM_MAX_COLUMNS];

	if (candidate->stripe->nrows == 0)
		return false;
	if (run->program->hides_rows)
		return true;
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const KeptPlace *place = found->places[i];

		ranges[i] = (ValueRange)
		{
			.nulls = place->nnulls > 0,.values = place->nnulls < candidate->stripe->nrows,
				.known = place->has_range,.least = place->least,.most = place->most
		};
	}
	return filter_can_pass(run->program, run->constants.params, ranges);
}

/* Note a column's bytes that are in host memory, those that follow one another together. */
static void
note_piece(const KeptChunk *chunk, const KeptPlace *place, Served *served)
{
	DevicePtr	from = chunk->memory + place->values;
	HostPiece  *last = &served->pieces[served->npieces];

	if (place->bytes == 0)
		return;
	if (served->npieces > 0 && last[-1].segment == served->nsegments &&
		last[-1].from + last[-1].size == from)
		last[-1].size += place->bytes;
	else
	{
		*last = (HostPiece) {.from = from,.size = place->bytes,.segment = served->nsegments};
		served->npieces++;
	}
}

/* A segment of the stripe's columns. */
static void
add_segment(const Program *program, const Candidate *candidate, const Found *found, Served *served)
{
	const Column *columns = program_columns(program);
	int			ncolumns = program->ncolumns;
	uint64_t   *words = served->words + (size_t) served->nsegments * SEGMENT_WORDS(ncolumns);

	words[SEGMENT_NROWS] = candidate->stripe->nrows;
	words[SEGMENT_MASK] = 0;
	for (int i = 0; i < ncolumns; i++)
	{
		const KeptPlace *place = found->places[i];
		DevicePtr	memory = found->chunks[i]->memory;

		words[SEGMENT_VALUES(i)] = PLACE(memory + place->values, place->width);
		words[SEGMENT_BASE(i)] = (uint64_t) place->least;
		/* a place is kept without the table's number */
		if (columns[i].attno == COLUMN_PLACE)
			words[SEGMENT_BASE(i)] += place_make(candidate->table->state->table, 0, 0);
		words[SEGMENT_NULLS(i)] = PLACE(memory + place->nulls, place->null_width);
		pin(served, found->chunks[i]);
		if (found->chunks[i]->on_host)
			note_piece(found->chunks[i], place, served);
	}
}

/* The stripe's next block that is not served, from this one on, or STRIPE_MAX_BLOCKS. */
static uint32_t
next_masked(const Candidate *candidate, uint32_t block)
{
	while (block < STRIPE_MAX_BLOCKS)
	{
		uint64_t	left = ~stripe_blocks_word(candidate->served, block / 64 * 64) >> block % 64;

		if (left != 0)
			return block + (uint32_t) __builtin_ctzll(left);
		block = (block / 64 + 1) * 64;
	}
	return STRIPE_MAX_BLOCKS;
}

/* Rows of the stripe's masked blocks. */
static uint64_t
masked_rows(const Candidate *candidate)
{
	const KeptStripe *stripe = candidate->stripe;
	uint64_t	rows = 0;

	for (uint32_t i = next_masked(candidate, 0); i < STRIPE_MAX_BLOCKS;
		 i = next_masked(candidate, i + 1))
		rows += stripe->rows[i + 1] - stripe->rows[i];
	return rows;
}

/* Note the rows of masked blocks, those that follow one another together. */
static void
note_masked(const Candidate *candidate, Served *served)
{
	const KeptStripe *stripe = candidate->stripe;
	MaskRange  *range = NULL;

	for (uint32_t i = next_masked(candidate, 0); i < STRIPE_MAX_BLOCKS;
		 i = next_masked(candidate, i + 1))
	{
		uint32_t	nrows = stripe->rows[i + 1] - stripe->rows[i];

		if (nrows == 0)
			continue;
		if (range == NULL || range->first + range->nrows != stripe->rows[i])
		{
			served->range_segments[served->nranges] = served->nsegments;
			range = &served->ranges[served->nranges++];
			*range = (MaskRange) {.first = stripe->rows[i]};
		}
		range->nrows += nrows;
	}
	served->nmasked++;
}

/* The marks of a table, with room for words of a stripe that it ends in. */
static uint8_t *
make_marks(uint32_t nblocks)
{
	return calloc(1, nblocks / 8 + 1 + STRIPE_MAX_BLOCKS / 8);
}

/*
 * Mark the blocks, by words whose lowest bytes come first, as on all hosts of such devices.  A
 * stripe begins at a multiple of four blocks.
 */
static void
mark_blocks(const Candidate *candidate, uint8_t *served)
{
	uint8_t    *to = served + candidate->first / 8;
	uint32_t	shift = candidate->first % 8;
	uint64_t	carry = 0;

	for (uint32_t i = 0; i < sizeof(candidate->served); i += sizeof(uint64_t))
	{
		uint64_t	bits;
		uint64_t	marks;

		memcpy(&bits, candidate->served + i, sizeof(bits));
		memcpy(&marks, to + i, sizeof(marks));
		marks |= bits << shift | carry;
		memcpy(to + i, &marks, sizeof(marks));
		carry = shift > 0 ? bits >> (64 - shift) : 0;
	}
	to[sizeof(candidate->served)] |= (uint8_t) carry;
}

static bool
make_room(int ncolumns, Served *served)
{
	uint32_t	room = served->ranges_room;

	if (!have_room((void **) &served->words, SEGMENT_WORDS(ncolumns) * sizeof(uint64_t),
				   served->nsegments, 1, &served->segments_room) ||
		!have_room((void **) &served->chunks, sizeof(*served->chunks), served->nchunks,
				   (uint32_t) ncolumns, &served->chunks_room) ||
		!have_room((void **) &served->pieces, sizeof(*served->pieces), served->npieces,
				   (uint32_t) ncolumns + 1, &served->pieces_room) ||
		!have_room((void **) &served->ranges, sizeof(*served->ranges), served->nranges,
				   STRIPE_MAX_BLOCKS, &served->ranges_room))
		return false;
	if (room != served->ranges_room)
	{
		uint32_t   *segments = realloc(served->range_segments,
									   served->ranges_room * sizeof(*segments));

		if (segments == NULL)
			return false;
		served->range_segments = segments;
	}
	return true;
}

/*
 * Add a table, and then its stripes, to the key of all rows: the same blocks of a file, under
 * the same LSN, have the same rows, as said above.
 */
static void
note_table(const TableState *state, RunCore *run)
{
	uint64_t	key = run->served_key != 0 ? run->served_key : FNV_START;

	run->served_key = fnv_add(key, state->file, sizeof(state->file));
}

static void
note_rows(const Candidate *candidate, RunCore *run)
{
	uint64_t	place[] = {candidate->first, candidate->stripe->map.lsn};
	uint64_t	key = fnv_add_words(run->served_key, place, sizeof(place));

	run->served_key = fnv_add_words(key, candidate->served, sizeof(candidate->served));
}

/* The blocks that are served are as they were at the stamp's moment, and so is their stamp now. */
static void
stamp(const Candidate *candidate, uint32_t number)
{
	StripeMap	map;

	if (candidate->same_map)
		return;
	stripe_map(candidate->table->state, number, &map);
	if (stripe_map_is_newer(&map, &candidate->stripe->map))
		kept_stamp(candidate->stripe, number, &map, candidate->served, candidate->nserved);
}

/* Have the stripe's rows taken in. */
static void
take(RunCore *run, const Candidate *candidate, const Found *found, Served *served)
{
	add_segment(run->program, candidate, found, served);
	if (candidate->masked)
		note_masked(candidate, served);
	if (served->max_rows < candidate->stripe->nrows)
		served->max_rows = candidate->stripe->nrows;
	note_rows(candidate, run);
	/* what has room on the device tells of the values */
	if (!run->program->hides_rows && served->npieces > 0 &&
		served->pieces[served->npieces - 1].segment == served->nsegments)
		run->head.stats.blocks_streamed += candidate->nserved;
	served->nsegments++;
}

/* Serve a stripe, if all is there: its rows are taken in, unless none of them passes. */
static void
serve(RunCore *run, const KeptTables *tables, KeptTable *table, uint32_t number,
	  const Candidate *candidate, Served *served)
{
	EngineStats *stats = &run->head.stats;
	int			ncolumns = run->program->ncolumns;
	Found		found;

	if (!has_others(tables, ncolumns, candidate) || !find_columns(ncolumns, candidate, &found))
		return;
	served->rows += candidate->stripe->nrows - (candidate->masked ? masked_rows(candidate) : 0);
	mark_blocks(candidate, table->served);
	stats->blocks_resident += candidate->nserved;
	stats->blocks_masked += masked_blocks(candidate);
	for (int i = 0; i < ncolumns; i++)
		table->columns[i]->hits++;
	if (can_pass(run, candidate, &found))
		take(run, candidate, &found, served);
	else if (!run->program->hides_rows)
		stats->blocks_skipped += candidate->nserved;
	table->taken[number] = true;
	stamp(candidate, number);
}

static bool
find_in_table(RunCore *run, const KeptTables *tables, KeptTable *table, Served *served)
{
	uint32_t	nstripes = stripes_of_table(table->state->nblocks);
	Candidate	candidate;

	for (uint32_t i = 0; i < nstripes; i++)
	{
		if (i % STRIPES_OF_FRAME == 0)
			candidate.map_byte = frame_map_byte(&table->state->frames[i / STRIPES_OF_FRAME]);
		kept_fetch_stripe(table->file, i + STRIPES_AHEAD);
		kept_fetch_columns(table->file, i + STRIPES_AHEAD / 2, table->columns, tables->ncolumns);
		if (!kept_table_has(run, table, i) || !look_at(table, i, &candidate))
			continue;
		if (table->served == NULL)
		{
			table->served = make_marks(table->state->nblocks);
			note_table(table->state, run);
		}
		if (table->served == NULL || !make_room(run->program->ncolumns, served))
			return false;
		serve(run, tables, table, i, &candidate, served);
	}
	return true;
}

EngineStatus
served_find(RunCore *run, KeptTables *tables, Served *served)
{
	for (int i = 0; i < tables->ntables; i++)
	{
		KeptTable  *table = &tables->tables[i];
		uint32_t	first = served->nsegments;
		uint64_t	blocks = run->head.stats.blocks_resident;

		kept_move_up(&run->context->kept, table->file, table->columns, tables->ncolumns,
					 tables->now);
		if (!served_texts_fit(run, table, &served->texts))
			continue;
		if (!find_in_table(run, tables, table, served) ||
			(served->nsegments > first &&
			 !served_texts_note(run, table, first, served->nsegments - first, &served->texts)))
			return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
		for (int j = 0; j < run->program->ncolumns && run->head.stats.blocks_resident > blocks; j++)
			table->columns[j]->last_used = tables->now;
	}
	run->head.stats.rows += served->rows;
	return ENGINE_OK;
}

/* Give each segment that has masked rows its marks, and each range its place there. */
static void
place_masks(int ncolumns, Served *served)
{
	uint64_t	place = 0;

	for (uint32_t i = 0; i < served->nranges; i++)
	{
		uint32_t	segment = served->range_segments[i];
		uint64_t   *mask = &served->words[(size_t) segment * SEGMENT_WORDS(ncolumns) +
										  SEGMENT_MASK];

		if (*mask == 0)
		{
			*mask = served->masks.ptr + place;
			place += served->segment_rows;
		}
		served->ranges[i].first += *mask - served->masks.ptr;
	}
}

static EngineStatus
make_masks(RunCore *run, Served *served, DeviceKernel *kernel)
{
	const DeviceOps *ops = run->device_ops;
	uint64_t	size = (uint64_t) served->nmasked * served->segment_rows;
	uint64_t	ranges = (uint64_t) served->nranges * sizeof(MaskRange);
	MaskArgs	args = {.nranges = served->nranges};
	DeviceStatus device;
	EngineStatus status = run_alloc(run, size, &served->masks);

	if (status == ENGINE_OK)
		status = run_alloc(run, ranges, &served->device_ranges);
	if (status != ENGINE_OK || served->nranges == 0)
		return status;
	place_masks(run->program->ncolumns, served);
	args.masks = served->masks.ptr;
	args.ranges = served->device_ranges.ptr;
	device = ops->fill(run->device, run->work, args.masks, 0, size);
	if (device == DEVICE_OK)
		device = ops->upload(run->device, run->work, args.ranges, served->ranges, ranges);
	status = run_device(run, device, "could not tell the device of masked rows");
	if (status != ENGINE_OK)
		return status;
	return kernels_launch(run, kernel, (uint64_t) served->nranges * 32, 256, 0, &args);
}

static uint64_t
words_size(const RunCore *run, const Served *served)
{
	return (uint64_t) served->nsegments * SEGMENT_WORDS(run->program->ncolumns) *
		sizeof(uint64_t);
}

EngineStatus
served_make_room(RunCore *run, Served *served, DeviceKernel *mask)
{
	EngineStatus status = ENGINE_OK;

	served->segment_rows = (served->max_rows + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN *
		SEGMENT_ALIGN;
	if (served->segment_rows == 0)
		served->segment_rows = SEGMENT_ALIGN;
	if (served->nmasked > 0)
		status = make_masks(run, served, mask);
	if (status == ENGINE_OK)
		status = served_texts_place(run, &served->texts, served->words);
	if (status == ENGINE_OK)
		status = run_alloc(run, words_size(run, served), &served->segments);
	return status;
}

EngineStatus
served_upload(RunCore *run, const Served *served)
{
	return run_device(run, run->device_ops->upload(run->device, run->work, served->segments.ptr,
												   served->words, words_size(run, served)),
					  "could not tell the device of kept columns");
}

void
served_close(RunCore *run, Served *served)
{
	run_free(run, &served->segments);
	run_free(run, &served->masks);
	run_free(run, &served->device_ranges);
	served_texts_close(run, &served->texts);
	for (uint32_t i = 0; i < served->nchunks; i++)
		kept_unpin(&run->context->kept, served->chunks[i]);
	free(served->chunks);
	free(served->words);
	free(served->pieces);
	free(served->ranges);
	free(served->range_segments);
}
