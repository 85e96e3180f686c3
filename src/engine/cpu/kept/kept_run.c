/*
 * kept_run.c
 *	  Rows that a run takes from columns that are kept, instead of their pages.
 *
 * Who changes a page clears the block's bit in the visibility map first, and who sets a bit gives
 * the page of the map a new LSN.  The caller has read the map after the query's snapshot was
 * taken.  So if the map's LSN and that of the stripe's stamp are the same, and a block's bit is set
 * in both, it has been set all the time between the two: the kept rows are the block's rows, and
 * all of them are visible to the snapshot.  It does not matter which of the two is older: another
 * process may have kept the stripe since.
 *
 * If the LSN differs, the caller tells those that the blocks' pages have now.  A block is taken if
 * its bit is set in the caller's map, and its page's LSN is that of the stamp's moment: whatever
 * changes a page but its hint bits is WAL-logged and gives it another LSN, so it is the page of
 * that moment.  It was all-visible then: all of its tuples are visible to every snapshot that there
 * was or that came later, and no tuple that one of these sees had gone.  If the stamp is older
 * than the caller's map, it is replaced by that, so that later runs need not ask; blocks whose LSN
 * is another one are lost to the stripe.
 *
 * visibility.c in src/source tells what PostgreSQL guarantees of this.
 *
 * Blocks that are not taken are read as pages: up to an eighth of the stripe's, beyond which all
 * of it is.  All-visible blocks that a stripe lacks are read, too; once runs have read as many of
 * them as the stripe has blocks in the table, it is kept anew, and at once by a run whose purpose
 * it is that columns are kept.
 *
 * Rows that lack a value which the run needs, since it is compressed or out of line, are told to the
 * caller as those of pages are (EngineOps.toasted).  Tuples that a snapshot sees stay where they are.
 *
 * Where the ranges of a stripe's columns tell that none of its rows passes the filter, they are
 * counted, and that is all.  Not if the Program hides rows, of whose values these ranges would
 * tell.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/cpu/eval.h"
#include "engine/cpu/kept/kept_run.h"
#include "program/filter_range.h"
#include "program/first_rows.h"

static void
lock(void)
{
	cpu_kept_host->lock();
}

static void
unlock(void)
{
	cpu_kept_host->unlock();
}

/* Name the Program's columns in a table; false: what decides a column's values is too long. */
static bool
name_columns(const CpuKeptRun *run, CpuKeptTable *table)
{
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		memcpy(table->names[i].file, table->state->file, sizeof(table->names[i].file));
		if (!kept_key(&program_columns(run->program)[i], run->params, &table->names[i].key))
			return false;
		table->numbers[i] = -1;
	}
	return true;
}

static bool
create_tables(CpuKeptRun *run, const EngineHints *hints)
{
	size_t		ncolumns = (size_t) run->program->ncolumns + 1;

	run->tables = calloc((size_t) hints->ntables, sizeof(*run->tables));
	if (run->tables == NULL)
		return false;
	run->ntables = hints->ntables;
	for (int i = 0; i < run->ntables; i++)
	{
		CpuKeptTable *table = &run->tables[i];

		table->state = &hints->tables[i];
		table->names = calloc(ncolumns, sizeof(*table->names));
		table->numbers = calloc(ncolumns, sizeof(*table->numbers));
		if (table->names == NULL || table->numbers == NULL)
			return false;
	}
	return true;
}

static bool
create_taken(CpuKeptRun *run)
{
	TakenStripe *taken = &run->taken;
	size_t		ncolumns = (size_t) run->program->ncolumns + 1;

	taken->columns = calloc(ncolumns, sizeof(*taken->columns));
	taken->vectors = calloc(ncolumns, sizeof(*taken->vectors));
	taken->buffers = calloc(ncolumns, DECODE_BUFFER);
	return taken->columns != NULL && taken->vectors != NULL && taken->buffers != NULL;
}

