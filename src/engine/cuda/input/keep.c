/*
 * keep.c
 *	  Columns of the pages that a run reads, kept for later runs.
 *
 * A stripe is kept if its pages come in order and in one buffer.  The deform kernel then
 * makes columns of these pages once more, into a chunk: those that are not kept yet, of the
 * blocks that were all-visible by the map that the caller has read before the pages.  The chunk
 * goes to the cache once that has been done.  If a row cannot be kept, the chunk is dropped:
 * errors have counters of their own, so the run does not see them.
 *
 * A block that was all-visible when the map was read may have been changed before its page
 * was.  Then its bit has been cleared before: the rows that the caller gives are those
 * that the page had, since all were visible to its snapshot, and no later run is served the
 * block under this stamp.
 *
 * A caller that ends early unpins pages which the device has not read yet, and what stands in
 * their places then may be anything.  So before something is kept of pages that have been read,
 * the caller is asked whether it still had them (EngineHints.gave_up).
 *
 * Memory: chunks are the cache's from the beginning (resident/room.c), but not found
 * until keep_end.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/input/keep.h"
#include "engine/cuda/resident/room.h"

/* Of a stripe's blocks, the share that must be there, in eighths. */
#define KEEP_EIGHTHS 7

/* Rows of a chunk's columns are a multiple of that, so that columns are aligned. */
#define ROWS_ALIGN 256

static bool
are_enough(uint32_t blocks, uint32_t of)
{
	return blocks > 0 && (uint64_t) blocks * 8 >= (uint64_t) of * KEEP_EIGHTHS;
}

/* The stripe's blocks that the table has. */
static uint32_t
blocks_there(const TableState *state, uint32_t number)
{
	uint32_t	left = state->nblocks - stripe_first_block(number);

	return left < stripe_nblocks(number) ? left : stripe_nblocks(number);
}

static uint32_t
all_visible_blocks(const TableState *state, uint32_t number)
{
	const uint8_t *bits = stripe_bits(state, number);
	uint32_t	nblocks = blocks_there(state, number);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nblocks; i++)
		n += stripe_block_is_all_visible(bits, i);
	return n;
}

/* Is the stripe's column there, by another chunk that was made under the same map? */
static bool
is_kept(const ResidentStripe *stripe, const ResidentColumn *column)
{
	const ResidentPlace *place;

	return stripe != NULL && resident_find(stripe, column, &place) != NULL;
}

/* What is kept of the stripe under the table's map, or NULL. */
static const ResidentStripe *
kept_stripe(const ResidentTable *table, uint32_t number)
{
	const ResidentStripe *stripe = resident_stripe(table->file, number);
	StripeMap	map;

	if (stripe == NULL || stripe->map.lsn != stripe_lsn(table->state, number))
		return NULL;
	stripe_map(table->state, number, &map);
	return memcmp(&stripe->map, &map, sizeof(map)) == 0 ? stripe : NULL;
}

/* Does an older map still hold for most of the stripe's blocks? */
static bool
is_masked(const ResidentTable *table, uint32_t number, uint32_t all_visible)
{
	const ResidentStripe *stripe = resident_stripe(table->file, number);

	return stripe != NULL && kept_stripe(table, number) == NULL &&
		stripe->map.lsn == stripe_lsn(table->state, number) &&
		all_visible <= stripe->nblocks && are_enough(all_visible, stripe->nblocks);
}

static bool
is_wanted(const ResidentTables *tables, const ResidentTable *table, uint32_t number)
{
	const ResidentStripe *stripe = kept_stripe(table, number);
	uint32_t	all_visible;
	bool		missing = false;

	if (stripe_lsn(table->state, number) == 0)
		return false;
	for (int i = 0; i < tables->ncolumns && !missing; i++)
		missing = !is_kept(stripe, table->columns[i]);
	if (!missing)
		return false;
	all_visible = all_visible_blocks(table->state, number);
	return are_enough(all_visible, blocks_there(table->state, number)) &&
		!is_masked(table, number, all_visible);
}

