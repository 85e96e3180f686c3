/*
 * wait.c
 *	  How a session waits for a run of an engine: interrupts, latch, descriptor.
 *
 * Waits show in pg_stat_activity as wait event GpuAggEngine (PostgreSQL 15 and 16:
 * Extension).  A run in the device process has a descriptor, which is waited for
 * together with the latch, by a set of events that the run's handle owns: to make one for
 * each wait takes five system calls.
 */
#include "postgres.h"

#include <poll.h>

#include "miscadmin.h"
#include "storage/procsignal.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "engine/clock.h"
#include "handle/wait.h"

/* Milliseconds between two looks at a busy engine, if nothing wakes the session: */
#define LONGEST_WAIT 100		/* with a descriptor, */
#define SHORT_WAIT 1			/* and without one */

/* Nanoseconds for which a descriptor is asked again and again: to fall asleep and to wake up takes as long. */
#define SPIN_NS 50000

static uint32 engine_wait_event;	/* 0: not known yet */

void
wait_init(void)
{
	if (engine_wait_event == 0)
		engine_wait_event = compat_wait_event("GpuAggEngine");
}

/* Would CHECK_FOR_INTERRUPTS do nothing now? */
static bool
interrupts_are_held(void)
{
	return InterruptHoldoffCount > 0 || CritSectionCount > 0;
}

/* Would CHECK_FOR_INTERRUPTS end the query, or the session? */
static bool
query_is_interrupted(void)
{
	if (interrupts_are_held())
		return false;
	return ProcDiePending || (QueryCancelPending && QueryCancelHoldoffCount == 0);
}

/* Sleep until the latch is set, or for so long. */
static void
sleep_on_latch(int milliseconds)
{
	int			events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								   milliseconds, engine_wait_event);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
}

void
wait_end(RunWait *wait)
{
	WaitEventSet *events = wait->events;

	wait->events = NULL;
	if (events != NULL)
		FreeWaitEventSet(events);
}

static void
make_events(RunWait *wait, int descriptor)
{
	wait_end(wait);
	wait->events = compat_create_wait_set(3);
	wait->descriptor = descriptor;
	AddWaitEventToSet(wait->events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(wait->events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(wait->events, WL_SOCKET_READABLE, descriptor, NULL, NULL);
}

/* Can it be read within SPIN_NS?  The latch ends the waiting, too. */
static bool
can_be_read_soon(int descriptor)
{
	struct pollfd ask = {.fd = descriptor,.events = POLLIN};
	uint64_t	begun = now_ns();

	do
	{
		if (poll(&ask, 1, 0) != 0)
			return true;
	} while (!MyLatch->is_set && now_ns() - begun < SPIN_NS);
	return false;
}

/* Sleep until the latch is set, the run's descriptor can be read, or for so long. */
static void
sleep_on_descriptor(RunWait *wait, int descriptor, int milliseconds)
{
	WaitEvent	event;

	if (wait->events == NULL || wait->descriptor != descriptor)
		make_events(wait, descriptor);
	if (WaitEventSetWait(wait->events, milliseconds, &event, 1, engine_wait_event) == 1 &&
		event.events == WL_LATCH_SET)
		ResetLatch(MyLatch);
}

void
wait_a_moment(RunWait *wait, int descriptor)
{
	CHECK_FOR_INTERRUPTS();
	if (descriptor >= 0 && can_be_read_soon(descriptor))
		return;
	if (descriptor >= 0)
		sleep_on_descriptor(wait, descriptor, LONGEST_WAIT);
	else
		sleep_on_latch(SHORT_WAIT);
}

/*
 * An engine must not be left by longjmp, so of the interrupts only
 * barriers are served here, which other processes wait for; what fails of that stays
 * pending, and is raised once the engine has returned.
 */
bool
wait_in_engine(int milliseconds)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool failed = false;

	if (query_is_interrupted())
		return true;
	if (milliseconds == 0 && !ProcSignalBarrierPending)
		return false;
	PG_TRY();
	{
		if (milliseconds > 0)
			sleep_on_latch(milliseconds);
		if (ProcSignalBarrierPending && !interrupts_are_held())
			ProcessProcSignalBarrier();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		failed = true;
	}
	PG_END_TRY();
	return failed || query_is_interrupted();
}
