/*
 * keep.c
 *	  Columns of the pages that a run reads, kept for later runs.
 *
 * A stripe is kept if its pages come in order and in one buffer.  The deform kernel then
 * makes columns of these pages once more: those that are not kept yet, of the blocks that
 * were all-visible by the map that the caller has read before the pages.  If a row cannot be
 * kept, they are dropped: errors have counters of their own, so the run does not see them.
 *
 * The columns' ranges come back with the counters.  They tell how the columns are encoded
 * (pack.c), and the size of the chunk that they are encoded into.  The work stream does
 * that behind what it has to do by then, and the buffer does not wait for it: the chunk
 * goes to the cache when the buffer has been through the device once more, or at the end.
 *
 * A block that was all-visible when the map was read may have been changed before its page
 * was.  Then its bit has been cleared before: the rows that the caller gives are those
 * that the page had, since all were visible to its snapshot, and no later run is served the
 * block under this stamp.
 *
 * With each block its page's LSN is kept, if the page was, when the caller looked at it, what it
 * had been when the map was read: whoever changes a page clears its bit before the change has
 * an LSN (XLogInsert), so a change that the map does not tell of has an LSN behind the end that
 * the WAL had before the map was read.
 *
 * Of a page that has no rows, as DELETE and then VACUUM leave it, that it has none is kept by the
 * same rules.
 *
 * A caller that ends early unpins pages which the device has not read yet, and what stands in
 * their places then may be anything.  So before something is kept of pages that have been read,
 * the caller is asked whether it still had them (EngineHints.gave_up).
 *
 * Memory: chunks, and the room for columns before they are encoded, are the cache's from the
 * beginning (kept/room.c), but not found until they are published.  A chunk may be in host memory,
 * which the kernel that encodes writes to over the link.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/input/keep.h"
#include "engine/cuda/kept/room.h"

/* Of a stripe's blocks, the share that must be there, in eighths. */
#define KEEP_EIGHTHS 7

static bool
are_enough(uint32_t blocks, uint32_t of)
{
	return blocks > 0 && (uint64_t) blocks * 8 >= (uint64_t) of * KEEP_EIGHTHS;
}

/* Is the stripe's column there, by another chunk that was made under the same map? */
static bool
is_kept(const KeptStripe *stripe, KeptColumn *column)
{
	const KeptPlace *place;

	return stripe != NULL && kept_find(stripe, column, &place) != NULL;
}

/*
 * What is kept of the stripe under the table's map, or NULL; also if it has lost blocks, or lacks
 * some that are all-visible under the map, since other columns that are kept have these.
 */
static const KeptStripe *
keep_stripe(const KeptTable *table, uint32_t number)
{
	const KeptStripe *stripe = kept_stripe(table->file, number);

	if (stripe == NULL || stripe->nlost > 0 ||
		stripe->map.lsn != stripe_lsn(table->state, number))
		return NULL;
	if (memcmp(stripe->map.bits, stripe_bits(table->state, number),
			   stripe_nblocks(number) / 4) != 0)
		return NULL;
	return stripe_all_visible(stripe->map.bits, stripe_nblocks(number)) == stripe->nblocks ?
		stripe : NULL;
}

/* Does an older map still hold for most of the stripe's blocks? */
static bool
is_masked(const KeptTable *table, uint32_t number, uint32_t all_visible)
{
	const KeptStripe *stripe = kept_stripe(table->file, number);

	return stripe != NULL && keep_stripe(table, number) == NULL &&
		stripe->map.lsn == stripe_lsn(table->state, number) &&
		all_visible <= stripe->nblocks &&
		are_enough(all_visible, stripe->nblocks + stripe->nlost);
}

static bool
is_wanted(const RunCore *run, const KeptTables *tables, const KeptTable *table,
		  uint32_t number)
{
	const KeptStripe *stripe = keep_stripe(table, number);
	uint32_t	all_visible;
	bool		missing = false;

	if (!kept_table_has(run, table, number) || stripe_lsn(table->state, number) == 0)
		return false;
	for (int i = 0; i < tables->ncolumns && !missing; i++)
		missing = keep_texts_possible(run, table->columns[i]) &&
			!is_kept(stripe, table->columns[i]);
	if (!missing)
		return false;
	all_visible = stripe_all_visible(stripe_bits(table->state, number),
									 stripe_blocks_there(table->state, number));
	return are_enough(all_visible, stripe_blocks_there(table->state, number)) &&
		!is_masked(table, number, all_visible);
}

