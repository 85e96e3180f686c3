/*
 * client.c
 *	  A session's side of the device process: engines whose runs are there.
 *
 * Each call first takes the messages that have come, and answers BUSY for as long as
 * what it needs has not.  A failure, whichever side it happens on, is kept and
 * answered to all calls that follow.
 *
 * Pages in shared buffers go as the buffers' numbers.  The bytes of others are copied
 * into a ring in the run's memory file, so that the caller may let go of them at
 * once; column batches into one of two areas there.  A place is used again
 * when the device process has said that it is done with it.
 *
 * What the engine serves itself comes before the run has begun.
 *
 * A process that feeds another's run attaches to it, and ends with its last row.
 *
 * All groups are in the session before the first one is given, in memory or in the
 * caller's store (result.c), and the connection is closed by then: nothing can fail after
 * that but the store.
 *
 * A run owns its connection, its file, a copy of the Program and the result.
 */
#include "service/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cuda/cuda_engine.h"
#include "engine/left_list.h"
#include "program/heap_page.h"
#include "service/link.h"
#include "service/opening.h"
#include "service/result.h"
#include "service/served.h"

/* Pages whose bytes can lie in the file at once. */
#define RING_PAGES ENGINE_MAX_PAGES

/* Batches of columns that can lie there. */
#define COLUMN_AREAS 2

/* A part of the file; its size may be 0. */
typedef struct Area
{
	uint64_t	place;
	uint64_t	size;
} Area;

typedef struct ClientRun
{
	EngineRun	head;
	ServiceEngine engine;
	ClientConfig config;
	EngineHints hints;
	char		strategy[PROTOCOL_NAME];
	char		relation[PROTOCOL_NAME];
	Program    *program;
	EngineStatus status;		/* what it has failed with, or OK */
	Link		link;
	bool		attaches;		/* to another process's run */
	bool		opened;			/* OPEN or ATTACH has been sent */
	bool		started;
	bool		in_place;		/* the device process can read shared buffers */
	Served		served;			/* blocks that need not be sent */
	bool		all_pages;		/* it knows that no more come, */
	bool		pages_ended;	/* and is done with them */
	bool		all_input;		/* it knows that no more rows come, */
	bool		ended;			/* and, attached, has taken them all */
	uint32_t	feeders;		/* that have fed this run, too */
	int			file;			/* memory that it can read */
	OpeningParts opening;		/* at its beginning */
	uint64_t	end;			/* of what is in use of it */
	uint32_t	taken;			/* pages of the caller's call, sent already */
	uint64_t	sent;			/* pages */
	uint64_t	in_place_sent;	/* number of the last page in a buffer, from 1 */
	uint64_t	released;		/* pages, as the device process says */
	Area		ring;
	uint64_t	copied;			/* pages into the ring */
	uint64_t	copy_of[RING_PAGES];	/* their numbers, from 1 */
	uint64_t	batches;		/* sent */
	uint64_t	batches_taken;
	bool		batch_written;	/* the caller's batch is in its area already */
	Area		areas[COLUMN_AREAS];
	LeftList	left;
	Result	   *result;			/* NULL: no part has come */
	bool		wants_part;		/* but the device process does not know it yet */
	bool		complete;		/* all have come */
	Message		message;		/* in the making */
} ClientRun;

/* For runs that are opened from now on. */
static ClientConfig client_config;

/* Has a run of the engine begun?  Then its device is open. */
static bool has_started[SERVICE_ENGINES];

void
client_configure(const ClientConfig *config)
{
	client_config = *config;
}

const ClientConfig *
client_current_config(void)
{
	return &client_config;
}

/* The run has failed, for this reason or the one that its message has already. */
static EngineStatus
fail(ClientRun *run, EngineStatus status, const char *message)
{
	if (message != NULL)
		snprintf(run->head.message, sizeof(run->head.message), "%s", message);
	run->status = status;
	link_close(&run->link);
	return status;
}

/* A status of the link's: a failure is the run's. */
static EngineStatus
checked(ClientRun *run, EngineStatus status)
{
	return status == ENGINE_OK || status == ENGINE_BUSY ? status : fail(run, status, NULL);
}

