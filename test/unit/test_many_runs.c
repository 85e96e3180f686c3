/*
 * test_many_runs.c
 *	  Runs that take turns at every wait: each has the groups that the CPU engine
 *	  has, and what becomes of one does not touch the others.
 *
 * Each run is a task on a stack of its own, as in the device process.  Its waits,
 * and its calls that answer BUSY, give way to the next task.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/cuda/core/run_core.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/fiber.h"
#include "engine_data.h"
#include "oracle.h"
#include "tap.h"

#define TASKS 8
#define LOOKUP_TASK 3
#define STACK_SIZE ((size_t) 4 << 20)
#define NROWS 30000
#define DEVICE_MEMORY "1000000000"	/* of the simulated device */
#define BUDGET (UINT64_C(800) << 20)
#define SMALL_BUDGET (UINT64_C(100) << 20)

typedef struct Task
{
	Fiber		fiber;
	void	   *stack;
	Program    *program;
	ParamValue *params;			/* or NULL */
	EngineHints hints;
	Groups	   *groups;
	bool		started;
	bool		done;
	int			turns;
} Task;

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static EngineOps turns;			/* the engine, giving way at each call */
static Task tasks[TASKS];
static Task *current;
static ParamValue lookup_param;
static Fiber scheduler;
static int	interrupted = -1;	/* the task that is told to end */

static bool
give_way(int milliseconds)
{
	current->turns++;
	fiber_switch(&current->fiber, &scheduler);
	return interrupted >= 0 && current == &tasks[interrupted];
}

static EngineStatus
columns_by_turns(EngineRun *run, const ColumnBatch *batch)
{
	EngineStatus status = engine->columns(run, batch);

	(void) give_way(0);
	return status;
}

static EngineStatus
groups_by_turns(EngineRun *run, GroupBatch *batch)
{
	EngineStatus status = engine->groups(run, batch);

	(void) give_way(0);
	return status;
}

static void
task_main(void *arg)
{
	Task	   *task = arg;
	ColumnBatch batch = {NROWS, data_vectors};

	task->groups = engine_groups_of_batch(&turns, task->program, task->params, &task->hints,
										  &batch, 10000);
	task->done = true;
	fiber_switch(&task->fiber, &scheduler);
}

/* Run all tasks, one turn after another, to their ends. */
static void
run_tasks(void)
{
	int			left = TASKS;

	for (int i = 0; i < TASKS; i++)
	{
		tasks[i].done = false;
		tasks[i].turns = 0;
		fiber_prepare(&tasks[i].fiber, tasks[i].stack, STACK_SIZE, task_main, &tasks[i]);
	}
	for (int i = 0; left > 0; i = (i + 1) % TASKS)
	{
		if (tasks[i].done)
			continue;
		current = &tasks[i];
		fiber_switch(&scheduler, &current->fiber);
		left -= tasks[i].done;
	}
}

/* The first and the last two tasks want the same kernels; one looks up its keys. */
static void
make_tasks(void)
{
	static const int keys[TASKS][2] = {
		{C_INT4, -1}, {C_TEXT_NULL, -1}, {C_INT8, C_INT2}, {C_FLOAT8, -1},
		{C_UUID, -1}, {C_BOOL, C_INT4_NULL}, {C_INT4, -1}, {C_INT4, -1}
	};
	static const char *const strategies[TASKS] = {
		"auto", "atomic", "peers", "auto", "scan", "block", "auto", "auto"
	};

	for (int i = 0; i < TASKS; i++)
	{
		tasks[i].stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
							  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (i == LOOKUP_TASK)
			tasks[i].program = data_lookups(tasks[i].params = &lookup_param);
		else
			tasks[i].program = data_program(keys[i], keys[i][1] < 0 ? 1 : 2, true, false);
		tasks[i].hints = (EngineHints) {.rows = NROWS,.strategy = strategies[i],.wait = give_way};
	}
}

/* Is what a task got right?  Its groups are freed. */
static bool
is_right(Task *task)
{
	ColumnBatch batch = {NROWS, data_vectors};
	EngineHints hints = {.strategy = "auto"};
	Groups	   *wanted = engine_groups_of_batch(&cpu_engine, task->program, task->params,
												&hints, &batch, NROWS);
	bool		right = task->groups->status == ENGINE_OK && task->turns > 3 &&
	groups_same(task->program, wanted, task->groups);

	if (!right)
		printf("# task %d: status %d, %d turns, %s\n", (int) (task - tasks),
			   task->groups->status, task->turns, task->groups->message);
	groups_free(wanted);
	groups_free(task->groups);
	return right;
}

static int
count_right(void)
{
	int			right = 0;

	for (int i = 0; i < TASKS; i++)
		right += is_right(&tasks[i]);
	return right;
}

