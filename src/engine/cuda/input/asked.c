/*
 * asked.c
 *	  LSNs of pages, which decide where the map does not.
 *
 * A page of the map has got another LSN since a stripe was kept: in some releases a block that
 * changes is enough, and then most of the page's 32,672 blocks are as they were.  The caller is
 * asked for the LSNs that the pages of the stripe's blocks have now, all stripes' at once, since it
 * may be in another process (EngineKept.request).  What is made of them is served.c's business.
 *
 * Runs of others go on meanwhile, and stripes may go, so none of them is remembered.
 *
 * Not asked is of blocks that the map says have changed, of stripes with too many of them, and of
 * those that lack a column.
 */
#include <stdlib.h>

#include "engine/cuda/input/asked.h"

/* Is all that the run wants of the stripe there? */
static bool
has_columns(const KeptTables *tables, const KeptTable *table,
			const KeptStripe *stripe)
{
	const KeptPlace *place;

	for (int i = 0; i < tables->ncolumns; i++)
		if (kept_find(stripe, table->columns[i], &place) == NULL)
			return false;
	return true;
}

/* Has another map come since the stripe was kept? */
static bool
has_other_map(const KeptTable *table, uint32_t number)
{
	const KeptStripe *stripe = kept_stripe(table->file, number);
	uint64_t	lsn = stripe_lsn(table->state, number);

	return stripe != NULL && lsn != 0 && stripe->map.lsn != lsn;
}

/* Can a block of the stripe be as it was? */
static bool
may_be_same(const KeptStripe *stripe, const uint8_t *bits, uint32_t block)
{
	return (stripe->has[block / 8] >> block % 8 & 1) != 0 && stripe->lsns[block] != 0 &&
		stripe_block_is_all_visible(bits, block);
}

/* Note which of the stripe's blocks to ask for; how many. */
static uint64_t
note_stripe(const KeptTable *table, uint32_t number)
{
	const KeptStripe *stripe = kept_stripe(table->file, number);
	const uint8_t *bits = stripe_bits(table->state, number);
	uint32_t	first = stripe_first_block(number);
	uint32_t	nblocks = stripe_blocks_there(table->state, number);
	uint32_t	kept = stripe->nblocks + stripe->nlost;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nblocks; i++)
		n += may_be_same(stripe, bits, i);
	if (n == 0 || kept - n > kept / STRIPE_MASKED_SHARE)
		return 0;
	for (uint32_t i = 0; i < nblocks; i++)
		if (may_be_same(stripe, bits, i))
			table->asked[(first + i) / 8] |= (uint8_t) (1 << (first + i) % 8);
	return n;
}

/* Likewise of the table; false: no memory. */
static bool
note_table(const RunCore *run, const KeptTables *tables, KeptTable *table, uint64_t *n)
{
	uint32_t	nstripes = stripes_of_table(table->state->nblocks);
	uint64_t	before = *n;

	for (uint32_t i = 0; i < nstripes; i++)
	{
		if (!kept_table_has(run, table, i) || !has_other_map(table, i) ||
			!has_columns(tables, table, kept_stripe(table->file, i)))
			continue;
		if (table->asked == NULL)
			table->asked = calloc(1, table->state->nblocks / 8 + 1);
		if (table->asked == NULL)
			return false;
		*n += note_stripe(table, i);
	}
	if (*n > before)
		return true;
	free(table->asked);
	table->asked = NULL;
	return true;
}

/* The LSNs of the table's blocks from lsns on; those behind them, or NULL: no memory. */
static const uint64_t *
take_lsns(KeptTable *table, const uint64_t *lsns)
{
	uint32_t	nblocks = table->state->nblocks;

	if (table->asked == NULL)
		return lsns;
	table->lsns = calloc(nblocks, sizeof(*table->lsns));
	if (table->lsns == NULL)
		return NULL;
	for (uint32_t block = 0; block < nblocks; block++)
		if (table->asked[block / 8] >> block % 8 & 1)
			table->lsns[block] = *lsns++;
	return lsns;
}

EngineStatus
asked_find(RunCore *run, KeptTables *tables)
{
	uint64_t	n = 0;

	if (!run->hints.answers)
		return ENGINE_OK;
	tables->asked = calloc((size_t) tables->ntables + 1, sizeof(*tables->asked));
	if (tables->asked == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	for (int i = 0; i < tables->ntables; i++)
	{
		if (!note_table(run, tables, &tables->tables[i], &n))
			return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
		tables->asked[i] = tables->tables[i].asked;
	}
	tables->nasked = n;
	return ENGINE_OK;
}

void
asked_request(const KeptTables *tables, EngineRequest *request)
{
	*request = (EngineRequest) {REQUEST_NONE, 0, NULL};
	if (tables->nasked > 0)
		*request = (EngineRequest) {REQUEST_PAGE_LSNS, tables->nasked, tables->asked};
}

EngineStatus
asked_take(RunCore *run, KeptTables *tables, const EngineAnswer *answer)
{
	const uint64_t *next = answer->lsns;

	if (answer->kind != REQUEST_PAGE_LSNS || answer->n != tables->nasked)
		return run_fail(run, ENGINE_FAILED, "an answer came that was not asked for");
	tables->nasked = 0;
	for (int i = 0; i < tables->ntables; i++)
	{
		next = take_lsns(&tables->tables[i], next);
		if (next == NULL)
			return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	}
	return ENGINE_OK;
}
