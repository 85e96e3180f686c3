/*
 * handle.c
 *	  How PostgreSQL holds a run of an engine: calls, waits, interrupts.
 *
 * An engine's memory is not PostgreSQL's.  A handle therefore registers a reset
 * callback with the memory context it lives in: however the context goes, by
 * the end of the query or by an error's longjmp, the run is closed.  The
 * callback does nothing that could raise an error.
 *
 * Waits show in pg_stat_activity as wait events GpuAggEngine, for a device, and
 * GpuAggCompile, for a compiler (PostgreSQL 15 and 16: Extension).  A device is
 * done with most of what it is given in less than a millisecond, which is the
 * shortest wait for a latch, so at first there are short sleeps; once a call has
 * taken long, the latch is waited for.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/procsignal.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "engine/handle.h"
#include "engine/inject.h"
#include "engine/select.h"
#include "guc.h"

/* How long to sleep between two looks at a busy engine, in microseconds: */
#define SHORT_SLEEP_US 20		/* at first; */
#define SLEEP_SHARE 16			/* then that part of what was slept before, */
#define LONG_SLEEP_US 10000		/* and at most so long */

/* Wait events, from the first run on. */
static uint32 engine_wait_event;
static uint32 compile_wait_event;

struct EngineHandle
{
	MemoryContextCallback callback;
	const EngineOps *ops;
	EngineRun  *run;			/* NULL: not open */
	bool		opened;			/* ever */
	EngineStats stats;			/* copied when the run is closed */
	char		message[256];
#ifdef GPUAGG_TESTING
	InjectCalls calls;
#endif
};

static void
close_callback(void *arg)
{
	engine_close((EngineHandle *) arg);
}

EngineHandle *
engine_handle(const EngineOps *ops)
{
	EngineHandle *handle = palloc0(sizeof(EngineHandle));

	handle->ops = ops;
	handle->callback.func = close_callback;
	handle->callback.arg = handle;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &handle->callback);
	return handle;
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
sleep_on_latch(int milliseconds, uint32 wait_event)
{
	int			events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								   milliseconds, wait_event);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
}

/*
 * EngineHints.wait.  What is waited for with a time is a compiler.  An engine
 * must not be left by longjmp, so of the interrupts only barriers are served
 * here, which other processes wait for; what fails of that stays pending, and
 * is raised once the engine has returned.
 */
static bool
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
			sleep_on_latch(milliseconds, compile_wait_event);
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

EngineHints
engine_hints(double rows, double groups, double pages)
{
	return (EngineHints)
	{
		.rows = rows,.groups = groups,.pages = pages,
			.memory_limit = (uint64_t) gpuagg_memory_limit << 20,
			.strategy = gpuagg_strategy_name(),
			.wait = wait_in_engine
	};
}

static void
exit_callback(int code, Datum arg)
{
	engines_exit();
}

/*
 * Before a process's first run, but not when it loads the module: the postmaster's
 * callbacks are not its children's, nor has it wait events.
 */
static void
prepare_process(void)
{
	static bool prepared = false;

	if (prepared)
		return;
	engine_wait_event = compat_wait_event("GpuAggEngine");
	compile_wait_event = compat_wait_event("GpuAggCompile");
	on_proc_exit(exit_callback, 0);
	prepared = true;
}

EngineStatus
engine_injected(EngineHandle *handle, const char *call, char *message)
{
#ifdef GPUAGG_TESTING
	return inject_status(&handle->calls, call, message);
#else
	return ENGINE_OK;
#endif
}

EngineStatus
engine_open(EngineHandle *handle, const Program *program,
			const SlotValue *slots, const EngineHints *hints)
{
	EngineStatus status;

	Assert(handle->run == NULL);
	memset(&handle->stats, 0, sizeof(handle->stats));
	handle->message[0] = '\0';
	handle->opened = true;
	status = engine_injected(handle, "open", handle->message);
	if (status != ENGINE_OK)
		return status;
	prepare_process();
	status = handle->ops->open(program, slots, hints, &handle->run, handle->message);
	CHECK_FOR_INTERRUPTS();
	return status;
}

