/*
 * client.c
 *	  A session's side of the device process: engines whose runs are there.
 *
 * Each call first takes the messages that have come, and answers BUSY for as long as
 * what it needs has not.  A failure, whichever side it happens on, is kept and
 * answered to all calls that follow.
 *
 * What the engine serves itself comes before the run has begun.
 *
 * A process that feeds another's run attaches to it, and ends with its last row.
 *
 * All groups are in the session before the first one is given, in memory or in the
 * caller's store (result.c), and the connection is closed by then: nothing can fail after
 * that but the store.  Only if the caller wants a stream are the first ones given while
 * others are in the device process; then later ones may be lost, until client_settle has
 * taken all.
 *
 * A run owns its connection, its file, a copy of the Program and the result.
 */
#include "service/client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cuda/cuda_engine.h"
#include "service/client/client_run.h"

/* Parts of a stream of groups that the session has, the one that it reads among them. */
#define STREAM_PARTS 2

/* For runs that are opened from now on. */
static ClientConfig client_config;

/* Has a run of the engine begun?  Then its device is open. */
static bool has_started[NUM_ENGINES];

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

EngineStatus
client_fail(ClientRun *run, EngineStatus status, const char *message)
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
	return status == ENGINE_OK || status == ENGINE_BUSY ? status : client_fail(run, status, NULL);
}

EngineStatus
client_send(ClientRun *run)
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
	open->session = run->config.session;
	open->role = run->config.role;
	open->queue_timeout = (uint32_t) run->config.queue_timeout;
	open->opening = run->opening;
	open->memory_limit = hints->memory_limit;
	open->only_pages = hints->only_pages;
	open->answers = hints->answers;
#ifdef GPUAGG_TESTING
	open->fails = hints->fails;
#endif
	open->rows = hints->rows >= 0 && hints->rows < 1e18 ? hints->rows : 0;
	open->groups = hints->groups >= 0 && hints->groups < 1e18 ? hints->groups : 0;
	open->total_pages = hints->pages >= 0 && hints->pages < 1e18 ? (uint64_t) hints->pages : 0;
	open->key = hints->key;
	open->top = hints->top;
	open->unread_keys = hints->unread_keys;
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

/* Does the engine wait for an answer? */
static bool
is_asked(const ClientRun *run)
{
	return run->request.kind != REQUEST_NONE;
}

/* The engine asks: so far, LSNs only. */
static EngineStatus
take_request(ClientRun *run)
{
	const RequestMessage *request = &run->link.message.request;

	if (run->started || run->attaches || !run->hints.answers || is_asked(run) ||
		run->served.tables != NULL)
		return client_fail(run, ENGINE_FAILED, "the device process asks at the wrong time");
	served_free(&run->asked);
	if (!served_read(&run->hints, run->link.file, request->size, &run->asked))
		return client_fail(run, ENGINE_FAILED, "what the device process asks cannot be read");
	run->request.kind = (EngineRequestKind) request->kind;
	run->request.n = served_count(&run->hints, &run->asked);
	run->request.blocks = (const uint8_t *const *) run->asked.tables;
	if (run->request.n > 0)
		return ENGINE_OK;
	return client_fail(run, ENGINE_FAILED, "the device process asks nothing");
}

/* Tables are wanted that were named. */
static EngineStatus
take_wanted(ClientRun *run)
{
	if (run->started || !run->names || run->tables.size > 0 || is_asked(run) ||
		run->served.tables != NULL)
		return client_fail(run, ENGINE_FAILED, "the device process asks at the wrong time");
	memcpy(run->wanted, run->link.message.wanted.params, sizeof(run->wanted));
	return client_write_tables(run);
}

/* The engine has some of the tables' blocks. */
static EngineStatus
take_served(ClientRun *run)
{
	if (run->started || run->attaches || run->served.tables != NULL)
		return client_fail(run, ENGINE_FAILED, "the device process serves what it is not asked for");
	if (!served_read(&run->hints, run->link.file, run->link.message.served.size, &run->served))
		return client_fail(run, ENGINE_FAILED, "what the device process serves cannot be read");
	return ENGINE_OK;
}

static EngineStatus
take_started(ClientRun *run)
{
	const StartedMessage *started = &run->link.message.started;

	if (run->started || (started->served == SERVED_SOME) != (run->served.tables != NULL) ||
		(run->attaches && started->served != SERVED_NONE) ||
		is_asked(run))
		return client_fail(run, ENGINE_FAILED, "the device process has begun what it was not asked for");
	if (started->served == SERVED_ALL && !served_all(&run->hints, &run->served))
		return client_fail(run, ENGINE_NO_MEMORY, "out of memory");
	file_give_back(run->file, run->lsns.place, run->lsns.size);
	file_give_back(run->file, run->tables.place, run->tables.size);
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
		return client_fail(run, ENGINE_FAILED, "the device process has released what it was not given");
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
			return client_fail(run, ENGINE_NO_MEMORY, "out of memory");
	return ENGINE_OK;
}

