/*
 * handle.c
 *	  How PostgreSQL holds a run of an engine: calls, waits, interrupts.
 *
 * An engine's memory is not PostgreSQL's.  A handle therefore registers a reset
 * callback with the memory context it lives in: however the context goes, by
 * the end of the query or by an error's longjmp, the run is closed.  The
 * callback does nothing that could raise an error.
 *
 * A cursor that fails in a subtransaction keeps its memory until the transaction ends, but what
 * its resource owner had, such as temporary files, goes with the subtransaction.  So does a run
 * whose groups are on their way: others of the session would have it take them.
 *
 * Waits show in pg_stat_activity as wait event GpuAggEngine (PostgreSQL 15 and 16:
 * Extension).  A run in the device process has a descriptor, which is waited for
 * together with the latch, by a set of events that the handle owns: to make one for each
 * wait takes five system calls.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/block.h"
#include "storage/latch.h"
#include "storage/off.h"
#include "storage/procsignal.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "handle/handle.h"
#include "handle/inject.h"
#include "guc.h"
#include "service/client/session.h"

/* Milliseconds between two looks at a busy engine, if nothing wakes the session: */
#define LONGEST_WAIT 100		/* with a descriptor, */
#define SHORT_WAIT 1			/* and without one */

/* The wait event, from the first run on. */
static uint32 engine_wait_event;

struct EngineHandle
{
	MemoryContextCallback callback;
	const EngineOps *ops;
	EngineRun  *run;			/* NULL: not open */
	bool		opened;			/* ever */
	bool		streams;		/* EngineHints.streams */
	bool		on_its_way;		/* in groups_on_their_way */
	dlist_node	node;
	ResourceOwner owner;		/* when the run was opened */
	WaitEventSet *events;		/* latch and descriptor, or NULL */
	int			descriptor;		/* of the set */
	const TableState *tables;	/* of the hints that the run was opened with */
	int			ntables;
	EngineStats stats;			/* copied when the run is closed */
	char		message[256];
#ifdef GPUAGG_TESTING
	InjectCalls calls;
#endif
};

/* The handles of runs that have given groups, and may have more of them elsewhere. */
static dlist_head groups_on_their_way = DLIST_STATIC_INIT(groups_on_their_way);

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
sleep_on_latch(int milliseconds)
{
	int			events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								   milliseconds, engine_wait_event);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
}

static void
free_events(EngineHandle *handle)
{
	WaitEventSet *events = handle->events;

	handle->events = NULL;
	if (events != NULL)
		FreeWaitEventSet(events);
}

