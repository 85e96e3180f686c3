/*
 * lookup_cache.h
 *	  Look-ups that a session keeps for its next queries.
 */
#ifndef GPUAGG_LOOKUP_CACHE_H
#define GPUAGG_LOOKUP_CACHE_H

#include "engine/engine.h"
#include "plan/plan_info.h"

/* What came of a look-up, for EXPLAIN ANALYZE. */
typedef struct LookupStats
{
	uint64		keys;			/* rows that can be found */
	uint32		rows;			/* distinct rows of their values */
	uint64		bytes;			/* of the look-up and its columns */
	const char *form;
	bool		was_kept;		/* by an earlier query */
} LookupStats;

/* What is made of a look-up's rows. */
typedef struct LookupResult
{
	MemoryContext context;		/* where all of it is */
	Datum	  **values;			/* by column; of codes, by their number */
	Bytes	   *bytes;			/* of parameters, in the order of set_params */
	TableDigest *digests;		/* of these */
	int			nbytes;
	bool		is_empty;		/* no row of the table is found, whatever its key */
	LookupStats stats;
} LookupResult;

/* The state of a table by which it can be seen to have changed. */
typedef struct TableStamp TableStamp;

/*
 * The tables' stamps (TableStamp), palloc'd; NIL: one has none now, since a block of it may have
 * rows that not all transactions see.  The tables are locked.
 */
extern List *table_stamps(const List *tables);

/* Has none of the tables changed since the stamps were made, which may be NIL? */
extern bool table_stamps_hold(const List *stamps, const List *tables);

/*
 * What is kept for the look-up, if its tables have not changed, or NULL.  It stays to the end of
 * the transaction.
 */
extern LookupResult *lookup_cache_find(const LookupInfo *info);

/* Is anything kept of the table, whether or not it has changed? */
extern bool lookup_cache_has_table(Oid table);

/* Does the session keep the result, so that its next queries may use it, too? */
extern bool lookup_cache_keeps(const LookupResult *result);

/* Would lookup_cache_find find something now?  It uses nothing. */
extern bool lookup_cache_holds(const LookupInfo *info);

/* Keep a result; what has not been used for longest gives way to it.  limit: bytes of all. */
extern void lookup_cache_add(const LookupInfo *info, const List *stamps, LookupResult *result,
							 uint64 limit);

#endif							/* GPUAGG_LOOKUP_CACHE_H */
