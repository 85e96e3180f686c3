/*
 * regrouping.h
 *	  A node's grouping sets and DISTINCT aggregates, out of an engine's groups.
 */
#ifndef GPUAGG_REGROUPING_H
#define GPUAGG_REGROUPING_H

#include "handle/handle.h"
#include "plan/plan_info.h"

typedef struct Regrouping Regrouping;

/* What the groups of one set look like. */
typedef struct SetLayout
{
	int		   *places;			/* by key of the node's tuples: its number among the
								 * groups' keys, or -1: NULL */
	int32	   *groupings;		/* values of GROUPING() */
} SetLayout;

/* What the last run did, for EXPLAIN ANALYZE; all 0: there was none. */
typedef struct RegroupingStats
{
	uint64		memory;			/* the most bytes held at once, beside the engine */
	uint64		batches;		/* in which groups of a set came, the most */
	uint64		disk;			/* bytes of the temporary file */
} RegroupingStats;

/*
 * For a plan with a regrouping.  The memory that a run takes is freed when the current
 * memory context is reset or deleted, or by regrouping_close.
 */
extern Regrouping *regrouping_create(const PlanInfo *plan);
extern void regrouping_close(Regrouping *regrouping);

/* EngineHints.unread_keys of the engine's run. */
extern uint64 regrouping_unread_keys(const Regrouping *regrouping, const Program *fine,
									 const Program *coarse);

/*
 * Take all groups of the engine, whose input is complete, and make those of all
 * sets.  fine, coarse: the plan's programs, with float sums as wide as the run's;
 * hints: the run's, with the memory allowed here.  If the status is not OK, message is the
 * reason.
 */
extern EngineStatus regrouping_run(Regrouping *regrouping, EngineHandle *engine,
								   const Program *fine, const Program *coarse,
								   const EngineHints *hints, const char **message);

/* The next groups, with their set's layout; none when all sets have been given. */
extern EngineStatus regrouping_groups(Regrouping *regrouping, EngineHandle *engine,
									  GroupBatch *batch, const SetLayout **layout,
									  const char **message);

/* Once all have been given: begin with the first set again. */
extern void regrouping_rewind(Regrouping *regrouping);

extern RegroupingStats regrouping_stats(Regrouping *regrouping);

#endif							/* GPUAGG_REGROUPING_H */
