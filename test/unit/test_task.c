/*
 * test_task.c
 *	  Tasks, and the stacks that they leave to each other.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* MAP_ANONYMOUS */
#endif
#include <stdlib.h>
#include <sys/mman.h>

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
	return done_testing();
}