static void
make_events(EngineHandle *handle, int descriptor)
{
	free_events(handle);
	handle->events = compat_create_wait_set(3);
	handle->descriptor = descriptor;
	AddWaitEventToSet(handle->events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(handle->events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(handle->events, WL_SOCKET_READABLE, descriptor, NULL, NULL);
}

/* Sleep until the latch is set, the run's descriptor can be read, or for so long. */
static void
sleep_on_descriptor(EngineHandle *handle, int descriptor, int milliseconds)
{
	WaitEvent	event;

	if (handle->events == NULL || handle->descriptor != descriptor)
		make_events(handle, descriptor);
	if (WaitEventSetWait(handle->events, milliseconds, &event, 1, engine_wait_event) == 1 &&
		event.events == WL_LATCH_SET)
		ResetLatch(MyLatch);
}

/*
 * EngineHints.wait.  An engine must not be left by longjmp, so of the interrupts only
 * barriers are served here, which other processes wait for; what fails of that stays
 * pending, and is raised once the engine has returned.
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

EngineStatus
engine_injected(EngineHandle *handle, const char *call, char *message)
{
#ifdef GPUAGG_TESTING
	return inject_status(&handle->calls, call, message);
#else
	return ENGINE_OK;
#endif
}

/* Where the run belongs to a device process that does not answer, that is started. */
static EngineStatus
open_run(EngineHandle *handle, const Program *program, const SlotValue *slots,
		 const EngineHints *hints)
{
	EngineStatus status = handle->ops->open(program, slots, hints, &handle->run,
											handle->message);

	if (status == ENGINE_LOST && session_finds_service(handle->ops, handle->message))
		status = handle->ops->open(program, slots, hints, &handle->run, handle->message);
	return status;
}

/* Before a run is opened, or attached to; shall that be taken to have failed? */
static EngineStatus
prepare_open(EngineHandle *handle)
{
	EngineStatus status;

	Assert(handle->run == NULL);
	memset(&handle->stats, 0, sizeof(handle->stats));
	handle->message[0] = '\0';
	handle->opened = true;
	status = engine_injected(handle, "open", handle->message);
	if (status != ENGINE_OK)
		return status;
	/* not when the module is loaded: the postmaster has no wait events */
	if (engine_wait_event == 0)
		engine_wait_event = compat_wait_event("GpuAggEngine");
	session_configure();
	return ENGINE_OK;
}

/*
 * A run would wait for what the session's other ones hold of a device, which waits for the
 * session.  So these take all their groups before it begins.  What fails, fails again when
 * more of them are wanted.
 */
static void
settle_others(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &groups_on_their_way)
		(void) engine_settle(dlist_container(EngineHandle, node, iter.cur));
}

EngineStatus
engine_open(EngineHandle *handle, const Program *program,
			const SlotValue *slots, const EngineHints *hints)
{
	EngineStatus status = prepare_open(handle);

	handle->tables = hints->tables;
	handle->ntables = hints->ntables;
	handle->streams = hints->streams;
	handle->owner = CurrentResourceOwner;
	if (status == ENGINE_OK && handle->ops->stream != NULL)
		settle_others();
	if (status == ENGINE_OK)
		status = open_run(handle, program, slots, hints);
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_attach(EngineHandle *handle, const Program *program, const EngineHints *hints)
{
	EngineStatus status = prepare_open(handle);

	if (status == ENGINE_OK)
		status = handle->ops->shared->attach(program, hints, &handle->run, handle->message);
	CHECK_FOR_INTERRUPTS();
	return status;
}

/* After a call that answered BUSY, before the next. */
static void
wait_a_moment(EngineHandle *handle)
{
	int			descriptor = engine_descriptor(handle->run);

	CHECK_FOR_INTERRUPTS();
	if (descriptor >= 0)
		sleep_on_descriptor(handle, descriptor, LONGEST_WAIT);
	else
		sleep_on_latch(SHORT_WAIT);
}

EngineStatus
engine_asked(EngineHandle *handle, const uint8 **asked, bool *any)
{
	const EngineOps *ops = handle->ops;
	const uint8 **blocks;
	EngineStatus status;

	*any = false;
	if (handle->ntables == 0 || ops->kept == NULL || ops->kept->asked == NULL)
		return ENGINE_OK;
	blocks = palloc0(sizeof(uint8 *) * handle->ntables);
	while ((status = ops->kept->asked(handle->run, blocks)) == ENGINE_BUSY)
		wait_a_moment(handle);
	for (int i = 0; status == ENGINE_OK && i < handle->ntables; i++)
	{
		asked[handle->tables[i].table] = blocks[i];
		*any |= blocks[i] != NULL;
	}
	pfree(blocks);
	return status;
}

EngineStatus
engine_tell(EngineHandle *handle, const uint64 *lsns, uint64 n)
{
	EngineStatus status;

	while ((status = handle->ops->kept->tell(handle->run, lsns, n)) == ENGINE_BUSY)
		wait_a_moment(handle);
	return status;
}

EngineStatus
engine_served(EngineHandle *handle, const uint8 **served)
{
	const EngineOps *ops = handle->ops;
	EngineStatus status = ENGINE_OK;

	if (handle->ntables == 0)
		return ENGINE_OK;
	if (ops->shared != NULL)
		status = engine_begun(handle);
	for (int i = 0; status == ENGINE_OK && i < handle->ntables; i++)
		served[handle->tables[i].table] = ops->kept->served(handle->run, i);
	return status;
}

EngineStatus
engine_pages(EngineHandle *handle, const PageRef *pages, int n)
{
	EngineStatus status = engine_injected(handle, "pages", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->pages(handle->run, pages, n)) == ENGINE_BUSY)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
	return status;
}

uint64
groups_memory_limit(bool regroups)
{
	uint64		limit = gpuagg_memory_limit > 0 ? (uint64) gpuagg_memory_limit << 20 :
		get_hash_memory_limit();

	return regroups ? limit / 2 : limit;
}

int
engine_pages_at_once(const EngineHandle *handle)
{
	return handle->ops->traits->pages_at_once;
}

uint64
engine_released(EngineHandle *handle)
{
	return handle->ops->released(handle->run);
}

void
engine_wait_released(EngineHandle *handle, uint64 pages)
{
	while (handle->ops->released(handle->run) < pages)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
}

int
engine_toasted(EngineHandle *handle, ToastedRow *rows, int max)
{
	char		message[256];

	/* a device process may say anything */
	if (engine_injected(handle, "toasted", message) != ENGINE_OK)
	{
		rows[0] = (ToastedRow) {.block = MaxBlockNumber,.line = FirstOffsetNumber};
		return 1;
	}
	return handle->ops->toasted(handle->run, rows, max);
}

EngineStatus
engine_columns(EngineHandle *handle, const ColumnBatch *batch)
{
	EngineStatus status = engine_injected(handle, "columns", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->columns(handle->run, batch)) == ENGINE_BUSY)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
	return status;
}

