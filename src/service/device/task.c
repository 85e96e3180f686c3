/*
 * task.c
 *	  Functions that give way to each other on stacks of their own.
 *
 * A task owns its stack: pages of memory that come when they are touched, behind
 * one that must not be.  Some stacks of former tasks are kept, with the pages that these
 * have touched: to give 8 MB back and to fetch its pages again takes longer than a small
 * query's work.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* MAP_ANONYMOUS, MAP_STACK */
#endif
#include "service/device/task.h"

#include <stdlib.h>
#include <sys/mman.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include "engine/clock.h"
#include "engine/fiber.h"

/* A driver's functions expect what a program's first stack has. */
#define STACK_SIZE ((size_t) 8 << 20)
#define GUARD_SIZE ((size_t) 64 << 10)

/* Stacks that no task has, at most. */
#define KEPT_STACKS 16

/*
 * How a task asks again and again, in nanoseconds: at once for so long, since a sleep takes
 * 50 microseconds and more in a virtual machine, whatever its length;
 */
#define SPIN_NS 100000
#define PAUSE_SHARE 16			/* then after that part of what was waited before, */
#define LONG_PAUSE 1000000		/* at most so long */

/* Who has worked for so long since a pause was not only asking, which takes one or two microseconds. */
#define ASKING_NS 10000

struct Task
{
	Fiber		fiber;
	char	   *stack;
	void		(*body) (void *argument);
	void	   *argument;
	bool		done;
	short		events;
	uint64_t	until;
	uint64_t	resumed;		/* when */
	uint64_t	asks_since;		/* when it began to ask, without work since; 0: it does not */
	void	   *known;			/* what ThreadSanitizer knows of the stack */
};

/* The loop's own stack, and the task that runs on another one. */
static Fiber loop;
static void *loop_known;
static Task *current;

static char *kept_stacks[KEPT_STACKS];
static int	nkept_stacks;

/*
 * ThreadSanitizer follows a thread's calls and returns, and has to be told of its stacks.
 */
#ifdef __SANITIZE_THREAD__
#define know_current() __tsan_get_current_fiber()
#define know_new() __tsan_create_fiber(0)
#define know_change(known) __tsan_switch_to_fiber(known, 0)
#define know_end(known) __tsan_destroy_fiber(known)
#else
#define know_current() NULL
#define know_new() NULL
#define know_change(known) ((void) (known))
#define know_end(known) ((void) (known))
#endif

static void
begin(void *argument)
{
	Task	   *task = argument;

	task->body(task->argument);
	task->done = true;
	for (;;)
		task_give_way(0, TASK_NEVER);
}

/* A stack behind its guard, or NULL. */
static char *
get_stack(void)
{
	char	   *stack;

	if (nkept_stacks > 0)
		return kept_stacks[--nkept_stacks];
	stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (stack == MAP_FAILED)
		return NULL;
	(void) mprotect(stack, GUARD_SIZE, PROT_NONE);
	return stack;
}

static void
put_stack(char *stack)
{
	if (nkept_stacks < KEPT_STACKS)
		kept_stacks[nkept_stacks++] = stack;
	else
		munmap(stack, STACK_SIZE);
}

Task *
task_create(void (*body) (void *argument), void *argument)
{
	Task	   *task = calloc(1, sizeof(*task));

	if (task == NULL)
		return NULL;
	task->stack = get_stack();
	if (task->stack == NULL)
	{
		free(task);
		return NULL;
	}
	task->body = body;
	task->argument = argument;
	task->known = know_new();
	fiber_prepare(&task->fiber, task->stack, STACK_SIZE, begin, task);
	return task;
}

void
task_free(Task *task)
{
	if (task == NULL)
		return;
	know_end(task->known);
	put_stack(task->stack);
	free(task);
}

bool
task_is_done(const Task *task)
{
	return task->done;
}

void
task_resume(Task *task)
{
	current = task;
	task->resumed = now_ns();
	loop_known = know_current();
	know_change(task->known);
	fiber_switch(&loop, &task->fiber);
	current = NULL;
}

Task *
task_current(void)
{
	return current;
}

void *
task_argument(const Task *task)
{
	return task->argument;
}

static void
give_way(Task *task, short events, uint64_t until)
{
	task->events = events;
	task->until = until;
	know_change(loop_known);
	fiber_switch(&task->fiber, &loop);
}

void
task_give_way(short events, uint64_t until)
{
	current->asks_since = 0;
	give_way(current, events, until);
}

void
task_pause(short events)
{
	Task	   *task = current;
	uint64_t	now = now_ns();
	uint64_t	pause;

	if (task->asks_since == 0 || now - task->resumed > ASKING_NS)
		task->asks_since = now;
	pause = (now - task->asks_since) / PAUSE_SHARE;
	if (now - task->asks_since < SPIN_NS)
		pause = 0;
	if (pause > LONG_PAUSE)
		pause = LONG_PAUSE;
	give_way(task, events, now + pause);
}

void
task_wake(Task *task)
{
	task->until = 0;
}

short
task_events(const Task *task)
{
	return task->events;
}

uint64_t
task_until(const Task *task)
{
	return task->until;
}