static EngineStatus
send_message(ClientRun *run)
{
	return checked(run, link_send(&run->link, &run->message, -1, run->head.message));
}

static EngineStatus
send_open(ClientRun *run)
{
	OpenMessage *open = &run->message.open;
	const EngineHints *hints = &run->hints;

	message_begin(&run->message, MESSAGE_OPEN);
	open->engine = run->engine;
	open->process_id = run->config.process_id;
	open->role = run->config.role;
	open->queue_timeout = (uint32_t) run->config.queue_timeout;
	open->opening = run->opening;
	open->memory_limit = hints->memory_limit;
	open->only_pages = hints->only_pages;
	open->rows = hints->rows >= 0 && hints->rows < 1e18 ? hints->rows : 0;
	open->groups = hints->groups >= 0 && hints->groups < 1e18 ? hints->groups : 0;
	open->total_pages = hints->pages >= 0 && hints->pages < 1e18 ? (uint64_t) hints->pages : 0;
	open->key = hints->key;
	open->top = hints->top;
	message_name(open->strategy, run->strategy);
	message_name(open->database, run->config.database);
	message_name(open->relation, run->relation);
	return link_send(&run->link, &run->message, run->file, run->head.message);
}

static EngineStatus
send_attach(ClientRun *run)
{
	AttachMessage *attach = &run->message.attach;

	message_begin(&run->message, MESSAGE_ATTACH);
	attach->key = run->hints.key;
	attach->role = run->config.role;
	message_name(attach->database, run->config.database);
	return link_send(&run->link, &run->message, run->file, run->head.message);
}

/* The engine has some of the tables' blocks. */
static EngineStatus
take_served(ClientRun *run)
{
	if (run->started || run->attaches || run->served.tables != NULL)
		return fail(run, ENGINE_FAILED, "the device process serves what it is not asked for");
	if (!served_read(&run->hints, run->link.file, run->link.message.served.size, &run->served))
		return fail(run, ENGINE_FAILED, "what the device process serves cannot be read");
	return ENGINE_OK;
}

static EngineStatus
take_started(ClientRun *run)
{
	const StartedMessage *started = &run->link.message.started;

	if (run->started || (started->served == SERVED_SOME) != (run->served.tables != NULL) ||
		(run->attaches && started->served != SERVED_NONE))
		return fail(run, ENGINE_FAILED, "the device process has begun what it was not asked for");
	if (started->served == SERVED_ALL && !served_all(&run->hints, &run->served))
		return fail(run, ENGINE_NO_MEMORY, "out of memory");
	run->started = has_started[run->engine] = true;
	run->in_place = started->buffers_in_place != 0;
	return ENGINE_OK;
}

static EngineStatus
take_released(ClientRun *run)
{
	const ReleasedMessage *released = &run->link.message.released;

	if (released->pages < run->released || released->pages > run->sent ||
		released->batches < run->batches_taken || released->batches > run->batches)
		return fail(run, ENGINE_FAILED, "the device process has released what it was not given");
	run->released = released->pages;
	run->batches_taken = released->batches;
	return ENGINE_OK;
}

static EngineStatus
take_left(ClientRun *run)
{
	const WireLeftRow *rows = message_left(&run->link.message);

	for (uint32_t i = 0; i < run->link.message.left.nrows; i++)
		if (!left_add(&run->left, rows[i].table, rows[i].block, (uint16_t) rows[i].line))
			return fail(run, ENGINE_NO_MEMORY, "out of memory");
	return ENGINE_OK;
}

/* Where no columns can come, the groups need not be asked for. */
static EngineStatus
take_pages_ended(ClientRun *run)
{
	bool		all_input = run->link.message.pages_ended.all_input != 0;

	if (!run->all_pages || (all_input && (!run->hints.only_pages || run->attaches)))
		return fail(run, ENGINE_FAILED, "the device process ends what goes on");
	run->pages_ended = true;
	run->all_input = all_input;
	return ENGINE_OK;
}

