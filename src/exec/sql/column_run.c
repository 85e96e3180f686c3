/*
 * column_run.c
 *	  Aggregation of column batches that outlives the engine it began in.
 *
 * A plan node whose engine fails has PostgreSQL's own plan; an aggregate function
 * gets each row once, and has no plan.  So a run keeps a copy of its
 * batches in a temporary file, and when an engine fails (its memory, its
 * device), the cpu engine takes them all again, which can only run out of
 * memory, an error for PostgreSQL's own aggregates too.  They are also taken
 * again when a float sum needs more words (exact.h).  In the cpu engine, nothing
 * is kept for Programs without float sums, nor of a single batch, which the caller
 * still has when a sum needs more words.
 *
 * Where the disk, or temp_file_limit, has no room for the file, the run goes on without; only
 * if it has to begin again then, that is an error.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "handle/handle.h"
#include "handle/select.h"
#include "exec/sql/column_run.h"
#include "guc.h"
#include "source/batch_file.h"
#include "stats/stats.h"

struct ColumnRun
{
	MemoryContext context;
	const Program *program;		/* the caller's, or a wider one */
	double		rows;			/* expected; 0: unknown */
	const EngineOps *ops;
	EngineHandle *handle;
	BatchFile  *kept;			/* all batches so far, or NULL */
	char	   *not_kept;		/* why some are not, or NULL */
};

/* Open a run in an engine. */
static EngineStatus
begin(ColumnRun *run, const EngineOps *ops)
{
	MemoryContext old = MemoryContextSwitchTo(run->context);
	EngineHints hints = engine_hints(run->rows, 0, 0);
	EngineStatus status;

	run->ops = ops;
	run->handle = engine_handle(ops);
	status = engine_open(run->handle, run->program, NULL, &hints);
	MemoryContextSwitchTo(old);
	return status;
}

/* End the run of the engine, and count it. */
static void
end(ColumnRun *run)
{
	engine_close(run->handle);
	stats_count_work(engine_id(run->handle), engine_stats(run->handle));
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

/* The run would have to begin again with batches that are not there. */
static void
raise_not_kept(ColumnRun *run)
{
	ereport(ERROR,
			(errcode(engine_sqlstate(ENGINE_NO_STORE)),
			 errmsg("engine \"%s\" could not aggregate by key",
					engine_name(run->handle)),
			 errdetail_internal("%s", engine_message(run->handle)),
			 errhint("The rows could not be kept to begin again: %s", run->not_kept)));
}

/* Give the float sums more words; false if there are none to give. */
static bool
widen(ColumnRun *run)
{
	Program    *wider = MemoryContextAlloc(run->context, run->program->size);

	if (!program_widen(run->program, wider))
		return false;
	run->program = wider;
	return true;
}

/* Begin again with the batches kept, or with the only one. */
static EngineStatus
take_again(ColumnRun *run, const EngineOps *ops, const ColumnBatch *only)
{
	EngineStatus status;
	const ColumnBatch *batch;

	end(run);
	status = begin(run, ops);
	if (status == ENGINE_OK && run->kept == NULL && only != NULL)
		return engine_columns(run->handle, only);
	if (run->kept != NULL)
		batch_file_rewind(run->kept);
	while (status == ENGINE_OK && run->kept != NULL &&
		   (batch = batch_file_read(run->kept)) != NULL)
		status = engine_columns(run->handle, batch);
	return status;
}

/*
 * The engine has not finished: begin again, with wider sums, or in the cpu engine,
 * or raise an error if that is the one.  batch: the one it was given last, if any.
 */
static void
fail_over(ColumnRun *run, EngineStatus status, const ColumnBatch *batch)
{
	while (status != ENGINE_OK)
	{
		const EngineOps *ops = run->ops;

		if (run->not_kept != NULL)
			raise_not_kept(run);
		if (status != ENGINE_WIDEN || !widen(run))
		{
			if (ops == engine_without_device() || !gpuagg_fallback)
				raise_failure(run, status);
			ereport(DEBUG1,
					(errmsg_internal("engine \"%s\" failed: %s; aggregating in the cpu engine",
									 engine_name(run->handle), engine_message(run->handle))));
			stats_count_aggregation(engine_id(run->handle), status);
			ops = engine_without_device();
		}
		status = take_again(run, ops, batch);
	}
	/* the batches are not needed again */
	if (run->kept != NULL && run->ops == engine_without_device() &&
		(run->program->level == EXACT_FULL || !program_sums_floats(run->program)))
	{
		batch_file_close(run->kept);
		run->kept = NULL;
	}
}

ColumnRun *
column_run_create(const EngineOps *ops, const Program *program, double rows,
				  bool one_batch)
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
		ops = engine_without_device();
	if (ops != engine_without_device() || (program_sums_floats(program) && !one_batch))
		run->kept = batch_file_create(program);
	MemoryContextSwitchTo(old);

	status = begin(run, ops);
	if (status != ENGINE_OK)
		fail_over(run, status, NULL);
	return run;
}

const Program *
column_run_program(const ColumnRun *run)
{
	return run->program;
}

/* Keep a batch, or nothing any more. */
static void
keep(ColumnRun *run, const ColumnBatch *batch)
{
	if (run->kept == NULL || batch_file_write(run->kept, batch))
		return;
	run->not_kept = MemoryContextStrdup(run->context, batch_file_message(run->kept));
	batch_file_close(run->kept);
	run->kept = NULL;
}

void
column_run_add(ColumnRun *run, const ColumnBatch *batch)
{
	EngineStatus status;

	/* kept first: if the engine fails, this batch is among those taken again */
	keep(run, batch);
	status = engine_columns(run->handle, batch);
	if (status != ENGINE_OK)
		fail_over(run, status, batch);
}

bool
column_run_groups(ColumnRun *run, GroupBatch *groups)
{
	EngineStatus status = engine_groups(run->handle, groups);

	if (status == ENGINE_OK)
	{
		if (groups->ngroups == 0)
			stats_count_aggregation(engine_id(run->handle), ENGINE_OK);
		return true;
	}
	fail_over(run, status, NULL);
	return false;
}

void
column_run_close(ColumnRun *run)
{
	if (run->kept)
		batch_file_close(run->kept);
	end(run);
	MemoryContextDelete(run->context);
}
