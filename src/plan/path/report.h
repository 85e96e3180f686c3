/*
 * report.h
 *	  What becomes of each grouping of a query, and why.
 */
#ifndef GPUAGG_REPORT_H
#define GPUAGG_REPORT_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "stats/reasons.h"

/* Why a grouping cannot be taken. */
typedef struct Rejection
{
	const char *reason;			/* a phrase, palloc'd or constant */
	const char *hint;			/* what would change that, or NULL */
	RejectionClass reason_class;
} Rejection;

typedef enum GroupingFate
{
	GROUPING_TAKEN,				/* a GpuAgg node is in the plan */
	GROUPING_REJECTED,			/* it cannot be taken */
	GROUPING_DEARER,			/* PostgreSQL's own plan costs less */
	GROUPING_UNSORTED,			/* its plan gives an order that is needed */
	GROUPING_LATER,				/* its plan gives the first rows sooner */
	GROUPING_NOT_CHOSEN,		/* the planner did not take the GpuAgg node,
								 * because of the rest of the query */
	GROUPING_OTHERS,			/* another extension's paths have won */
	GROUPING_EMPTY,				/* the planner knows that it has no input */
	GROUPING_OFF				/* the mode is off */
} GroupingFate;

/* One grouping step, or SELECT DISTINCT, of a query or its subqueries. */
typedef struct GroupingReport
{
	const PlannerInfo *root;	/* until it is planned */
	const RelOptInfo *input_rel;	/* likewise, if a path is offered */
	const RelOptInfo *grouped_rel;
	const Path *path;			/* the path if add_path took it, or NULL */
	int			level;			/* 1: the query, 2: its subqueries, ... */
	const char *place;			/* in the query */
	const char *step;			/* GROUP BY ... or DISTINCT ... */
	const char *aggregates;		/* or NULL */
	GroupingFate fate;
	const char *reason;			/* unless it is taken; then, if its rows are those of a join of
								 * PostgreSQL's, why they are */
	const char *join_reason;	/* that, whatever becomes of the grouping; or NULL */
	const char *hint;			/* what would change that, or NULL */
	const char *engine;			/* the cheapest; NULL: none can run it */
	Cost		cost;			/* if it has an engine */
	Cost		native_cost;	/* infinite: PostgreSQL has no plan */
} GroupingReport;

/* What is reported of one run of the planner. */
typedef struct PlannerRun PlannerRun;

/* A run, in the current context; wanted: somebody wants its reports. */
extern PlannerRun *report_begin(bool wanted);

/* From now on, groupings are those of this run.  Returns the one that was current before. */
extern PlannerRun *report_switch(PlannerRun *to);

/*
 * The plan of the current run is there: tell and count what has become of its groupings.  reports:
 * where somebody wants them, or NULL.
 */
extern void report_finish(const PlannedStmt *plan, List **reports);

/*
 * Have the next run of the planner put its groupings (GroupingReport) into a list,
 * NULL for none.  Returns what was set before, for the caller to set again
 * whether the planner came to run or not.  The reports live as long as what the
 * planner returns.
 */
extern List **report_into(List **reports);

/*
 * For the run that is going on: a new report, or NULL if nobody wants to know.  The
 * functions below then do no more than count.
 */
extern GroupingReport *report_grouping(PlannerInfo *root, UpperRelationKind stage,
									   RelOptInfo *grouped_rel, List *having,
									   Cost native_cost);

/* For who makes a Rejection.  Always false, for callers to return. */
extern bool reject_grouping(Rejection *rejection, RejectionClass reason_class,
							const char *reason);

/* Why the rows of the path that is offered are those of a join of PostgreSQL's; or NULL. */
extern void report_join(GroupingReport *report, const char *reason);

extern void report_fate(GroupingReport *report, GroupingFate fate);
extern void report_rejection(GroupingReport *report, const Rejection *rejection);

/*
 * A GpuAgg path is offered, and what becomes of it unless it is taken; later, it is in the
 * plan.
 */
extern void report_engine(GroupingReport *report, const char *engine);
extern void report_cost(GroupingReport *report, Cost cost, double groups, GroupingFate fate);
extern void report_offered(GroupingReport *report, const RelOptInfo *input_rel,
						   const RelOptInfo *grouped_rel, const Path *path);
extern void report_taken(GroupingReport *report);

#endif							/* GPUAGG_REPORT_H */
