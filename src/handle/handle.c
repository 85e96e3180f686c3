/*
 * handle.c
 *	  How PostgreSQL holds a run of an engine, and makes its calls.
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
 * All calls that can fail go through call_engine: it repeats what is BUSY, and waits meanwhile;
 * raises the errors of interrupts; lets the call fail if a test wants that; and keeps the failure,
 * which is the answer to all later calls.  The engine is not called any more then.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/block.h"
#include "storage/off.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "handle/handle.h"
#include "handle/inject.h"
#include "handle/wait.h"
#include "guc.h"
#include "service/client/session.h"

struct EngineHandle
{
	MemoryContextCallback callback;
	const EngineOps *ops;
	EngineRun  *run;			/* NULL: not open */
	EngineStatus failed;		/* what the run has failed with; OK: it has not */
	bool		opened;			/* a run, ever */
	bool		streams;		/* EngineHints.streams */
	bool		on_its_way;		/* in groups_on_their_way */
	dlist_node	node;
	ResourceOwner owner;		/* when the run was opened */
	RunWait		wait;
	const TableState *tables;	/* of the hints that the run was opened with */
	int			ntables;
	EngineStats stats;			/* copied when the run is closed */
	char		message[256];	/* likewise; or why it could not be opened */
#ifdef GPUAGG_TESTING
	InjectCalls calls;
#endif
};

/* What the members of an engine's tables take; each those that it has. */
typedef struct CallArguments
{
	const Program *program;
	const ParamValue *params;
	const EngineHints *hints;
	const PageRef *pages;
	int			npages;
	const ColumnBatch *batch;
	GroupBatch *groups;
	uint32		partition;
	EngineRequest *request;
	const EngineAnswer *answer;
	StripeTurn *turn;
	StoredList *list;
} CallArguments;

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

/* Of the open run, or of one that could not be opened. */
static char *
message_of(EngineHandle *handle)
{
	return handle->run ? handle->run->message : handle->message;
}

/*
 * Where the run belongs to a device process that does not answer, that is started.  Which calls are
 * to fail that are made there is said beforehand.
 */
static EngineStatus
open_run(EngineHandle *handle, const CallArguments *args)
{
	const EngineOps *ops = handle->ops;
	EngineHints hints = *args->hints;
	EngineStatus status;

#ifdef GPUAGG_TESTING
	hints.fails = inject_inner();
#endif
	status = ops->open(args->program, args->params, &hints, &handle->run, handle->message);
	if (status == ENGINE_LOST && session_finds_service(ops, handle->message))
		status = ops->open(args->program, args->params, &hints, &handle->run, handle->message);
	return status;
}

/* Only members that can fail. */
static EngineStatus
make_call(EngineHandle *handle, EngineCall call, const CallArguments *args)
{
	const EngineOps *ops = handle->ops;
	EngineRun  *run = handle->run;

	switch (call)
	{
		case CALL_OPEN:
			return open_run(handle, args);
		case CALL_ATTACH:
			return ops->shared->attach(args->program, args->hints, &handle->run,
									   handle->message);
		case CALL_REQUEST:
			return ops->kept->request(run, args->request);
		case CALL_ANSWER:
			return ops->kept->answer(run, args->answer);
		case CALL_TAKE:
			return ops->stripes->take(run, args->turn);
		case CALL_BEGUN:
			return ops->shared->begun(run);
		case CALL_PAGES:
			return ops->pages(run, args->pages, args->npages);
		case CALL_COLUMNS:
			return ops->columns(run, args->batch);
		case CALL_FED:
			return ops->shared->fed(run);
		case CALL_EMIT_PARTIAL:
			return ops->partial->emit_partial(run);
		case CALL_COMBINE:
			return ops->partial->combine(run, args->partition);
		case CALL_GROUPS:
			return ops->groups(run, args->groups);
		case CALL_SETTLE:
			return ops->stream->settle(run);
		case CALL_LIST:
			return ops->lists->list(run, args->list);
		default:
			elog(ERROR, "\"%s\" is no call that can fail", engine_call_name(call));
	}
}

