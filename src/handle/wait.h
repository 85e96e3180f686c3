/*
 * wait.h
 *	  How a session waits for a run of an engine: interrupts, latch, descriptor.
 */
#ifndef GPUAGG_WAIT_H
#define GPUAGG_WAIT_H

#include "storage/latch.h"

/* What one run is waited for by.  Begins as zeros. */
typedef struct RunWait
{
	WaitEventSet *events;		/* latch and descriptor; NULL: there is none yet */
	int			descriptor;		/* of the set */
} RunWait;

/*
 * Before a run is opened: have the wait event that pg_stat_activity shows.  Not when the module
 * is loaded, since the postmaster has no wait events.
 */
extern void wait_init(void);

/*
 * After a call that answered BUSY, before the next: sleep for a moment, or until the descriptor
 * can be read, if it is not -1.  Raises the errors of interrupts.
 */
extern void wait_a_moment(RunWait *wait, int descriptor);

/* Free the set; a later wait makes another one. */
extern void wait_end(RunWait *wait);

/* EngineHints.wait of runs in this process. */
extern bool wait_in_engine(int milliseconds);

#endif							/* GPUAGG_WAIT_H */
