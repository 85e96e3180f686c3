/*
 * remote_run.c
 *	  A session's run of an engine, in the device process.
 *
 * A task opens the engine's run, takes the session's rows (feeder.c), and sends the
 * groups back.  It gives way between messages and wherever the engine is busy.  Other
 * processes can feed the run meanwhile (feeding.c).
 *
 * Admission comes first: a run that would need more device memory than is left waits
 * until others have ended.  It does not wait beside another run of its session, which would
 * not end before.
 *
 * A run owns its copy of the opening, its feeders and the engine's run, all of which go
 * when it is served: the result lies in a file of its own by then.
 */
#include "service/device/connection.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/device/device.h"
#include "engine/several_devices.h"
#include "service/device/distrust.h"
#include "service/device/feeder.h"
#include "service/device/placement.h"
#include "service/device/run_lookups.h"
#include "service/wire/channel.h"
#include "service/wire/groups_file.h"
#include "service/wire/opening.h"
#include "service/wire/served_blocks.h"

/* Bytes of groups after which they go to the session, which then asks for more. */
#define PART_SIZE (UINT64_C(1) << 20)

/* Of the first ones: a session that gives them at once should not wait for many. */
#define FIRST_PART_SIZE (UINT64_C(1) << 14)

/* The engines, and the devices that they use; NULL: it does not run here, or has none. */
static const EngineOps *const engines[NUM_ENGINES] = {
#define SERVED(id, ops, costs, device, client) [ENGINE_ID_##id] = &ops,
#include "engine/engines.def"
};

static const DeviceOps *const devices[NUM_ENGINES] = {
#define SERVED(id, ops, costs, device, client) [ENGINE_ID_##id] = device,
#include "engine/engines.def"
};

typedef struct RemoteRun
{
	Connection *connection;
	const EngineOps *ops;
	Opening		opening;
	const DeviceOps *device_ops;	/* of the engine; NULL: it has no device */
	uint64_t	devices;		/* that the run uses; a bit each */
	EngineHints hints;
	char		strategy[PROTOCOL_NAME];
	uint64_t	wait_ns;		/* for device memory at most */
	uint64_t	need;			/* bytes of each device's memory */
	Ticket		tickets[DEVICES_MAX];	/* of the devices */
	RunLookups	lookups;
	EngineRun  *run;			/* NULL: not open */
	const EngineOps *calls;		/* of the run, once it is open */
	Feeding		feeding;
	Feeder	   *feeder;			/* the session itself; NULL: not yet */
	int			file;			/* its input file, until it is the feeder's; or -1 */
	uint64_t	queue_ns;
	bool		sent_part;		/* of the groups: the session owes a NEXT */
	char		message[256];	/* why it failed, if nobody else has said so */
} RemoteRun;

/*
 * EngineHints.wait of all runs: the one whose task runs gives way.  It ends if its
 * session has gone, or another one by which it is fed.
 */
static bool
wait_in_task(int milliseconds)
{
	Connection *c = task_argument(task_current());

	if (milliseconds > 0)
		task_give_way(0, now_ns() + (uint64_t) milliseconds * 1000000);
	else
		task_pause(0);
	return c->gone || (c->feeding != NULL && c->feeding->status != ENGINE_OK);
}

static bool
has_gone(const Connection *c)
{
	return c->gone || channel_is_closed(c->fd);
}

/*
 * EngineHints.gave_up, likewise: a process closes its socket before it unpins pages that
 * have not been released.  Messages that it has sent before may still be read.  One that has
 * left the run knew that all of its pages had been released, or the run has failed.
 */
static bool
has_given_up(void)
{
	const Connection *c = task_argument(task_current());
	const Feeding *feeding = c->feeding;

	if (feeding == NULL)
		return has_gone(c);
	if (feeding->status != ENGINE_OK)
		return true;
	for (const Feeder *feeder = feeding->feeders; feeder != NULL; feeder = feeder->next)
		if (feeder->connection != NULL && has_gone(feeder->connection))
			return true;
	return false;
}

