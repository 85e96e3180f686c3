/*
 * node_groups.c
 *	  From a run's groups to the node's tuples.
 *
 * Groups come by batches.  Rows of some groups at a time are made column by column
 * (group_column.h), and the scan tuple's slot points to one after the other.  What a column
 * cannot make of many groups is made of each.  Of a group that HAVING removes only the columns
 * that it looks at are made; those that the engine has removed by HAVING's conditions are counted
 * with them.
 *
 * Where groups come from another process, and can be known again by their keys, the first
 * ones leave while others are on their way (given_groups.c).  If the rest is lost, the CPU
 * engine reads the tables again in this process, and what has left is left out.  That cannot be
 * done once the keys have found no room, in memory or in a file; the query goes on, and fails
 * only if the rest is lost, too.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"

#include "exec/node/node_groups.h"
#include "exec/node/node_run.h"
#include "exec/values/final.h"
#include "handle/select.h"

const Program *
node_result_program(const GpuAggState *state)
{
	return state->coarse ? state->coarse : state->program;
}

void
node_create_columns(GpuAggState *state, const Bitmapset *having)
{
	TupleDesc	desc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	int			n = desc->natts;

	/* the slot's own arrays are not used, and nobody frees them before the slot */
	state->row_values = palloc0(sizeof(Datum) * GROUP_ROWS * n);
	state->row_isnull = palloc0(sizeof(bool) * GROUP_ROWS * n);
	state->unfilled = palloc(sizeof(GroupColumn *) * n);
	state->columns = palloc0(sizeof(GroupColumn) * n);
	state->order = palloc(sizeof(GroupColumn *) * n);
	for (int early = 1; early >= 0; early--)
	{
		for (int i = 0; i < n; i++)
			if ((having == NULL || bms_is_member(i + 1, having)) == early)
				state->order[state->ncolumns++] = &state->columns[i];
		if (early)
			state->nearly = state->ncolumns;
	}
	for (int i = 0; i < n; i++)
	{
		state->columns[i].number = i;
		if (i < state->plan->nkeys && TupleDescAttr(desc, i)->attlen == -1)
			group_column_make_texts(&state->columns[i]);
	}
}

/* The columns are the keys, then the aggregates, then GROUPING(); the rest are NULL. */
static void
begin_column(GpuAggState *state, GroupColumn *column)
{
	const Program *program = node_result_program(state);
	const int  *places = state->regrouping ? state->layout->places : NULL;
	int			n = column->number;
	int			agg = n - state->plan->nkeys;
	int			grouping = agg - program->naggs;
	int			place = places && agg < 0 ? places[n] : n;

	if (agg < 0 && place >= 0)
		group_column_is_key(column, program, n, &state->groups.keys[place]);
	else if (agg >= 0 && grouping < 0)
		group_column_is_aggregate(column, program, &program_aggs(program)[agg],
								  &state->groups);
	else if (agg >= 0 && grouping < list_length(state->plan->groupings))
		group_column_is_constant(column, Int32GetDatum(places ? state->layout->groupings[grouping] : 0),
								 false);
	else
		group_column_is_constant(column, (Datum) 0, true);
}

Datum
node_group_value(void *node, uint32_t group, int n, bool *isnull)
{
	GroupColumn *column = &((GpuAggState *) node)->columns[n];

	return column->value(column, group, isnull);
}

/* Make these columns of a group. */
static void
store_columns(uint32_t group, TupleTableSlot *slot, GroupColumn **columns, int n)
{
	for (int i = 0; i < n; i++)
	{
		int			number = columns[i]->number;

		slot->tts_values[number] = columns[i]->value(columns[i], group,
													 &slot->tts_isnull[number]);
	}
}

/*
 * Make the rows of the next groups, as far as columns can: those before HAVING, and not if
 * most groups may not leave by their order.
 */
static void
fill_rows(GpuAggState *state)
{
	bool		by_order = state->top != NULL && !state->checking;
	uint32_t	begin = state->next_group;
	uint32_t	n = Min(GROUP_ROWS, state->groups.ngroups - begin);
	int			ncolumns = state->ncolumns;

	state->nunfilled = 0;
	if (state->nearly < ncolumns)
		memset(state->row_isnull, true, (size_t) n * ncolumns * sizeof(bool));
	for (int i = 0; i < state->nearly; i++)
	{
		GroupColumn *column = state->order[i];

		if (by_order || column->fill == NULL ||
			!column->fill(column, begin, n, state->row_values + column->number,
						  state->row_isnull + column->number, ncolumns))
			state->unfilled[state->nunfilled++] = column;
	}
	state->rows_begin = begin;
	state->rows_end = begin + n;
	state->whole = !by_order && state->nunfilled == 0 && state->nearly == ncolumns &&
		state->before == NULL && state->css.ss.ps.qual == NULL;
}

/* Let the slot be a group's row. */
static inline void
point_to_row(const GpuAggState *state, uint32_t group, TupleTableSlot *slot)
{
	size_t		place = (size_t) (group - state->rows_begin) * state->ncolumns;

	/* what was stored by this function before has nothing to free, unless it was materialized */
	if (TTS_EMPTY(slot) || TTS_SHOULDFREE(slot))
	{
		ExecClearTuple(slot);
		ExecStoreVirtualTuple(slot);
	}
	slot->tts_values = state->row_values + place;
	slot->tts_isnull = state->row_isnull + place;
}

/* Count what the engine has removed by HAVING since it was last counted. */
static void
count_removed(GpuAggState *state)
{
	uint64		removed = engine_stats(state->engine)->groups_removed;

	if (state->checking || removed <= state->removed)
		return;
	InstrCountFiltered1(state, removed - state->removed);
	state->removed = removed;
}