/* Give the memory back that the device process could read. */
static void
close_file(ClientRun *run)
{
	if (run->file >= 0)
		close(run->file);
	run->file = -1;
}

/* Take a file of groups. */
static EngineStatus
take_groups(ClientRun *run, uint64_t size)
{
	EngineStatus status;

	if (!run->all_input || run->attaches)
		return fail(run, ENGINE_FAILED, "the device process has a result before its input");
	if (run->result == NULL)
		run->result = result_create(run->program, &run->hints);
	if (run->result == NULL)
		return fail(run, ENGINE_NO_MEMORY, "out of memory");
	status = result_add(run->result, run->link.file, size, run->head.message);
	return status == ENGINE_OK ? status : fail(run, status, NULL);
}

static EngineStatus
take_part(ClientRun *run)
{
	EngineStatus status = take_groups(run, run->link.message.part.size);

	run->wants_part = status == ENGINE_OK;
	return status;
}

/* Ask for the next part, if the last one has been taken. */
static EngineStatus
send_next(ClientRun *run)
{
	EngineStatus status;

	if (!run->wants_part)
		return ENGINE_OK;
	message_begin(&run->message, MESSAGE_NEXT);
	status = send_message(run);
	run->wants_part = status == ENGINE_BUSY;
	return status;
}

static EngineStatus
take_result(ClientRun *run)
{
	const ResultMessage *message = &run->link.message.result;
	EngineStatus status = take_groups(run, message->size);

	if (status != ENGINE_OK)
		return status;
	run->head.stats = message->stats;
	run->head.stats.host_memory = result_memory(run->result);
	run->head.stats.batches = result_batches(run->result);
	run->complete = true;
	link_close(&run->link);
	close_file(run);
	return ENGINE_OK;
}

static EngineStatus
take_ended(ClientRun *run)
{
	if (!run->all_input || !run->attaches)
		return fail(run, ENGINE_FAILED, "the device process has ended what goes on");
	run->ended = true;
	link_close(&run->link);
	close_file(run);
	return ENGINE_OK;
}

static EngineStatus
take_failure(ClientRun *run)
{
	const FailedMessage *failed = &run->link.message.failed;

	run->head.stats = failed->stats;
	return fail(run, (EngineStatus) failed->status, failed->message);
}

static EngineStatus
take_message(ClientRun *run)
{
	switch ((MessageType) run->link.message.head.type)
	{
		case MESSAGE_QUEUED:
		case MESSAGE_ALIVE:
			return ENGINE_OK;
		case MESSAGE_SERVED:
			return take_served(run);
		case MESSAGE_STARTED:
			return take_started(run);
		case MESSAGE_RELEASED:
			return take_released(run);
		case MESSAGE_LEFT:
			return take_left(run);
		case MESSAGE_PAGES_ENDED:
			return take_pages_ended(run);
		case MESSAGE_ENDED:
			return take_ended(run);
		case MESSAGE_PART:
			return take_part(run);
		case MESSAGE_RESULT:
			return take_result(run);
		case MESSAGE_FAILED:
			return take_failure(run);
		default:
			return fail(run, ENGINE_FAILED, "the device process answers what was not asked");
	}
}

/* Is there nothing more to hear? */
static bool
is_over(const ClientRun *run)
{
	return run->complete || run->ended;
}

/* Take what has come.  OK: the run is started. */
static EngineStatus
advance(ClientRun *run)
{
	EngineStatus status = run->status;

	if (status != ENGINE_OK || is_over(run))
		return status;
	status = checked(run, link_connect(&run->link, run->head.message));
	if (status == ENGINE_OK && !run->opened)
	{
		status = checked(run, run->attaches ? send_attach(run) : send_open(run));
		run->opened = status == ENGINE_OK;
	}
	while (status == ENGINE_OK && !is_over(run))
	{
		status = send_next(run);
		if (status == ENGINE_OK)
			status = checked(run, link_receive(&run->link, run->head.message));
		if (status == ENGINE_OK)
			status = take_message(run);
	}
	return status == ENGINE_BUSY && run->started ? ENGINE_OK : status;
}