static EngineStatus
fail(RemoteRun *r, EngineStatus status, const char *message)
{
	snprintf(r->message, sizeof(r->message), "%s", message);
	return status;
}

static bool
uses_several(const RemoteRun *r)
{
	return (r->devices & (r->devices - 1)) != 0;
}

/* The session's next message, for which the run waits; false: none comes. */
static bool
wait_for_message(Connection *c)
{
	ChannelStatus status;

	c->owes = false;
	while ((status = connection_receive(c)) == CHANNEL_BUSY)
		task_give_way(POLLIN, TASK_NEVER);
	c->owes = true;
	return status == CHANNEL_OK;
}

/* The engine asks for LSNs: the session has them. */
static EngineStatus
ask_session(RemoteRun *r, const EngineRequest *request, uint64_t *lsns)
{
	Connection *c = r->connection;
	uint64_t	size;
	int			file = served_write_asked(request->blocks, &r->hints, &size);

	if (file < 0)
		return fail(r, ENGINE_NO_MEMORY, "out of memory");
	message_begin(&c->answer, MESSAGE_REQUEST);
	c->answer.request.kind = request->kind;
	c->answer.request.size = size;
	(void) connection_send(c, file);
	close(file);
	if (!wait_for_message(c))
		return fail(r, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	if (c->message.head.type != MESSAGE_ANSWER || c->message.answer.kind != request->kind ||
		c->message.answer.n != request->n ||
		!file_read(r->file, c->message.answer.place, lsns, request->n * sizeof(*lsns)))
		return fail(r, ENGINE_FAILED, "what was asked has not been answered");
	return ENGINE_OK;
}

/* The session's answer to what the engine asks. */
static EngineStatus
answer_request(RemoteRun *r, const EngineRequest *request)
{
	uint64_t   *lsns = malloc(request->n * sizeof(*lsns));
	EngineAnswer answer = {request->kind, request->n, lsns};
	EngineStatus status = lsns != NULL ? ask_session(r, request, lsns) :
		fail(r, ENGINE_NO_MEMORY, "out of memory");

	if (status == ENGINE_OK)
	{
		call_is_due(r->run, CALL_ANSWER);
		status = r->calls->kept->answer(r->run, &answer);
	}
	free(lsns);
	return status;
}

/* Let the session answer all that the engine asks; engines of this process are never BUSY then. */
static EngineStatus
answer_requests(RemoteRun *r)
{
	const EngineKept *kept = r->calls->kept;
	EngineRequest request = {REQUEST_NONE, 0, NULL};
	EngineStatus status = ENGINE_OK;

	if (kept == NULL || kept->request == NULL || !r->hints.answers)
		return ENGINE_OK;
	do
	{
		call_is_due(r->run, CALL_REQUEST);
		status = kept->request(r->run, &request);
		if (status == ENGINE_OK && request.kind != REQUEST_NONE)
			status = answer_request(r, &request);
	} while (status == ENGINE_OK && request.kind != REQUEST_NONE);
	return status;
}

/* What the session wants, from the message that opens the run. */
static EngineStatus
take_open(RemoteRun *r)
{
	Connection *c = r->connection;
	const OpenMessage *open = &c->message.open;

	r->ops = engines[open->engine];
	if (r->ops == NULL)
		return fail(r, ENGINE_FAILED, "the device process does not have the engine");
#ifdef GPUAGG_TESTING
	if (open->engine == ENGINE_ID_CPU && c->service->config->engine != NULL)
		r->ops = c->service->config->engine;
#endif
	memcpy(r->strategy, open->strategy, sizeof(r->strategy));
	r->hints = (EngineHints)
	{
		.rows = open->rows,.groups = open->groups,.pages = (double) open->total_pages,
			.memory_limit = open->memory_limit,.strategy = r->strategy,
			.only_pages = open->only_pages != 0,.wait = wait_in_task,
			.gave_up = has_given_up,.streams = true,.top = open->top,
			.unread_keys = open->unread_keys
	};
#ifdef GPUAGG_TESTING
	r->hints.fails = open->fails;
#endif
	r->wait_ns = open->queue_timeout == UINT32_MAX ? TASK_NEVER / 2 :
		(uint64_t) open->queue_timeout * 1000000;
	r->feeding.key = open->key;
	r->file = c->file;
	c->file = -1;
	c->session = open->session;
	c->activity.process_id = open->process_id;
	c->activity.role = open->role;
	c->activity.engine = open->engine;
	c->activity.total_pages = open->total_pages;
	memcpy(c->activity.database, open->database, sizeof(c->activity.database));
	memcpy(c->activity.relation, open->relation, sizeof(c->activity.relation));
	r->device_ops = devices[open->engine];
	if (!opening_read(r->file, &open->opening, &r->opening, r->message, sizeof(r->message)))
		return ENGINE_FAILED;
	distrust_apply(r->opening.tables, r->opening.ntables);
	r->hints.tables = r->opening.tables;
	r->hints.ntables = r->opening.ntables;
	r->hints.keep = r->opening.keep;
	r->hints.nkeep = r->opening.nkeep;
	r->hints.answers = open->answers != 0 && r->hints.ntables > 0;
	if (program_gives_values(r->opening.program))
		return fail(r, ENGINE_FAILED, GIVEN_VALUES_MESSAGE);
	if (!r->ops->supports(r->opening.program, r->message, sizeof(r->message)))
		return ENGINE_FAILED;
	return fail(r, ENGINE_OK, "");
}

/*
 * Have all tables: those that the device has not kept come from the session.  Of several devices
 * each may have kept others, so that all come.
 */
static EngineStatus
find_lookups(RemoteRun *r)
{
	Connection *c = r->connection;
	int			device = uses_several(r) ? -1 : r->hints.device;
	const char *why;
	EngineStatus status;

	c->activity.phase = RUN_OPENING;
	if (!run_lookups_find(&r->lookups, r->ops, device, c->activity.role,
						  c->activity.database, &r->opening))
		return fail(r, ENGINE_NO_MEMORY, "out of memory");
	if (r->lookups.nwanted == 0)
		return ENGINE_OK;
	message_begin(&c->answer, MESSAGE_WANTED);
	memcpy(c->answer.wanted.params, r->lookups.wanted, sizeof(r->lookups.wanted));
	(void) connection_send(c, -1);
	if (!wait_for_message(c))
		return fail(r, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	if (c->message.head.type != MESSAGE_TABLES)
		return fail(r, ENGINE_FAILED, "a message came that has no place in a run");
	status = run_lookups_read(&r->lookups, &r->opening, r->file, c->message.tables.place, &why);
	return status == ENGINE_OK ? ENGINE_OK : fail(r, status, why);
}

static void
wake(void *argument)
{
	task_wake(argument);
}

/* Tell the session that it waits, and how many are before it. */
static void
tell_position(RemoteRun *r, int device)
{
	Connection *c = r->connection;

	message_begin(&c->answer, MESSAGE_QUEUED);
	c->answer.queued.position = admission_position(&c->service->admissions[device],
												   &r->tickets[device]);
	(void) connection_send(c, -1);
}

/* With its tables.  An engine without a device, in tests, needs what it is allowed. */
static uint64_t
memory_needed(const RemoteRun *r)
{
	uint64_t	limit = r->hints.memory_limit;
	uint64_t	needed = engine_memory_needed(r->ops, r->opening.program, &r->hints);

	if (needed > 0)
		needed += program_tables_size(r->opening.program, r->opening.params);
	return needed == 0 || (limit > 0 && needed > limit) ? limit : needed;
}

/* A device of the engine may have failed, so that only another process can try again. */
static void
note_lost(Service *service, const EngineOps *ops)
{
	int			device = ops != NULL && ops->process != NULL && ops->process->lost != NULL ?
		ops->process->lost() : -1;

	if (device < 0)
		return;
	service->lost = true;
	service->lost_device = device;
}

/* Which devices the run uses, and what it needs of their memory. */
static EngineStatus
find_place(RemoteRun *r)
{
	Service    *service = r->connection->service;

	r->need = memory_needed(r);
	if (r->device_ops == NULL)
	{
		service->admissions[0].budget = service->config->max_device_memory;
		r->devices = 1;
		return ENGINE_OK;
	}
	r->devices = placement_choose(service, r->device_ops, r->opening.program, &r->hints, r->need);
	if (r->devices == 0)
		return fail(r, ENGINE_FAILED, "no device is used");
	r->hints.device = __builtin_ctzll(r->devices);
	r->connection->activity.devices = r->devices;
	return ENGINE_OK;
}

/*
 * Does the session have another run?  That may wait for the session, as one below which this
 * one gives rows, and the session waits for this one.
 */
static bool
session_has_other(const Connection *c)
{
	for (const Connection *other = c->service->connections; other != NULL; other = other->next)
		if (other != c && other->is_run && !other->gone && c->session != 0 &&
			other->session == c->session)
			return true;
	return false;
}

/* Until the device has the memory. */
static EngineStatus
wait_for_device(RemoteRun *r, int device)
{
	Connection *c = r->connection;
	Ticket	   *ticket = &r->tickets[device];
	char		why[64];

	ticket->need = r->need;
	ticket->waits = !session_has_other(c);
	ticket->admit = wake;
	ticket->argument = c->task;
	admission_enter(&c->service->admissions[device], ticket);
	if (!ticket->admitted && !ticket->waits)
		return fail(r, ENGINE_NO_MEMORY, "no device memory is free beside the session's other run");
	if (!ticket->admitted)
		tell_position(r, device);
	while (!ticket->admitted && !c->gone && now_ns() - c->begun < r->wait_ns)
		task_give_way(0, c->begun + r->wait_ns);
	r->queue_ns = c->activity.waited_ns = now_ns() - c->begun;
	if (ticket->admitted)
		return ENGINE_OK;
	snprintf(why, sizeof(why), "waited %llu ms for device memory",
			 (unsigned long long) (r->queue_ns / 1000000));
	return fail(r, ENGINE_NO_MEMORY, why);
}

/* All runs wait for devices in the order of their numbers, so that none waits for another for ever. */
static EngineStatus
wait_for_memory(RemoteRun *r)
{
	EngineStatus status = ENGINE_OK;

	r->connection->activity.phase = RUN_WAITING;
	r->connection->begun = now_ns();
	for (int i = 0; i < DEVICES_MAX && status == ENGINE_OK; i++)
		if (r->devices >> i & 1)
			status = wait_for_device(r, i);
	return status;
}

static void
leave_devices(RemoteRun *r)
{
	for (int i = 0; i < DEVICES_MAX; i++)
		if (r->devices >> i & 1)
			admission_leave(&r->connection->service->admissions[i], &r->tickets[i]);
}

/* From now on the session, and those whom it tells the key, may give rows. */
static EngineStatus
begin_feeding(RemoteRun *r)
{
	Feeding    *feeding = &r->feeding;

	feeding->owner = r->connection;
	feeding->ops = r->calls;
	feeding->run = r->run;
	feeding->program = r->opening.program;
	feeding->only_pages = r->hints.only_pages;
#ifdef GPUAGG_TESTING
	feeding->fails = r->hints.fails;
#endif
	r->feeder = feeding_add(feeding, r->connection, r->file);
	if (r->feeder == NULL)
		return fail(r, ENGINE_NO_MEMORY, "out of memory");
	r->file = -1;
	if (!feeding_begin(feeding))
		return fail(r, ENGINE_FAILED, "another run has the same key");
	return ENGINE_OK;
}

/* Tell the session that it may give rows, but for the blocks that the engine serves. */
static EngineStatus
tell_started(RemoteRun *r)
{
	Connection *c = r->connection;
	uint64_t	size;
	int			file;
	ServedKind	served = served_write(r->run, &r->hints, &file, &size);

	if (served == SERVED_SOME)
	{
		if (file < 0)
			return fail(r, ENGINE_NO_MEMORY, "out of memory");
		message_begin(&c->answer, MESSAGE_SERVED);
		c->answer.served.size = size;
		(void) connection_send(c, file);
		close(file);
	}
	message_begin(&c->answer, MESSAGE_STARTED);
	c->answer.started.buffers_in_place = c->service->config->buffers_size > 0;
	c->answer.started.served = served;
	(void) connection_send(c, -1);
	return ENGINE_OK;
}

static EngineStatus
open_run(RemoteRun *r)
{
	Connection *c = r->connection;
	EngineStatus status;

	c->activity.phase = RUN_OPENING;
	if (!uses_several(r))
		status = r->ops->open(r->opening.program, r->opening.params, &r->hints, &r->run,
							  r->message);
	else
		status = several_devices_open(r->ops, r->devices, r->opening.program, r->opening.params,
									  &r->hints, &r->run, r->message);
	if (status == ENGINE_OK)
	{
		r->calls = uses_several(r) ? r->run->ops : r->ops;
		call_is_due(r->run, CALL_OPEN);
		status = answer_requests(r);
	}
	if (status == ENGINE_OK)
		status = begin_feeding(r);
	if (status == ENGINE_OK)
		status = tell_started(r);
	c->activity.phase = RUN_READING;
	return status;
}

/* Before a busy engine is called again; false: the session has gone. */
static bool
pause_run(RemoteRun *r)
{
	task_pause(0);
	return !r->connection->gone;
}

static EngineStatus
no_memory(RemoteRun *r)
{
	return fail(r, ENGINE_NO_MEMORY, "out of memory for the groups");
}

/* Wait until the session has taken the part that was sent last, and wants more groups. */
static EngineStatus
wait_for_session(RemoteRun *r)
{
	if (!r->sent_part)
		return ENGINE_OK;
	if (!wait_for_message(r->connection))
		return ENGINE_FAILED;
	if (r->connection->message.head.type != MESSAGE_NEXT)
		return fail(r, ENGINE_FAILED, "a message came that has no place in a run");
	return ENGINE_OK;
}

/*
 * Send the groups that have been written, once the session has taken those before, and
 * begin to write others: they are there when it wants them.
 */
static EngineStatus
send_part(RemoteRun *r, GroupsWriter **writer)
{
	Connection *c = r->connection;
	uint64_t	size;
	int			file = groups_writer_end(*writer, &size);
	EngineStatus status = file < 0 ? no_memory(r) : wait_for_session(r);

	if (status != ENGINE_OK)
		return status;
	r->sent_part = true;
	message_begin(&c->answer, MESSAGE_PART);
	c->answer.part.size = size;
	c->answer.part.stats = r->run->stats;
	c->answer.part.stats.queue_ns = r->queue_ns;
	(void) connection_send(c, file);
	groups_writer_free(*writer);
	*writer = groups_writer_create(r->opening.program);
	return *writer == NULL ? no_memory(r) : ENGINE_OK;
}

/* All groups to the session, but the last ones, which stay in the writer. */
static EngineStatus
write_groups(RemoteRun *r, GroupsWriter **writer)
{
	for (;;)
	{
		GroupBatch	batch;
		EngineStatus status;

		call_is_due(r->run, CALL_GROUPS);
		status = r->calls->groups(r->run, &batch);
		if (status == ENGINE_BUSY && pause_run(r))
			continue;
		if (status != ENGINE_OK)
			return status == ENGINE_BUSY ? ENGINE_FAILED : status;
		if (batch.ngroups == 0)
			return ENGINE_OK;
		if (groups_writer_size(*writer) >= (r->sent_part ? PART_SIZE : FIRST_PART_SIZE))
			status = send_part(r, writer);
		if (status != ENGINE_OK)
			return status;
		if (!groups_writer_add(*writer, &batch))
			return no_memory(r);
		/* the others' turn */
		task_give_way(0, 0);
		if (r->connection->gone)
			return ENGINE_FAILED;
	}
}

/* The groups to the session. */
static EngineStatus
send_result(RemoteRun *r, GroupsWriter **writer)
{
	Connection *c = r->connection;
	uint64_t	size;
	EngineStatus status;
	int			file;

	status = write_groups(r, writer);
	if (status != ENGINE_OK)
		return status;
	file = groups_writer_end(*writer, &size);
	status = file < 0 ? no_memory(r) : wait_for_session(r);
	if (status != ENGINE_OK)
		return status;
	message_begin(&c->answer, MESSAGE_RESULT);
	c->answer.result.size = size;
	c->answer.result.stats = r->run->stats;
	c->answer.result.stats.queue_ns = r->queue_ns;
	(void) connection_send(c, file);
	return ENGINE_OK;
}

static EngineStatus
give_groups(RemoteRun *r)
{
	GroupsWriter *writer = groups_writer_create(r->opening.program);
	EngineStatus status;

	r->connection->activity.phase = RUN_FINISHING;
	if (writer == NULL)
		return no_memory(r);
	status = send_result(r, &writer);
	groups_writer_free(writer);
	return status;
}

/* Have all rows come, of all who feed the run?  Else groups would be wrong. */
static EngineStatus
check_input(RemoteRun *r)
{
	const Message *message = &r->connection->message;
	ToastedRow	row;

	if (!r->feeding.all_input && message->head.type != MESSAGE_GROUPS)
		return fail(r, ENGINE_FAILED, "a message came that has no place in a run");
	if (r->feeding.nattached > 0 ||
		r->feeding.nended != (r->feeding.all_input ? 0 : message->groups.feeders))
		return fail(r, ENGINE_FAILED, "not all that feed the run have ended");
	call_is_due(r->run, CALL_TOASTED);
	if (r->calls->toasted(r->run, &row, 1) > 0)
		return fail(r, ENGINE_FAILED, "rows that were left out have not been sent");
	return ENGINE_OK;
}

/* From the opening to the result, or to a failure. */
static EngineStatus
run(RemoteRun *r)
{
	EngineStatus status = take_open(r);

	if (status == ENGINE_OK)
		status = find_place(r);
	if (status == ENGINE_OK)
		status = find_lookups(r);
	if (status == ENGINE_OK)
		status = wait_for_memory(r);
	if (status == ENGINE_OK)
		status = open_run(r);
	if (status == ENGINE_OK)
		status = feeder_begin(r->feeder);
	if (status == ENGINE_OK)
		status = feeder_take_input(r->feeder);
	if (status == ENGINE_OK)
		feeding_end_attaching(&r->feeding);
	if (status == ENGINE_OK)
		status = check_input(r);
	if (status == ENGINE_OK)
		status = give_groups(r);
	return status;
}

/* The first reason that is known, with what the engine has to say of the run. */
static void
send_failure(RemoteRun *r, EngineStatus status)
{
	const char *message = r->message;
	EngineStats stats;

	memset(&stats, 0, sizeof(stats));
	if (r->run != NULL)
	{
		stats = r->run->stats;
		if (message[0] == '\0')
			message = r->feeding.status != ENGINE_OK ? r->feeding.message : r->run->message;
	}
	stats.queue_ns = r->queue_ns;
	connection_fail(r->connection, status, message, &stats);
}

static void
close_run(RemoteRun *r)
{
	Service    *service = r->connection->service;

	if (r->feeder != NULL)
		feeding_end(&r->feeding);
	if (r->run != NULL)
		r->calls->close(r->run);
	feeding_free(&r->feeding);
	run_lookups_end(&r->lookups, &r->opening);
	note_lost(service, r->ops);
	leave_devices(r);
	opening_free(&r->opening);
	if (r->file >= 0)
		close(r->file);
	free(r);
}

void
remote_run_serve(Connection *c)
{
	RemoteRun  *r = calloc(1, sizeof(*r));
	EngineStatus status;

	if (r == NULL)
	{
		connection_fail(c, ENGINE_NO_MEMORY, "out of memory", NULL);
		return;
	}
	r->connection = c;
	r->file = -1;
	c->is_run = c->owes = true;
	status = run(r);
	if (status != ENGINE_OK && !c->gone)
		send_failure(r, status);
	c->is_run = c->owes = false;
	close_run(r);
}