bool
kept_run_create(const Program *program, const ParamValue *params, const EngineHints *hints,
				EngineStats *stats, CpuKeptRun **result)
{
	CpuKeptRun *run;
	bool		named = true;

	*result = NULL;
	if (cpu_kept_host == NULL || hints->ntables == 0)
		return true;
	run = calloc(1, sizeof(*run));
	if (run == NULL)
		return false;
	run->area = cpu_kept_host->area;
	run->program = program;
	run->params = params;
	run->stats = stats;
	run->completes = hints->nkeep > 0;
	run->is_counted = hints->key_share == 0;
	run->now = (int64_t) time(NULL);
	if (!create_tables(run, hints) || !create_taken(run) ||
		!range_sift_create(&run->sift, program->ncolumns) || !keep_stripes_create(run))
	{
		kept_run_free(run);
		return false;
	}
	for (int i = 0; i < run->ntables && named; i++)
		named = name_columns(run, &run->tables[i]);
	if (named)
		*result = run;
	else
		kept_run_free(run);
	return true;
}

void
kept_run_free(CpuKeptRun *run)
{
	if (run == NULL)
		return;
	kept_run_end(run);
	keep_stripes_free(run);
	for (int i = 0; i < run->ntables; i++)
	{
		free(run->tables[i].names);
		free(run->tables[i].numbers);
	}
	free(run->tables);
	for (int i = 0; run->taken.columns != NULL && i < run->program->ncolumns; i++)
		decode_free(&run->taken.columns[i]);
	left_free(&run->left_list);
	range_sift_free(&run->sift);
	free(run->taken.columns);
	free(run->taken.vectors);
	free(run->taken.buffers);
	free(run->taken.left);
	free(run);
}

size_t
kept_run_memory(const CpuKeptRun *run)
{
	size_t		memory;

	if (run == NULL)
		return 0;
	memory = sizeof(*run) + (size_t) run->program->ncolumns * DECODE_BUFFER +
		run->taken.left_room + run->made.memory;
	for (int i = 0; i < run->program->ncolumns; i++)
		memory += run->taken.columns[i].texts_room * sizeof(Bytes) +
			texts_memory(&run->made.columns[i].texts);
	return memory;
}

/* The entries of the columns, as far as there is place for them. */
static void
find_entries(CpuKeptRun *run, CpuKeptTable *table)
{
	for (int i = 0; i < run->program->ncolumns; i++)
		table->numbers[i] = cpu_kept_column(run->area, &table->names[i], table->state->relation,
											table->numbers[i]);
}

/*
 * Where a stripe has each column of the Program; false: not all are there, or rows lack values of
 * one that the Program cannot leave out.
 */
static bool
find_places(CpuKeptRun *run, const CpuKeptTable *table, const CpuKeptStripe *stripe)
{
	const Column *columns = program_columns(run->program);

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const CpuKeptPlace *place = table->numbers[i] < 0 ? NULL :
			cpu_kept_place(stripe, table->numbers[i]);
		CpuKeptPlace own;

		if (place == NULL || (place->nleft > 0 && !program_leaves_rows(run->program)))
			return false;
		own = *place;
		/* a row's place is kept without the table's number */
		if (columns[i].attno == COLUMN_PLACE)
			own.least += (int64_t) place_make(table->state->table, 0, 0);
		decode_begin(&run->taken.columns[i], (ValueType) columns[i].type, &own,
					 run->taken.buffers + (size_t) i * DECODE_BUFFER);
	}
	return true;
}

/* The stripe's blocks that are all-visible now, and whose rows it has. */
static uint64_t
candidates(const CpuKeptTable *table, const CpuKeptStripe *stripe, uint32_t block)
{
	return stripe_blocks_word(stripe->has, block) &
		stripe_all_visible_word(stripe_bits(table->state, stripe->number), block,
								stripe_blocks_there(table->state, stripe->number));
}

const uint8_t *
kept_run_asks(CpuKeptRun *run, const StripeTurn *turn)
{
	CpuKeptTable *table;
	const CpuKeptStripe *stripe;
	uint64_t	lsn;
	bool		asks;

	if (run == NULL)
		return NULL;
	table = &run->tables[turn->table];
	lsn = stripe_lsn(table->state, turn->stripe);
	lock();
	find_entries(run, table);
	stripe = cpu_kept_stripe(run->area, table->state->file, turn->stripe);
	asks = stripe != NULL && lsn != 0 && stripe->map.lsn != lsn && find_places(run, table, stripe);
	for (uint32_t i = 0; asks && i < STRIPE_MAX_BLOCKS; i += 64)
	{
		uint64_t	word = candidates(table, stripe, i);

		memcpy(run->taken.asked + i / 8, &word, sizeof(word));
	}
	unlock();
	return asks ? run->taken.asked : NULL;
}

