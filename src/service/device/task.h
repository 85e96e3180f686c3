/*
 * task.h
 *	  Functions that give way to each other on stacks of their own.
 *
 * Tasks share one thread.  A task runs until it gives way, and says until when, and
 * for which events of which descriptor, it need not be resumed; whoever runs the loop
 * (server.c) resumes it then.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_TASK_H
#define GPUAGG_TASK_H

#include <stdbool.h>
#include <stdint.h>

/* There is no such time. */
#define TASK_NEVER UINT64_MAX

typedef struct Task Task;

/*
 * A task that begins in body(argument) when it is first resumed, and is done when that
 * returns.  NULL: no memory.  Only one that is done, or was never resumed, may be freed.
 */
extern Task *task_create(void (*body) (void *argument), void *argument);
extern void task_free(Task *task);
extern bool task_is_done(const Task *task);

/* Let a task go on until it gives way; not from a task. */
extern void task_resume(Task *task);

/* The one that runs; NULL: none does.  What its body was given. */
extern Task *task_current(void);
extern void *task_argument(const Task *task);

/*
 * The task that runs gives way: until a time by now_ns() (0: the others' next turn), or
 * until one of the events (of poll, 0: none) happens.
 */
extern void task_give_way(short events, uint64_t until);

/*
 * It waits for what only asking again can tell, or for an event: at first it only lets the others
 * have their turn, later pauses are a share of what it has waited.  A task that has worked since the
 * pause before begins anew.
 */
extern void task_pause(short events);

/* Let it be resumed at once. */
extern void task_wake(Task *task);

/* What it waits for. */
extern short task_events(const Task *task);
extern uint64_t task_until(const Task *task);

#endif							/* GPUAGG_TASK_H */