/* Where no columns can come, the groups need not be asked for. */
static EngineStatus
take_pages_ended(ClientRun *run)
{
	bool		all_input = run->link.message.pages_ended.all_input != 0;

	if (!run->all_pages || (all_input && (!run->hints.only_pages || run->attaches)))
		return client_fail(run, ENGINE_FAILED, "the device process ends what goes on");
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
		return client_fail(run, ENGINE_FAILED, "the device process has a result before its input");
	if (run->result == NULL)
		run->result = result_create(run->program, &run->hints);
	if (run->result == NULL)
		return client_fail(run, ENGINE_NO_MEMORY, "out of memory");
	status = result_add(run->result, run->link.file, size, run->head.message);
	run->hints.streams = result_streams(run->result);
	return status == ENGINE_OK ? status : client_fail(run, status, NULL);
}

static EngineStatus
take_part(ClientRun *run)
{
	EngineStatus status = take_groups(run, run->link.message.part.size);

	run->head.stats = run->link.message.part.stats;
	run->parts++;
	run->wants_part = status == ENGINE_OK;
	return status;
}

/* Ask for the next part, if the last one has been taken and there is a use for it. */
static EngineStatus
send_next(ClientRun *run)
{
	EngineStatus status;

	if (!run->wants_part ||
		(run->hints.streams && result_unread(run->result) >= STREAM_PARTS))
		return ENGINE_OK;
	message_begin(&run->message, MESSAGE_NEXT);
	status = client_send(run);
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
	run->complete = run->head.settled = true;
	link_close(&run->link);
	close_file(run);
	return ENGINE_OK;
}

static EngineStatus
take_ended(ClientRun *run)
{
	if (!run->all_input || !run->attaches)
		return client_fail(run, ENGINE_FAILED, "the device process has ended what goes on");
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
	return client_fail(run, (EngineStatus) failed->status, failed->message);
}

static EngineStatus
take_message(ClientRun *run)
{
	switch ((MessageType) run->link.message.head.type)
	{
		case MESSAGE_QUEUED:
		case MESSAGE_ALIVE:
			return ENGINE_OK;
		case MESSAGE_WANTED:
			return take_wanted(run);
		case MESSAGE_REQUEST:
			return take_request(run);
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
			return client_fail(run, ENGINE_FAILED, "the device process answers what was not asked");
	}
}

/* Is there nothing more to hear? */
static bool
is_over(const ClientRun *run)
{
	return run->complete || run->ended;
}

EngineStatus
client_advance(ClientRun *run)
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
			status = client_send_tables(run);
		if (status == ENGINE_OK)
			status = checked(run, link_receive(&run->link, run->head.message));
		if (status == ENGINE_OK)
			status = take_message(run);
	}
	return status == ENGINE_BUSY && run->started ? ENGINE_OK : status;
}

EngineStatus
client_answer(ClientRun *run, EngineStatus status)
{
	link_wait(&run->link, status == ENGINE_BUSY);
	return status;
}

static int
client_toasted(EngineRun *head, ToastedRow *rows, int max)
{
	return left_take(&((ClientRun *) head)->left, rows, max);
}

/* The next groups of those that have come; BUSY: the next part is on its way. */
static EngineStatus
next_batch(ClientRun *run, GroupBatch *batch)
{
	for (;;)
	{
		uint64_t	parts = run->parts;
		EngineStatus status = result_next(run->result, batch, run->head.message);

		if (status != ENGINE_OK || batch->ngroups > 0 || run->complete)
			return status;
		/* it may be there already, or not asked for yet */
		status = client_advance(run);
		if (status != ENGINE_OK)
			return status;
		if (run->parts == parts && !run->complete)
			return ENGINE_BUSY;
	}
}

static EngineStatus
client_groups(EngineRun *head, GroupBatch *batch)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = client_advance(run);

	if (status == ENGINE_OK && !run->all_input)
	{
		message_begin(&run->message, MESSAGE_GROUPS);
		run->message.groups.feeders = run->feeders;
		status = client_send(run);
		run->all_input = status == ENGINE_OK;
	}
	if (status == ENGINE_OK && !run->complete && !(run->hints.streams && run->parts > 0))
		status = ENGINE_BUSY;
	if (status == ENGINE_OK)
		status = next_batch(run, batch);
	return client_answer(run, status);
}

static EngineStatus
client_settle(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status;

	if (!result_hold(run->result))
		return ENGINE_OK;
	run->hints.streams = false;
	status = client_advance(run);
	if (status == ENGINE_OK && !run->complete && !run->hints.streams)
		status = ENGINE_BUSY;
	return client_answer(run, status);
}

static EngineStatus
client_begun(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;

	return client_answer(run, client_advance(run));
}

static const uint8_t *
client_served(EngineRun *head, int i)
{
	const ClientRun *run = (const ClientRun *) head;

	return run->served.tables != NULL ? run->served.tables[i] : NULL;
}

static EngineStatus
client_request(EngineRun *head, EngineRequest *request)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = client_advance(run);

	*request = run->request;
	return client_answer(run, status == ENGINE_BUSY && is_asked(run) ? ENGINE_OK : status);
}

