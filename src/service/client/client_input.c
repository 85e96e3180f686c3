/*
 * client_input.c
 *	  What a session sends to its run in the device process: pages, column batches, LSNs,
 *	  and tables that it has named.
 *
 * Pages in shared buffers go as the buffers' numbers.  The bytes of others are copied
 * into a ring in the run's memory file, so that the caller may let go of them at
 * once; column batches into one of two areas there.  A place is used again
 * when the device process has said that it is done with it.
 */
#include <string.h>

#include "service/client/client_run.h"

/* Let an area have that size, behind all others if it has to move. */
static void
grow_area(ClientRun *run, Area *area, uint64_t size)
{
	if (size <= area->size)
		return;
	file_give_back(run->file, area->place, area->size);
	area->place = run->end;
	area->size = size + size / 2;
	area->size = (area->size + HEAP_PAGE_SIZE - 1) / HEAP_PAGE_SIZE * HEAP_PAGE_SIZE;
	run->end += area->size;
}

/* The number of the shared buffer that the page is, or 0. */
static int32_t
buffer_of(const ClientRun *run, const char *page)
{
	uint64_t	place = (uint64_t) ((uintptr_t) page - (uintptr_t) run->config.buffers);

	if (!run->in_place || place >= run->config.buffers_size)
		return 0;
	return (int32_t) (place / HEAP_PAGE_SIZE) + 1;
}

/* Copy a page's bytes into the ring; false: there is no room. */
static bool
copy_page(ClientRun *run, const char *page, uint64_t copied, uint64_t *place)
{
	uint64_t	turn = copied % RING_PAGES;

	if (run->copy_of[turn] > run->released)
		return false;
	grow_area(run, &run->ring, (uint64_t) RING_PAGES * HEAP_PAGE_SIZE);
	*place = run->ring.place + turn * HEAP_PAGE_SIZE;
	if (file_write(run->file, *place, page, HEAP_PAGE_SIZE))
		return true;
	(void) client_fail(run, ENGINE_NO_MEMORY, "out of memory for pages");
	return false;
}

/* The room that is left in the message for one more entry and its lines. */
static bool
lines_fit(uint32_t npages, uint32_t nlines)
{
	return sizeof(PagesMessage) + npages * sizeof(PageEntry) + nlines * sizeof(uint16_t) <=
		PROTOCOL_MAX_MESSAGE;
}

/* How many of n pages fit one message; the room for lines depends on it. */
static uint32_t
pages_that_fit(const PageRef *pages, uint32_t n)
{
	uint32_t	nlines = 0;
	uint32_t	i;

	for (i = 0; i < n; i++)
	{
		nlines += pages[i].lines != NULL ? pages[i].nlines : 0;
		if (!lines_fit(i + 1, nlines))
			break;
	}
	return i;
}

/* Entries of the pages, as far as there is room for their bytes; how many those are. */
static uint32_t
fill_entries(ClientRun *run, const PageRef *pages, uint32_t n)
{
	uint64_t	ncopies = 0;
	uint32_t	i;

	for (i = 0; i < n; i++)
	{
		PageEntry  *entry = &message_pages(&run->message)[i];

		memset(entry, 0, sizeof(*entry));
		entry->buffer = buffer_of(run, pages[i].page);
		if (entry->buffer == 0 &&
			!copy_page(run, pages[i].page, run->copied + ncopies, &entry->place))
			break;
		ncopies += entry->buffer == 0;
		entry->block = pages[i].block;
		entry->table = pages[i].table;
		entry->nlines = pages[i].nlines;
		entry->lines = PAGE_ALL_LINES;
		entry->lsn = pages[i].lsn;
	}
	return i;
}

/* The lines of the message's pages, behind its entries. */
static void
fill_lines(ClientRun *run, const PageRef *pages)
{
	Message    *message = &run->message;

	for (uint32_t i = 0; i < message->pages.npages; i++)
	{
		if (pages[i].lines == NULL)
			continue;
		memcpy(message_lines(message) + message->pages.nlines, pages[i].lines,
			   pages[i].nlines * sizeof(uint16_t));
		message_pages(message)[i].lines = message->pages.nlines;
		message->pages.nlines += pages[i].nlines;
	}
}

