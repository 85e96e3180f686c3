/*
 * node.h
 *	  The custom scan node GpuAgg.
 */
#ifndef GPUAGG_NODE_H
#define GPUAGG_NODE_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "exec/node/given_groups.h"
#include "exec/node/group_column.h"
#include "exec/node/regrouping.h"
#include "exec/node/temp_store.h"
#include "exec/node/top_groups.h"
#include "exec/node/verify.h"
#include "exec/parallel/shared_store.h"
#include "exec/values/slots.h"
#include "handle/handle.h"
#include "plan/plan_info.h"
#include "source/tables.h"
#include "stats/activity.h"

typedef enum GpuAggPhase
{
	PHASE_INPUT,				/* nothing has been read yet */
	PHASE_GROUPS,				/* groups come from the engine */
	PHASE_NATIVE				/* the engine gave up: rows come from
								 * PostgreSQL's own plan */
} GpuAggPhase;

typedef struct GpuAggState
{
	CustomScanState css;
	PlanInfo   *plan;
	const Program *program;		/* the plan's, with float sums as wide as runs
								 * have needed them */
	PlanState  *native;			/* PostgreSQL's own plan */
	PlanState  *child;			/* the input's plan; NULL: heap pages */
	PlanState  *gather;			/* of all processes' parts; NULL: one process */
	SharedStore *merged;		/* that groups come from; NULL: one process's */
	SourceTable *tables;		/* whose rows are read; NULL: the input's plan */
	int			ntables;
	bool		scans_differ;	/* are PostgreSQL's rows not those of the tables? */
	BlockNumber *nblocks;		/* of each table, that a run of this process reads */
	const uint8 **served;		/* of them, those that the engine has, as EngineOps.served */
	BlockNumber *nserved;		/* and how many these are */
	TableState *states;			/* of those whose columns the engine may keep */
	int			nstates;
	List	   *slot_exprs;		/* ExprState, one a slot */
	Bitmapset  *slot_params;	/* PARAM_EXEC parameters in them */
	SlotResult *early_slots;	/* what has been evaluated of them, or NULL */
	bool		slots_failed;	/* one has raised an error */
	SlotValue  *slots;
	MemoryContext run_context;	/* of one run: slots' bytes, batches */
	EngineHandle *engine;
	TempStore  *store;			/* of the run, or NULL: it has none */
	uint64		disk;			/* bytes of it, of the last run */
	const Program *coarse;		/* of regrouping, at the level of its float sums */
	Regrouping *regrouping;		/* NULL: the engine's groups are the node's */
	GivenGroups *given;			/* of a run that may fail late; NULL: it cannot */
	GivenGroups *before;		/* of one that has, and that the CPU engine makes again;
								 * NULL: there is none */
	EngineHandle *lost;			/* its engine, or NULL */
	ActivityRun *activity;		/* what is told of the run, or NULL */
	bool		uncounted;		/* it has run, and is not in the statistics */
	GpuAggPhase phase;
	GroupBatch	groups;			/* the current batch, and the next group in it */
	uint32_t	next_group;
	GroupColumn *columns;		/* of the scan tuple; of the current batch */
	GroupColumn **order;		/* in which they are made: */
	int			nearly;			/* so many before HAVING, */
	int			ncolumns;		/* the rest of all after it */
	Datum	   *row_values;		/* of rows of several groups, one after the other, */
	bool	   *row_isnull;
	uint32_t	rows_begin;		/* of these groups of the batch */
	uint32_t	rows_end;
	GroupColumn **unfilled;		/* columns before HAVING that are not in the rows yet */
	int			nunfilled;
	bool		whole;			/* the rows are complete, and all of them leave */
	const SetLayout *layout;	/* of the current batch, with regrouping */
	TopGroups  *top;			/* NULL: all groups leave */
	uint64		ntuples;		/* that have left, of the run */
	List	   *having_values;	/* ExprState, one a clause that the engine is told */
	uint64		removed;		/* groups that it has removed by them, and that are counted */
	Verifier   *verifier;		/* NULL: answers are not compared */
	bool		checking;		/* groups are made to be compared: all leave */
	bool		witnessing;		/* by the CPU engine, for another one */
	bool		native_read;	/* the native plan's rows have been compared */
	const char *verdict;		/* of the last comparison, or NULL */
	TableSourceStats source;	/* of all runs */
	char	   *fallback_reason;	/* of the last run, or NULL */
} GpuAggState;

extern const CustomScanMethods gpuagg_scan_methods;

/* Registers the node, for plans that are read back. */
extern void node_init(void);

#endif							/* GPUAGG_NODE_H */