static EngineStatus
client_fed(EngineRun *head)
{
	ClientRun  *run = (ClientRun *) head;
	EngineStatus status = client_advance(run);

	if (status == ENGINE_OK && !run->all_input)
	{
		message_begin(&run->message, MESSAGE_END);
		status = client_send(run);
		run->all_input = status == ENGINE_OK;
	}
	if (status == ENGINE_OK && !run->ended)
		status = ENGINE_BUSY;
	return client_answer(run, status);
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
	served_free(&run->asked);
	served_free(&run->served);
	left_free(&run->left);
	free(run->program);
	free(run);
}

/* What the file begins with; who attaches has nothing to say there. */
static bool
write_opening(ClientRun *run, const Program *program, const ParamValue *params)
{
	return run->attaches ||
		opening_write(run->file, program, params, run->names, &run->hints, &run->opening);
}

/* The engines in the device process. */
static const EngineOps *const served_engines[NUM_ENGINES] = {
#define SERVED(id, ops, costs, device, client) [ENGINE_ID_##id] = &ops,
#include "engine/engines.def"
};

/* A run that is not connected yet, or NULL. */
static ClientRun *
make_run(const EngineOps *ops, EngineId engine, const Program *program,
		 const ParamValue *params, const EngineHints *hints, bool attaches)
{
	ClientRun  *run = calloc(1, sizeof(*run));

	if (run == NULL)
		return NULL;
	run->head.ops = ops;
	run->engine = engine;
	run->attaches = attaches;
	run->params = params;
	run->names = served_engines[engine]->lookups != NULL;
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
		write_opening(run, program, params))
	{
		run->end = (run->opening.size / HEAP_PAGE_SIZE + 1) * HEAP_PAGE_SIZE;
		return run;
	}
	client_close(&run->head);
	return NULL;
}

/* Connect, if there is room for one more connection. */
static EngineStatus
open_client(const EngineOps *ops, EngineId engine, const Program *program,
			const ParamValue *params, const EngineHints *hints, bool attaches,
			EngineRun **head, char *message)
{
	ClientRun  *run = make_run(ops, engine, program, params, hints, attaches);
	EngineStatus status;

	*head = NULL;
	if (run == NULL)
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
	status = link_connect(&run->link, message);
	if (status != ENGINE_OK && status != ENGINE_BUSY)
	{
		client_close(&run->head);
		return status;
	}
	(void) client_answer(run, client_advance(run));
	*head = &run->head;
	return ENGINE_OK;
}

static const EngineKept kept = {
	.request = client_request,
	.answer = client_reply,
	.served = client_served,
};

static const EngineStream stream = {
	.settle = client_settle,
};

/* The values of lists that are given stay where the engine has them. */
static bool
client_supports(const EngineOps *engine, const Program *program, char *reason, size_t len)
{
	if (!program_gives_values(program))
		return engine->supports(program, reason, len);
	snprintf(reason, len, GIVEN_VALUES_MESSAGE);
	return false;
}

/* The clients, one for each engine. */
#define CLIENT(client, number, engine, its_costs) \
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
	return client_supports(&engine, program, reason, len); \
} \
\
static uint64_t \
client##_memory_needed(const Program *program, const EngineHints *hints) \
{ \
	return engine_memory_needed(&engine, program, hints); \
} \
\
static EngineStatus \
client##_open(const Program *program, const ParamValue *params, const EngineHints *hints, \
			  EngineRun **run, char *message) \
{ \
	return open_client(&client, number, program, params, hints, false, run, message); \
} \
\
static EngineStatus \
client##_attach(const Program *program, const EngineHints *hints, EngineRun **run, \
				char *message) \
{ \
	return open_client(&client, number, program, NULL, hints, true, run, message); \
} \
\
static const EngineTraits client##_traits = { \
	.id = number, \
	.costs = its_costs, \
	.pages_at_once = ENGINE_MAX_PAGES, \
	.on_device = true \
}; \
\
static const EngineProcess client##_process = { \
	.available = client##_available, \
	.warm = client##_warm, \
	.memory_needed = client##_memory_needed, \
	.descriptor = client_descriptor \
}; \
\
static const EngineShared client##_shared = { \
	.begun = client_begun, \
	.attach = client##_attach, \
	.fed = client_fed, \
	.expect = client_expect \
}; \
\
const EngineOps client = { \
	.traits = &client##_traits, \
	.supports = client##_supports, \
	.open = client##_open, \
	.pages = client_pages, \
	.released = client_released, \
	.toasted = client_toasted, \
	.columns = client_columns, \
	.groups = client_groups, \
	.rewind = client_rewind, \
	.close = client_close, \
	.process = &client##_process, \
	.shared = &client##_shared, \
	.kept = &kept, \
	.stream = &stream \
};

#define SERVED(id, ops, costs, device, client) CLIENT(client, ENGINE_ID_##id, ops, &costs)
#include "engine/engines.def"