/* Of 64 blocks, those whose pages are what they were at the stamp's moment. */
static uint64_t
with_same_pages(const CpuKeptStripe *stripe, const uint64_t *lsns, uint32_t first, uint64_t bits)
{
	uint64_t	same = 0;

	for (uint64_t left = bits; left != 0; left &= left - 1)
	{
		uint32_t	block = first + (uint32_t) __builtin_ctzll(left);

		if (stripe->lsns[block] != 0 && stripe->lsns[block] == lsns[block])
			same |= left & -left;
	}
	return same;
}

/* Which blocks are served; false: the stripe's stamp cannot be compared. */
static bool
find_served(CpuKeptRun *run, const CpuKeptTable *table, const CpuKeptStripe *stripe,
			const StripeTurn *turn)
{
	TakenStripe *taken = &run->taken;
	uint64_t	lsn = stripe_lsn(table->state, turn->stripe);
	bool		same_map = stripe->map.lsn == lsn;

	if (lsn == 0 || (!same_map && turn->lsns == NULL))
		return false;
	taken->nserved = 0;
	for (uint32_t i = 0; i < STRIPE_MAX_BLOCKS; i += 64)
	{
		uint64_t	word = candidates(table, stripe, i);

		if (!same_map)
			word = with_same_pages(stripe, turn->lsns, i, word);
		memcpy(taken->served + i / 8, &word, sizeof(word));
		taken->nserved += (uint32_t) __builtin_popcountll(word);
	}
	return true;
}

/*
 * Is the stripe to be kept anew: have runs read as many blocks that it lacks as reading all anew
 * would take, or is keeping this run's purpose and one of its all-visible blocks not served?
 */
static bool
is_worn(const CpuKeptRun *run, const CpuKeptTable *table, CpuKeptStripe *stripe)
{
	uint32_t	nblocks = stripe_blocks_there(table->state, stripe->number);
	uint32_t	all_visible;

	if (stripe->nblocks >= nblocks && !run->completes)
		return false;
	all_visible = stripe_all_visible(stripe_bits(table->state, stripe->number), nblocks);
	if (run->completes)
		return run->taken.nserved < all_visible;
	if (all_visible > stripe->nblocks)
		stripe->nmissed += all_visible - stripe->nblocks;
	if (stripe->nmissed < nblocks)
		return false;
	/* should it not be kept anew, it is of use all the same */
	stripe->nmissed = 0;
	return true;
}

/* Have the stripe pinned, with all that is read of it but its arrays. */
static void
pin_stripe(CpuKeptRun *run, const CpuKeptTable *table, CpuKeptStripe *stripe)
{
	TakenStripe *taken = &run->taken;
	StripeMap	map;
	uint32_t	masked = stripe->nblocks + stripe->nlost - taken->nserved;

	stripe_map(table->state, stripe->number, &map);
	taken->stripe = stripe;
	taken->nrows = stripe->nrows;
	taken->next = 0;
	taken->masked = masked > 0;
	if (taken->masked)
		memcpy(taken->rows, stripe->rows, sizeof(taken->rows));
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		run->area->columns[table->numbers[i]].hits += run->is_counted;
		run->area->columns[table->numbers[i]].last_used = run->now;
	}
	run->stats->blocks_resident += taken->nserved;
	run->stats->blocks_masked += masked;
	if (stripe->map.lsn != map.lsn && stripe_map_is_newer(&map, &stripe->map))
		cpu_kept_stamp(stripe, &map, taken->served, taken->nserved);
	cpu_kept_pin(stripe);
}

/* Which columns are kept under the stamp that the stripe would get now? */
static void
find_there(const CpuKeptRun *run, const CpuKeptTable *table, const CpuKeptStripe *stripe, bool *there)
{
	StripeMap	map;
	bool		same = false;

	if (stripe != NULL)
	{
		stripe_map(table->state, stripe->number, &map);
		same = stripe->nlost == 0 && memcmp(&stripe->map, &map, sizeof(map)) == 0 &&
			stripe_all_visible(map.bits, stripe_nblocks(stripe->number)) == stripe->nblocks;
	}
	for (int i = 0; i < run->program->ncolumns; i++)
		there[i] = same && table->numbers[i] >= 0 &&
			cpu_kept_place(stripe, table->numbers[i]) != NULL;
}

