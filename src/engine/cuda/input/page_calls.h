/*
 * page_calls.h
 *	  Which of the pages that were given to a run have been read.
 */
#ifndef GPUAGG_PAGE_CALLS_H
#define GPUAGG_PAGE_CALLS_H

#include "engine/cuda/context/copier.h"

#define PAGE_CALLS 64			/* that can be remembered; a power of two */

typedef struct PageCall
{
	uint64_t	pages;			/* given up to its end, since the beginning */
	uint64_t	ticket;			/* of the last of them, of the copier */
} PageCall;

/* A queue; begins as zeros. */
typedef struct PageCalls
{
	uint64_t	given;			/* pages */
	uint64_t	released;		/* of these */
	uint32_t	added;			/* calls, since the beginning */
	uint32_t	done;			/* of these, all of whose pages are released */
	PageCall	calls[PAGE_CALLS];
} PageCalls;

/*
 * Remember that so many pages more were given.  ticket: of the last one of them
 * that the copier copies, 0: it copies none.
 */
extern void page_calls_add(Copier *copier, PageCalls *calls, uint32_t pages, uint64_t ticket);

/* How many of the pages given have been read: see EngineOps.released. */
extern uint64_t page_calls_released(Copier *copier, PageCalls *calls);

/* Wait until all of them have been read. */
extern void page_calls_wait(Copier *copier, PageCalls *calls);

#endif							/* GPUAGG_PAGE_CALLS_H */
