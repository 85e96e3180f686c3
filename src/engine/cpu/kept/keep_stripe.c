/*
 * keep_stripe.c
 *	  Columns of the pages that a run reads, kept for later runs.
 *
 * A stripe is kept by the run that takes it and is given all of its all-visible pages, in their
 * order.  A run that deforms all tuples of these gives its rows, in its buffer.  One that deforms
 * only what passes its filter gives the pages, whose tuples are deformed once more, all of them and
 * into columns of the stripe's own, so that rows which cannot be kept have nothing to do with the
 * run's rows.  A run can change between the two.  A row with
 * a value that is compressed or out of line is kept with its place, by which runs have the session
 * read it.  If a row cannot be kept, the run keeps no more.  When the stripe has ended, its columns
 * are encoded into pages of the area that nobody else knows yet, and published.
 *
 * A block that was all-visible when the map was read may have been changed before its page was.
 * Then its bit has been cleared before: the rows that the caller gives are those that the page had,
 * since all were visible to its snapshot, and no later run is served the block under this stamp.
 *
 * With each block its page's LSN is kept, if the page was, when the caller looked at it, what it
 * had been when the map was read: whoever changes a page clears its bit before the change has an
 * LSN, so a change that the map does not tell of has an LSN behind the end that the WAL had before
 * the map was read.
 *
 * Memory: the columns of one stripe, and one batch of them, until the run is closed.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/eval.h"
#include "engine/cpu/kept/kept_run.h"
#include "program/first_rows.h"

/* Of a stripe's blocks, the share that must be there, in eighths. */
#define KEEP_EIGHTHS 7

#define FIRST_ROOM 65536		/* rows */
#define MOST_MEMORY (UINT64_C(256) << 20)	/* bytes of all columns that are made */

bool
keep_stripes_create(CpuKeptRun *run)
{
	MadeStripe *made = &run->made;
	size_t		ncolumns = (size_t) run->program->ncolumns + 1;

	made->wanted = calloc(ncolumns, sizeof(*made->wanted));
	made->deformed = calloc(ncolumns, sizeof(*made->deformed));
	made->columns = calloc(ncolumns, sizeof(*made->columns));
	made->stripe = calloc(1, sizeof(*made->stripe));
	made->enabled = run->program->ncolumns > 0;
	return made->wanted != NULL && made->deformed != NULL && made->columns != NULL &&
		made->stripe != NULL;
}

void
keep_stripes_free(CpuKeptRun *run)
{
	MadeStripe *made = &run->made;

	for (int i = 0; made->columns != NULL && i < run->program->ncolumns; i++)
		plain_free(&made->columns[i]);
	deform_free(made->deform);
	free(made->wanted);
	free(made->deformed);
	free(made->columns);
	free(made->stripe);
}

/* Nothing is kept of the stripe, nor of those that follow. */
static void
stop_keeping(MadeStripe *made)
{
	made->table = NULL;
	made->enabled = false;
}

static bool
are_enough(uint32_t blocks, uint32_t of)
{
	return blocks > 0 && (uint64_t) blocks * 8 >= (uint64_t) of * KEEP_EIGHTHS;
}

/* Which columns are to be made, each once; how many. */
static uint32_t
choose_columns(CpuKeptRun *run, const CpuKeptTable *table, const bool *there)
{
	MadeStripe *made = &run->made;
	uint32_t	n = 0;

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		made->wanted[i] = !there[i];
		for (int j = 0; j < i && made->wanted[i]; j++)
			made->wanted[i] = memcmp(&table->names[i], &table->names[j], sizeof(CpuKeptName)) != 0;
		n += made->wanted[i];
	}
	return n;
}

/* Nobody else is told of the rows of the stripe's own buffer that lack values. */
static void
forget_left(DeformBuffer *buffer)
{
	ToastedRow	row;

	while (deform_take_left(buffer, &row, 1) > 0)
		;
}

