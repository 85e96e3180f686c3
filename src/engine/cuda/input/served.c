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
 * If the LSN differs, nothing of the stripe is taken.  If it is the same and bits are missing,
 * the rows of those blocks are masked, and the caller gives their pages: up to an eighth of the
 * stripe's blocks, beyond which it is read as if it were not kept, and kept anew.
 *
 * Chunks are pinned, so that they stay for the run, whatever becomes of the cache.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cache/fnv.h"
#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/served.h"

/* One of so many blocks may be masked. */
#define MASKED_SHARE 8

/* A stripe that is looked at. */
typedef struct Candidate
{
	const ResidentTable *table;
	const ResidentStripe *stripe;
	uint32_t	first;			/* block */
	const uint8_t *bits;		/* of the map now */
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

static bool
has_block(const uint8_t *bits, uint32_t block)
{
	return (bits[block / 8] >> block % 8 & 1) != 0;
}

/* Has the map changed since the stripe was kept, or the table become shorter? */
static bool
is_unchanged(const Candidate *candidate, uint32_t number)
{
	return memcmp(candidate->stripe->map.bits, candidate->bits, stripe_nblocks(number) / 4) == 0 &&
		candidate->table->state->nblocks - candidate->first >= stripe_nblocks(number);
}

/* Which blocks are served, block by block. */
static void
mask_blocks(Candidate *candidate, uint32_t number)
{
	const ResidentStripe *stripe = candidate->stripe;
	uint32_t	nblocks = candidate->table->state->nblocks - candidate->first;

	memset(candidate->served, 0, sizeof(candidate->served));
	candidate->nserved = 0;
	for (uint32_t i = 0; i < stripe_nblocks(number) && i < nblocks; i++)
		if (has_block(stripe->has, i) && stripe_block_is_all_visible(candidate->bits, i))
		{
			candidate->served[i / 8] |= (uint8_t) (1 << i % 8);
			candidate->nserved++;
		}
	candidate->masked = candidate->nserved < stripe->nblocks;
}

/* Can the stripe be served, as far as the map tells, and which of its blocks? */
static bool
look_at(const ResidentTable *table, uint32_t number, Candidate *candidate)
{
	const ResidentStripe *stripe = resident_stripe(table->file, number);

	if (stripe == NULL || stripe->map.lsn == 0 ||
		stripe->map.lsn != stripe_lsn(table->state, number))
		return false;
	candidate->table = table;
	candidate->stripe = stripe;
	candidate->first = stripe_first_block(number);
	candidate->bits = stripe_bits(table->state, number);
	if (is_unchanged(candidate, number))
	{
		candidate->masked = false;
		candidate->nserved = stripe->nblocks;
		memcpy(candidate->served, stripe->has, sizeof(candidate->served));
		return true;
	}
	mask_blocks(candidate, number);
	return stripe->nblocks - candidate->nserved <= stripe->nblocks / MASKED_SHARE;
}

static void
pin(Served *served, ResidentChunk *chunk)
{
	for (uint32_t i = served->nchunks; i > 0 && i + 4 > served->nchunks; i--)
		if (served->chunks[i - 1] == chunk)
			return;
	served->chunks[served->nchunks++] = chunk;
	resident_pin(chunk);
}

/*
 * Has the stripe what the run is to keep beside the Program's columns?  If not, it is read, as
 * else its pages would not come.
 */
static bool
has_others(const ResidentTables *tables, int ncolumns, const Candidate *candidate)
{
	const ResidentPlace *place;

	for (int i = ncolumns; i < tables->ncolumns; i++)
		if (resident_find(candidate->stripe, candidate->table->columns[i], &place) == NULL)
			return false;
	return true;
}

/* A segment of the stripe's columns; false: not all of them are there. */
static bool
find_columns(int ncolumns, const Candidate *candidate, Served *served)
{
	uint64_t   *words = served->words + (size_t) served->nsegments * SEGMENT_WORDS(ncolumns);
	ResidentChunk *chunks[PROGRAM_MAX_COLUMNS];

	words[SEGMENT_NROWS] = candidate->stripe->nrows;
	words[SEGMENT_MASK] = 0;
	for (int i = 0; i < ncolumns; i++)
	{
		const ResidentPlace *place;

		chunks[i] = resident_find(candidate->stripe, candidate->table->columns[i], &place);
		if (chunks[i] == NULL)
			return false;
		words[SEGMENT_VALUES(i)] = chunks[i]->memory + place->values;
		words[SEGMENT_NULLS(i)] = chunks[i]->memory + place->nulls;
	}
	for (int i = 0; i < ncolumns; i++)
	{
		pin(served, chunks[i]);
		candidate->table->columns[i]->hits++;
	}
	return true;
}

/* Note the rows of masked blocks, those of neighbouring blocks together. */
static void
note_masked(const Candidate *candidate, Served *served)
{
	const ResidentStripe *stripe = candidate->stripe;
	bool		open = false;

	for (uint32_t i = 0; i < STRIPE_MAX_BLOCKS; i++)
	{
		uint32_t	nrows = stripe->rows[i + 1] - stripe->rows[i];

		if (!has_block(stripe->has, i) || nrows == 0)
			continue;
		if (has_block(candidate->served, i))
		{
			open = false;
			continue;
		}
		if (!open)
		{
			served->range_segments[served->nranges] = served->nsegments;
			served->ranges[served->nranges++] = (MaskRange) {.first = stripe->rows[i]};
		}
		open = true;
		served->ranges[served->nranges - 1].nrows += nrows;
		served->rows -= nrows;
	}
	served->nmasked++;
}

/* Mark the blocks; a stripe begins at a multiple of four blocks. */
static void
mark_blocks(const Candidate *candidate, uint8_t *served)
{
	uint8_t    *to = served + candidate->first / 8;
	uint32_t	shift = candidate->first % 8;

	for (uint32_t i = 0; i < sizeof(candidate->served); i++)
	{
		uint32_t	bits = (uint32_t) candidate->served[i] << shift;

		if (bits & 0xff)
			to[i] |= (uint8_t) bits;
		if (bits >> 8)
			to[i + 1] |= (uint8_t) (bits >> 8);
	}
}

static bool
make_room(int ncolumns, Served *served)
{
	uint32_t	room = served->ranges_room;

	if (!have_room((void **) &served->words, SEGMENT_WORDS(ncolumns) * sizeof(uint64_t),
				   served->nsegments, 1, &served->segments_room) ||
		!have_room((void **) &served->chunks, sizeof(*served->chunks), served->nchunks,
				   (uint32_t) ncolumns, &served->chunks_room) ||
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
 * Add the stripe to the key of all rows: the same blocks of a file, under the same LSN, have
 * the same rows, as said above.
 */
static void
note_rows(const Candidate *candidate, RunCore *run)
{
	uint64_t	key = run->served_key != 0 ? run->served_key : FNV_START;

	key = fnv_add(key, candidate->table->state->file, sizeof(candidate->table->state->file));
	key = fnv_add(key, &candidate->first, sizeof(candidate->first));
	key = fnv_add_words(key, &candidate->stripe->map.lsn, sizeof(candidate->stripe->map.lsn));
	run->served_key = fnv_add_words(key, candidate->served, sizeof(candidate->served));
}

/* Take a stripe, if all is there. */
static void
take(RunCore *run, const ResidentTables *tables, ResidentTable *table,
	 const Candidate *candidate, Served *served)
{
	EngineStats *stats = &run->head.stats;
	int			ncolumns = run->program->ncolumns;

	if (!has_others(tables, ncolumns, candidate) || !find_columns(ncolumns, candidate, served))
		return;
	served->rows += candidate->stripe->nrows;
	if (candidate->masked)
		note_masked(candidate, served);
	if (served->max_rows < candidate->stripe->nrows)
		served->max_rows = candidate->stripe->nrows;
	mark_blocks(candidate, table->served);
	note_rows(candidate, run);
	served->nsegments++;
	stats->blocks_resident += candidate->nserved;
	stats->blocks_masked += candidate->stripe->nblocks - candidate->nserved;
}

static bool
find_in_table(RunCore *run, const ResidentTables *tables, ResidentTable *table, Served *served)
{
	uint32_t	nstripes = stripes_of_table(table->state->nblocks);
	Candidate	candidate;

	for (uint32_t i = 0; i < nstripes; i++)
	{
		if (!look_at(table, i, &candidate))
			continue;
		if (table->served == NULL)
			table->served = calloc(1, table->state->nblocks / 8 + 1);
		if (table->served == NULL || !make_room(run->program->ncolumns, served))
			return false;
		take(run, tables, table, &candidate, served);
	}
	return true;
}

EngineStatus
served_find(RunCore *run, ResidentTables *tables, Served *served)
{
	for (int i = 0; i < tables->ntables; i++)
	{
		uint32_t	before = served->nsegments;
		ResidentTable *table = &tables->tables[i];

		if (!find_in_table(run, tables, table, served))
			return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
		for (int j = 0; j < run->program->ncolumns && served->nsegments > before; j++)
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

EngineStatus
served_upload(RunCore *run, Served *served, DeviceKernel *mask)
{
	uint64_t	size = (uint64_t) served->nsegments *
		SEGMENT_WORDS(run->program->ncolumns) * sizeof(uint64_t);
	EngineStatus status = ENGINE_OK;

	served->segment_rows = (served->max_rows + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN *
		SEGMENT_ALIGN;
	if (served->segment_rows == 0)
		served->segment_rows = SEGMENT_ALIGN;
	if (served->nmasked > 0)
		status = make_masks(run, served, mask);
	if (status == ENGINE_OK)
		status = run_alloc(run, size, &served->segments);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->upload(run->device, run->work,
														 served->segments.ptr, served->words,
														 size),
							"could not tell the device of kept columns");
	return status;
}

void
served_close(RunCore *run, Served *served)
{
	run_free(run, &served->segments);
	run_free(run, &served->masks);
	run_free(run, &served->device_ranges);
	for (uint32_t i = 0; i < served->nchunks; i++)
		resident_unpin(&run->context->resident, served->chunks[i]);
	free(served->chunks);
	free(served->words);
	free(served->ranges);
	free(served->range_segments);
}
