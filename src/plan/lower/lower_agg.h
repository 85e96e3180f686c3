/*
 * lower_agg.h
 *	  From Aggrefs to accumulators.
 */
#ifndef GPUAGG_LOWER_AGG_H
#define GPUAGG_LOWER_AGG_H

#include "plan/lower/lowering.h"

/* As lower_filter (lower.h). */
extern bool lower_aggref(Lowering *l, Aggref *aggref);

/*
 * Aggregates with DISTINCT that cannot do without it: a Program takes in each
 * value of their argument once if it is a key (lower_regroup.h).
 */
extern bool lower_needs_distinct(const Aggref *aggref);

/*
 * The values of such an aggregate, without its filter: what the filter leaves out
 * becomes NULL, which no aggregate takes in.
 */
extern Expr *lower_distinct_argument(const Aggref *aggref);

/* Such an aggregate over distinct values, which are a register's. */
extern bool lower_distinct_aggref(Lowering *l, const Aggref *aggref, int arg, int scale);

/* Is the aggregate's result the same however often its input has a row? */
extern bool lower_ignores_repetitions(Oid function);

#endif							/* GPUAGG_LOWER_AGG_H */