/* A call ends with this status. */
static EngineStatus
answer(ClientRun *run, EngineStatus status)
{
	link_wait(&run->link, status == ENGINE_BUSY);
	return status;
}

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
	(void) fail(run, ENGINE_NO_MEMORY, "out of memory for pages");
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
	status = send_message(run);
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
		status = send_message(run);
		run->all_pages = status == ENGINE_OK;
	}
	return status == ENGINE_OK && !run->pages_ended ? ENGINE_BUSY : status;
}

static EngineStatus
client_pages(EngineRun *head, const PageRef *pages, int n)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = advance(run);

	if (status == ENGINE_OK && n == 0)
		status = end_pages(run);
	while (status == ENGINE_OK && run->taken < (uint32_t) n)
		status = send_pages(run, pages + run->taken, (uint32_t) n - run->taken);
	if (status == ENGINE_OK)
		run->taken = 0;
	return answer(run, status);
}

/*
 * Pages whose bytes were copied are not read any more, but they count only together
 * with all before them.
 */
static uint64_t
client_released(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = advance(run);
	bool		all = (status != ENGINE_OK && status != ENGINE_BUSY) ||
		run->released >= run->in_place_sent;

	(void) answer(run, all ? ENGINE_OK : ENGINE_BUSY);
	return all ? run->sent : run->released;
}

static int
client_left(EngineRun *head, LeftRow *rows, int max)
{
	return left_take(&((ClientRun *) head)->left, rows, max);
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
			return fail(run, ENGINE_NO_MEMORY, "out of memory for columns");
	run->batch_written = true;
	return ENGINE_OK;
}

static EngineStatus
client_columns(EngineRun *head, const ColumnBatch *batch)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = advance(run);

	if (status == ENGINE_OK && run->batches - run->batches_taken >= COLUMN_AREAS)
		status = ENGINE_BUSY;
	if (status == ENGINE_OK && !run->batch_written)
		status = write_batch(run, batch);
	if (status == ENGINE_OK)
		status = send_message(run);
	if (status == ENGINE_OK)
	{
		run->batches++;
		run->batch_written = false;
	}
	return answer(run, status);
}

static EngineStatus
client_groups(EngineRun *head, GroupBatch *batch)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = advance(run);

	if (status == ENGINE_OK && !run->all_input)
	{
		message_begin(&run->message, MESSAGE_GROUPS);
		run->message.groups.feeders = run->feeders;
		status = send_message(run);
		run->all_input = status == ENGINE_OK;
	}
	if (status == ENGINE_OK && !run->complete)
		status = ENGINE_BUSY;
	if (status == ENGINE_OK)
		status = result_next(run->result, batch, run->head.message);
	return answer(run, status);
}

static EngineStatus
client_begun(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;

	return answer(run, advance(run));
}

static const uint8_t *
client_served(EngineRun *head, int i)
{
	const ClientRun *run = (const ClientRun *) head;

	return run->served.tables != NULL ? run->served.tables[i] : NULL;
}

static EngineStatus
client_fed(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = advance(run);

	if (status == ENGINE_OK && !run->all_input)
	{
		message_begin(&run->message, MESSAGE_END);
		status = send_message(run);
		run->all_input = status == ENGINE_OK;
	}
	if (status == ENGINE_OK && !run->ended)
		status = ENGINE_BUSY;
	return answer(run, status);
}

static void
client_expect(EngineRun *head, uint32_t feeders)
{
	((ClientRun *) head)->feeders = feeders;
}

static void
client_rewind(EngineRun *head)
{
	result_rewind(((ClientRun *) head)->result);
}

static int
client_descriptor(EngineRun *head)
{
	return ((ClientRun *) head)->link.fd;
}

static void
client_close(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;

	link_close(&run->link);
	close_file(run);
	result_free(run->result);
	served_free(&run->served);
	left_free(&run->left);
	free(run->program);
	free(run);
}

/* What the file begins with; who attaches has nothing to say there. */
static bool
write_opening(ClientRun *run, const Program *program, const SlotValue *slots)
{
	return run->attaches ||
		opening_write(run->file, program, slots, &run->hints, &run->opening);
}