EngineStatus
keep_open(RunCore *run, ResidentTables *tables, uint32_t buffer_pages, uint32_t nbuffers,
		  Keep *keep)
{
	size_t		size = nbuffers * KEEP_STRIPES * sizeof(Counters);
	uint32_t	wanted = 0;
	EngineStatus status;

	keep->tables = tables;
	for (int i = 0; i < tables->ntables; i++)
	{
		ResidentTable *table = &tables->tables[i];
		uint32_t	nstripes = stripes_of_table(table->state->nblocks);

		for (uint32_t j = 0; j < nstripes; j++)
		{
			table->wanted[j] = buffer_pages >= blocks_there(table->state, j) &&
				is_wanted(tables, table, j);
			wanted += table->wanted[j];
		}
	}
	if (wanted == 0)
		return ENGINE_OK;
	status = run_alloc(run, size, &keep->counters);
	if (status == ENGINE_OK)
		status = run_take_stage(run, size, &keep->results);
	keep->enabled = status == ENGINE_OK;
	return status;
}

static ResidentTable *
table_of(const Keep *keep, uint32_t table)
{
	for (int i = 0; i < keep->tables->ntables; i++)
		if (keep->tables->tables[i].state->table == table)
			return &keep->tables->tables[i];
	return NULL;
}

/* The table, if it is to keep the block's stripe. */
static ResidentTable *
wants_block(const Keep *keep, uint32_t number, uint32_t block)
{
	ResidentTable *table = table_of(keep, number);

	return table != NULL && block < table->state->nblocks &&
		table->wanted[stripe_of_block(block)] ? table : NULL;
}

uint32_t
keep_limit(const Keep *keep, const PageRef *last, const PageRef *pages, uint32_t n,
		   uint32_t room)
{
	if (!keep->enabled)
		return n;
	for (uint32_t i = 0; i < n; i++, last = &pages[i - 1])
	{
		const ResidentTable *table;

		if (last != NULL && last->table == pages[i].table &&
			stripe_of_block(last->block) == stripe_of_block(pages[i].block))
			continue;
		table = wants_block(keep, pages[i].table, pages[i].block);
		if (table != NULL &&
			room < i + blocks_there(table->state, stripe_of_block(pages[i].block)))
			return i;
	}
	return n;
}

/* The columns of the table's stripe that are to be kept, as a list; how many. */
static int
wanted_columns(const Keep *keep, const ResidentTable *table, uint32_t number, int *columns)
{
	const ResidentStripe *stripe = kept_stripe(table, number);
	int			n = 0;

	for (int i = 0; i < keep->tables->ncolumns && n < PROGRAM_MAX_COLUMNS; i++)
	{
		bool		twice = false;

		for (int j = 0; j < n && !twice; j++)
			twice = table->columns[columns[j]] == table->columns[i];
		if (!twice && !is_kept(stripe, table->columns[i]))
			columns[n++] = i;
	}
	return n;
}

static void
place_columns(const Keep *keep, KeepSet *set)
{
	for (int i = 0; i < set->ncolumns; i++)
	{
		const Column *column = keep->tables->columns[set->columns[i]];

		set->places[i] = (ColumnPlace) {.values = set->row_bytes};
		set->row_bytes += (uint32_t) layout_value_size((ValueType) column->type);
		if (!column->nullable)
			continue;
		set->places[i].nulls = set->row_bytes;
		set->row_bytes++;
	}
}

static void
free_set(RunCore *run, KeepSet *set)
{
	if (set == NULL)
		return;
	deform_attrs_close(run, &set->attrs);
	free(set->columns);
	free(set->places);
	free(set);
}

/* A set of these columns, with what the device must know of it; NULL: no memory. */
static KeepSet *
make_set(RunCore *run, const Keep *keep, const int *columns, int n)
{
	KeepSet    *set = calloc(1, sizeof(*set));
	const Column *list[PROGRAM_MAX_COLUMNS];

	if (set == NULL)
		return NULL;
	set->ncolumns = n;
	set->columns = malloc((size_t) n * sizeof(*set->columns));
	set->places = malloc((size_t) n * sizeof(*set->places));
	if (set->columns != NULL && set->places != NULL)
	{
		memcpy(set->columns, columns, (size_t) n * sizeof(*columns));
		for (int i = 0; i < n; i++)
			list[i] = keep->tables->columns[columns[i]];
		place_columns(keep, set);
		if (deform_attrs_open(run, list, n, set->places, &set->attrs) == ENGINE_OK)
			return set;
	}
	free_set(run, set);
	return NULL;
}

