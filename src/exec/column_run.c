/*
 * column_run.c
 *	  Aggregation of column batches that outlives the engine it began in.
 *
 * A plan node can leave a failed engine to PostgreSQL's own plan; an aggregate
 * function has seen its rows for the last time.  So a run in any engine but cpu
 * keeps a copy of its batches in a temporary file, and when that engine fails
 * (its memory, its device), the cpu engine takes them all again.  The cpu
 * engine can only run out of memory, which is an error for PostgreSQL's own
 * aggregates too.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "engine/select.h"
#include "exec/column_run.h"
#include "guc.h"
#include "source/batch_file.h"

struct ColumnRun
{
	MemoryContext context;
	const Program *program;
	double		rows;			/* expected; 0: unknown */
	const EngineOps *ops;
	EngineHandle *handle;
	BatchFile  *kept;			/* all batches so far; NULL: cpu engine */
};

/* Open a run in an engine. */
static EngineStatus
begin(ColumnRun *run, const EngineOps *ops)
{
	MemoryContext old = MemoryContextSwitchTo(run->context);
	EngineHints hints = {0};
	EngineStatus status;

	hints.rows = run->rows;
	hints.memory_limit = (uint64_t) gpuagg_memory_limit * 1024 * 1024;
	hints.strategy = gpuagg_strategy_name();
	run->ops = ops;
	run->handle = engine_handle(ops);
	status = engine_open(run->handle, run->program, NULL, &hints);
	MemoryContextSwitchTo(old);
	return status;
}

static void
raise_failure(ColumnRun *run, EngineStatus status)
{
	ereport(ERROR,
			(errcode(engine_sqlstate(status)),
			 errmsg("engine \"%s\" could not aggregate by key",
					engine_name(run->handle)),
			 errdetail_internal("%s", engine_message(run->handle)),
			 status == ENGINE_NO_MEMORY
			 ? errhint("Raise gpuagg.memory_limit, or aggregate fewer keys at a time.")
			 : 0));
}

/*
 * The engine failed: begin anew in the cpu engine with the batches kept, or
 * raise an error if that was it.
 */
static void
fail_over(ColumnRun *run, EngineStatus status)
{
	BatchFile  *kept = run->kept;
	const ColumnBatch *batch;

	if (run->ops == &cpu_engine || !gpuagg_fallback)
		raise_failure(run, status);
	ereport(DEBUG1,
			(errmsg_internal("engine \"%s\" failed: %s; aggregating in the cpu engine",
							 engine_name(run->handle), engine_message(run->handle))));

	engine_close(run->handle);
	status = begin(run, &cpu_engine);
	if (status != ENGINE_OK)
		raise_failure(run, status);

	batch_file_rewind(kept);
	while ((batch = batch_file_read(kept)) != NULL)
	{
		status = engine_columns(run->handle, batch);
		if (status != ENGINE_OK)
			raise_failure(run, status);
	}
	batch_file_close(kept);
	run->kept = NULL;
}

ColumnRun *
column_run_create(const EngineOps *ops, const Program *program, double rows)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpuagg column run",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ColumnRun  *run = palloc0(sizeof(ColumnRun));
	char		reason[256];
	EngineStatus status;

	run->context = context;
	run->program = program;
	run->rows = rows;
	if (!ops->supports(program, reason, sizeof(reason)))
		ops = &cpu_engine;
	if (ops != &cpu_engine)
		run->kept = batch_file_create(program);
	MemoryContextSwitchTo(old);

	status = begin(run, ops);
	if (status != ENGINE_OK)
		fail_over(run, status);
	return run;
}

void
column_run_add(ColumnRun *run, const ColumnBatch *batch)
{
	EngineStatus status;

	/* kept first: if the engine fails, this batch is among those taken again */
	if (run->kept)
		batch_file_write(run->kept, batch);
	status = engine_columns(run->handle, batch);
	if (status != ENGINE_OK)
		fail_over(run, status);
}

bool
column_run_groups(ColumnRun *run, GroupBatch *groups)
{
	EngineStatus status = engine_groups(run->handle, groups);

	if (status == ENGINE_OK)
		return true;
	fail_over(run, status);
	return false;
}

void
column_run_close(ColumnRun *run)
{
	if (run->kept)
		batch_file_close(run->kept);
	engine_close(run->handle);
	MemoryContextDelete(run->context);
}
