/*
 * node_run.h
 *	  A run of an engine over a node's input: from the first row to the last group.
 */
#ifndef GPUAGG_NODE_RUN_H
#define GPUAGG_NODE_RUN_H

#include "nodes/execnodes.h"

#include "exec/node/given_groups.h"
#include "exec/node/regrouping.h"
#include "exec/node/temp_store.h"
#include "exec/parallel/shared_store.h"
#include "handle/handle.h"
#include "plan/plan_info.h"
#include "source/tables.h"
#include "stats/activity.h"

/* Where the rows of all runs of a node come from; the node's, and as old as it. */
typedef struct NodeInput
{
	const PlanInfo *plan;
	EState	   *estate;			/* of the query */
	PlanState  *child;			/* the input's plan; NULL: tables are read */
	PlanState  *gather;			/* of all processes' parts; NULL: the plan is not parallel */
	SourceTable *tables;		/* whose rows are read; NULL: the child's are */
	int			ntables;
	bool		is_empty;		/* what is joined to the tables lets no row pass */
} NodeInput;

typedef struct NodeRun
{
	const NodeInput *input;
	bool		is_alone;		/* no other process aggregates, though the plan be parallel */
	bool		is_witness;		/* what it answers is compared with, and not counted */
	bool		is_compared;	/* its groups are wanted twice: to be compared, and to leave */
	bool		is_checking;	/* its groups are being compared: all become tuples, none leaves */
	EngineStatus checked;		/* did all of them come?  As long as it is checking */
	const char *check_message;	/* why not */
	MemoryContext context;		/* batches, and what else one execution allocates */
	EngineHandle *engine;
	const Program *program;		/* the plan's, with float sums as wide as has been needed, and
								 * with specials if there were any */
	const Program *coarse;		/* the plan's for regrouping, as wide as the other program; NULL:
								 * the plan has none */
	const ParamValue *params;	/* of the execution; not the run's memory */

	/* what it reads; by table, in the context */
	BlockNumber *nblocks;		/* of each table */
	const uint8 **served;		/* of these, which ones the engine has, as EngineKept.served */
	BlockNumber *nserved;		/* how many blocks of each table the engine has */
	TableState *states;			/* of the tables whose columns the engine may keep */
	int			nstates;
	TableSourceStats source;	/* of all executions, with those that have made its groups again */

	/* what it holds */
	TempStore  *store;			/* NULL: the run is closed, or needs none */
	uint64		disk;			/* bytes that the last execution has written */
	SharedStore *merged;		/* that groups come from; NULL: they are this process's own */
	Regrouping *regrouping;		/* NULL: the engine's groups are the node's */
	ActivityRun *activity;		/* what others are told of it, or NULL */
	bool		uncounted;		/* it has begun, and is not in the statistics */
	bool		has_groups;		/* all rows are in, and no failure has been reported */
	char	   *failure;		/* why the last execution could not finish, or NULL */

	/* what it gives */
	GroupBatch	groups;			/* the current batch; without groups, there are no more */
	uint32_t	next_group;		/* of the batch, that has not been taken */
	const SetLayout *layout;	/* of the batch, with regrouping */
	uint64		removed;		/* groups that the engine has removed by HAVING, as far as
								 * they have been counted */

	/* streaming (lost_groups.c) */
	GivenGroups *given;			/* that have left; NULL: the run does not stream */
	GivenGroups *before;		/* that have left out of a run which lost the others, and are
								 * left out here; NULL: there was none */
} NodeRun;

/*
 * A run with the plan's programs that is not open; it, and its context, are the current
 * context's.
 */
extern NodeRun *node_run_create(const NodeInput *input, const EngineOps *engine);

/*
 * Another run, by this process alone, with the same parameters and programs as this one has now.
 * It goes with the model's context, at the next execution.
 */
extern NodeRun *node_run_beside(const NodeRun *model, const EngineOps *engine);

/* Begin with the programs that another run of the same input has needed. */
extern void node_run_take_programs(NodeRun *run, const NodeRun *other);

/* An execution begins: the run is closed, and nothing is left of what it has allocated. */
extern void node_run_reset(NodeRun *run);

/* The Program whose groups are the node's. */
extern const Program *node_run_results(const NodeRun *run);

/* What the plan knows of a run. */
extern EngineHints node_run_hints(const NodeRun *run);

/*
 * Run the engine until its first groups are there, again for as long as the input has what
 * the programs cannot hold.  message: why it cannot finish, if not ENGINE_OK; the run must
 * be closed then, too.
 */
extern EngineStatus node_run_to_groups(NodeRun *run, const EngineHints *hints,
									   const char **message);

/* The next batch of the node's groups; message: why not. */
extern EngineStatus node_run_next_groups(NodeRun *run, const char **message);

/* All groups have been given: the first ones again. */
extern EngineStatus node_run_rewind(NodeRun *run, const char **message);

/*
 * Free what a run has allocated outside of PostgreSQL's memory, and count it.  This is not
 * called after an error.
 */
extern void node_run_close(NodeRun *run);

/* The same; no group is given any more. */
extern void node_run_drop_groups(NodeRun *run);

/*
 * The engine cannot finish: close its run.  A failure of a device is reported, with what
 * goes on in its place.  Raises it as an error if gpuagg.fallback is off.
 */
extern void node_run_report_failure(NodeRun *run, EngineStatus status,
									const char *reason, const char *successor);

/*
 * Let the input's plan, or that of all processes' parts, begin again.  What it allocates
 * must be there as long as the query.
 */
extern void node_run_rescan_input(const NodeRun *run);

#endif							/* GPUAGG_NODE_RUN_H */