/* The run's set of these columns; NULL: no memory. */
static KeepSet *
find_set(RunCore *run, Keep *keep, const int *columns, int n)
{
	KeepSet    *set = keep->sets;

	while (set != NULL && (set->ncolumns != n ||
						   memcmp(set->columns, columns, (size_t) n * sizeof(*columns)) != 0))
		set = set->next;
	if (set != NULL)
		return set;
	set = make_set(run, keep, columns, n);
	if (set == NULL)
		return NULL;
	set->next = keep->sets;
	keep->sets = set;
	return set;
}

/*
 * What will be known of a stripe whose pages are infos[0 .. n - 1]: NULL if there are too
 * few, or they do not come in order.  Notes the places of their rows.
 */
static ResidentStripe *
make_stripe(const ResidentTable *table, uint32_t number, DevicePage *infos, uint32_t n)
{
	uint32_t	first = stripe_first_block(number);
	ResidentStripe *stripe = calloc(1, sizeof(*stripe));
	uint32_t	next = 0;

	if (stripe == NULL)
		return NULL;
	stripe_map(table->state, number, &stripe->map);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	block = infos[i].block - first;

		if (block < next)
			break;
		while (next <= block)
			stripe->rows[next++] = stripe->nrows;
		if (!stripe_block_is_all_visible(stripe->map.bits, block))
			continue;
		infos[i].kept = stripe->nrows;
		stripe->has[block / 8] |= (uint8_t) (1 << block % 8);
		stripe->nblocks++;
		stripe->nrows += infos[i].nlines;
	}
	while (next <= STRIPE_MAX_BLOCKS)
		stripe->rows[next++] = stripe->nrows;
	if (infos[n - 1].block - first < STRIPE_MAX_BLOCKS &&
		are_enough(stripe->nblocks, blocks_there(table->state, number)))
		return stripe;
	free(stripe);
	return NULL;
}

/* A chunk for the set's columns; NULL: no room. */
static ResidentChunk *
make_chunk(RunCore *run, const Keep *keep, const ResidentTable *table, const KeepSet *set,
		   uint64_t capacity)
{
	ResidentCache *cache = &run->context->resident;
	ResidentChunk *chunk;
	double		heat = 0;

	for (int i = 0; i < set->ncolumns; i++)
	{
		double		own = resident_heat_now(table->columns[set->columns[i]], keep->tables->now);

		heat = own > heat ? own : heat;
	}
	chunk = resident_chunk(cache, capacity * set->row_bytes, set->ncolumns, heat,
						   keep->tables->now);
	for (int i = 0; chunk != NULL && i < set->ncolumns; i++)
	{
		uint32_t	end = i + 1 < set->ncolumns ? set->places[i + 1].values : set->row_bytes;

		chunk->columns[i] = (ResidentPlace)
		{
			.column = table->columns[set->columns[i]],
				.values = capacity * set->places[i].values,
				.nulls = capacity * set->places[i].nulls,
				.bytes = capacity * (end - set->places[i].values)
		};
	}
	return chunk;
}

/* No page of the stripe is kept after all. */
static void
forget_places(DevicePage *infos, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		infos[i].kept = KEPT_NONE;
}

/*
 * Keep the stripe whose pages are infos[0 .. n - 1], if it has enough of them and there is
 * room; without room for one the run keeps no more.
 */
static bool
begin_stripe(RunCore *run, Keep *keep, const ResidentTable *table, uint32_t number,
			 DevicePage *infos, uint32_t n, KeptStripe *kept)
{
	int			columns[PROGRAM_MAX_COLUMNS];
	int			ncolumns = wanted_columns(keep, table, number, columns);
	ResidentStripe *stripe = ncolumns > 0 ? make_stripe(table, number, infos, n) : NULL;
	KeepSet    *set = stripe != NULL ? find_set(run, keep, columns, ncolumns) : NULL;
	uint64_t	capacity = 0;

	*kept = (KeptStripe) {.file = table->file,.number = number,.stripe = stripe};
	if (set != NULL && stripe->nrows > 0)
	{
		capacity = (stripe->nrows + ROWS_ALIGN - 1) / ROWS_ALIGN * ROWS_ALIGN;
		kept->chunk = make_chunk(run, keep, table, set, capacity);
		keep->enabled = kept->chunk != NULL;
	}
	if (kept->chunk == NULL)
	{
		forget_places(infos, n);
		free(stripe);
		return false;
	}
	kept->pages = (KeptPages)
	{
		.npages = n,.attrs = &set->attrs,.columns = kept->chunk->memory,.capacity = capacity
	};
	return true;
}

