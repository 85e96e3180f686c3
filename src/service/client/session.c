/*
 * session.c
 *	  A session's dealings with the device process, where they need PostgreSQL.
 *
 * What a session knows of the device it has asked once: whether there is one that can be
 * used, and whether it is open.  It asks again when a run has found nobody who listens.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "engine/cuda/cuda_engine.h"
#include "guc.h"
#include "service/client/client.h"
#include "service/client/service.h"
#include "service/client/session.h"

/* Milliseconds between two looks for an answer, if nothing wakes the session. */
#define ASK_INTERVAL 100

/* Milliseconds between two looks whether there is a device process by now. */
#define LOOK_INTERVAL 10000

/* The engines that the device process may have. */
static const EngineOps *const served[NUM_ENGINES] = {
#define SERVED(id, ops, costs, device, client) [ENGINE_ID_##id] = &ops,
#include "engine/engines.def"
};

/* What the device process has said of its device. */
typedef struct DeviceKnown
{
	bool		usable;
	bool		warm;
	char		reason[256];	/* why not usable */
} DeviceKnown;

static bool asked = false;
static DeviceKnown known;

/* The database's name, for as long as the process lives. */
static const char *
database_name(void)
{
	static char *name = NULL;

	if (name == NULL && OidIsValid(MyDatabaseId) && IsTransactionState())
	{
		char	   *found = get_database_name(MyDatabaseId);

		if (found != NULL)
			name = MemoryContextStrdup(TopMemoryContext, found);
	}
	return name;
}

static void
wait_for_answer(Question *question)
{
	static uint32 wait_event = 0;
	int			fd = question_descriptor(question);
	int			events;

	if (wait_event == 0)
		wait_event = compat_wait_event("GpuAggEngine");
	if (fd < 0)
		events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1, wait_event);
	else
		events = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_TIMEOUT |
								   WL_EXIT_ON_PM_DEATH, fd, ASK_INTERVAL, wait_event);
	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Is it the last message of an answer? */
static bool
is_last(QuestionKind kind, const Message *answer)
{
	switch (kind)
	{
		case QUESTION_ACTIVITY:
			return answer->activity.nrows == 0;
		case QUESTION_CACHE:
			return answer->cache.nrows == 0;
		default:
			return true;
	}
}

static EngineStatus
take_answer(Question *question, QuestionKind kind, void (*take) (Message *, void *),
			void *argument, char *why)
{
	Message    *answer;
	EngineStatus status;

	do
	{
		while ((status = question_next(question, &answer, why)) == ENGINE_BUSY)
			wait_for_answer(question);
		if (status == ENGINE_OK)
			take(answer, argument);
	} while (status == ENGINE_OK && !is_last(kind, answer));
	return status;
}

static bool
ask(QuestionKind kind, Oid relation, const uint8 *attributes,
	void (*take) (Message *answer, void *argument), void *argument, char *why)
{
	Question   *question;
	volatile EngineStatus status = ENGINE_FAILED;

	session_configure();
	question = question_ask(kind, MyDatabaseId, relation, attributes, why);
	if (question == NULL)
		return false;
	PG_TRY();
	{
		status = take_answer(question, kind, take, argument, why);
	}
	PG_FINALLY();
	{
		question_end(question);
	}
	PG_END_TRY();
	return status == ENGINE_OK;
}

bool
session_ask(QuestionKind kind, Oid relation,
			void (*take) (Message *answer, void *argument), void *argument, char *why)
{
	return ask(kind, relation, NULL, take, argument, why);
}

static void
take_evicted(Message *answer, void *argument)
{
	*(int64 *) argument = (int64) answer->evicted.bytes;
}

int64
session_evict(Oid relation, const uint8 *attributes)
{
	int64		bytes = 0;
	char		why[256];

	(void) ask(QUESTION_EVICT, relation, attributes, take_evicted, &bytes, why);
	return bytes;
}

static void
take_devices(Message *answer, void *argument)
{
	known.usable = false;
	known.warm = answer->devices.warm != 0;
	strlcpy(known.reason, answer->devices.why, sizeof(known.reason));
	for (uint32 i = 0; i < answer->devices.ndevices; i++)
	{
		const DeviceRow *row = &message_devices(answer)[i];

		if (row->engine == ENGINE_ID_CUDA)
			known.usable |= row->used != 0;
	}
}

/*
 * EngineProcess.available of the clients.  A device process that has ended and will be
 * started again counts as there: runs fall back for so long.  It tells of CUDA devices only;
 * what tests have instead can be seen here.
 */
static bool
is_available(EngineId engine, char *reason, size_t len)
{
	char		why[256];

	if (!asked)
	{
		known = (DeviceKnown) {.usable = true};
		if (!service_exists(reason, len))
			return false;
		asked = session_ask(QUESTION_DEVICES, InvalidOid, take_devices, NULL, why);
	}
	if (engine != ENGINE_ID_CUDA)
		return engine_is_available(served[engine], reason, len);
	if (!known.usable)
		strlcpy(reason, known.reason, len);
	return known.usable;
}

bool
session_has_device(char *reason, size_t len)
{
	if (!is_available(ENGINE_ID_CUDA, reason, len))
		return false;
	if (!asked)
		strlcpy(reason, "the device process has ended", len);
	return asked;
}

/*
 * EngineProcess.warm of the clients.  A query is not worth to start a device process for
 * while it is planned, but one that is there may have its device open.
 */
static bool
is_warm(EngineId engine)
{
	static TimestampTz looked = 0;
	TimestampTz now = GetCurrentTimestamp();
	char		why[256];

	if (!asked && TimestampDifferenceExceeds(looked, now, LOOK_INTERVAL))
	{
		looked = now;
		asked = session_ask(QUESTION_DEVICES, InvalidOid, take_devices, NULL, why);
	}
	return asked && known.warm;
}

/* The session's process, of which this one may be a parallel worker. */
static int
session_process_id(void)
{
	const PGPROC *leader = MyProc->lockGroupLeader;

	return leader != NULL ? leader->pid : MyProcPid;
}

void
session_configure(void)
{
	client_configure(&(ClientConfig)
					 {
						 .socket = SERVICE_SOCKET,
						 .buffers = BufferBlocks,
						 .buffers_size = (uint64) NBuffers * BLCKSZ,
						 .session = session_process_id(),
						 .process_id = MyProcPid,
						 .role = GetUserId(),
						 .database = database_name(),
						 .queue_timeout = gpuagg_queue_timeout,
						 .device_timeout = gpuagg_device_timeout,
						 .available = is_available,
						 .warm = is_warm
					 });
}

void
session_init(void)
{
	client_configure(&(ClientConfig)
					 {
						 .available = is_available,.warm = is_warm
					 });
}

bool
session_finds_service(const EngineOps *ops, char *message)
{
	if (!ops->traits->on_device)
		return false;
	asked = false;
	return service_start(message, 256);
}