/* A buffer that tuples are deformed into; false: no memory. */
static bool
have_buffer(CpuKeptRun *run)
{
	MadeStripe *made = &run->made;
	size_t		size = (size_t) run->program->ncolumns * sizeof(bool);

	if (made->deform != NULL && memcmp(made->wanted, made->deformed, size) == 0)
	{
		/* those of a stripe that was given up */
		forget_left(made->deform);
		deform_reset(made->deform);
		return true;
	}
	deform_free(made->deform);
	memcpy(made->deformed, made->wanted, size);
	made->deform = deform_create(run->program, run->params, CPU_BATCH, made->wanted);
	return made->deform != NULL;
}

void
keep_stripe_begin(CpuKeptRun *run, const CpuKeptTable *table, uint32_t number, const bool *there)
{
	MadeStripe *made = &run->made;
	CpuKeptStripe *stripe = made->stripe;
	uint32_t	all_visible = stripe_all_visible(stripe_bits(table->state, number),
												 stripe_blocks_there(table->state, number));
	uint32_t	n;

	if (!made->enabled || stripe_lsn(table->state, number) == 0 ||
		!are_enough(all_visible, stripe_blocks_there(table->state, number)))
		return;
	n = choose_columns(run, table, there);
	if (n == 0 || n > CPU_KEPT_PLACES)
		return;
	if (!have_buffer(run))
	{
		stop_keeping(made);
		return;
	}
	memset(stripe, 0, sizeof(*stripe));
	memcpy(stripe->file, table->state->file, sizeof(stripe->file));
	stripe->number = number;
	stripe_map(table->state, number, &stripe->map);
	for (int i = 0; i < run->program->ncolumns; i++)
		made->columns[i].nleft = 0;
	made->table = table;
	made->next = 0;
	made->nrows = 0;
}

/* Let an array have another size; false: no memory, and it is as it was. */
static bool
resize(void **array, size_t size)
{
	void	   *resized = realloc(*array, size);

	if (resized == NULL)
		return false;
	*array = resized;
	return true;
}

/* May columns take so many bytes more? */
static bool
may_have(const MadeStripe *made, size_t bytes)
{
	return made->memory + bytes <= MOST_MEMORY;
}

/* Room for so many rows of a column; false: there is none. */
static bool
have_room(CpuKeptRun *run, int i, uint32_t nrows)
{
	MadeStripe *made = &run->made;
	PlainColumn *column = &made->columns[i];
	ValueType	type = (ValueType) program_columns(run->program)[i].type;
	bool		is_text = type == VT_TEXT;
	size_t		size = is_text ? sizeof(*column->texts.offsets) : (size_t) value_type_size(type);
	size_t		room = column->room == 0 ? FIRST_ROOM : column->room * 2;
	void	   *values = is_text ? (void *) column->texts.offsets : column->values;
	bool		resized;

	if (nrows <= column->room)
		return true;
	if (!may_have(made, (room - column->room) * (size + 1)))
		return false;
	column->type = type;
	resized = resize(&values, (room + is_text) * size);
	if (is_text)
		column->texts.offsets = values;
	else
		column->values = values;
	if (!resized || !resize((void **) &column->validity, room / 8))
		return false;
	made->memory += (room - column->room) * size + (room - column->room) / 8;
	column->room = room;
	return true;
}

/* Room for so many bytes of a column's texts; false: there is none. */
static bool
have_bytes(MadeStripe *made, PlainTexts *texts, size_t bytes)
{
	size_t		room = texts->bytes_room == 0 ? FIRST_ROOM : texts->bytes_room;

	while (room < bytes)
		room *= 2;
	if (room == texts->bytes_room)
		return true;
	if (!may_have(made, room - texts->bytes_room) || !resize((void **) &texts->bytes, room))
		return false;
	made->memory += room - texts->bytes_room;
	texts->bytes_room = room;
	return true;
}