/* The message's pages have been sent. */
static void
note_sent(ClientRun *run)
{
	for (uint32_t i = 0; i < run->message.pages.npages; i++)
	{
		run->sent++;
		if (message_pages(&run->message)[i].buffer > 0)
			run->in_place_sent = run->sent;
		else
			run->copy_of[run->copied++ % RING_PAGES] = run->sent;
	}
	run->taken += run->message.pages.npages;
}

/* Send some of the pages, one at least; BUSY: none. */
static EngineStatus
send_pages(ClientRun *run, const PageRef *pages, uint32_t n)
{
	EngineStatus status;

	message_begin(&run->message, MESSAGE_PAGES);
	n = pages_that_fit(pages, n);
	n = fill_entries(run, pages, n);
	if (run->status != ENGINE_OK)
		return run->status;
	if (n == 0)
		return ENGINE_BUSY;
	run->message.pages.npages = n;
	fill_lines(run, pages);
	status = client_send(run);
	if (status == ENGINE_OK)
		note_sent(run);
	return status;
}

static EngineStatus
end_pages(ClientRun *run)
{
	EngineStatus status = ENGINE_OK;

	if (!run->all_pages)
	{
		message_begin(&run->message, MESSAGE_PAGES);
		status = client_send(run);
		run->all_pages = status == ENGINE_OK;
	}
	return status == ENGINE_OK && !run->pages_ended ? ENGINE_BUSY : status;
}

EngineStatus
client_pages(EngineRun *head, const PageRef *pages, int n)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = client_advance(run);

	if (status == ENGINE_OK && n == 0)
		status = end_pages(run);
	while (status == ENGINE_OK && run->taken < (uint32_t) n)
		status = send_pages(run, pages + run->taken, (uint32_t) n - run->taken);
	if (status == ENGINE_OK)
		run->taken = 0;
	return client_answer(run, status);
}

/*
 * Pages whose bytes were copied are not read any more, but they count only together
 * with all before them.
 */
uint64_t
client_released(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = client_advance(run);
	bool		all = (status != ENGINE_OK && status != ENGINE_BUSY) ||
		run->released >= run->in_place_sent;

	(void) client_answer(run, all ? ENGINE_OK : ENGINE_BUSY);
	return all ? run->sent : run->released;
}

static uint64_t
values_size(ValueType type, const ColumnVector *vector, uint64_t nrows)
{
	return type == VT_TEXT ? vector->offsets[nrows] : nrows * value_type_size(type);
}

/* Bytes of the batch in the file. */
static uint64_t
batch_size(const ClientRun *run, const ColumnBatch *batch)
{
	uint64_t	nrows = batch->nrows;
	uint64_t	size = 0;

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const ColumnVector *vector = &batch->columns[i];
		ValueType	type = (ValueType) program_columns(run->program)[i].type;

		size += file_aligned(values_size(type, vector, nrows));
		if (type == VT_TEXT)
			size += file_aligned((nrows + 1) * sizeof(uint32_t));
		if (vector->validity != NULL)
			size += file_aligned((nrows + 7) / 8);
	}
	return size;
}

/* Write bytes at *place, and move it behind them. */
static bool
write_bytes(const ClientRun *run, const void *data, uint64_t size, uint64_t *at, uint64_t *place)
{
	*at = *place;
	*place += file_aligned(size);
	return file_write(run->file, *at, data, size);
}

/* A column's parts, and its entry in the message. */
static bool
write_column(const ClientRun *run, ValueType type, const ColumnVector *vector, uint64_t nrows,
			 ColumnEntry *entry, uint64_t *place)
{
	memset(entry, 0, sizeof(*entry));
	entry->values_size = values_size(type, vector, nrows);
	if (type == VT_TEXT &&
		!write_bytes(run, vector->offsets, (nrows + 1) * sizeof(uint32_t), &entry->offsets, place))
		return false;
	if (vector->validity != NULL &&
		!write_bytes(run, vector->validity, (nrows + 7) / 8, &entry->validity, place))
		return false;
	return write_bytes(run, vector->values, entry->values_size, &entry->values, place);
}