static void
test_failing(const char *name, int which, EngineStatus status)
{
	run_tasks();
	ok(tasks[which].groups->status == status, "%s: %s", name, tasks[which].groups->message);
	for (int i = 0; i < TASKS; i++)
		if (i != which)
			ok(is_right(&tasks[i]), "the other run %d is right", i);
	groups_free(tasks[which].groups);
	ok(context_memory_used(device, 0) == 0, "all memory was given back");
}

/* What memory and streams need of a run. */
static void
open_core(RunCore *core, Context *context)
{
	*core = (RunCore) {
		.context = context,.device_ops = device,.device = context->device,
		.memory_limit = BUDGET
	};
	(void) pool_take_stream(core->device, &context->pool, &core->copy);
	(void) pool_take_stream(core->device, &context->pool, &core->work);
}

static void
close_core(RunCore *core)
{
	core->ended = true;
	run_collect(core);
	pool_give_stream(core->device, &core->context->pool, core->copy);
	pool_give_stream(core->device, &core->context->pool, core->work);
}

/* Another run gets freed memory once the device has done what it was used for. */
static void
test_freed(void)
{
	char		why[256];
	Context    *context = context_get(device, 0, why, sizeof(why));
	uint64_t	size = 1 << 20;
	DeviceBuffer first = {0};
	DeviceBuffer second = {0};
	DeviceBuffer third = {0};
	DevicePtr	used;
	RunCore		one;
	RunCore		two;

	if (engine != &simt_engine)
		return;
	context_close(device);
	context = context_get(device, 0, why, sizeof(why));
	open_core(&one, context);
	open_core(&two, context);
	(void) run_alloc(&one, size, &first);
	used = first.ptr;
	(void) device->fill(one.device, one.copy, first.ptr, 1, size);
	(void) device->fill(one.device, one.work, first.ptr, 2, size);
	run_free(&one, &first);
	(void) run_alloc(&two, size, &second);
	ok(second.ptr != 0 && second.ptr != used, "memory in use is not lent again");
	while (one.freed != NULL)
		run_collect(&one);
	(void) run_alloc(&two, size, &third);
	ok(third.ptr == used, "but once it is not in use");
	run_free(&two, &second);
	run_free(&two, &third);
	close_core(&one);
	close_core(&two);
	ok(context_memory_used(device, 0) == 0, "all memory was given back");
}

/* Runs that do not all fit: how many are right, and how many give up. */
static void
run_in_small_budget(int *right, int *without)
{
	*right = *without = 0;
	run_tasks();
	for (int i = 0; i < TASKS; i++)
	{
		if (tasks[i].groups->status == ENGINE_NO_MEMORY)
		{
			groups_free(tasks[i].groups);
			++*without;
		}
		else
			*right += is_right(&tasks[i]);
	}
}

/* Some give up, the others do not mind; all of them may, if each has a part of the budget. */
static void
test_small_budget(void)
{
	int			right = 0;
	int			without = 0;
	bool		none_wrong = true;

	context_close(device);
	context_share(device, SMALL_BUDGET);
	for (int i = 0; i < 5 && (right == 0 || without == 0); i++)
	{
		run_in_small_budget(&right, &without);
		none_wrong = none_wrong && right + without == TASKS;
	}
	ok(right > 0 && without > 0 && none_wrong,
	   "a small budget: %d runs are right, %d have no memory", right, without);
	ok(context_memory_used(device, 0) == 0, "all memory was given back");
}

int
main(void)
{
	setenv("GPUAGG_SIMT_MEMORY", DEVICE_MEMORY, 1);
	if (getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0)
	{
		engine = &cuda_engine;
		device = &cuda_device;
	}
	turns = *engine;
	turns.columns = columns_by_turns;
	turns.groups = groups_by_turns;
	data_make(NROWS, 700, false);
	make_tasks();
	context_share(device, BUDGET);

	run_tasks();
	ok(count_right() == TASKS, "%d runs at once, whose kernels are compiled", TASKS);
	run_tasks();
	ok(count_right() == TASKS, "%d runs at once, whose kernels are loaded", TASKS);
	ok(context_memory_used(device, 0) == 0, "all memory was given back");

	tasks[2].hints.memory_limit = 1 << 20;
	test_failing("a run's limit", 2, ENGINE_NO_MEMORY);
	tasks[2].hints.memory_limit = 0;
	interrupted = 4;
	test_failing("an interrupted run", 4, ENGINE_FAILED);
	interrupted = LOOKUP_TASK;
	test_failing("a run that is interrupted while its table is uploaded", LOOKUP_TASK,
				 ENGINE_FAILED);
	interrupted = -1;
	test_freed();
	test_small_budget();

	context_close(device);
	for (int i = 0; i < TASKS; i++)
	{
		free(tasks[i].program);
		munmap(tasks[i].stack, STACK_SIZE);
	}
	free((void *) lookup_param.bytes.data);
	return done_testing();
}