/* The texts of n rows of a batch; there is room for the rows.  False: there is none for the bytes. */
static bool
take_texts(MadeStripe *made, PlainTexts *texts, const ColumnVector *vector, uint32_t first, uint32_t n)
{
	const uint32_t *from = vector->offsets + first;
	uint32_t   *offsets = texts->offsets + made->nrows;
	uint32_t	length = from[n] - from[0];

	if (made->nrows == 0)
		offsets[0] = 0;
	if (!have_bytes(made, texts, (size_t) offsets[0] + length))
		return false;
	memcpy(texts->bytes + offsets[0], (const char *) vector->values + from[0], length);
	for (uint32_t i = 1; i <= n; i++)
		offsets[i] = offsets[0] + (from[i] - from[0]);
	return true;
}

/* Set n bits. */
static void
set_bits(uint8_t *to, uint32_t at, uint32_t n)
{
	for (; n > 0 && at % 8 != 0; at++, n--)
		to[at / 8] |= (uint8_t) (1 << at % 8);
	memset(to + at / 8, 0xff, n / 8);
	for (uint32_t i = n / 8 * 8; i < n; i++)
		to[(at + i) / 8] |= (uint8_t) (1 << i % 8);
}

static void
copy_bits(uint8_t *to, uint32_t at, const uint8_t *from, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint8_t		bit = (uint8_t) (1 << (at + i) % 8);
		bool		set = (from[(first + i) / 8] >> (first + i) % 8 & 1) != 0;

		to[(at + i) / 8] = (uint8_t) ((to[(at + i) / 8] & ~bit) | (set ? bit : 0));
	}
}

/*
 * Can a row's value in the batch be one that was not read?  Then it is zero or an empty text; a few
 * of these may be other columns' rows.
 */
static bool
can_be_left(const Column *described, const ColumnVector *vector, uint32_t row)
{
	static const char zeros[sizeof(Wide)];
	size_t		size = (size_t) value_type_size((ValueType) described->type);

	if (vector->validity != NULL && (vector->validity[row / 8] >> row % 8 & 1) == 0)
		return false;
	if (described->type == VT_TEXT)
		return vector->offsets[row] == vector->offsets[row + 1];
	return described->numeric != NUMERIC_NONE && !described->presence &&
		memcmp((const char *) vector->values + row * size, zeros, size) == 0;
}

/* A column lacks the value of a row; false: no memory. */
static bool
add_left(MadeStripe *made, PlainColumn *column, uint32_t row, const ToastedRow *tuple)
{
	if (column->nleft == column->left_room)
	{
		size_t		room = column->left_room == 0 ? CPU_BATCH : column->left_room * 2;

		if (!resize((void **) &column->left, room * sizeof(*column->left)))
			return false;
		column->left_room = room;
	}
	column->left[column->nleft++] = (CpuKeptLeft)
	{
		.row = made->nrows + row,.line = tuple->line,
			.block = (uint16_t) (tuple->block - stripe_first_block(made->stripe->number))
	};
	return true;
}

/*
 * Note those of n rows of a batch that lack a value, with each column that can lack it; false: no
 * memory.
 */
static bool
take_left(CpuKeptRun *run, DeformBuffer *buffer, uint32_t first, uint32_t n)
{
	MadeStripe *made = &run->made;
	const ColumnBatch *batch = deform_batch(buffer);
	const ToastedRow *tuple = deform_left_rows(buffer);
	const uint8_t *left = deform_left(buffer);

	for (uint32_t row = 0; left != NULL && row < first + n; row++)
	{
		if (!left[row])
			continue;
		for (int i = 0; row >= first && i < run->program->ncolumns; i++)
			if (made->wanted[i] &&
				can_be_left(&program_columns(run->program)[i], &batch->columns[i], row) &&
				!add_left(made, &made->columns[i], row - first, tuple))
				return false;
		tuple++;
	}
	return true;
}

/* Rows' places, which are kept without the table's number. */
static void
take_places(PlainColumn *column, uint32_t row, const int64_t *places, uint32_t n)
{
	int64_t    *to = (int64_t *) (void *) column->values + row;

	for (uint32_t i = 0; i < n; i++)
		to[i] = (int64_t) place_make(0, place_block((uint64_t) places[i]),
									 place_line((uint64_t) places[i]));
}

