/*
 * node.h
 *	  The custom scan node GpuAgg.
 */
#ifndef GPUAGG_NODE_H
#define GPUAGG_NODE_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "exec/node/group_column.h"
#include "exec/node/node_run.h"
#include "exec/node/top_groups.h"
#include "exec/node/verify.h"
#include "exec/values/slots.h"

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
	GroupColumn **order;		/* all columns, as they are made: */
	int			nearly;			/* so many before HAVING, */
	int			ncolumns;		/* the rest of all after it */
	Datum	   *values;			/* of the rows, one after the other */
	bool	   *isnull;			/* likewise */
	uint32_t	begin;			/* number of the rows' first group in the batch */
	uint32_t	end;			/* number of the group behind the last one */
	GroupColumn **unfilled;		/* columns before HAVING that are not in the rows yet */
	int			nunfilled;
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
	List	   *slot_exprs;		/* ExprState, one a slot */
	Bitmapset  *slot_params;	/* PARAM_EXEC parameters in the slots' expressions */
	SlotResult *early_slots;	/* what has been evaluated of the slots before, or NULL */
	bool		slots_failed;	/* a slot's expression has raised an error */
	List	   *having_values;	/* ExprState, one a clause that the engine is told */
	NodeRun    *own;			/* the run of the plan's engine, in all executions; NULL: the
								 * node is not executed */
	NodeRun    *run;			/* whose groups become tuples: it, or one that makes its lost
								 * groups again */
	GpuAggPhase phase;
	GroupRows	rows;			/* of the run's groups, or of a witness's */
	TopGroups  *top;			/* NULL: all groups leave */
	uint64		ntuples;		/* made of groups that have left, in this execution */
	Verifier   *verifier;		/* NULL: answers are not compared */
	const char *verdict;		/* of this execution's comparison, or NULL */
} GpuAggState;

extern const CustomScanMethods gpuagg_scan_methods;

/* Registers the node, for plans that are read back. */
extern void node_init(void);

#endif							/* GPUAGG_NODE_H */
