/*
 * copier.h
 *	  Threads that copy heap pages while another thread finds them.
 *
 * One backend finds and pins about three million pages a second, but copies
 * little more than one million into page-locked memory.  With the copying left
 * to a few threads it does both at once.
 */
#ifndef GPUAGG_COPIER_H
#define GPUAGG_COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Copier Copier;

/*
 * Start a copier with that many threads; they sleep while there is nothing to
 * do.  With none (or where no thread can be had) the caller's own thread copies.
 * NULL: no memory.
 */
extern Copier *copier_create(int threads);

/* The threads for one backend: 3 on a machine of 8 cores or more, 1 of 4, else 0. */
extern int	copier_threads(void);

/* Waits for what was submitted, then ends the threads.  NULL is fine. */
extern void copier_destroy(Copier *copier);

/*
 * Have `size` bytes copied, from the next copier_start (or copier_wait) on.
 * Returns a ticket for copier_wait; both memory areas must stay until that has
 * returned.
 */
extern uint64_t copier_submit(Copier *copier, void *to, const void *from, size_t size);

/* Let the threads see what has been submitted: for several jobs at once. */
extern void copier_start(Copier *copier);

/* Has everything up to that ticket been copied? */
extern bool copier_done(Copier *copier, uint64_t ticket);

/* Copy one job that no thread has taken; false: there is none. */
extern bool copier_help(Copier *copier);

/*
 * Wait until everything up to that ticket has been copied; the caller's thread copies
 * too.
 */
extern void copier_wait(Copier *copier, uint64_t ticket);

#endif							/* GPUAGG_COPIER_H */