/* The batch into its area, and the message about it. */
static EngineStatus
write_batch(ClientRun *run, const ColumnBatch *batch)
{
	Area	   *area = &run->areas[run->batches % COLUMN_AREAS];
	uint64_t	place;

	grow_area(run, area, batch_size(run, batch));
	place = area->place;
	message_begin(&run->message, MESSAGE_COLUMNS);
	run->message.columns.nrows = batch->nrows;
	run->message.columns.ncolumns = run->program->ncolumns;
	for (int i = 0; i < run->program->ncolumns; i++)
		if (!write_column(run, (ValueType) program_columns(run->program)[i].type,
						  &batch->columns[i], batch->nrows,
						  &message_columns(&run->message)[i], &place))
			return client_fail(run, ENGINE_NO_MEMORY, "out of memory for columns");
	run->batch_written = true;
	return ENGINE_OK;
}

EngineStatus
client_columns(EngineRun *head, const ColumnBatch *batch)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = client_advance(run);

	if (status == ENGINE_OK && run->batches - run->batches_taken >= COLUMN_AREAS)
		status = ENGINE_BUSY;
	if (status == ENGINE_OK && !run->batch_written)
		status = write_batch(run, batch);
	if (status == ENGINE_OK)
		status = client_send(run);
	if (status == ENGINE_OK)
	{
		run->batches++;
		run->batch_written = false;
	}
	return client_answer(run, status);
}

EngineStatus
client_reply(EngineRun *head, const EngineAnswer *answer)
{
	ClientRun  *run = (ClientRun *) head;
	uint64_t	size = answer->n * sizeof(*answer->lsns);
	EngineStatus status;

	if (answer->kind != run->request.kind || answer->n != run->request.n)
		return client_fail(run, ENGINE_FAILED, "an answer that was not asked for");
	grow_area(run, &run->lsns, size);
	if (!file_write(run->file, run->lsns.place, answer->lsns, size))
		return client_fail(run, ENGINE_NO_MEMORY, "out of memory");
	message_begin(&run->message, MESSAGE_ANSWER);
	run->message.answer.kind = answer->kind;
	run->message.answer.n = answer->n;
	run->message.answer.place = run->lsns.place;
	status = client_send(run);
	if (status == ENGINE_OK)
		run->request.kind = REQUEST_NONE;
	return client_answer(run, status);
}

static bool
is_wanted(const ClientRun *run, int param)
{
	return (run->wanted[param / 8] >> param % 8 & 1) != 0;
}

/* The bytes of the wanted tables; 0: one of them has not been named, or there are none. */
static uint64_t
wanted_size(const ClientRun *run)
{
	uint64_t	size = 0;

	for (int i = 0; i < PARAM_BITS * 8; i++)
	{
		if (!is_wanted(run, i))
			continue;
		if (i >= run->program->nparams || !opening_names(run->program, run->params, i))
			return 0;
		size += file_aligned(run->params[i].bytes.len);
	}
	return size;
}

EngineStatus
client_write_tables(ClientRun *run)
{
	uint64_t	size = wanted_size(run);
	uint64_t	place;

	if (size == 0)
		return client_fail(run, ENGINE_FAILED, "the device process wants tables that were not named");
	grow_area(run, &run->tables, size);
	place = run->tables.place;
	for (int i = 0; i < run->program->nparams; i++)
	{
		Bytes		table = run->params[i].bytes;

		if (!is_wanted(run, i))
			continue;
		if (!file_write(run->file, place, table.data, table.len))
			return client_fail(run, ENGINE_NO_MEMORY, "out of memory for look-ups");
		place += file_aligned(table.len);
	}
	run->owes_tables = true;
	return ENGINE_OK;
}

EngineStatus
client_send_tables(ClientRun *run)
{
	EngineStatus status;

	if (!run->owes_tables)
		return ENGINE_OK;
	message_begin(&run->message, MESSAGE_TABLES);
	run->message.tables.place = run->tables.place;
	status = client_send(run);
	run->owes_tables = status == ENGINE_BUSY;
	return status;
}