/* CurrentResourceOwner is released. */
static void
close_released(ResourceReleasePhase phase, bool isCommit, bool isTopLevel, void *arg)
{
	dlist_mutable_iter iter;

	if (phase != RESOURCE_RELEASE_BEFORE_LOCKS)
		return;
	dlist_foreach_modify(iter, &groups_on_their_way)
	{
		EngineHandle *handle = dlist_container(EngineHandle, node, iter.cur);

		if (handle->owner == CurrentResourceOwner)
			engine_close(handle);
	}
}

static void
watch_owners(void)
{
	static bool watched = false;

	if (!watched)
		RegisterResourceReleaseCallback(close_released, NULL);
	watched = true;
}

/* The first groups have been given; or none are elsewhere any more. */
static void
set_on_its_way(EngineHandle *handle, bool on_its_way)
{
	if (on_its_way && !handle->on_its_way)
	{
		watch_owners();
		dlist_push_tail(&groups_on_their_way, &handle->node);
	}
	else if (!on_its_way && handle->on_its_way)
		dlist_delete(&handle->node);
	handle->on_its_way = on_its_way;
}

EngineStatus
engine_groups(EngineHandle *handle, GroupBatch *batch)
{
	EngineStatus status = engine_injected(handle, "groups", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->groups(handle->run, batch)) == ENGINE_BUSY)
		wait_a_moment(handle);
	/* an open cursor should hold no more descriptors than it needs */
	free_events(handle);
	set_on_its_way(handle, status == ENGINE_OK && handle->streams && !engine_is_settled(handle));
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_emit_partial(EngineHandle *handle)
{
	EngineStatus status = engine_injected(handle, "emit_partial", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->partial->emit_partial(handle->run)) == ENGINE_BUSY)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_combine(EngineHandle *handle, uint32 partition)
{
	EngineStatus status = engine_injected(handle, "combine", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->partial->combine(handle->run, partition)) == ENGINE_BUSY)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_begun(EngineHandle *handle)
{
	EngineStatus status;

	while ((status = handle->ops->shared->begun(handle->run)) == ENGINE_BUSY)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_fed(EngineHandle *handle)
{
	EngineStatus status = engine_injected(handle, "fed", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->shared->fed(handle->run)) == ENGINE_BUSY)
		wait_a_moment(handle);
	CHECK_FOR_INTERRUPTS();
	return status;
}

void
engine_expect(EngineHandle *handle, uint32 feeders)
{
	handle->ops->shared->expect(handle->run, feeders);
}

EngineStatus
engine_settle(EngineHandle *handle)
{
	EngineStatus status = ENGINE_OK;

	if (handle->ops->stream == NULL || engine_is_settled(handle))
		return status;
	while ((status = handle->ops->stream->settle(handle->run)) == ENGINE_BUSY)
		wait_a_moment(handle);
	free_events(handle);
	set_on_its_way(handle, status == ENGINE_OK && !engine_is_settled(handle));
	CHECK_FOR_INTERRUPTS();
	return status;
}

bool
engine_is_settled(const EngineHandle *handle)
{
	return handle->run->settled;
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

	free_events(handle);
	set_on_its_way(handle, false);
	if (run == NULL)
		return;
	handle->run = NULL;
	handle->stats = run->stats;
	memcpy(handle->message, run->message, sizeof(handle->message));
	handle->ops->close(run);
}

bool
engine_is_open(const EngineHandle *handle)
{
	return handle->run != NULL;
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

void
engine_stats_add(EngineStats *stats, const EngineStats *others)
{
	if (stats->strategy[0] == '\0')
		memcpy(stats->strategy, others->strategy, sizeof(stats->strategy));
	stats->rows += others->rows;
	stats->rows_passed += others->rows_passed;
	stats->bytes += others->bytes;
	stats->memory += others->memory;
	stats->input_ns += others->input_ns;
	stats->aggregate_ns += others->aggregate_ns;
	stats->output_ns += others->output_ns;
}

void
engine_add_work(EngineHandle *handle, const EngineStats *others)
{
	handle->opened = true;
	engine_stats_add(handle->run ? &handle->run->stats : &handle->stats, others);
}

const char *
engine_name(const EngineHandle *handle)
{
	return handle->ops->traits->name;
}

const EngineOps *
engine_ops(const EngineHandle *handle)
{
	return handle->ops;
}

int
engine_sqlstate(EngineStatus status)
{
	switch (status)
	{
		case ENGINE_CORRUPT:
			return ERRCODE_DATA_CORRUPTED;
		case ENGINE_NO_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case ENGINE_NO_STORE:
			return ERRCODE_INSUFFICIENT_RESOURCES;
		case ENGINE_FAILED:
		case ENGINE_LOST:
			return ERRCODE_SYSTEM_ERROR;
		default:
			return ERRCODE_FEATURE_NOT_SUPPORTED;
	}
}
