/*
 * parallel_state.c
 *	  What the processes of a parallel aggregation share.
 *
 * The state lies in the query's segment of dynamic shared memory.  The program and
 * its parameters' values, which can be of another size when the plan is run again, are in
 * memory beside it (shared_area.h), and so are the groups.  The leader writes the job before it
 * starts workers; it has evaluated the parameters, so that all processes have the same
 * values.
 *
 * The first failure counts: what the others then do is of no use.  But one of a device or of a
 * process that has gone gives way to one that says more: a process closes its part of the run
 * before it tells the others why.
 */
#include "postgres.h"

#include "exec/parallel/parallel_state.h"
#include "handle/select.h"

Size
parallel_state_size(int ntables)
{
	return offsetof(ParallelState, nblocks) + ntables * sizeof(BlockNumber);
}

static void
begin(ParallelState *state)
{
	BarrierInit(&state->barrier, 0);
	pg_atomic_init_u32(&state->failed, 0);
	pg_atomic_init_u32(&state->next_key_share, 0);
	pg_atomic_init_u32(&state->next_partition, 0);
	pg_atomic_init_u32(&state->feeders, 0);
	shared_blocks_init(&state->blocks);
	memset(&state->result, 0, sizeof(state->result));
	state->result.status = ENGINE_OK;
	state->program = SHARED_POINTER_INVALID;
	state->params = SHARED_POINTER_INVALID;
	state->served = SHARED_POINTER_INVALID;
}

SharedArea *
parallel_state_init(ParallelState *state, int processes, uint64 limit,
					dsm_segment *segment)
{
	state->processes = processes;
	SpinLockInit(&state->mutex);
	shared_groups_init(&state->groups, limit, segment);
	begin(state);
	return shared_area_create(&state->memory, segment);
}

SharedArea *
parallel_state_attach(ParallelState *state)
{
	shared_groups_attach(&state->groups);
	return shared_area_attach(&state->memory);
}

void
parallel_state_clear(ParallelState *state, SharedArea *area)
{
	shared_area_clear(area);
	shared_groups_clear(&state->groups);
	begin(state);
}

static Size
params_size(const ParamValue *params, int n)
{
	Size		size = (n + 1) * sizeof(ParamValue);

	for (int i = 0; i < n; i++)
		size += params[i].bytes.data ? TYPEALIGN(8, params[i].bytes.len) : 0;
	return size;
}

/* The parameters, with places instead of addresses, and their bytes. */
static void
share_params(ParamValue *shared, const ParamValue *params, int n)
{
	Size		place = (n + 1) * sizeof(ParamValue);

	for (int i = 0; i < n; i++)
	{
		shared[i] = params[i];
		/* it is in this process's memory, and workers' runs name no tables */
		shared[i].digest = NULL;
		if (params[i].bytes.data == NULL)
			continue;
		memcpy((char *) shared + place, params[i].bytes.data, params[i].bytes.len);
		shared[i].bytes.data = (const char *) (uintptr_t) place;
		place += TYPEALIGN(8, params[i].bytes.len);
	}
}

/* Bytes of a table's bits. */
static Size
served_size(BlockNumber nblocks)
{
	return nblocks / 8 + (nblocks % 8 != 0);
}

/* All tables' bits together. */
static Size
all_served_size(const ParallelJob *job)
{
	Size		size = 1;		/* never 0 */

	for (int i = 0; i < job->ntables; i++)
		size += served_size(job->nblocks[i]);
	return size;
}

/* What the run has of the tables' blocks. */
static void
share_served(uint8 *bits, const ParallelJob *job)
{
	memset(bits, 0, all_served_size(job));
	for (int i = 0; i < job->ntables; i++)
	{
		if (job->served[i] != NULL)
			memcpy(bits, job->served[i], served_size(job->nblocks[i]));
		bits += served_size(job->nblocks[i]);
	}
}

/* Memory for a part of the job; NULL: there is none. */
static void *
allocate(SharedArea *area, Size size, SharedPointer *part)
{
	*part = shared_area_allocate(area, size);
	return SharedPointerIsValid(*part) ? shared_area_address(area, *part) : NULL;
}