/* n rows of a buffer become the stripe's; false: there is no room. */
static bool
take_rows(CpuKeptRun *run, DeformBuffer *buffer, uint32_t first, uint32_t n)
{
	MadeStripe *made = &run->made;
	const ColumnBatch *batch = deform_batch(buffer);

	if (!take_left(run, buffer, first, n))
		return false;
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		PlainColumn *column = &made->columns[i];
		const ColumnVector *vector = &batch->columns[i];
		size_t		size;

		if (!made->wanted[i])
			continue;
		if (!have_room(run, i, made->nrows + n))
			return false;
		size = (size_t) value_type_size(column->type);
		if (program_columns(run->program)[i].attno == COLUMN_PLACE)
			take_places(column, made->nrows, (const int64_t *) vector->values + first, n);
		else if (column->type != VT_TEXT)
			memcpy(column->values + made->nrows * size, (const char *) vector->values + first * size,
				   n * size);
		else if (!take_texts(made, &column->texts, vector, first, n))
			return false;
		if (vector->validity == NULL)
			set_bits(column->validity, made->nrows, n);
		else
			copy_bits(column->validity, made->nrows, vector->validity, first, n);
	}
	made->nrows += n;
	return true;
}

/* All rows of the stripe's own buffer become the stripe's; it is empty then. */
static bool
take_deformed(CpuKeptRun *run)
{
	MadeStripe *made = &run->made;
	bool		taken = take_rows(run, made->deform, 0, deform_rows(made->deform));

	forget_left(made->deform);
	deform_reset(made->deform);
	return taken;
}

/* The rows of an all-visible page; false: they cannot be kept. */
static bool
take_page(CpuKeptRun *run, const PageRef *page)
{
	DeformBuffer *buffer = run->made.deform;
	char		message[256];
	uint32_t	line = 0;

	while (line < page->nlines)
	{
		if (deform_page(buffer, page, &line, message) != ENGINE_OK)
			return false;
		if (deform_full(buffer) && !take_deformed(run))
			return false;
	}
	return true;
}

/* Is a page one of the stripe's all-visible ones?  If it does not follow the last one, no more is kept of it. */
static bool
is_of_stripe(CpuKeptRun *run, const PageRef *page)
{
	MadeStripe *made = &run->made;
	uint32_t	first;
	uint32_t	block;

	if (made->table == NULL || page->table != made->table->state->table)
		return false;
	first = stripe_first_block(made->stripe->number);
	block = page->block - first;
	if (page->block < first || block >= STRIPE_MAX_BLOCKS || block < made->next ||
		page->nlines > UINT16_MAX)
	{
		made->table = NULL;
		return false;
	}
	made->next = block + 1;
	return stripe_block_is_all_visible(made->stripe->map.bits, block);
}

/* The stripe has the page's rows. */
static void
add_block(MadeStripe *made, const PageRef *page)
{
	CpuKeptStripe *stripe = made->stripe;
	uint32_t	block = page->block - stripe_first_block(stripe->number);

	stripe->has[block / 8] |= (uint8_t) (1 << block % 8);
	stripe->lsns[block] = page->lsn <= made->table->state->wal_end ? page->lsn : 0;
	stripe->rows[block] = (uint16_t) page->nlines;
	stripe->nblocks++;
}

void
keep_stripe_page(CpuKeptRun *run, const PageRef *page)
{
	if (run == NULL || !is_of_stripe(run, page))
		return;
	if (take_page(run, page))
		add_block(&run->made, page);
	else
		stop_keeping(&run->made);
}

bool
keep_stripe_takes(CpuKeptRun *run, const PageRef *page)
{
	if (run == NULL || !is_of_stripe(run, page))
		return false;
	add_block(&run->made, page);
	return true;
}

void
keep_stripe_rows(CpuKeptRun *run, DeformBuffer *buffer, uint32_t first)
{
	MadeStripe *made = &run->made;

	if (made->table == NULL)
		return;
	/* rows that came before, from pages */
	if ((deform_rows(made->deform) > 0 && !take_deformed(run)) ||
		!take_rows(run, buffer, first, deform_rows(buffer) - first))
		stop_keeping(made);
}