/*
 * After a call that answered BUSY, before the next.  *slept: microseconds since
 * the first of these calls.
 */
static void
wait_a_moment(int *slept)
{
	int			sleep = Min(*slept / SLEEP_SHARE, LONG_SLEEP_US);

	CHECK_FOR_INTERRUPTS();
	if (sleep < 1000)
	{
		sleep = SHORT_SLEEP_US;
		pgstat_report_wait_start(engine_wait_event);
		pg_usleep(sleep);
		pgstat_report_wait_end();
	}
	else
		sleep_on_latch(sleep / 1000, engine_wait_event);
	/* more does not matter */
	if (*slept < LONG_SLEEP_US * SLEEP_SHARE)
		*slept += sleep;
}

EngineStatus
engine_pages(EngineHandle *handle, const PageRef *pages, int n)
{
	EngineStatus status = engine_injected(handle, "pages", handle->run->message);
	int			slept = 0;

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->pages(handle->run, pages, n)) == ENGINE_BUSY)
		wait_a_moment(&slept);
	CHECK_FOR_INTERRUPTS();
	return status;
}

int
engine_pages_at_once(const EngineHandle *handle)
{
	return handle->ops->pages_at_once;
}

uint64
engine_released(EngineHandle *handle)
{
	return handle->ops->released(handle->run);
}

void
engine_wait_released(EngineHandle *handle, uint64 pages)
{
	int			slept = 0;

	while (handle->ops->released(handle->run) < pages)
		wait_a_moment(&slept);
	CHECK_FOR_INTERRUPTS();
}

int
engine_left(EngineHandle *handle, LeftRow *rows, int max)
{
	return handle->ops->left(handle->run, rows, max);
}

EngineStatus
engine_columns(EngineHandle *handle, const ColumnBatch *batch)
{
	EngineStatus status = engine_injected(handle, "columns", handle->run->message);
	int			slept = 0;

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->columns(handle->run, batch)) == ENGINE_BUSY)
		wait_a_moment(&slept);
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_groups(EngineHandle *handle, GroupBatch *batch)
{
	EngineStatus status = engine_injected(handle, "groups", handle->run->message);
	int			slept = 0;

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->groups(handle->run, batch)) == ENGINE_BUSY)
		wait_a_moment(&slept);
	CHECK_FOR_INTERRUPTS();
	return status;
}

void
engine_rewind(EngineHandle *handle)
{
	handle->ops->rewind(handle->run);
}

void
engine_close(EngineHandle *handle)
{
	EngineRun  *run = handle->run;

	if (run == NULL)
		return;
	handle->run = NULL;
	handle->stats = run->stats;
	memcpy(handle->message, run->message, sizeof(handle->message));
	handle->ops->close(run);
}

EngineStatus
engine_give_up(EngineHandle *handle, EngineStatus status, const char *message)
{
	strlcpy(handle->run->message, message, sizeof(handle->run->message));
	return status;
}

const char *
engine_message(const EngineHandle *handle)
{
	return handle->run ? handle->run->message : handle->message;
}

const EngineStats *
engine_stats(const EngineHandle *handle)
{
	if (!handle->opened)
		return NULL;
	return handle->run ? &handle->run->stats : &handle->stats;
}

const char *
engine_name(const EngineHandle *handle)
{
	return handle->ops->name;
}

int
engine_sqlstate(EngineStatus status)
{
	switch (status)
	{
		case ENGINE_INEXACT:
			return ERRCODE_FEATURE_NOT_SUPPORTED;
		case ENGINE_CORRUPT:
			return ERRCODE_DATA_CORRUPTED;
		case ENGINE_NO_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		default:
			return ERRCODE_SYSTEM_ERROR;
	}
}
