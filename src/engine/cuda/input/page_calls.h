/*
 * page_calls.h
 *	  Which of the pages that were given to a run have been read.
 */
#ifndef GPUAGG_PAGE_CALLS_H
#define GPUAGG_PAGE_CALLS_H

#include "engine/cuda/core/run_core.h"

#define PAGE_CALLS 64			/* that can be remembered; a power of two */

/* Pages that were taken in at once. */
typedef struct PageCall
{
	uint64_t	pages;			/* given up to its end, since the beginning */
	uint64_t	ticket;			/* of the last of them that the copier copies, or 0 */
	bool		gathered;		/* some are read in place, between two events: */
	DeviceEvent *begun;
	DeviceEvent *read;
} PageCall;

/* A queue; begins as zeros. */
typedef struct PageCalls
{
	uint64_t	given;			/* pages */
	uint64_t	released;		/* of these */
	uint64_t	copying;		/* the last ticket */
	uint32_t	added;			/* calls, since the beginning */
	uint32_t	done;			/* of these, all of whose pages are released */
	PageCall	calls[PAGE_CALLS];
} PageCalls;

/* Is there no room for another one before pages have been read? */
extern bool page_calls_full(RunCore *run, PageCalls *calls);

/*
 * Begin another one, with events but without pages; then say how many it has, and
 * what it waits for.
 */
extern EngineStatus page_calls_begin(RunCore *run, PageCalls *calls, PageCall **call);
extern void page_calls_end(PageCalls *calls, PageCall *call, uint32_t pages);

/* How many of the pages given have been read: see EngineOps.released. */
extern uint64_t page_calls_released(RunCore *run, PageCalls *calls);

/* Have all that are copied be; other runs may go on meanwhile. */
extern EngineStatus page_calls_copy(RunCore *run, const PageCalls *calls);

/* Wait for the same. */
extern void page_calls_wait_copies(RunCore *run, const PageCalls *calls);

/* Free it; nothing is left that reads pages. */
extern void page_calls_close(RunCore *run, PageCalls *calls);

#endif							/* GPUAGG_PAGE_CALLS_H */
