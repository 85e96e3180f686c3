/*
 * feeding.h
 *	  What all processes that feed one run share, in the device process.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_FEEDING_H
#define GPUAGG_FEEDING_H

#include "service/device/connection.h"
#include "service/device/page_spans.h"
#include "service/device/run_input.h"

/* Why a run fails with the session of one that feeds it. */
#define FEEDER_GONE "a process that fed the run has gone"

/* One process that feeds a run. */
typedef struct Feeder
{
	struct Feeding *feeding;
	struct Feeder *next;
	struct Feeder *next_in_line;
	Connection *connection;		/* NULL: it has left */
	RunInput	input;
	bool		all_pages;		/* it has said that no more come */
	bool		keeps_turn;		/* until its next pages have come; meanwhile it does not call
								 * the engine */
	PageSpans	pages;			/* that it has given */
	uint64_t	told_pages;		/* released, as it knows */
	uint64_t	batches;		/* of columns, taken */
	uint64_t	told_batches;
} Feeder;

/* Begins as zeros. */
typedef struct Feeding
{
	struct Feeding *next;		/* of those that others may attach to */
	Connection *owner;			/* of the session that has opened the run */
	const EngineOps *ops;
	EngineRun  *run;
	const Program *program;
	RunKey		key;
	EngineStatus status;		/* what the run has failed with, or OK */
	char		message[256];	/* why */
	Feeder	   *feeders;		/* the owner's is one of them */
	Feeder	   *turn;			/* who calls the engine; NULL: nobody does */
	Feeder	   *line;			/* of those who wait for it */
	uint32_t	nfeeders;
	uint32_t	nattached;		/* that are connected, without the owner, */
	uint32_t	nended;			/* and that have been told ENDED */
	uint64_t	given;			/* pages, by all */
	uint64_t	left;			/* rows that the engine has left out, as told */
	bool		only_pages;		/* columns come for these only, */
	bool		all_input;		/* and there are none */
#ifdef GPUAGG_TESTING
	CallFailure fails;			/* as of EngineHints */
#endif
} Feeding;

/*
 * An open run can be fed; if it has a key, by others, too.  False: another run has the
 * same key.
 */
extern bool feeding_begin(Feeding *feeding);

/*
 * The run that the message is about, which may have failed; NULL: there is none that
 * its sender may feed.
 */
extern Feeding *feeding_find(const Service *service, const AttachMessage *attach);

/* One more process feeds it, and owns the file; NULL: no memory, or too many. */
extern Feeder *feeding_add(Feeding *feeding, Connection *connection, int file);

/* The run has failed, for all of them.  The first reason counts. */
extern void feeding_fail(Feeding *feeding, EngineStatus status, const char *message);

/* Nobody may attach any more. */
extern void feeding_end_attaching(Feeding *feeding);

/*
 * The owner's: let all others leave, and wait for it.  Then the engine's run can be
 * closed, and after it, since it may read them, the feeders' pages are freed.
 */
extern void feeding_end(Feeding *feeding);
extern void feeding_free(Feeding *feeding);

/* A feeder that was attached leaves; what it has given stays. */
extern void feeder_leave(Feeder *feeder);

/* Is the session there, and has the run not failed? */
extern bool feeder_is_wanted(const Feeder *feeder);

/*
 * Wait until nobody else calls the engine.  False: the feeder is not wanted any more, and
 * has no turn to end.
 */
extern bool feeder_take_turn(Feeder *feeder);
extern void feeder_end_turn(Feeder *feeder);

#endif							/* GPUAGG_FEEDING_H */