EngineStatus
keep_open(RunCore *run, KeptTables *tables, uint32_t buffer_pages, uint32_t nbuffers,
		  Keep *keep)
{
	size_t		columns = (size_t) tables->ncolumns * (sizeof(ColumnRange) + sizeof(PackedColumn));
	size_t		size = nbuffers * KEEP_STRIPES * (sizeof(Counters) + columns);
	uint32_t	wanted = 0;
	EngineStatus status;

	keep->tables = tables;
	keep->result_size = (uint32_t) (sizeof(Counters) + columns);
	for (int i = 0; i < tables->ntables; i++)
	{
		KeptTable  *table = &tables->tables[i];
		uint32_t	nstripes = stripes_of_table(table->state->nblocks);

		for (uint32_t j = 0; j < nstripes; j++)
		{
			table->wanted[j] = !table->taken[j] &&
				buffer_pages >= stripe_blocks_there(table->state, j) &&
				is_wanted(run, tables, table, j);
			wanted += table->wanted[j];
		}
	}
	if (wanted == 0)
		return ENGINE_OK;
	status = run_alloc(run, size, &keep->device_results);
	if (status == ENGINE_OK)
		status = run_take_stage(run, size, &keep->results);
	if (status == ENGINE_OK)
		status = run_take_event(run, &keep->packed);
	if (status == ENGINE_OK)
		status = keep_texts_open(run, tables, nbuffers * KEEP_STRIPES, &keep->texts);
	keep->enabled = status == ENGINE_OK;
	return status;
}

static KeptTable *
table_of(const Keep *keep, uint32_t table)
{
	for (int i = 0; i < keep->tables->ntables; i++)
		if (keep->tables->tables[i].state->table == table)
			return &keep->tables->tables[i];
	return NULL;
}

/* The table, if it is to keep the block's stripe. */
static KeptTable *
wants_block(const Keep *keep, uint32_t number, uint32_t block)
{
	KeptTable  *table = table_of(keep, number);

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
		const KeptTable *table;

		if (last != NULL && last->table == pages[i].table &&
			stripe_of_block(last->block) == stripe_of_block(pages[i].block))
			continue;
		table = wants_block(keep, pages[i].table, pages[i].block);
		if (table != NULL &&
			room < i + stripe_blocks_there(table->state, stripe_of_block(pages[i].block)))
			return i;
	}
	return n;
}

bool
keep_continues(const Keep *keep, const PageRef *page)
{
	const KeptTable *table = keep->enabled ? wants_block(keep, page->table, page->block) :
		NULL;
	uint32_t	next = page->block + 1;

	return table != NULL && next < table->state->nblocks &&
		stripe_of_block(next) == stripe_of_block(page->block);
}