/* A run that is not connected yet, or NULL. */
static ClientRun *
make_run(const EngineOps *ops, ServiceEngine engine, const Program *program,
		 const SlotValue *slots, const EngineHints *hints, bool attaches)
{
	ClientRun  *run = calloc(1, sizeof(*run));

	if (run == NULL)
		return NULL;
	run->head.ops = ops;
	run->engine = engine;
	run->attaches = attaches;
	run->config = client_config;
	run->hints = *hints;
	message_name(run->strategy, hints->strategy);
	message_name(run->relation, hints->relation);
	link_init(&run->link, &run->config);
	run->file = file_create("gpuagg input");
	run->program = malloc(program->size);
	if (run->program != NULL)
		memcpy(run->program, program, program->size);
	if (run->program != NULL && run->file >= 0 &&
		write_opening(run, program, slots))
	{
		run->end = (run->opening.size / HEAP_PAGE_SIZE + 1) * HEAP_PAGE_SIZE;
		return run;
	}
	client_close(&run->head);
	return NULL;
}

/* Connect, if there is room for one more connection. */
static EngineStatus
open_client(const EngineOps *ops, ServiceEngine engine, const Program *program,
			const SlotValue *slots, const EngineHints *hints, bool attaches,
			EngineRun **head, char *message)
{
	ClientRun  *run = make_run(ops, engine, program, slots, hints, attaches);

	*head = NULL;
	if (run == NULL)
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
	if (link_connect(&run->link, message) == ENGINE_FAILED)
	{
		client_close(&run->head);
		return ENGINE_FAILED;
	}
	(void) answer(run, advance(run));
	*head = &run->head;
	return ENGINE_OK;
}

/* The clients, one for each engine. */
#define CLIENT(client, number, engine, engine_name, engine_costs) \
static bool \
client##_available(char *reason, size_t len) \
{ \
	return client_config.available == NULL || client_config.available(number, reason, len); \
} \
\
static bool \
client##_warm(void) \
{ \
	return has_started[number] || client_config.warm == NULL || client_config.warm(number); \
} \
\
static bool \
client##_supports(const Program *program, char *reason, size_t len) \
{ \
	return engine.supports(program, reason, len); \
} \
\
static uint64_t \
client##_memory_needed(const Program *program, const EngineHints *hints) \
{ \
	return engine.memory_needed == NULL ? 0 : engine.memory_needed(program, hints); \
} \
\
static EngineStatus \
client##_open(const Program *program, const SlotValue *slots, const EngineHints *hints, \
			  EngineRun **run, char *message) \
{ \
	return open_client(&client, number, program, slots, hints, false, run, message); \
} \
\
static EngineStatus \
client##_attach(const Program *program, const EngineHints *hints, EngineRun **run, \
				char *message) \
{ \
	return open_client(&client, number, program, NULL, hints, true, run, message); \
} \
\
const EngineOps client = { \
	.name = engine_name, \
	.costs = engine_costs, \
	.pages_at_once = ENGINE_MAX_PAGES, \
	.available = client##_available, \
	.warm = client##_warm, \
	.supports = client##_supports, \
	.memory_needed = client##_memory_needed, \
	.open = client##_open, \
	.served = client_served, \
	.pages = client_pages, \
	.released = client_released, \
	.left = client_left, \
	.columns = client_columns, \
	.descriptor = client_descriptor, \
	.groups = client_groups, \
	.begun = client_begun, \
	.attach = client##_attach, \
	.fed = client_fed, \
	.expect = client_expect, \
	.rewind = client_rewind, \
	.close = client_close \
};

CLIENT(cuda_client, SERVICE_CUDA, cuda_engine, "cuda", &cuda_costs)
#ifdef GPUAGG_TESTING
CLIENT(simt_client, SERVICE_SIMT, simt_engine, "simt", &simt_costs)
CLIENT(cpu_client, SERVICE_CPU, cpu_engine, "cpu", &cpu_costs)
#endif