/* What is not in the segment of a fixed size; false: there is no memory. */
static bool
share_parts(ParallelState *state, SharedArea *area, const ParallelJob *job)
{
	int			nparams = job->program->nparams;
	void	   *program = allocate(area, job->program->size, &state->program);
	void	   *params = allocate(area, params_size(job->params, nparams), &state->params);
	void	   *served = job->served == NULL ? NULL :
		allocate(area, all_served_size(job), &state->served);

	if (program == NULL || params == NULL || (served == NULL && job->served != NULL))
		return false;
	memcpy(program, job->program, job->program->size);
	share_params(params, job->params, nparams);
	if (served != NULL)
		share_served(served, job);
	return true;
}

void
parallel_state_share(ParallelState *state, SharedArea *area, const ParallelJob *job)
{
	state->passes = job == NULL;
	state->idle = job != NULL && !share_parts(state, area, job);
	if (job == NULL)
		return;
	state->engine = job->run ? engine_choice(engine_ops(job->run)) : -1;
	state->key = job->key;
	state->takes_stripes = job->takes_stripes;
	state->ntables = job->ntables;
	/* without tables there are no numbers */
	if (job->ntables > 0)
		memcpy(state->nblocks, job->nblocks, job->ntables * sizeof(BlockNumber));
}

const Program *
parallel_state_program(const ParallelState *state, SharedArea *area)
{
	return shared_area_address(area, state->program);
}

ParamValue *
parallel_state_params(const ParallelState *state, SharedArea *area)
{
	int			n = parallel_state_program(state, area)->nparams;
	const ParamValue *shared = shared_area_address(area, state->params);
	ParamValue *params = palloc((n + 1) * sizeof(ParamValue));

	memcpy(params, shared, n * sizeof(ParamValue));
	for (int i = 0; i < n; i++)
		if (params[i].bytes.data != NULL)
			params[i].bytes.data = (const char *) shared + (uintptr_t) params[i].bytes.data;
	return params;
}

const uint8 **
parallel_state_served(const ParallelState *state, SharedArea *area)
{
	const uint8 **served;
	const uint8 *bits;

	if (!SharedPointerIsValid(state->served))
		return NULL;
	served = palloc(sizeof(uint8 *) * state->ntables);
	bits = shared_area_address(area, state->served);
	for (int i = 0; i < state->ntables; i++)
	{
		served[i] = served_blocks(bits, state->nblocks[i]) > 0 ? bits : NULL;
		bits += served_size(state->nblocks[i]);
	}
	return served;
}

void
parallel_state_fail(ParallelState *state, EngineStatus status, const char *message)
{
	char		text[sizeof(state->result.message)];

	strlcpy(text, message, sizeof(text));
	SpinLockAcquire(&state->mutex);
	if (state->result.status == ENGINE_OK ||
		(engine_status_is_of_device(state->result.status) && !engine_status_is_of_device(status)))
	{
		state->result.status = status;
		memcpy(state->result.message, text, sizeof(text));
	}
	SpinLockRelease(&state->mutex);
	pg_atomic_write_u32(&state->failed, 1);
	shared_blocks_stop(&state->blocks);
}

bool
parallel_state_failed(ParallelState *state)
{
	return pg_atomic_read_u32(&state->failed) != 0;
}

bool
parallel_state_key_share(ParallelState *state, uint32 *share)
{
	if (parallel_state_failed(state))
		return false;
	*share = pg_atomic_fetch_add_u32(&state->next_key_share, 1);
	return *share < (uint32) state->processes;
}

bool
parallel_state_partition(ParallelState *state, uint32 *partition)
{
	if (parallel_state_failed(state))
		return false;
	*partition = pg_atomic_fetch_add_u32(&state->next_partition, 1);
	return *partition < SHARED_PARTITIONS;
}

void
parallel_state_add(ParallelState *state, const EngineStats *work,
				   const TableSourceStats *source)
{
	ParallelResult *result = &state->result;

	/* some additions only: no lock to sleep on */
	SpinLockAcquire(&state->mutex);
	engine_stats_add(&result->work, work);
	table_source_stats_add(&result->source, source);
	SpinLockRelease(&state->mutex);
}