/* The same until it does not answer BUSY. */
static EngineStatus
finish_call(EngineHandle *handle, EngineCall call, const CallArguments *args)
{
	bool		opens = handle->run == NULL;
	EngineStatus status;

	if (!opens)
		call_is_due(handle->run, call);
	while ((status = make_call(handle, call, args)) == ENGINE_BUSY)
		wait_a_moment(&handle->wait, engine_descriptor(handle->run));
	if (opens && status == ENGINE_OK)
		call_is_due(handle->run, call);
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

/* Groups have come, and the run may have more of them elsewhere. */
static void
note_groups(EngineHandle *handle)
{
	/* an open cursor should hold no more descriptors than it needs */
	wait_end(&handle->wait);
	set_on_its_way(handle, handle->failed == ENGINE_OK && handle->streams &&
				   !engine_is_settled(handle));
}

/*
 * Make the call, once it is not to fail on request.  A run that has failed answers as it did
 * then; its message is still there.
 */
static EngineStatus
call_engine(EngineHandle *handle, EngineCall call, const CallArguments *args)
{
	if (handle->failed == ENGINE_OK)
		handle->failed = engine_injected(handle, engine_call_name(call), message_of(handle));
	if (handle->failed == ENGINE_OK)
		handle->failed = finish_call(handle, call, args);
	if (handle->run != NULL && (call == CALL_GROUPS || call == CALL_SETTLE))
		note_groups(handle);
	CHECK_FOR_INTERRUPTS();
	return handle->failed;
}

/* Before a run is opened, or attached to. */
static void
prepare_open(EngineHandle *handle)
{
	Assert(handle->run == NULL);
	memset(&handle->stats, 0, sizeof(handle->stats));
	handle->message[0] = '\0';
	handle->failed = ENGINE_OK;
	handle->opened = true;
	wait_init();
	session_configure();
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
			const ParamValue *params, const EngineHints *hints)
{
	prepare_open(handle);
	handle->tables = hints->tables;
	handle->ntables = hints->ntables;
	handle->streams = hints->streams;
	handle->owner = CurrentResourceOwner;
	if (handle->ops->stream != NULL)
		settle_others();
	return call_engine(handle, CALL_OPEN, &(CallArguments)
					   {
						   .program = program,.params = params,.hints = hints
					   });
}

EngineStatus
engine_attach(EngineHandle *handle, const Program *program, const EngineHints *hints)
{
	prepare_open(handle);
	return call_engine(handle, CALL_ATTACH, &(CallArguments)
					   {
						   .program = program,.hints = hints
					   });
}

EngineStatus
engine_request(EngineHandle *handle, EngineRequest *request)
{
	*request = (EngineRequest)
	{
		REQUEST_NONE
	};
	if (handle->ntables == 0 || handle->ops->kept == NULL || handle->ops->kept->request == NULL)
		return ENGINE_OK;
	return call_engine(handle, CALL_REQUEST, &(CallArguments)
					   {
						   .request = request
					   });
}

EngineStatus
engine_answer(EngineHandle *handle, const EngineAnswer *answer)
{
	return call_engine(handle, CALL_ANSWER, &(CallArguments)
					   {
						   .answer = answer
					   });
}

const TableState *
engine_tables(const EngineHandle *handle, int *n)
{
	*n = handle->ntables;
	return handle->tables;
}

EngineStatus
engine_served(EngineHandle *handle, const uint8 **served)
{
	const EngineOps *ops = handle->ops;
	EngineStatus status = ENGINE_OK;

	if (handle->ntables == 0 || ops->kept == NULL)
		return ENGINE_OK;
	if (ops->shared != NULL)
		status = engine_begun(handle);
	for (int i = 0; status == ENGINE_OK && i < handle->ntables; i++)
	{
		call_is_due(handle->run, CALL_SERVED);
		served[handle->tables[i].table] = ops->kept->served(handle->run, i);
	}
	return status;
}

bool
engine_takes_stripes(const EngineHandle *handle)
{
	return handle->ntables > 0 && handle->ops->stripes != NULL;
}

const uint8 *
engine_asks(EngineHandle *handle, const StripeTurn *turn)
{
	/* a run that has failed is not called, and take answers with its failure */
	if (handle->failed != ENGINE_OK)
		return NULL;
	call_is_due(handle->run, CALL_ASKS);
	return handle->ops->stripes->asks(handle->run, turn);
}

EngineStatus
engine_take(EngineHandle *handle, StripeTurn *turn)
{
	return call_engine(handle, CALL_TAKE, &(CallArguments)
					   {
						   .turn = turn
					   });
}

EngineStatus
engine_pages(EngineHandle *handle, const PageRef *pages, int n)
{
	return call_engine(handle, CALL_PAGES, &(CallArguments)
					   {
						   .pages = pages,.npages = n
					   });
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
		wait_a_moment(&handle->wait, engine_descriptor(handle->run));
	CHECK_FOR_INTERRUPTS();
}

int
engine_toasted(EngineHandle *handle, ToastedRow *rows, int max)
{
	char		message[256];

	/* a device process may say anything */
	if (engine_injected(handle, engine_call_name(CALL_TOASTED), message) != ENGINE_OK)
	{
		rows[0] = (ToastedRow) {.block = MaxBlockNumber,.line = FirstOffsetNumber};
		return 1;
	}
	call_is_due(handle->run, CALL_TOASTED);
	return handle->ops->toasted(handle->run, rows, max);
}

EngineStatus
engine_columns(EngineHandle *handle, const ColumnBatch *batch)
{
	return call_engine(handle, CALL_COLUMNS, &(CallArguments)
					   {
						   .batch = batch
					   });
}

EngineStatus
engine_groups(EngineHandle *handle, GroupBatch *batch)
{
	return call_engine(handle, CALL_GROUPS, &(CallArguments)
					   {
						   .groups = batch
					   });
}

EngineStatus
engine_list(EngineHandle *handle, StoredList *list)
{
	return call_engine(handle, CALL_LIST, &(CallArguments)
					   {
						   .list = list
					   });
}

static const CallArguments no_arguments = {0};

EngineStatus
engine_emit_partial(EngineHandle *handle)
{
	return call_engine(handle, CALL_EMIT_PARTIAL, &no_arguments);
}

EngineStatus
engine_combine(EngineHandle *handle, uint32 partition)
{
	return call_engine(handle, CALL_COMBINE, &(CallArguments)
					   {
						   .partition = partition
					   });
}

EngineStatus
engine_begun(EngineHandle *handle)
{
	return call_engine(handle, CALL_BEGUN, &no_arguments);
}

EngineStatus
engine_fed(EngineHandle *handle)
{
	return call_engine(handle, CALL_FED, &no_arguments);
}

void
engine_expect(EngineHandle *handle, uint32 feeders)
{
	call_is_due(handle->run, CALL_EXPECT);
	handle->ops->shared->expect(handle->run, feeders);
}

EngineStatus
engine_settle(EngineHandle *handle)
{
	if (handle->ops->stream == NULL || engine_is_settled(handle))
		return ENGINE_OK;
	return call_engine(handle, CALL_SETTLE, &no_arguments);
}

bool
engine_is_settled(const EngineHandle *handle)
{
	return handle->run->settled;
}

void
engine_rewind(EngineHandle *handle)
{
	call_is_due(handle->run, CALL_REWIND);
	handle->ops->rewind(handle->run);
}

void
engine_close(EngineHandle *handle)
{
	EngineRun  *run = handle->run;

	wait_end(&handle->wait);
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
	handle->failed = status;
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
	stats->values_ordered += others->values_ordered;
	stats->bytes += others->bytes;
	stats->blocks_resident += others->blocks_resident;
	stats->blocks_masked += others->blocks_masked;
	stats->blocks_skipped += others->blocks_skipped;
	stats->blocks_kept += others->blocks_kept;
	stats->blocks_evicted += others->blocks_evicted;
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

EngineId
engine_id(const EngineHandle *handle)
{
	return handle->ops->traits->id;
}

const char *
engine_name(const EngineHandle *handle)
{
	return engine_id_name(engine_id(handle));
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
