/*
 * feeder.c
 *	  The rows that one process gives a run, in the device process.
 *
 * The connection's task takes one message after the other.  While it waits for the next
 * one, it looks which pages the engine has released, and which rows it has left out,
 * and tells the process.
 *
 * A process keeps its turn for as long as the engine wants its pages behind one another, which
 * is until it has given a stripe that is kept.  The others read on meanwhile, as far as they may
 * pin pages.
 *
 * A process is told of its own pages only, of which the engine does not know
 * (page_spans.c).
 *
 * Rows that the engine has left out are told to any process that still gives
 * pages: all of them have the same tables and the same snapshot.  The end of a
 * process's pages makes the engine tell of all so far, so the last process gets what is
 * left of them.
 */
#include "service/device/feeder.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "service/wire/channel.h"

/* The run has failed. */
static EngineStatus
fail(Feeder *f, EngineStatus status, const char *message)
{
	if (f->connection->gone)
		feeding_fail(f->feeding, ENGINE_FAILED, FEEDER_GONE);
	else
		feeding_fail(f->feeding, status, message);
	return f->feeding->status;
}

/* How many of this process's pages the engine will not read any more. */
static uint64_t
released(Feeder *f)
{
	return page_spans_released(&f->pages, f->feeding->ops->released(f->feeding->run));
}

/* May this task ask the engine what it can answer at once? */
static bool
may_ask(const Feeder *f)
{
	const Feeder *turn = f->feeding->turn;

	return turn == NULL || turn == f || turn->keeps_turn;
}

/* False: the feeder is not wanted any more. */
static bool
begin_turn(Feeder *f)
{
	if (!f->keeps_turn)
		return feeder_take_turn(f);
	f->keeps_turn = false;
	return true;
}

/* The engine may want the process's next pages before others'. */
static void
end_turn(Feeder *f, bool continues)
{
	if (continues)
		f->keeps_turn = true;
	else
		feeder_end_turn(f);
}

/* There will be no next pages. */
static void
give_up_turn(Feeder *f)
{
	if (!f->keeps_turn)
		return;
	f->keeps_turn = false;
	feeder_end_turn(f);
}

/* Tell the rows that the engine has left out, and nobody knows of. */
static void
tell_left(Feeder *f)
{
	Connection *c = f->connection;
	Feeding    *feeding = f->feeding;
	ToastedRow	rows[256];
	int			n;

	while (!c->gone && may_ask(f))
	{
		call_is_due(feeding->run, CALL_TOASTED);
		n = feeding->ops->toasted(feeding->run, rows, 256);
		if (n == 0)
			break;
		message_begin(&c->answer, MESSAGE_LEFT);
		c->answer.left.nrows = (uint32_t) n;
		feeding->left += (uint64_t) n;
		for (int i = 0; i < n; i++)
			message_left(&c->answer)[i] = (WireLeftRow)
			{
				rows[i].table, rows[i].block, rows[i].line
			};
		(void) connection_send(c, -1);
	}
}

/* What the process may do without: pages and batches that the engine is done with. */
static void
tell_released(Feeder *f)
{
	Connection *c = f->connection;
	uint64_t	pages = may_ask(f) ? released(f) : f->told_pages;

	if (pages == f->told_pages && f->batches == f->told_batches)
		return;
	message_begin(&c->answer, MESSAGE_RELEASED);
	c->answer.released.pages = f->told_pages = pages;
	c->answer.released.batches = f->told_batches = f->batches;
	(void) connection_send(c, -1);
}

/* What activity shows of the run. */
static void
note_activity(const Feeding *feeding)
{
	ActivityRow *activity = &feeding->owner->activity;

	activity->pages = feeding->given;
	activity->rows = feeding->run->stats.rows;
	activity->memory = feeding->run->stats.memory;
}

/* The next message; false: there will be none. */
static bool
next_message(Feeder *f)
{
	Connection *c = f->connection;
	ChannelStatus status;

	while (feeder_is_wanted(f))
	{
		/* one that gives pages will look once more at their end */
		if (f->pages.given > 0 && !f->all_pages)
			tell_left(f);
		tell_released(f);
		note_activity(f->feeding);
		status = connection_receive(c);
		if (status != CHANNEL_BUSY)
			return status == CHANNEL_OK;
		c->owes = f->told_pages < f->pages.given;
		if (c->owes)
			task_pause(POLLIN);
		else
			task_give_way(POLLIN, TASK_NEVER);
		c->owes = true;
	}
	return false;
}