/* The columns of the table's stripe that are to be kept, as a list; how many. */
static int
wanted_columns(const RunCore *run, const Keep *keep, const KeptTable *table,
			   uint32_t number, int *columns)
{
	const KeptStripe *stripe = keep_stripe(table, number);
	int			n = 0;

	for (int i = 0; i < keep->tables->ncolumns && n < PROGRAM_MAX_COLUMNS; i++)
	{
		bool		twice = false;

		for (int j = 0; j < n && !twice; j++)
			twice = table->columns[columns[j]] == table->columns[i];
		if (!twice && keep_texts_claimed(run, table->columns[i]) &&
			!is_kept(stripe, table->columns[i]))
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
 * few, or they do not come in order.  Notes the places of their rows.  A page that has been
 * changed after the map was read had another LSN when it was.
 */
static KeptStripe *
make_stripe(const KeptTable *table, uint32_t number, DevicePage *infos,
			const uint64_t *lsns, uint32_t n)
{
	uint32_t	first = stripe_first_block(number);
	KeptStripe *stripe = calloc(1, sizeof(*stripe));
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
		stripe->lsns[block] = lsns[i] <= table->state->wal_end ? lsns[i] : 0;
		stripe->nblocks++;
		stripe->nrows += infos[i].nlines;
	}
	while (next <= STRIPE_MAX_BLOCKS)
		stripe->rows[next++] = stripe->nrows;
	if (infos[n - 1].block - first < STRIPE_MAX_BLOCKS &&
		are_enough(stripe->nblocks, stripe_blocks_there(table->state, number)))
		return stripe;
	free(stripe);
	return NULL;
}

/* The heat of the set's hottest column. */
static double
set_heat(const Keep *keep, const KeptTable *table, const KeepSet *set)
{
	double		heat = 0;

	for (int i = 0; i < set->ncolumns; i++)
	{
		double		own = kept_heat_now(table->columns[set->columns[i]], keep->tables->now);

		heat = own > heat ? own : heat;
	}
	return heat;
}

/*
 * Memory for a stripe's columns, or without columns of its own for those that are still to be
 * encoded; NULL: no room, and the run keeps no more.
 */
static KeptChunk *
make_chunk(RunCore *run, Keep *keep, const KeepStripe *kept, uint64_t size, int ncolumns)
{
	KeptCache  *cache = &run->context->kept;
	uint64_t	evicted = cache->evicted;
	double		heat = set_heat(keep, kept->table, kept->set);
	KeptChunk  *chunk = ncolumns > 0 ?
		kept_chunk(cache, size, ncolumns, heat, keep->tables->now) :
		kept_plain_chunk(cache, size, heat, keep->tables->now);

	run->head.stats.blocks_evicted += cache->evicted - evicted;
	keep->enabled = keep->enabled && chunk != NULL;
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
begin_stripe(RunCore *run, Keep *keep, const KeptTable *table, uint32_t number,
			 DevicePage *infos, const uint64_t *lsns, uint32_t n, KeepStripe *kept)
{
	int			columns[PROGRAM_MAX_COLUMNS];
	int			ncolumns = wanted_columns(run, keep, table, number, columns);
	KeptStripe *stripe = ncolumns > 0 ? make_stripe(table, number, infos, lsns, n) :
		NULL;
	KeepSet    *set = stripe != NULL ? find_set(run, keep, columns, ncolumns) : NULL;
	uint64_t	capacity = stripe != NULL ? pack_capacity(stripe->nrows) : 0;

	*kept = (KeepStripe) {.table = table,.number = number,.set = set,.stripe = stripe};
	if (set != NULL)
		kept->plain = make_chunk(run, keep, kept, capacity * set->row_bytes, 0);
	if (kept->plain == NULL)
	{
		forget_places(infos, n);
		free(stripe);
		return false;
	}
	kept->pages = (KeepPages)
	{
		.npages = n,.attrs = &set->attrs,.columns = kept->plain->memory,.capacity = capacity
	};
	kept->source = (PackSource)
	{
		.plain = kept->plain->memory,.capacity = capacity,.nrows = stripe->nrows,
			.ncolumns = ncolumns,.attrs = &set->attrs
	};
	return true;
}

/* Places of a stripe's results. */
static DevicePtr
results_place(const Keep *keep, uint32_t number, uint32_t stripe)
{
	return (DevicePtr) (number * KEEP_STRIPES + stripe) * keep->result_size;
}

static DevicePtr
ranges_place(const Keep *keep, uint32_t number, uint32_t stripe)
{
	return results_place(keep, number, stripe) + sizeof(Counters);
}

static DevicePtr
packed_place(const Keep *keep, uint32_t number, uint32_t stripe)
{
	return ranges_place(keep, number, stripe) +
		(DevicePtr) keep->tables->ncolumns * sizeof(ColumnRange);
}

/* One that cannot be kept. */
static void
drop_stripe(RunCore *run, KeepStripe *kept)
{
	free(kept->stripe);
	kept_chunk_free(&run->context->kept, kept->plain);
	if (kept->chunk != NULL)
		kept_chunk_free(&run->context->kept, kept->chunk);
}

/* The stripe's blocks that have rows. */
static uint32_t
blocks_with_rows(const KeptStripe *stripe)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < STRIPE_MAX_BLOCKS; i++)
		n += stripe->rows[i + 1] > stripe->rows[i];
	return n;
}

/*
 * Have codes made of the stripe's texts; without room for them it is not kept.  place: of its
 * columns of texts, in what dictionaries tell.
 */
static bool
begin_texts(RunCore *run, Keep *keep, const PageDeformer *deformer, uint32_t place,
			KeepStripe *kept)
{
	const KeepSet *set = kept->set;

	kept->texts = (BufferTexts)
	{
		.table = kept->table,.columns = set->columns,.places = set->places,
			.ncolumns = set->ncolumns,.plain = kept->plain->memory,
			.capacity = kept->source.capacity,.nrows = kept->source.nrows,
			.npages = blocks_with_rows(kept->stripe),.place = place * keep->texts.ncolumns
	};
	return keep_texts_begin(run, &keep->texts, &deformer->kernels, &kept->texts,
							keep->tables->now);
}