/* Has the stripe all blocks that are all-visible under its stamp? */
static bool
is_complete(const MadeStripe *made)
{
	const CpuKeptStripe *stripe = made->stripe;

	return stripe->nblocks == stripe_all_visible(stripe->map.bits, stripe_nblocks(stripe->number));
}

/* How the columns are encoded, as the stripe's places; the pages that this takes, 0: no memory. */
static uint32_t
choose_places(CpuKeptRun *run, CpuKeptName *names)
{
	MadeStripe *made = &run->made;
	CpuKeptStripe *stripe = made->stripe;
	uint32_t	npages = 1;

	stripe->nrows = made->nrows;
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		CpuKeptPlace *place = &stripe->places[stripe->nplaces];

		if (!made->wanted[i])
			continue;
		if (!have_room(run, i, 1) || !encode_choose(&made->columns[i], made->nrows, place))
			return 0;
		names[stripe->nplaces++] = made->table->names[i];
		npages += place->npages;
	}
	return npages;
}

/* The heat of the hottest of the columns. */
static double
heat_of(CpuKeptRun *run)
{
	double		heat = 0;

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		int			number = cpu_kept_column(run->area, &run->made.table->names[i],
											 run->made.table->state->relation, -1);

		if (number >= 0 && run->area->columns[number].heat > heat)
			heat = run->area->columns[number].heat;
	}
	return heat;
}

/* Pages for the stripe and its places, as far as others give way; 0: there is no room. */
static uint32_t
try_pages(CpuKeptRun *run, uint32_t npages)
{
	CpuKeptStripe *stripe = run->made.stripe;
	uint32_t	page = 0;

	cpu_kept_host->lock();
	if (cpu_kept_make_room(run->area, npages, heat_of(run), run->now, &run->stats->blocks_evicted))
	{
		page = cpu_kept_take_pages(run->area, 1);
		for (uint32_t i = 0; i < stripe->nplaces; i++)
			encode_take_pages(run->area, &stripe->places[i], stripe->nrows);
	}
	cpu_kept_host->unlock();
	return page;
}

/*
 * The page of the stripe, or 0.  Files that are gone are looked for where there is no room only,
 * once a run.
 */
static uint32_t
take_pages(CpuKeptRun *run, uint32_t npages)
{
	uint32_t	page = try_pages(run, npages);

	if (page != 0 || run->made.evicted_gone)
		return page;
	run->made.evicted_gone = true;
	cpu_kept_host->evict_gone();
	return try_pages(run, npages);
}

/* Write the columns into pages, and let others know of them; false: there is no room. */
static bool
publish(CpuKeptRun *run)
{
	MadeStripe *made = &run->made;
	CpuKeptStripe *stripe = made->stripe;
	CpuKeptName names[CPU_KEPT_PLACES];
	uint32_t	npages = choose_places(run, names);
	uint32_t	page = npages == 0 ? 0 : take_pages(run, npages);
	uint32_t	place = 0;
	bool		kept;

	if (page == 0)
		return false;
	for (int i = 0; i < run->program->ncolumns; i++)
		if (made->wanted[i])
			encode_write(run->area, &stripe->places[place++], &made->columns[i], made->nrows);
	memcpy(cpu_kept_page(run->area, page), stripe, sizeof(*stripe));
	cpu_kept_host->lock();
	kept = cpu_kept_publish(run->area, page, names, made->table->state->relation, run->now);
	cpu_kept_host->unlock();
	if (kept)
		run->stats->blocks_kept += stripe->nblocks;
	return true;
}

void
keep_stripe_end(CpuKeptRun *run)
{
	MadeStripe *made;

	if (run == NULL || run->made.table == NULL)
		return;
	made = &run->made;
	if (is_complete(made) &&
		((deform_rows(made->deform) > 0 && !take_deformed(run)) || !publish(run)))
		stop_keeping(made);
	made->table = NULL;
}
