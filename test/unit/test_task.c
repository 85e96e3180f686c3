/*
 * test_task.c
 *	  Tasks, and the stacks that they leave to each other.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* MAP_ANONYMOUS */
#endif
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "engine/clock.h"
#include "service/device/task.h"

#include "tap.h"

/* More than stacks are kept. */
#define NTASKS 40

typedef struct Part
{
	int			number;
	int			steps;
	bool		right;			/* its stack was its own */
	char	   *place;			/* there */
} Part;

/* Use the stack, with others between the steps. */
static void
use_stack(void *argument)
{
	Part	   *part = argument;
	volatile char bytes[100000];

	part->place = (char *) bytes;
	for (int i = 0; i < (int) sizeof(bytes); i++)
		bytes[i] = (char) part->number;
	part->right = true;
	for (part->steps = 0; part->steps < 3; part->steps++)
	{
		task_give_way(0, 0);
		for (int i = 0; i < (int) sizeof(bytes); i++)
			part->right = part->right && bytes[i] == (char) part->number;
	}
}

/* So many tasks at a time: do all end, each on a stack of its own? */
static bool
run_tasks(Part *parts, int n)
{
	Task	   *tasks[NTASKS];
	bool		right = true;

	for (int i = 0; i < n; i++)
	{
		parts[i] = (Part) {.number = i + 1};
		tasks[i] = task_create(use_stack, &parts[i]);
	}
	for (int step = 0; step < 4; step++)
		for (int i = 0; i < n; i++)
			task_resume(tasks[i]);
	for (int i = 0; i < n; i++)
	{
		right = right && task_is_done(tasks[i]) && parts[i].right && parts[i].steps == 3;
		task_free(tasks[i]);
	}
	return right;
}

/* What a task does before each of its pauses. */
typedef struct Asking
{
	uint64_t	work;			/* nanoseconds */
	bool		waits;			/* for something else, before it asks again */
} Asking;

static void
ask(void *argument)
{
	const Asking *asking = argument;

	for (;;)
	{
		uint64_t	begun = now_ns();

		while (now_ns() - begun < asking->work)
			;
		if (asking->waits)
			task_give_way(0, TASK_NEVER);
		task_pause(0);
	}
}

/* How long the task wants to sleep now, after it was not asked to go on for so long; in nanoseconds. */
static uint64_t
pause_after(Task *task, uint64_t wait)
{
	struct timespec time = {0, (long) wait};
	uint64_t	now;

	if (wait > 0)
		(void) nanosleep(&time, NULL);
	task_resume(task);
	now = now_ns();
	return task_until(task) > now ? task_until(task) - now : 0;
}

/* Its shortest and its longest pause: a process that is kept from running in between seems to wait, or to work. */
static void
find_pauses(Asking *asking, uint64_t wait, uint64_t *shortest, uint64_t *longest)
{
	*shortest = UINT64_MAX;
	*longest = 0;
	for (int i = 0; i < 30; i++)
	{
		Task	   *task = task_create(ask, asking);
		uint64_t	pause;

		task_resume(task);
		if (asking->waits)
			task_resume(task);
		pause = pause_after(task, wait);
		/* from the moment on at which it had waited for something else */
		if (asking->waits)
			pause = pause_after(task, 0);
		if (pause < *shortest)
			*shortest = pause;
		if (pause > *longest)
			*longest = pause;
		task_free(task);
	}
}

static void
test_pauses(void)
{
	Asking		asking = {0};
	uint64_t	shortest;
	uint64_t	longest;

	find_pauses(&asking, 0, &shortest, &longest);
	ok(shortest == 0, "who has just begun to ask asks again at once");
	find_pauses(&asking, 4000000, &shortest, &longest);
	ok(longest > 100000, "later it sleeps for a share of what it has waited");
	asking.work = 200000;
	find_pauses(&asking, 4000000, &shortest, &longest);
	ok(longest == 0, "not if it has worked meanwhile");
	asking = (Asking) {.waits = true};
	find_pauses(&asking, 4000000, &shortest, &longest);
	ok(shortest == 0, "nor if it has waited for something else");
}

int
main(void)
{
	Part		parts[NTASKS];
	char	   *place;

	ok(run_tasks(parts, NTASKS), "%d tasks at a time", NTASKS);
	ok(run_tasks(parts, 1), "one task");
	place = parts[0].place;
	/* where a stack would be made again */
	(void) mmap(NULL, (size_t) 8 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(run_tasks(parts, 1) && parts[0].place == place, "the next one has its stack");
	ok(run_tasks(parts, NTASKS), "%d tasks again", NTASKS);
	test_pauses();
	return done_testing();
}
