/*
 * stats.h
 *	  Cumulative statistics: what is counted.
 */
#ifndef GPUAGG_STATS_H
#define GPUAGG_STATS_H

#include "engine/engine.h"
#include "stats/reasons.h"

/* Called once, when the module is loaded. */
extern void stats_init(void);

/*
 * Are statistics kept?  Only if the postmaster has loaded the module.  The functions
 * below do nothing otherwise, and are to be called within a transaction.
 */
extern bool stats_are_kept(void);

/* A run of an engine, finished or not, has been closed: what it has done. */
extern void stats_count_work(EngineId engine, const EngineStats *work);

/* An aggregation has its answer from the engine, or falls back for this reason. */
extern void stats_count_aggregation(EngineId engine, EngineStatus status);

/* An engine's answer has been compared with PostgreSQL's. */
extern void stats_count_verification(EngineId engine, bool equal);

/* So many groupings have been left to PostgreSQL. */
extern void stats_count_rejections(RejectionClass reason_class, int n);

#endif							/* GPUAGG_STATS_H */
