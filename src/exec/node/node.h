/*
 * node.h
 *	  The custom scan node GpuAgg.
 */
#ifndef GPUAGG_NODE_H
#define GPUAGG_NODE_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "compat.h"
#include "exec/lookup/lookups.h"
#include "exec/node/fetch_rows.h"
#include "exec/node/group_column.h"
#include "exec/node/node_run.h"
#include "exec/node/top_groups.h"
#include "exec/node/verify.h"
#include "exec/values/params.h"

typedef enum GpuAggPhase
{
	PHASE_INPUT,				/* nothing has been read yet */
	PHASE_GROUPS,				/* groups come from the engine */
	PHASE_NATIVE				/* the engine gave up: rows come from
								 * PostgreSQL's own plan */
} GpuAggPhase;

/* Rows of the scan tuple's type, made of some groups of a batch at a time. */
typedef struct GroupRows
{
	GroupColumn *columns;		/* of the scan tuple, of the current batch */
	GroupColumn **order;		/* all columns, in the order in which they are made */
	int			nearly;			/* how many columns are made before HAVING is evaluated */
	int			ncolumns;		/* of the scan tuple */
	Datum	   *values;			/* of the rows, one row after the other */
	bool	   *isnull;			/* of the same values */
	uint32_t	begin;			/* number of the rows' first group in the batch */
	uint32_t	end;			/* number of the group behind the last one */
	GroupColumn **unfilled;		/* columns before HAVING that are not in the rows yet */
	int			nunfilled;		/* how many columns are in unfilled */
	bool		whole;			/* the rows are complete, and all of them leave */
} GroupRows;

typedef struct GpuAggState
{
	CustomScanState css;
	PlanInfo   *plan;
	PlanState  *native;			/* PostgreSQL's own plan */
	bool		native_read;	/* the native plan's rows have been compared */
	NodeInput	input;			/* of all runs */
	bool		scans_differ;	/* PostgreSQL's own rows are not those of the input's tables */
	List	   *param_exprs;	/* ExprState, one a parameter */
	Bitmapset  *param_exec_ids;	/* of the PARAM_EXEC Params in these expressions */
	ParamResult *early_params;	/* what has been evaluated of the parameters before, or NULL */
	bool		params_failed;	/* a parameter's expression has raised an error */
	Lookups    *lookups;		/* what is joined to the input's tables */
	List	   *having_values;	/* ExprState, one a clause that the engine is told */
	NodeRun    *own;			/* the run of the plan's engine, in all executions; NULL: the
								 * node is not executed */
	NodeRun    *run;			/* whose groups become tuples: it, or one that makes its lost
								 * groups again */
	GpuAggPhase phase;
	GroupRows	rows;			/* of the run's groups, or of a witness's */
	FirstRows  *first_rows;		/* NULL: groups become tuples */
	TopGroups  *top;			/* NULL: all groups leave */
	uint64		ntuples;		/* made of groups that have left, in this execution */
	uint64		groups_as_columns;	/* that have left without tuples (group_columns.c), in all
								 * executions */
	uint64		rows_ordered;	/* for aggregates, in this execution */
	Verifier   *verifier;		/* NULL: answers are not compared */
	const char *verdict;		/* of this execution's comparison, or NULL */
} GpuAggState;

extern const CustomScanMethods gpuagg_scan_methods;

/* Registers the node, for plans that are read back. */
extern void node_init(void);

/* The state of a plan's node that is a GpuAgg; NULL: it is another one. */
extern GpuAggState *node_of(PlanState *plan);

/*
 * Have the engine's groups, from the first one on if it has not run.  False: PostgreSQL's own plan
 * answers.
 */
extern bool node_run_engine(GpuAggState *state);

/* From a run's groups to the node's tuples (node_groups.c). */

/*
 * The columns of the scan tuple.  having: those that HAVING looks at, from 1; the others are
 * made of groups that it does not remove.  NULL: all are made first.
 */
extern void node_create_columns(GpuAggState *state, const Bitmapset *having);

/* A value of the current batch's group in the node's nth column.  node: a GpuAggState. */
extern Datum node_group_value(void *node, uint32_t group, int n, bool *isnull);

/* A batch of the run's groups has come, or there are no more: make the columns those of its groups. */
extern void node_groups_begin(GpuAggState *state, NodeRun *run);

/* Let the next tuple be that of the run's next group, after others have been taken without one. */
extern void node_groups_resume(GpuAggState *state, NodeRun *run);

/*
 * The next tuple made of the groups of a run, or an empty slot: there are no more.  The run is
 * the node's current one, or a witness.
 */
extern TupleTableSlot *node_next_tuple(GpuAggState *state, NodeRun *run);

/* Comparing answers (node_verify.c). */

/* Is there anything to compare the run's answers with? */
extern bool node_has_witness(const NodeRun *run);

/*
 * node_run_to_groups of the node's own run, and if this execution is one to be verified, comparison:
 * ENGINE_INEXACT if the answers differ.
 */
extern EngineStatus node_run_verified(GpuAggState *state, const EngineHints *hints,
									  const char **message);

/* Streaming (lost_groups.c). */

/* May groups of the run's that have not been taken be on their way? */
extern bool lost_groups_streams(const NodeRun *run);

/* Nobody knows when the next group is taken: let all of them come, so that no device waits. */
extern void lost_groups_settle(NodeRun *run);

/*
 * The next batch of the run's groups, all of this one having been taken.  If they are lost, and
 * can be made again, the run that does so becomes the node's.  Returns the run to go on with.
 * Raises an error if they cannot.
 */
extern NodeRun *lost_groups_next_batch(GpuAggState *state, NodeRun *run);

/* Has a group of the run's batch left before the others were lost? */
extern bool lost_groups_has_left(const NodeRun *run, uint32_t group);

/* EXPLAIN (explain.c). */

/* Show the node, and with ANALYZE what its last execution did. */
extern void gpuagg_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif							/* GPUAGG_NODE_H */
