/*
 * start.c
 *	  How a session gets a device process.
 *
 * Where nobody listens and no worker holds the service's lock, the session registers a
 * worker, and waits until the device process serves or a note says why it does not.  The
 * wait can be interrupted and has an end; the worker goes on meanwhile.
 *
 * Nothing here needs a transaction, or writes to the database: it works in read-only
 * transactions, while a query is planned, in parallel workers and on a standby.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "compat.h"
#include "miscadmin.h"
#include "service/worker/directory.h"
#include "service/client/service.h"
#include "service/worker/worker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

/* Milliseconds that a device process may take to serve. */
#define START_PATIENCE 10000

/* Milliseconds for which a session does not try again after that. */
#define RETRY_INTERVAL 60000

#define NOT_IN_TIME "the device process has not been ready in time"

/* Milliseconds between two looks. */
#define SHORTEST_SLEEP 1
#define LONGEST_SLEEP 50

typedef enum StartResult
{
	START_GOES_ON,
	START_SERVES,
	START_PAUSES,				/* there will be one, but not soon */
	START_FAILED
} StartResult;

/* One attempt to get a device process. */
typedef struct Start
{
	BackgroundWorkerHandle *worker; /* registered by this session, or NULL */
	bool		patient;		/* may it take a while? */
	char	   *reason;
	size_t		len;
} Start;

/* When this session has last waited in vain. */
static TimestampTz waited_in_vain = 0;

/* Does the kernel know memory files? */
static bool
has_memory_files(void)
{
	static bool known = false;
	int			file;

	if (known)
		return true;
	file = memfd_create("gpuagg", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	known = file >= 0 || errno != ENOSYS;
	if (file >= 0)
		close(file);
	return known;
}

/* Can this server, or this process, have a device process at all? */
static bool
service_is_possible(char *reason, size_t len)
{
	const char *missing = NULL;

#ifdef EXEC_BACKEND
	missing = "a server that executes its program anew for each process can have no device process";
#endif
	if (!IsUnderPostmaster)
		missing = "a server in single-user mode has no device process";
	else if (IsBinaryUpgrade)
		missing = "a server that is upgraded has no device process";
	else if (!has_memory_files())
		missing = "the system has no memfd_create";
	if (missing != NULL)
		strlcpy(reason, missing, len);
	return missing == NULL;
}

static StartResult
fail(Start *start, const char *reason)
{
	strlcpy(start->reason, reason, start->len);
	return START_FAILED;
}

static StartResult
register_worker(Start *start)
{
	BackgroundWorker worker = worker_registration(true);

	if (RegisterDynamicBackgroundWorker(&worker, &start->worker))
		return START_GOES_ON;
	return fail(start, "no slot of max_worker_processes is free for the device worker");
}

/* Has the session's worker ended, and is it not in favour of another one? */
static bool
worker_has_ended(const Start *start)
{
	char		reason[256];
	pid_t		pid;

	return GetBackgroundWorkerPid(start->worker, &pid) == BGWH_STOPPED &&
		!directory_is_locked() && !directory_answers() &&
		directory_read_note(reason, sizeof(reason)) == NOTE_NONE;
}

/* How is it now? */
static StartResult
look(Start *start)
{
	if (directory_answers())
		return START_SERVES;
	switch (directory_read_note(start->reason, start->len))
	{
		case NOTE_NONE:
			break;
		case NOTE_PAUSE:
			return START_PAUSES;
		case NOTE_NO_DEVICE:
			return START_FAILED;
	}
	if (!start->patient)
		return fail(start, NOT_IN_TIME);
	if (directory_is_locked())
		return START_GOES_ON;
	if (start->worker == NULL)
		return register_worker(start);
	if (worker_has_ended(start))
		return fail(start, "the device worker has ended; the server's log may say why");
	return START_GOES_ON;
}

static void
sleep_on_latch(int milliseconds)
{
	static uint32 wait_event = 0;
	int			events;

	if (wait_event == 0)
		wait_event = compat_wait_event("GpuAggStart");
	events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					   milliseconds, wait_event);
	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* It has taken too long.  A worker that the postmaster has not started is not wanted any more. */
static StartResult
wait_in_vain(Start *start)
{
	pid_t		pid;

	if (start->worker != NULL &&
		GetBackgroundWorkerPid(start->worker, &pid) == BGWH_NOT_YET_STARTED)
		TerminateBackgroundWorker(start->worker);
	waited_in_vain = GetCurrentTimestamp();
	return fail(start, NOT_IN_TIME);
}

static StartResult
start_service(char *reason, size_t len)
{
	Start		start = {.reason = reason,.len = len};
	StartResult result;
	TimestampTz began = GetCurrentTimestamp();
	int			sleep = SHORTEST_SLEEP;

	start.patient = waited_in_vain == 0 ||
		TimestampDifferenceExceeds(waited_in_vain, began, RETRY_INTERVAL);
	if (!service_is_possible(reason, len))
		return START_FAILED;
	while ((result = look(&start)) == START_GOES_ON)
	{
		if (TimestampDifferenceExceeds(began, GetCurrentTimestamp(), START_PATIENCE))
		{
			result = wait_in_vain(&start);
			break;
		}
		sleep_on_latch(sleep);
		sleep = Min(2 * sleep, LONGEST_SLEEP);
	}
	if (start.worker != NULL)
		pfree(start.worker);
	return result;
}

bool
service_start(char *reason, size_t len)
{
	return start_service(reason, len) == START_SERVES;
}

bool
service_exists(char *reason, size_t len)
{
	return start_service(reason, len) != START_FAILED;
}

void
service_look_again(void)
{
	char		reason[256];

	waited_in_vain = 0;
	if (directory_read_note(reason, sizeof(reason)) == NOTE_NO_DEVICE)
		directory_remove_note();
}
