/*
 * statistics.h
 *	  Order statistics of groups: percentiles, modes, and counts and sums of distinct values,
 *	  read from lists of values.
 */
#ifndef GPUAGG_STATISTICS_H
#define GPUAGG_STATISTICS_H

#include "engine/cpu/value_list.h"

typedef struct Statistics Statistics;

/*
 * Values of one group that are not in its list: those of all pieces until an empty one.  They
 * are read several times.  A failure's reason goes to message (256 bytes).
 */
typedef struct ValueSource
{
	EngineStatus (*rewind) (struct ValueSource *source, char *message);
	EngineStatus (*next) (struct ValueSource *source, ListPiece *piece, char *message);
	const uint64_t *group;		/* which: the reader sets it, */
	uint32_t	word;			/* and of which list, the first word of the state */
} ValueSource;

/*
 * For a Program with lists of values.  It keeps the hints' address.  limit: bytes that a run's
 * table may take; reading takes a small share of that besides.  NULL: no memory.
 */
extern Statistics *statistics_create(const Program *program, const ParamValue *params,
									 const EngineHints *hints, uint64_t limit);
extern void statistics_free(Statistics *statistics);

/* Can the fractions of percentiles be used?  INEXACT, the reason in message: one cannot. */
extern EngineStatus statistics_check(const Statistics *statistics, char *message);

/*
 * Read what a table's groups have of statistics into their states, once all of their rows are
 * there, and let go of their lists, whose memory stays the table's, but for such as are given.
 * stored: where values are that a list lacks; NULL: none does.
 * INEXACT: of the float values 0 and -0 either could be the result; or the source has failed,
 * or FAILED: interrupted.
 */
extern EngineStatus statistics_read(Statistics *statistics, GroupTable *table,
									ValueSource *stored, char *message);

extern uint64_t statistics_memory(const Statistics *statistics);	/* bytes */

/* Values read since this was last asked. */
extern uint64_t statistics_values(Statistics *statistics);

/*
 * sort_values.c: unsigned integers into their order.
 */

/*
 * scratch: room for as many; the sorted values are where the result points, one of the two.
 * NULL: interrupted, never without hints.
 */
extern uint64_t *sort_values(uint64_t *values, uint64_t *scratch, uint64_t n,
							 const EngineHints *hints);

#endif							/* GPUAGG_STATISTICS_H */