/*
 * Look for the stripe; false: its pages are to be read.  A run counts for the heat of a table's
 * columns where it takes the first stripe, as one of several processes does; of several that take
 * all stripes, for shares of the keys, one counts.
 */
static bool
look_for_stripe(CpuKeptRun *run, CpuKeptTable *table, const StripeTurn *turn, bool *there)
{
	CpuKeptStripe *stripe;
	bool		found;

	lock();
	find_entries(run, table);
	for (int i = 0; turn->stripe == 0 && run->is_counted && i < run->program->ncolumns; i++)
		if (table->numbers[i] >= 0)
			cpu_kept_heat(&run->area->columns[table->numbers[i]], 1, run->now);
	stripe = cpu_kept_stripe(run->area, table->state->file, turn->stripe);
	found = stripe != NULL && find_places(run, table, stripe) &&
		find_served(run, table, stripe, turn) &&
		stripe->nblocks + stripe->nlost - run->taken.nserved <=
		(stripe->nblocks + stripe->nlost) / STRIPE_MASKED_SHARE && !is_worn(run, table, stripe);
	if (found)
		pin_stripe(run, table, stripe);
	else
		find_there(run, table, stripe, there);
	unlock();
	return found;
}

/* Have a byte for each row of the stripe, zeros; false: no memory. */
static bool
have_marks(TakenStripe *taken)
{
	if (taken->left_room < taken->nrows)
	{
		free(taken->left);
		taken->left_room = 0;
		taken->left = malloc(taken->nrows);
		if (taken->left == NULL)
			return false;
		taken->left_room = taken->nrows;
	}
	memset(taken->left, 0, taken->nrows);
	return true;
}

/* Mark the rows of blocks that are not served; how many are. */
static uint64_t
mark_masked(TakenStripe *taken)
{
	uint32_t	row = 0;
	uint64_t	masked = 0;

	for (uint32_t i = 0; i < STRIPE_MAX_BLOCKS; i++)
	{
		if ((taken->served[i / 8] >> i % 8 & 1) == 0 && taken->rows[i] > 0)
		{
			memset(taken->left + row, true, taken->rows[i]);
			masked += taken->rows[i];
		}
		row += taken->rows[i];
	}
	return masked;
}

/* Mark rows of served blocks that lack a column's value, and list each once; false: no memory. */
static bool
mark_left(CpuKeptRun *run, const CpuKeptTable *table, const CpuKeptPlace *place)
{
	TakenStripe *taken = &run->taken;
	uint32_t	of_page = CPU_KEPT_PAGE / sizeof(CpuKeptLeft);
	uint32_t	page = place->left;

	for (uint32_t i = 0; i < place->nleft; i++)
	{
		const CpuKeptLeft *left;

		if (i > 0 && i % of_page == 0)
			page = cpu_kept_next(run->area, page);
		left = (const CpuKeptLeft *) (void *) cpu_kept_page(run->area, page) + i % of_page;
		if (taken->left[left->row])
			continue;
		if (!left_add(&run->left_list, table->state->table,
					  stripe_first_block(taken->stripe->number) + left->block, left->line))
			return false;
		taken->left[left->row] = true;
		taken->nleft++;
	}
	return true;
}

/* Mark the rows that do not count; how many are of served blocks.  False: no memory. */
static bool
mark_rows(CpuKeptRun *run, const CpuKeptTable *table, uint64_t *rows)
{
	TakenStripe *taken = &run->taken;
	size_t		listed = run->left_list.n;
	bool		lacks = false;

	*rows = taken->nrows;
	taken->nleft = 0;
	for (int i = 0; i < run->program->ncolumns; i++)
		lacks = lacks || taken->columns[i].place.nleft > 0;
	if (!taken->masked && !lacks)
		return true;
	if (!have_marks(taken))
		return false;
	if (taken->masked)
		*rows -= mark_masked(taken);
	for (int i = 0; i < run->program->ncolumns; i++)
		if (!mark_left(run, table, &taken->columns[i].place))
		{
			run->left_list.n = listed;
			return false;
		}
	return true;
}

/* Read what the batches' values are made of; false: no memory. */
static bool
read_texts(CpuKeptRun *run)
{
	for (int i = 0; i < run->program->ncolumns; i++)
		if (run->taken.columns[i].type == VT_TEXT &&
			!decode_texts(&run->taken.columns[i], run->area))
			return false;
	return true;
}