static DevicePtr
counters_place(uint32_t number, uint32_t stripe)
{
	return (number * KEEP_STRIPES + stripe) * sizeof(Counters);
}

void
keep_begin(RunCore *run, Keep *keep, const InputLayout *input, const InputBuffer *buffer,
		   uint32_t number, KeptBuffer *kept)
{
	DevicePage *infos = (DevicePage *) ((char *) buffer->stage.data + input_infos_place(input));
	uint32_t	end;

	kept->n = 0;
	for (uint32_t first = 0; first < buffer->npages && keep->enabled; first = end)
	{
		uint32_t	stripe = stripe_of_block(infos[first].block);
		const ResidentTable *table = wants_block(keep, infos[first].table, infos[first].block);
		KeptStripe *next = &kept->stripes[kept->n];

		for (end = first + 1; end < buffer->npages; end++)
			if (infos[end].table != infos[first].table ||
				stripe_of_block(infos[end].block) != stripe)
				break;
		if (table == NULL || kept->n == KEEP_STRIPES ||
			!begin_stripe(run, keep, table, stripe, infos + first, end - first, next))
			continue;
		next->pages.first = first;
		next->pages.counters = keep->counters.ptr + counters_place(number, kept->n);
		kept->n++;
	}
}

EngineStatus
keep_launch(RunCore *run, const Keep *keep, const PageDeformer *deformer,
			const InputLayout *input, const InputBuffer *buffer, const KeptBuffer *kept,
			uint32_t number)
{
	const DeviceOps *ops = run->device_ops;
	DevicePtr	place = counters_place(number, 0);
	EngineStatus status = ENGINE_OK;

	if (kept->n == 0)
		return ENGINE_OK;
	status = run_device(run, ops->fill(run->device, run->work, keep->counters.ptr + place, 0,
									   kept->n * sizeof(Counters)), "could not clear counters");
	for (uint32_t i = 0; i < kept->n && status == ENGINE_OK; i++)
	{
		const ResidentChunk *chunk = kept->stripes[i].chunk;

		/* what stands behind the last row must be harmless */
		status = run_device(run, ops->fill(run->device, run->work, chunk->memory, 0,
										   chunk->size), "could not clear columns");
		if (status == ENGINE_OK)
			status = page_deformer_keep(run, deformer, input, buffer, &kept->stripes[i].pages);
	}
	if (status != ENGINE_OK)
		return status;
	return run_device(run, ops->download(run->device, run->work,
										 (char *) keep->results.data + place,
										 keep->counters.ptr + place,
										 kept->n * sizeof(Counters)), "could not read counters");
}

/* One that cannot be kept. */
static void
drop_stripe(RunCore *run, KeptStripe *kept)
{
	free(kept->stripe);
	resident_chunk_free(&run->context->resident, kept->chunk);
}

void
keep_end(RunCore *run, const Keep *keep, KeptBuffer *kept, uint32_t number)
{
	const Counters *results = (const Counters *) ((const char *) keep->results.data +
												  counters_place(number, 0));
	bool		gave_up = kept->n > 0 && run->hints.gave_up != NULL && run->hints.gave_up();

	for (uint32_t i = 0; i < kept->n; i++)
	{
		KeptStripe *stripe = &kept->stripes[i];
		uint32_t	nblocks = stripe->stripe->nblocks;

		if (gave_up || results[i].errors != 0)
			drop_stripe(run, stripe);
		else if (resident_publish(&run->context->resident, stripe->file, stripe->number,
								  stripe->stripe, stripe->chunk))
			run->head.stats.blocks_kept += nblocks;
	}
	kept->n = 0;
}

void
keep_drop(RunCore *run, KeptBuffer *kept)
{
	for (uint32_t i = 0; i < kept->n; i++)
		drop_stripe(run, &kept->stripes[i]);
	kept->n = 0;
}

void
keep_close(RunCore *run, Keep *keep)
{
	while (keep->sets != NULL)
	{
		KeepSet    *set = keep->sets;

		keep->sets = set->next;
		free_set(run, set);
	}
	run_free(run, &keep->counters);
	run_give_stage(run, &keep->results);
}