/* Before a busy engine is called again; false: there is nothing to call it for. */
static bool
pause_feeder(const Feeder *f)
{
	task_pause(0);
	return feeder_is_wanted(f);
}

/* In its turn: the message's pages to the engine. */
static EngineStatus
give_pages(Feeder *f)
{
	Feeding    *feeding = f->feeding;
	Message    *message = &f->connection->message;
	int			n = (int) message->pages.npages;
	EngineStatus status = ENGINE_BUSY;

	for (;;)
	{
		uint64_t	pages = released(f);

		if (!page_spans_full(&f->pages))
			status = input_take_pages(&f->input, message, pages);
		if (status != ENGINE_BUSY)
			break;
		if (!pause_feeder(f))
			return fail(f, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	}
	if (status != ENGINE_OK)
		return fail(f, status, "a page is not where its message says");
	call_is_due(feeding->run, CALL_PAGES);
	while ((status = feeding->ops->pages(feeding->run, f->input.refs, n)) == ENGINE_BUSY)
		if (!pause_feeder(f))
			return fail(f, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	if (status != ENGINE_OK)
		return fail(f, status, feeding->run->message);
	if (n > 0)
		page_spans_add(&f->pages, feeding->given, (uint64_t) n);
	feeding->given += (uint64_t) n;
	return ENGINE_OK;
}

/* Still in its turn: nobody else can learn of rows that are told here. */
static void
tell_pages_ended(Feeder *f)
{
	Feeding    *feeding = f->feeding;

	tell_left(f);
	tell_released(f);
	feeding->all_input = feeding->only_pages && feeding->nfeeders == 1 && feeding->left == 0;
	message_begin(&f->connection->answer, MESSAGE_PAGES_ENDED);
	f->connection->answer.pages_ended.all_input = feeding->all_input;
	(void) connection_send(f->connection, -1);
}

/* Are the pages that have been given less than the engine wants behind one another? */
static bool
pages_continue(const Feeder *f)
{
	const EngineKept *kept = f->feeding->ops->kept;
	uint32_t	n = f->connection->message.pages.npages;

	if (n == 0 || kept == NULL || kept->continues == NULL)
		return false;
	call_is_due(f->feeding->run, CALL_CONTINUES);
	return kept->continues(f->feeding->run, &f->input.refs[n - 1]);
}

static EngineStatus
take_pages(Feeder *f)
{
	bool		end = f->connection->message.pages.npages == 0;
	EngineStatus status;

	if (f->all_pages || f->feeding->program->source != SOURCE_PAGES)
		return fail(f, ENGINE_FAILED, "pages came that the run has no use for");
	if (!begin_turn(f))
		return fail(f, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	status = give_pages(f);
	if (status == ENGINE_OK && end)
	{
		f->all_pages = true;
		tell_pages_ended(f);
	}
	end_turn(f, status == ENGINE_OK && pages_continue(f));
	return status;
}

/* In its turn: the message's columns to the engine. */
static EngineStatus
give_columns(Feeder *f, const ColumnBatch *batch)
{
	Feeding    *feeding = f->feeding;
	EngineStatus status;

	call_is_due(feeding->run, CALL_COLUMNS);
	while ((status = feeding->ops->columns(feeding->run, batch)) == ENGINE_BUSY)
		if (!pause_feeder(f))
			return fail(f, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	if (status != ENGINE_OK)
		return fail(f, status, feeding->run->message);
	f->batches++;
	return ENGINE_OK;
}

static EngineStatus
take_columns(Feeder *f)
{
	Message    *message = &f->connection->message;
	ColumnBatch batch = {message->columns.nrows, f->input.vectors};
	EngineStatus status;

	status = input_take_columns(&f->input, message, f->feeding->program);
	if (status != ENGINE_OK)
		return fail(f, status, "columns are not what their message says");
	if (!begin_turn(f))
		return fail(f, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	status = give_columns(f, &batch);
	feeder_end_turn(f);
	return status;
}

/* EngineKept.begin, unless a test wants it to fail. */
static EngineStatus
begin_run(Feeding *feeding)
{
#ifdef GPUAGG_TESTING
	int			injected = call_injected(&feeding->fails, CALL_BEGIN, feeding->run->message);

	if (injected != ENGINE_OK)
		return (EngineStatus) injected;
#endif
	call_is_due(feeding->run, CALL_BEGIN);
	return feeding->ops->kept->begin(feeding->run);
}

EngineStatus
feeder_begin(Feeder *f)
{
	Feeding    *feeding = f->feeding;
	const EngineKept *kept = feeding->ops->kept;
	EngineStatus status;

	if (kept == NULL || kept->begin == NULL)
		return ENGINE_OK;
	if (!feeder_take_turn(f))
		return fail(f, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	status = begin_run(feeding);
	if (status != ENGINE_OK)
		status = fail(f, status, feeding->run->message);
	feeder_end_turn(f);
	return status;
}

static EngineStatus
take_input(Feeder *f)
{
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && !f->feeding->all_input)
	{
		if (!next_message(f))
			return fail(f, ENGINE_FAILED, "a message was refused");
		switch ((MessageType) f->connection->message.head.type)
		{
			case MESSAGE_PAGES:
				status = take_pages(f);
				break;
			case MESSAGE_COLUMNS:
				status = take_columns(f);
				break;
			default:
				return ENGINE_OK;
		}
		/* messages that are there already would leave the others no turn */
		if (f->feeding->nattached > 0)
			task_give_way(POLLIN, 0);
	}
	return status;
}

EngineStatus
feeder_take_input(Feeder *f)
{
	EngineStatus status = take_input(f);

	give_up_turn(f);
	return status;
}

/* The message behind the input of a process that has attached. */
static EngineStatus
take_end(Feeder *f)
{
	Connection *c = f->connection;

	if (c->message.head.type != MESSAGE_END)
		return fail(f, ENGINE_FAILED, "a message came that has no place in a run");
	if (f->pages.given > 0 && !f->all_pages)
		return fail(f, ENGINE_FAILED, "a process has ended before its pages have");
	f->feeding->nended++;
	input_free(&f->input);
	message_begin(&c->answer, MESSAGE_ENDED);
	(void) connection_send(c, -1);
	return ENGINE_OK;
}

/* The run may be closed as soon as this feeder has left it. */
static void
leave_failed(Feeder *f)
{
	Connection *c = f->connection;
	EngineStatus status = f->feeding->status;
	EngineStats stats = f->feeding->run->stats;
	char		message[256];

	memcpy(message, f->feeding->message, sizeof(message));
	feeder_leave(f);
	if (!c->gone)
		connection_fail(c, status, message, &stats);
}

static void
serve(Feeder *f)
{
	Connection *c = f->connection;
	EngineStatus status;

	message_begin(&c->answer, MESSAGE_STARTED);
	c->answer.started.buffers_in_place = c->service->config->buffers_size > 0;
	(void) connection_send(c, -1);
	c->owes = true;
	status = feeder_take_input(f);
	if (status == ENGINE_OK)
		status = take_end(f);
	c->owes = false;
	if (status == ENGINE_OK)
		feeder_leave(f);
	else
		leave_failed(f);
}

void
feeder_serve(Connection *c)
{
	Feeding    *feeding = feeding_find(c->service, &c->message.attach);
	Feeder	   *feeder;

	if (feeding == NULL)
	{
		connection_fail(c, ENGINE_FAILED, "there is no such run to feed", NULL);
		return;
	}
	if (feeding->status != ENGINE_OK)
	{
		connection_fail(c, feeding->status, feeding->message, NULL);
		return;
	}
	feeder = feeding_add(feeding, c, c->file);
	if (feeder == NULL)
	{
		connection_fail(c, ENGINE_NO_MEMORY, "out of memory for one more process", NULL);
		return;
	}
	c->file = -1;
	serve(feeder);
}