/* Can any of the stripe's rows pass the filter, or does it have to be evaluated at least? */
static bool
can_pass(const CpuKeptRun *run)
{
	ValueRange	ranges[PROGRAM_MAX_COLUMNS];

	if (run->taken.nrows == 0)
		return false;
	if (run->program->hides_rows)
		return true;
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const CpuKeptPlace *place = &run->taken.columns[i].place;

		ranges[i] = (ValueRange)
		{
			.nulls = place->nnulls > 0,.values = place->nnulls < run->taken.nrows,
				.known = place->has_range && place->nleft == 0,.least = place->least,.most = place->most
		};
	}
	return filter_can_pass(run->program, run->params, ranges);
}

bool
kept_run_take(CpuKeptRun *run, StripeTurn *turn)
{
	bool		there[PROGRAM_MAX_COLUMNS];
	CpuKeptTable *table;

	turn->served = NULL;
	turn->rows = 0;
	if (run == NULL)
		return false;
	table = &run->tables[turn->table];
	if (!look_for_stripe(run, table, turn, there))
	{
		keep_stripe_begin(run, table, turn->stripe, there);
		return false;
	}
	if (!read_texts(run) || !mark_rows(run, table, &turn->rows))
	{
		turn->rows = 0;
		kept_run_end(run);
		return false;
	}
	turn->served = run->taken.served;
	if (can_pass(run))
	{
		range_sift_begin(&run->sift, run->program, run->params, run->taken.columns);
		return true;
	}
	kept_run_skip(run, turn);
	kept_run_end(run);
	return false;
}

const DecodedColumn *
kept_run_columns(const CpuKeptRun *run, uint32_t *nrows)
{
	*nrows = run->taken.nrows;
	for (int i = 0; i < run->program->ncolumns; i++)
		if (run->taken.columns[i].place.coded)
			return run->taken.columns;
	return NULL;
}

void
kept_run_skip(CpuKeptRun *run, const StripeTurn *turn)
{
	run->stats->rows += turn->rows - run->taken.nleft;
	if (!run->program->hides_rows)
		run->stats->blocks_skipped += run->taken.nserved;
	run->taken.next = run->taken.nrows;
}

/* Go to the next batch, of how many rows; 0: there are no more. */
static uint32_t
next_batch(CpuKeptRun *run)
{
	TakenStripe *taken = &run->taken;
	uint32_t	n = taken->nrows - taken->next < CPU_BATCH ? taken->nrows - taken->next : CPU_BATCH;

	for (int i = 0; n > 0 && i < run->program->ncolumns; i++)
		decode_move(&taken->columns[i], run->area, taken->next, n);
	taken->next += n;
	return n;
}

bool
kept_run_batch(CpuKeptRun *run, ColumnBatch *batch, const uint8_t **left)
{
	TakenStripe *taken = &run->taken;
	uint32_t	npass = 0;
	uint32_t	ncount;

	for (uint32_t n; (n = next_batch(run)) > 0;)
	{
		bool		sifted;

		*left = taken->masked || taken->nleft > 0 ? taken->left + taken->next - n : NULL;
		sifted = range_sift_batch(&run->sift, taken->columns, n, *left, &npass, &ncount);
		if (sifted)
			run->stats->rows += ncount - npass;
		if (sifted && npass == 0)
			continue;
		for (int i = 0; i < run->program->ncolumns; i++)
			if (sifted)
				decode_rows(&taken->columns[i], run->sift.rows, npass, &taken->vectors[i]);
			else
				decode_batch(&taken->columns[i], n, &taken->vectors[i]);
		*batch = (ColumnBatch) {.nrows = sifted ? npass : n,.columns = taken->vectors};
		*left = sifted ? NULL : *left;
		return true;
	}
	return false;
}

int
kept_run_take_left(CpuKeptRun *run, ToastedRow *rows, int max)
{
	return run == NULL ? 0 : left_take(&run->left_list, rows, max);
}

void
kept_run_end(CpuKeptRun *run)
{
	if (run->taken.stripe == NULL)
		return;
	lock();
	cpu_kept_unpin(run->area, run->taken.stripe);
	unlock();
	run->taken.stripe = NULL;
}