void
keep_begin(RunCore *run, Keep *keep, const PageDeformer *deformer, const InputLayout *input,
		   const InputBuffer *buffer, uint32_t number, KeepBuffer *kept)
{
	DevicePage *infos = (DevicePage *) ((char *) buffer->stage.data + input_infos_place(input));
	uint32_t	end;

	kept->n = 0;
	for (uint32_t first = 0; first < buffer->npages && keep->enabled; first = end)
	{
		uint32_t	stripe = stripe_of_block(infos[first].block);
		const KeptTable *table = wants_block(keep, infos[first].table, infos[first].block);
		KeepStripe *next = &kept->stripes[kept->n];

		for (end = first + 1; end < buffer->npages; end++)
			if (infos[end].table != infos[first].table ||
				stripe_of_block(infos[end].block) != stripe)
				break;
		if (table == NULL || kept->n >= KEEP_MOST_STRIPES ||
			!begin_stripe(run, keep, table, stripe, infos + first, buffer->lsns + first,
						  end - first, next))
			continue;
		if (!begin_texts(run, keep, deformer, number * KEEP_STRIPES + kept->n, next))
		{
			forget_places(infos + first, end - first);
			drop_stripe(run, next);
			continue;
		}
		next->pages.first = first;
		next->pages.counters = keep->device_results.ptr +
			results_place(keep, number, kept->n);
		next->pages.ranges = keep->device_results.ptr + ranges_place(keep, number, kept->n);
		kept->n++;
	}
}

/* Clear the results of a buffer's stripes, or download them. */
static EngineStatus
clear_results(RunCore *run, const Keep *keep, uint32_t number, uint32_t n)
{
	return run_device(run, run->device_ops->fill(run->device, run->work,
												 keep->device_results.ptr +
												 results_place(keep, number, 0), 0,
												 (size_t) n * keep->result_size),
					  "could not clear counters");
}

static EngineStatus
fetch_results(RunCore *run, const Keep *keep, uint32_t number, uint32_t n)
{
	DevicePtr	place = results_place(keep, number, 0);

	return run_device(run, run->device_ops->download(run->device, run->work,
													 (char *) keep->results.data + place,
													 keep->device_results.ptr + place,
													 (size_t) n * keep->result_size),
					  "could not read counters");
}

EngineStatus
keep_launch(RunCore *run, const Keep *keep, const PageDeformer *deformer,
			const InputLayout *input, const InputBuffer *buffer, const KeepBuffer *kept,
			uint32_t number)
{
	EngineStatus status;

	if (kept->n == 0)
		return ENGINE_OK;
	status = clear_results(run, keep, number, kept->n);
	for (uint32_t i = 0; i < kept->n && status == ENGINE_OK; i++)
	{
		const BufferTexts *texts = &kept->stripes[i].texts;

		/* no rows have no range: the results stay cleared */
		if (texts->nrows == 0)
			continue;
		status = page_deformer_keep(run, deformer, input, buffer, &kept->stripes[i].pages);
		if (status == ENGINE_OK)
			status = keep_texts_launch(run, &keep->texts, &deformer->kernels, buffer, texts);
		if (status == ENGINE_OK)
			status = pack_find_ranges(run, &deformer->kernels, &kept->stripes[i].source,
									  keep->device_results.ptr + ranges_place(keep, number, i));
	}
	return status == ENGINE_OK ? fetch_results(run, keep, number, kept->n) : status;
}

/* A chunk for the stripe's columns as they will be encoded; false: no room. */
static bool
choose_encodings(RunCore *run, Keep *keep, KeepStripe *kept, const ColumnRange *ranges,
				 PackedColumn *packed)
{
	const KeepSet *set = kept->set;
	KeptPlace	places[PROGRAM_MAX_COLUMNS];
	uint64_t	size = 0;

	memset(places, 0, (size_t) set->ncolumns * sizeof(places[0]));
	for (int i = 0; i < set->ncolumns; i++)
	{
		const Column *column = keep->tables->columns[set->columns[i]];

		places[i].column = kept->table->columns[set->columns[i]];
		size = pack_place(column, &ranges[i], &kept->source, size, &places[i]);
		packed[i] = pack_describe(column, &places[i]);
	}
	/* there is no memory of no bytes */
	kept->chunk = make_chunk(run, keep, kept, size > 0 ? size : PLACE_ALIGN, set->ncolumns);
	if (kept->chunk != NULL)
		memcpy(kept->chunk->columns, places, (size_t) set->ncolumns * sizeof(places[0]));
	return kept->chunk != NULL;
}

