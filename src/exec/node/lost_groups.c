/*
 * lost_groups.c
 *	  Groups that leave while others are on their way, which may be lost.
 *
 * Where groups come from another process, and can be known again by their keys, the first
 * ones leave while others are on their way: the run streams.  If the rest is lost, the CPU
 * engine reads the tables again in this process, in a run of its own, and what has left is left
 * out, by its keys (given_groups.c).  That cannot be done once the keys have found no room, in
 * memory or in a file; the query goes on, and fails only if the rest is lost, too.
 *
 * A run begins to stream where it is opened (node_run.c).
 */
#include "postgres.h"

#include "executor/instrument.h"

#include "exec/node/node.h"
#include "handle/select.h"

bool
lost_groups_streams(const NodeRun *run)
{
	return run->given != NULL && run->groups.ngroups > 0;
}

void
lost_groups_settle(NodeRun *run)
{
	/* what fails, fails again when it goes on */
	(void) engine_settle(run->engine);
}

bool
lost_groups_has_left(const NodeRun *run, uint32_t group)
{
	return run->before != NULL && given_groups_have(run->before, &run->groups, group);
}

/* Groups have left, and others are lost: too late for the native plan. */
static void
raise_lost_groups(const NodeRun *run, EngineStatus status, const char *message)
{
	ereport(ERROR,
			(errcode(engine_sqlstate(status)),
			 errmsg("engine \"%s\" lost its groups: %s",
					engine_name(run->engine), message)));
}

/* A run of the CPU engine, in this process alone, that has all groups once more. */
static NodeRun *
make_groups_again(GpuAggState *state, NodeRun *lost, EngineStatus status, const char *message)
{
	NodeRun    *run;
	EngineHints hints;

	if (!given_groups_end(lost->given))
		raise_lost_groups(lost, status, message);
	/* they come again */
	InstrCountFiltered1(state, -(double) lost->removed);
	node_run_report_failure(lost, status, message, "the CPU engine");
	run = node_run_beside(lost, engine_without_device());
	run->before = lost->given;
	hints = node_run_hints(run);
	status = node_run_to_groups(run, &hints, &message);
	if (status != ENGINE_OK)
		raise_lost_groups(run, status, message);
	/* with specials, keys are other numbers */
	if (run->program->specials != lost->program->specials)
		raise_lost_groups(run, ENGINE_INEXACT, "engines disagree about the values");
	table_source_stats_add(&lost->source, &run->source);
	return run;
}

/* None has left yet, so that the native plan can answer: the groups end here. */
static void
end_check(NodeRun *run, EngineStatus status, const char *message)
{
	run->checked = status;
	run->check_message = message;
	run->groups.ngroups = 0;
}

/* What has been taken is noted if later calls may fail. */
NodeRun *
lost_groups_next_batch(GpuAggState *state, NodeRun *run)
{
	bool		can_be_lost = run->given != NULL && !engine_is_settled(run->engine);
	char		injected[256];
	const char *message = injected;
	EngineStatus status = ENGINE_OK;
	MemoryContext old;

	if (can_be_lost)
	{
		given_groups_add(run->given, &run->groups);
		status = engine_injected(run->engine, "lost", injected);
	}
	if (status == ENGINE_OK)
		status = node_run_next_groups(run, &message);
	if (status == ENGINE_OK)
		return run;
	if (run->is_checking)
	{
		end_check(run, status, message);
		return run;
	}
	if (!can_be_lost)
		raise_lost_groups(run, status, message);
	old = MemoryContextSwitchTo(run->context);
	state->run = make_groups_again(state, run, status, message);
	MemoryContextSwitchTo(old);
	return state->run;
}
