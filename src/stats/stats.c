/*
 * stats.c
 *	  Cumulative statistics: what is counted.
 *
 * Statistics need memory that all processes share, which only the postmaster can
 * ask for.  Where it has not loaded the module, nothing is counted.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "stats/stats.h"
#include "stats/store.h"

StaticAssertDecl(NUM_REJECTION_CLASSES <= STATS_COUNTERS,
				 "each class of rejections has a counter");
StaticAssertDecl(COUNTER_FALLBACKS + NUM_FALLBACK_CLASSES <= STATS_COUNTERS,
				 "each class of fallbacks has a counter");

static bool kept = false;

void
stats_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	store_init();
	kept = true;
}

bool
stats_are_kept(void)
{
	return kept;
}

void
stats_count_work(EngineId engine, const EngineStats *work)
{
	int64	   *pending;

	if (!kept)
		return;
	pending = store_pending(SUBJECT_ENGINES + engine);
	pending[COUNTER_ROWS] += work->rows;
	pending[COUNTER_ROWS_PASSED] += work->rows_passed;
	pending[COUNTER_GROUPS] += work->groups;
	pending[COUNTER_BYTES] += work->bytes;
	pending[COUNTER_COMPILE_NS] += work->compile_ns;
	pending[COUNTER_INPUT_NS] += work->input_ns;
	pending[COUNTER_AGGREGATE_NS] += work->aggregate_ns;
	pending[COUNTER_OUTPUT_NS] += work->output_ns;
	pending[COUNTER_PAGES_IN_PLACE] += work->pages_in_place;
	pending[COUNTER_PAGES_COPIED] += work->pages_copied;
	pending[COUNTER_BLOCKS_RESIDENT] += work->blocks_resident;
	pending[COUNTER_BLOCKS_SKIPPED] += work->blocks_skipped;
	pending[COUNTER_BLOCKS_MASKED] += work->blocks_masked;
	pending[COUNTER_BLOCKS_KEPT] += work->blocks_kept;
	pending[COUNTER_BLOCKS_EVICTED] += work->blocks_evicted;
}

static FallbackClass
fallback_class(EngineStatus status)
{
	switch (status)
	{
		case ENGINE_CORRUPT:
			return FALLBACK_CORRUPT;
		case ENGINE_NO_MEMORY:
			return FALLBACK_NO_MEMORY;
		case ENGINE_NO_STORE:
			return FALLBACK_NO_STORE;
		case ENGINE_FAILED:
			return FALLBACK_FAILED;
		case ENGINE_LOST:
			return FALLBACK_LOST;
		default:
			return FALLBACK_INEXACT;
	}
}

void
stats_count_aggregation(EngineId engine, EngineStatus status)
{
	int64	   *pending;

	if (!kept)
		return;
	pending = store_pending(SUBJECT_ENGINES + engine);
	pending[COUNTER_AGGREGATIONS]++;
	if (status != ENGINE_OK)
		pending[COUNTER_FALLBACKS + fallback_class(status)]++;
}

void
stats_count_verification(EngineId engine, bool equal)
{
	int64	   *pending;

	if (!kept)
		return;
	pending = store_pending(SUBJECT_ENGINES + engine);
	pending[COUNTER_VERIFIED]++;
	pending[COUNTER_DIFFERENT] += !equal;
}

void
stats_count_rejections(RejectionClass reason_class, int n)
{
	if (kept && n > 0)
		store_pending(SUBJECT_PLANNER)[reason_class] += n;
}