/* Encode a stripe whose columns have been made of its pages; false: no room. */
static bool
pack_stripe(RunCore *run, Keep *keep, const PageDeformer *deformer, KeepStripe *kept,
			uint32_t number, uint32_t i, EngineStatus *status)
{
	char	   *results = keep->results.data;
	DevicePtr	place = packed_place(keep, number, i);
	size_t		size = (size_t) kept->set->ncolumns * sizeof(PackedColumn);

	if (!choose_encodings(run, keep, kept,
						  (const ColumnRange *) (results + ranges_place(keep, number, i)),
						  (PackedColumn *) (results + place)))
		return false;
	*status = run_device(run, run->device_ops->upload(run->device, run->work,
													  keep->device_results.ptr + place,
													  results + place, size),
						 "could not tell the device of encodings");
	if (*status == ENGINE_OK)
		*status = pack_launch(run, &deformer->kernels, &kept->source,
							  keep->device_results.ptr + place, kept->chunk->memory);
	return true;
}

/* What has been encoded goes to the cache. */
static void
publish(RunCore *run, KeepBuffer *kept)
{
	KeptCache  *cache = &run->context->kept;

	for (uint32_t i = 0; i < kept->npacked; i++)
	{
		KeepStripe *stripe = &kept->packed[i];
		uint32_t	nblocks = stripe->stripe->nblocks;

		kept_chunk_free(cache, stripe->plain);
		keep_texts_forget(run, &stripe->texts, stripe->chunk);
		if (stripe->chunk->ncolumns == 0)
		{
			free(stripe->stripe);
			kept_chunk_free(cache, stripe->chunk);
		}
		else if (kept_publish(cache, stripe->table->file, stripe->number, stripe->stripe,
							 stripe->chunk))
			run->head.stats.blocks_kept += nblocks;
	}
	kept->npacked = 0;
}

EngineStatus
keep_end(RunCore *run, Keep *keep, const PageDeformer *deformer, KeepBuffer *kept,
		 uint32_t number)
{
	bool		gave_up = kept->n > 0 && run->hints.gave_up != NULL && run->hints.gave_up();
	EngineStatus status = ENGINE_OK;

	/* the work stream has done them before the buffer's launch */
	publish(run, kept);
	for (uint32_t i = 0; i < kept->n; i++)
	{
		KeepStripe *stripe = &kept->stripes[i];
		const char *results = keep->results.data;
		const Counters *counters = (const Counters *) (results + results_place(keep, number, i));

		keep_texts_end(run, &keep->texts, &stripe->texts,
					   (const ColumnRange *) (results + ranges_place(keep, number, i)));
		if (gave_up || status != ENGINE_OK || counters->errors != 0 ||
			!keep_texts_leave_any(run, &stripe->texts) ||
			!pack_stripe(run, keep, deformer, stripe, number, i, &status))
			drop_stripe(run, stripe);
		else
			kept->packed[kept->npacked++] = *stripe;
	}
	kept->n = 0;
	if (status == ENGINE_OK && kept->npacked > 0)
		status = run_device(run, run->device_ops->event_record(run->device, keep->packed,
															   run->work),
							"could not record an event");
	return status;
}

/* Publish all that has been encoded; BUSY: it has not yet been. */
static EngineStatus
publish_all(RunCore *run, Keep *keep, KeepBuffer *kept, uint32_t nbuffers)
{
	uint32_t	npacked = 0;
	DeviceStatus ready;

	for (uint32_t i = 0; i < nbuffers; i++)
		npacked += kept[i].npacked;
	if (npacked == 0)
		return ENGINE_OK;
	ready = run->device_ops->event_query(run->device, keep->packed);
	if (ready == DEVICE_BUSY)
		return ENGINE_BUSY;
	for (uint32_t i = 0; i < nbuffers && ready == DEVICE_OK; i++)
		publish(run, &kept[i]);
	return run_device(run, ready, "the device failed");
}

EngineStatus
keep_finish(RunCore *run, Keep *keep, const PageDeformer *deformer, KeepBuffer *kept,
			uint32_t nbuffers)
{
	EngineStatus status = publish_all(run, keep, kept, nbuffers);

	return status == ENGINE_OK ?
		keep_texts_trim(run, keep->tables, &keep->texts, &deformer->kernels) : status;
}

void
keep_drop(RunCore *run, const Keep *keep, KeepBuffer *kept)
{
	for (uint32_t i = 0; i < kept->n; i++)
	{
		keep_texts_drop(run, &keep->texts, &kept->stripes[i].texts);
		drop_stripe(run, &kept->stripes[i]);
	}
	for (uint32_t i = 0; i < kept->npacked; i++)
		drop_stripe(run, &kept->packed[i]);
	kept->n = 0;
	kept->npacked = 0;
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
	run_free(run, &keep->device_results);
	run_give_stage(run, &keep->results);
	run_give_event(run, &keep->packed);
	if (keep->tables != NULL)
		keep_texts_close(run, keep->tables, &keep->texts);
}
