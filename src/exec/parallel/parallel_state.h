/*
 * parallel_state.h
 *	  What the processes of a parallel aggregation share.
 */
#ifndef GPUAGG_PARALLEL_STATE_H
#define GPUAGG_PARALLEL_STATE_H

#include "storage/barrier.h"
#include "storage/spin.h"

#include "exec/parallel/shared_area.h"
#include "exec/parallel/shared_store.h"
#include "source/tables.h"

/* The barrier's first phase: rows are read, and groups handed over. */
#define PARALLEL_INPUT 0

/* What all processes are to do; the leader's, until it has been shared. */
typedef struct ParallelJob
{
	const Program *program;
	const ParamValue *params;
	const SourceTable *tables;
	const BlockNumber *nblocks; /* that are read, by table; */
	const uint8 *const *served; /* of them those that the run has, as EngineKept.served says
								 * them; NULL: it keeps none */
	int			ntables;
	bool		takes_stripes;	/* do the processes' runs take stripes of all tables? */
	EngineHandle *run;			/* that all feed; NULL: each process has its own */
	RunKey		key;			/* of that run */
} ParallelJob;

/* What came of it. */
typedef struct ParallelResult
{
	EngineStatus status;		/* OK, or that of the first process that failed */
	char		message[256];	/* why */
	EngineStats work;			/* of all processes */
	TableSourceStats source;
	uint64		disk;			/* bytes of temporary files */
	uint32		feeders;		/* workers whose rows the run has that all feed */
} ParallelResult;

typedef struct ParallelState
{
	Barrier		barrier;
	pg_atomic_uint32 failed;	/* result.status is not OK */
	pg_atomic_uint32 next_key_share;	/* of which nobody has taken the rows */
	pg_atomic_uint32 next_partition;	/* to be merged */
	slock_t		mutex;			/* of the result */
	ParallelResult result;
	SharedMemory memory;		/* of what follows, and of groups */
	SharedPointer program;
	SharedPointer params;		/* ParamValues, and behind them their bytes */
	SharedPointer served;		/* ParallelJob.served, or none: the bits of all tables,
								 * each from a byte on */
	SharedGroups groups;
	SharedBlocks blocks;
	int			processes;		/* as planned, the leader included */
	bool		passes;			/* there is no job: the input plan's rows are wanted */
	bool		idle;			/* there is one, but no memory to share it: nobody does it */
	bool		takes_stripes;	/* as ParallelJob.takes_stripes */
	int			engine;			/* whose run all feed, by number; -1: each has its own */
	RunKey		key;			/* of that run */
	pg_atomic_uint32 feeders;	/* workers whose rows it has */
	int			ntables;
	BlockNumber nblocks[FLEXIBLE_ARRAY_MEMBER]; /* by table */
} ParallelState;

extern Size parallel_state_size(int ntables);

/*
 * In the leader, before there are other processes: begin for the first time, or again.
 * limit: bytes of groups in memory.  segment: where the state lies; its memory goes with it.
 * Returns the leader's view of the memory.  job: NULL, the input plan's rows are wanted.
 */
extern SharedArea *parallel_state_init(ParallelState *state, int processes, uint64 limit,
									   dsm_segment *segment);
extern void parallel_state_share(ParallelState *state, SharedArea *area,
								 const ParallelJob *job);
extern void parallel_state_clear(ParallelState *state, SharedArea *area);

/* In a worker, before anything else: its view of the memory. */
extern SharedArea *parallel_state_attach(ParallelState *state);

/* The job's program and parameters, in any process; the parameters in the current context. */
extern const Program *parallel_state_program(const ParallelState *state, SharedArea *area);
extern ParamValue *parallel_state_params(const ParallelState *state, SharedArea *area);

/* A process has failed; the others need not go on. */
extern void parallel_state_fail(ParallelState *state, EngineStatus status,
								const char *message);
extern bool parallel_state_failed(ParallelState *state);

/*
 * As ParallelJob.served, in the current context.
 */
extern const uint8 **parallel_state_served(const ParallelState *state, SharedArea *area);

/* The next share of the keys whose rows this process takes; false: there are no more. */
extern bool parallel_state_key_share(ParallelState *state, uint32 *share);

/* The next partition that this process merges; false: there are no more. */
extern bool parallel_state_partition(ParallelState *state, uint32 *partition);

/* What a process has done. */
extern void parallel_state_add(ParallelState *state, const EngineStats *work,
							   const TableSourceStats *source);

#endif							/* GPUAGG_PARALLEL_STATE_H */
