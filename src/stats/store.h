/*
 * store.h
 *	  Where cumulative statistics are kept.
 *
 * An entry is an array of counters, of one database and one subject.  The arrays
 * are all of one size, with room for counters to come: an entry of another size
 * would make PostgreSQL refuse its file of statistics, and forget those of all
 * tables.
 *
 * There are two implementations: PostgreSQL's cumulative statistics
 * (store_pgstat.c, from 18 on) and shared memory (store_shared.c).  Both let a
 * process count in memory of its own, and add that to what all share when a
 * transaction has ended.
 */
#ifndef GPUAGG_STORE_H
#define GPUAGG_STORE_H

#include "datatype/timestamp.h"

#include "engine/engines.h"
#include "stats/reasons.h"

/*
 * Whom an entry is about: the planner, or an engine, whose number is SUBJECT_ENGINES and its
 * EngineId.  The numbers are part of PostgreSQL's file of statistics.
 */
typedef enum StatsSubject
{
	SUBJECT_PLANNER,
	SUBJECT_ENGINES,
	NUM_SUBJECTS = SUBJECT_ENGINES + NUM_ENGINES
} StatsSubject;

#define STATS_COUNTERS 64

/* The counters of an engine; so are these, and those of the planner are its classes. */
typedef enum EngineCounter
{
	COUNTER_AGGREGATIONS,
	COUNTER_ROWS,
	COUNTER_ROWS_PASSED,
	COUNTER_GROUPS,
	COUNTER_BYTES,
	COUNTER_COMPILE_NS,
	COUNTER_INPUT_NS,
	COUNTER_AGGREGATE_NS,
	COUNTER_OUTPUT_NS,
	COUNTER_VERIFIED,
	COUNTER_DIFFERENT,
	COUNTER_PAGES_IN_PLACE,
	COUNTER_PAGES_COPIED,
	COUNTER_BLOCKS_RESIDENT,
	COUNTER_BLOCKS_SKIPPED,
	COUNTER_BLOCKS_MASKED,
	COUNTER_BLOCKS_KEPT,
	COUNTER_BLOCKS_EVICTED,
	COUNTER_FALLBACKS = 32		/* the first class's */
} EngineCounter;

typedef struct StatsEntry
{
	int64		counters[STATS_COUNTERS];
	TimestampTz reset;			/* when last; 0: never */
} StatsEntry;

/* Called once, while the postmaster loads the module. */
extern void store_init(void);

/* What the process has counted and not yet added, of its database: to be raised. */
extern int64 *store_pending(StatsSubject subject);

/* What all have counted; false: nothing yet. */
extern bool store_fetch(Oid database, StatsSubject subject, StatsEntry *entry);

/* Let it begin with 0 again, if there is anything. */
extern void store_reset(Oid database, StatsSubject subject);

/* Add what is pending to what is kept, and empty it. */
static inline void
store_add(StatsEntry *entry, int64 *pending)
{
	for (int i = 0; i < STATS_COUNTERS; i++)
		entry->counters[i] += pending[i];
	memset(pending, 0, STATS_COUNTERS * sizeof(int64));
}

#endif							/* GPUAGG_STORE_H */
