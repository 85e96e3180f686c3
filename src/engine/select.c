/*
 * select.c
 *	  Which engine runs a query, and how PostgreSQL holds one of its runs.
 *
 * An engine's memory is not PostgreSQL's.  A handle therefore registers a reset
 * callback with the memory context it lives in: however the context goes, by
 * the end of the query or by an error's longjmp, the run is closed.  The
 * callback does nothing that could raise an error.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "engine/inject.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/cache/kernel_disk.h"
#include "engine/cuda/cache/kernel_pending.h"
#include "engine/select.h"
#include "guc.h"

/* How long to sleep between two looks at a busy engine, in microseconds. */
#define POLL_SLEEP_US 20

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

void
engine_init(void)
{
	char	   *path = psprintf("%s/gpuagg_kernels", DataDir);

	kernel_disk_directory(path);
	pfree(path);
}

const EngineOps *
engine_named(int choice)
{
	switch (choice)
	{
		case CHOICE_CPU:
			return &cpu_engine;
		case CHOICE_CUDA:
			return &cuda_engine;
#ifdef GPUAGG_TESTING
		case CHOICE_SIMT:
			return &simt_engine;
#endif
		default:
			return NULL;
	}
}

const EngineOps *
engine_required(void)
{
	const EngineOps *ops = engine_named(gpuagg_engine);
	char		reason[256] = "This build of gpuagg does not have it.";

	if (gpuagg_engine == CHOICE_AUTO)
		return NULL;
	if (ops == NULL || !ops->available(reason, sizeof(reason)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("engine \"%s\" is not available",
						GetConfigOption("gpuagg.engine", false, false)),
				 errdetail_internal("%s", reason),
				 errhint("Set gpuagg.engine to \"auto\" or \"cpu\".")));
	return ops;
}

bool
engine_cuda_answers(void)
{
	static bool reported = false;
	char		reason[256];

	if (cuda_engine.available(reason, sizeof(reason)))
		return true;
	if (!reported)
		ereport(LOG,
				(errmsg("gpuagg uses the CPU: %s", reason)));
	reported = true;
	return false;
}

const EngineOps *
engine_for_plan(const char *planned, const Program *program)
{
	const EngineOps *ops = engine_required();
	char		reason[256];

	if (ops != NULL)
		return ops->supports(program, reason, sizeof(reason)) ? ops : &cpu_engine;
	if (strcmp(planned, cuda_engine.name) == 0 && engine_cuda_answers())
		return &cuda_engine;
	return &cpu_engine;
}

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

/* Would CHECK_FOR_INTERRUPTS end the query, or the session? */
static bool
query_is_interrupted(void)
{
	if (InterruptHoldoffCount > 0 || CritSectionCount > 0)
		return false;
	return ProcDiePending || (QueryCancelPending && QueryCancelHoldoffCount == 0);
}

static void
wait_for_compilers(int code, Datum arg)
{
	kernel_pending_end();
}

static void
end_compilers_with_process(void)
{
	static bool registered = false;

	if (!registered)
		on_proc_exit(wait_for_compilers, 0);
	registered = true;
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
	EngineHints own_hints = *hints;
	EngineStatus status;

	Assert(handle->run == NULL);
	memset(&handle->stats, 0, sizeof(handle->stats));
	handle->message[0] = '\0';
	handle->opened = true;
	status = engine_injected(handle, "open", handle->message);
	if (status != ENGINE_OK)
		return status;
	own_hints.interrupted = query_is_interrupted;
	end_compilers_with_process();
	status = handle->ops->open(program, slots, &own_hints, &handle->run, handle->message);
	CHECK_FOR_INTERRUPTS();
	return status;
}

/* After a call that answered BUSY, before the next. */
static void
wait_a_moment(void)
{
	CHECK_FOR_INTERRUPTS();
	pg_usleep(POLL_SLEEP_US);
}

EngineStatus
engine_pages(EngineHandle *handle, const PageRef *pages, int n)
{
	EngineStatus status = engine_injected(handle, "pages", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->pages(handle->run, pages, n)) == ENGINE_BUSY)
		wait_a_moment();
	CHECK_FOR_INTERRUPTS();
	return status;
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

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->columns(handle->run, batch)) == ENGINE_BUSY)
		wait_a_moment();
	CHECK_FOR_INTERRUPTS();
	return status;
}

EngineStatus
engine_groups(EngineHandle *handle, GroupBatch *batch)
{
	EngineStatus status = engine_injected(handle, "groups", handle->run->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = handle->ops->groups(handle->run, batch)) == ENGINE_BUSY)
		wait_a_moment();
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