/* In a build for tests, on request: make one of the group's values wrong. */
static void
falsify(GpuAggState *state, TupleTableSlot *slot)
{
	char		message[256];

	if (state->witnessing || engine_injected(state->engine, "value", message) == ENGINE_OK)
		return;
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		if (TupleDescAttr(slot->tts_tupleDescriptor, i)->attbyval && !slot->tts_isnull[i])
			slot->tts_values[i] ^= 1;
}

/* The next group's tuple, of rows that are whole. */
static inline TupleTableSlot *
next_whole_row(GpuAggState *state, TupleTableSlot *slot)
{
	PlanState  *ps = &state->css.ss.ps;

	point_to_row(state, state->next_group++, slot);
	falsify(state, slot);
	if (ps->ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(ps->ps_ExprContext);
	ps->ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(ps->ps_ProjInfo);
}

/* Put the next group into the scan tuple, unless it does not leave. */
static bool
take_group(GpuAggState *state, TupleTableSlot *slot)
{
	PlanState  *ps = &state->css.ss.ps;
	MemoryContext old;
	uint32_t	group = state->next_group++;
	bool		leaves;

	ResetExprContext(ps->ps_ExprContext);
	ps->ps_ExprContext->ecxt_scantuple = slot;
	old = MemoryContextSwitchTo(ps->ps_ExprContext->ecxt_per_tuple_memory);
	leaves = (state->before == NULL ||
			  !given_groups_have(state->before, &state->groups, group)) &&
		(state->top == NULL || state->checking || !top_groups_are_better(state->top, group));
	if (leaves)
	{
		point_to_row(state, group, slot);
		store_columns(group, slot, state->unfilled, state->nunfilled);
		leaves = ExecQual(ps->qual, ps->ps_ExprContext);
		if (!leaves && !state->checking)
			InstrCountFiltered1(state, 1);
	}
	if (leaves)
	{
		store_columns(group, slot, state->order + state->nearly, state->ncolumns - state->nearly);
		falsify(state, slot);
		if (state->top && !state->checking)
			top_groups_add(state->top);
	}
	MemoryContextSwitchTo(old);
	return leaves;
}

/* Groups have left, and others are lost: too late for the native plan. */
static void
raise_lost_groups(const GpuAggState *state, EngineStatus status, const char *message)
{
	ereport(ERROR,
			(errcode(engine_sqlstate(status)),
			 errmsg("engine \"%s\" lost its groups: %s",
					engine_name(state->engine), message)));
}

/* Let the CPU engine, in this process alone, make all groups once more. */
static void
make_groups_again(GpuAggState *state, EngineStatus status, const char *message)
{
	EngineHints hints = node_plan_hints(state);
	PlanState  *gather = state->gather;
	uint32_t	specials = state->program->specials;

	if (!given_groups_end(state->given))
		raise_lost_groups(state, status, message);
	state->before = state->given;
	state->given = NULL;
	/* they come again */
	InstrCountFiltered1(state, -(double) state->removed);
	state->removed = 0;
	node_run_report_failure(state, status, message, "the CPU engine");
	state->lost = state->engine;
	state->engine = engine_handle(&cpu_engine);
	state->gather = NULL;
	status = node_run_to_groups(state, &hints, &message);
	state->gather = gather;
	state->phase = PHASE_GROUPS;
	if (status != ENGINE_OK)
		raise_lost_groups(state, status, message);
	/* with specials, keys are other numbers */
	if (state->program->specials != specials)
		raise_lost_groups(state, ENGINE_INEXACT, "engines disagree about the values");
}

/*
 * The next batch of groups, all of this one having been taken.  What has been taken is noted
 * if later calls may fail.
 */
static void
take_next_batch(GpuAggState *state)
{
	bool		can_be_lost = state->given != NULL && !engine_is_settled(state->engine);
	char		injected[256];
	const char *message = injected;
	EngineStatus status = ENGINE_OK;
	MemoryContext old;

	if (can_be_lost)
	{
		given_groups_add(state->given, &state->groups);
		status = engine_injected(state->engine, "lost", injected);
	}
	if (status == ENGINE_OK)
		status = node_run_next_groups(state, &message);
	if (status == ENGINE_OK)
		return;
	if (!can_be_lost)
		raise_lost_groups(state, status, message);
	old = MemoryContextSwitchTo(state->run_context);
	make_groups_again(state, status, message);
	MemoryContextSwitchTo(old);
}

/* A batch of groups has come, or there are no more. */
static void
begin_batch(GpuAggState *state)
{
	count_removed(state);
	for (int i = 0; i < state->ncolumns && state->groups.ngroups > 0; i++)
		begin_column(state, &state->columns[i]);
}

/* Make rows of the next groups; false: there are no more. */
static bool
next_rows(GpuAggState *state)
{
	if (state->next_group == state->groups.ngroups && state->groups.ngroups > 0)
		take_next_batch(state);
	if (state->next_group == 0)
		begin_batch(state);
	if (state->groups.ngroups == 0)
		return false;
	fill_rows(state);
	return true;
}

TupleTableSlot *
node_next_tuple(GpuAggState *state)
{
	PlanState  *ps = &state->css.ss.ps;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if ((state->next_group == state->rows_end || state->next_group == 0) && !next_rows(state))
			return ExecClearTuple(ps->ps_ProjInfo ? ps->ps_ResultTupleSlot : slot);
		if (state->whole)
			return next_whole_row(state, slot);
		if (take_group(state, slot))
			return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
	}
}
